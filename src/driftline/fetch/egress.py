"""The single guard: every connection to a place that a user chose is decided here, on the address that is connected to.

Names, literals, redirects and DNS answers are only ways to reach an address, so nothing but the address counts. It is judged in
the socket factory, after the last resolution and before the first packet.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from contextvars import ContextVar
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

import msgspec

from driftline.errors import BadSetting
from driftline.fetch.addresses import Address, is_public, parsed, reached

AddrInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]


class AddressRefused(OSError):
    """The guard's no; an OSError, so that the next address of the name is tried."""


class GuardedHost:
    """The host that a task wants to reach, and what the guard said on the way."""

    __slots__ = ("host", "refused", "tried")

    def __init__(self, host: str) -> None:
        self.host = host
        self.refused: str | None = None  # an address that it may not connect to
        self.tried = False  # whether there was another one


# The socket factory sees addresses only. Whoever asks says here for which host, since an allowed name allows all its addresses.
guarded_host: ContextVar[GuardedHost | None] = ContextVar("guarded_host", default=None)


class _Grant(msgspec.Struct, frozen=True):
    """One entry of `allow_hosts`."""

    place: str | IPv4Network | IPv6Network  # a host name in lower case, or a network
    port: int | None  # None: every port


class Egress:
    """Decides which addresses may be connected to. Nothing private is, unless the operator named it."""

    def __init__(self, allow_hosts: Iterable[str] = ()) -> None:
        grants = [_grant(entry) for entry in allow_hosts]
        self._names = frozenset((grant.place, grant.port) for grant in grants if isinstance(grant.place, str))
        self._networks = tuple((grant.place, grant.port) for grant in grants if not isinstance(grant.place, str))

    def permits(self, host: str, address: str, port: int) -> bool:
        """Whether a connection to `address` may be made on behalf of `host`."""
        target = parsed(address)
        if target is None:  # connecting to a name would resolve it once more, behind our back
            return False
        return is_public(target) or self._is_named(host, port) or self._is_within(target, port)

    def grants(self, host: str, port: int) -> bool:
        """Whether the operator named this host, or a network around this address."""
        address = parsed(host)
        return self._is_named(host, port) if address is None else self._is_within(address, port)

    def _is_named(self, host: str, port: int) -> bool:
        name = host.lower().rstrip(".")
        return (name, None) in self._names or (name, port) in self._names

    def _is_within(self, address: Address, port: int) -> bool:
        target = reached(address)
        return any(target in network and allowed in {None, port} for network, allowed in self._networks)

    def socket_for(self, info: AddrInfo) -> socket.socket:
        """A socket for an address that may be connected to, else AddressRefused; a `socket_factory` of aiohttp's."""
        family, kind, protocol, _, where = info
        address, port = str(where[0]), int(where[1])
        wanted = guarded_host.get()
        if not self.permits(wanted.host if wanted else "", address, port):
            if wanted is not None:
                wanted.refused = address
            raise AddressRefused(f"address refused: {address}")
        if wanted is not None:
            wanted.tried = True
        return socket.socket(family=family, type=kind, proto=protocol)


# An address with a port, or a name with or without one; IPv6 with a port stands in brackets.
_ENTRY = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<place>[^:\[\]]+))(?::(?P<port>[0-9]{1,5}))?")
# A last label of digits is a mistyped or disguised address, never a name.
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*(?![0-9]+$)[a-z0-9_-]+")


def _grant(entry: str) -> _Grant:
    """An entry of `allow_hosts`: a name, an address or a network, with or without a port."""
    text = entry.strip().lower()
    network = _network(text)
    if network is not None:
        return _Grant(network, None)
    if parts := _ENTRY.fullmatch(text):
        place = parts["v6"] or parts["place"].rstrip(".")
        port = int(parts["port"]) if parts["port"] else None
        named = _network(place) or (place if _NAME.fullmatch(place) else None)
        if named is not None and (port is None or 0 < port < 65_536):
            return _Grant(named, port)
    raise BadSetting(
        "invalid entry in allow_hosts",
        entry=entry,
        hint="write a host name, an address or a network, with or without a port",
    )


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None
