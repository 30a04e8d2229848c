"""Loads the system's certificate authorities at the first TLS connection.

aiohttp loads them twice when it is imported, which costs every command 55 ms; importing this module first avoids that.
"""

from __future__ import annotations

import ssl
import sys
from functools import cache
from typing import Any, Final

_LOADERS: Final = ("load_default_certs", "set_default_verify_paths")


def _import_without() -> bool:
    """Import aiohttp without loading authorities; returns whether it was imported here."""
    if "aiohttp.connector" in sys.modules:
        return False
    own = {name: getattr(ssl.SSLContext, name) for name in _LOADERS}
    inherited = [name for name in _LOADERS if name not in vars(ssl.SSLContext)]
    try:
        for name in _LOADERS:
            setattr(ssl.SSLContext, name, _nothing)
        import aiohttp.connector  # noqa: F401, PLC0415 - with them, it would load
    finally:
        for name in _LOADERS:
            if name in inherited:
                delattr(ssl.SSLContext, name)
            else:
                setattr(ssl.SSLContext, name, own[name])
    return True


def _nothing(*_: Any) -> None:
    """Loads nothing."""


_WITHOUT: Final = _import_without()


@cache
def load_authorities() -> None:
    """Load the authorities; before this no certificate is trusted."""
    if _WITHOUT:
        from aiohttp import connector  # noqa: PLC0415 - imported above

        connector._SSL_CONTEXT_VERIFIED.load_default_certs()  # noqa: SLF001 - made there at import, and used for every session
