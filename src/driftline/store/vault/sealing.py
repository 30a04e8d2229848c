"""Encrypts with AES-256-GCM under a key of the settings; a second key opens what was sealed before a rotation."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

from driftline.errors import NoSecretKey, StoreCorrupt

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SHORTEST_KEY: Final = 32  # characters
_FORMAT: Final = b"\x01"
_KEY_ID: Final = 8  # bytes
_NONCE: Final = 12
_HINT: Final = "set DRIFTLINE_SECRET_KEY; driftline secret key makes a new one"


class Sealer:
    """Seals with the first key, opens with any."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        given = [key for key in keys if key]
        if any(len(key) < SHORTEST_KEY for key in given):
            raise NoSecretKey("the secret key is too short", hint=f"{SHORTEST_KEY} characters at least: driftline secret key")
        self._keys = {_id(derived): derived for derived in map(_derived, given)}

    @property
    def ready(self) -> bool:
        """Whether there is a key."""
        return bool(self._keys)

    def seal(self, plain: bytes, *, bound_to: str) -> bytes:
        """The encrypted bytes, which open only for what they are bound to; raises NoSecretKey without a key."""
        if not self._keys:
            raise NoSecretKey("there is no key for secrets", hint=_HINT)
        key_id, key = next(iter(self._keys.items()))
        nonce = os.urandom(_NONCE)
        return _FORMAT + key_id + nonce + _cipher(key).encrypt(nonce, plain, bound_to.encode())

    def open(self, sealed: bytes, *, bound_to: str) -> bytes:
        """What was sealed; raises NoSecretKey if its key is not there, StoreCorrupt if it was changed."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - 0.1 s that only users of secrets pay

        key = self._keys.get(sealed[1 : 1 + _KEY_ID])
        if key is None:
            raise NoSecretKey("no key opens this secret", hint=_HINT)
        nonce, rest = sealed[1 + _KEY_ID : 1 + _KEY_ID + _NONCE], sealed[1 + _KEY_ID + _NONCE :]
        try:
            plain: bytes = _cipher(key).decrypt(nonce, rest, bound_to.encode())
        except InvalidTag:
            raise StoreCorrupt("a stored secret is not what was sealed", of=bound_to.rpartition("/")[2]) from None
        return plain

    def is_current(self, sealed: bytes) -> bool:
        """Whether it was sealed with the first key."""
        return sealed[1 : 1 + _KEY_ID] == next(iter(self._keys), None)


def _cipher(key: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - likewise

    return AESGCM(key)


def _derived(key: str) -> bytes:
    return hashlib.sha256(b"driftline secrets\0" + key.encode()).digest()


def _id(key: bytes) -> bytes:
    return hashlib.sha256(b"id\0" + key).digest()[:_KEY_ID]
