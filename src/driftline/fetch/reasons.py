"""Short, constant reasons why a request failed, for fetching and for sending."""

from __future__ import annotations

import socket
import ssl

import aiohttp
from aiohttp.http import HttpProcessingError

from driftline.fetch.tunnel import TunnelRefused


def reason_of(error: BaseException) -> str:
    """The reason for a network error."""
    match error:
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            return "host not found"
        case aiohttp.ClientConnectorCertificateError() | ssl.SSLCertVerificationError():
            return "tls certificate refused"
        case aiohttp.ClientConnectorSSLError() | ssl.SSLError():
            return "tls failed"
        case aiohttp.InvalidURL():
            return "url refused"
        case aiohttp.ClientConnectorError():
            return "connection refused" if isinstance(error.os_error, ConnectionRefusedError) else _unreached(error.os_error)
        case aiohttp.ClientPayloadError():
            return "body cut short"
        case aiohttp.ClientResponseError() | HttpProcessingError():
            return "malformed response"
        case ConnectionRefusedError():
            return "connection refused"
        case aiohttp.ClientError() | ConnectionError():
            return "connection lost"
        case OSError():
            return _unreached(error)
        case _:
            return "connection lost"


def _unreached(error: OSError) -> str:
    return "proxy failed" if isinstance(error, TunnelRefused) else "connection failed"
