"""The system's authorities, loaded when the first server is asked by TLS.

aiohttp loads them twice when it is imported, 55 ms of every command: whoever imports this module first spares that.
"""

from __future__ import annotations

import ssl
import sys
from functools import cache
from typing import Any, Final

_LOADERS: Final = ("load_default_certs", "set_default_verify_paths")


def _import_without() -> bool:
    """Whether aiohttp was imported here, its contexts without authorities."""
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
    """Nobody is trusted yet."""


_WITHOUT: Final = _import_without()


@cache
def load_authorities() -> None:
    """Before a server is asked by TLS; without it, no certificate is believed."""
    if _WITHOUT:
        from aiohttp import connector  # noqa: PLC0415 - imported above

        connector._SSL_CONTEXT_VERIFIED.load_default_certs()  # noqa: SLF001 - made there at import, and used for every session
