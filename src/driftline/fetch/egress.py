"""The egress guard: decides about every connection to a destination that a user chose, by the IP address.

Names, literals, redirects and DNS answers are only ways to reach an address, so only the address counts. It is checked in the
socket factory, after the last resolution and before the first packet.
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
from driftline.fetch.addresses import Address, effective_address, is_public, parse_address

AddrInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]


class AddressRefused(OSError):
    """The address may not be connected to; an OSError, so that the next address of the name is tried."""


class GuardedHost:
    """The host that a task wants to reach, and the guard's decisions for it."""

    __slots__ = ("host", "refused", "tried")

    def __init__(self, host: str) -> None:
        self.host = host
        self.refused: str | None = None  # an address that was refused
        self.tried = False  # whether a permitted address was tried


# The socket factory only sees addresses. The caller sets the host here, since an allowed name allows all its addresses.
guarded_host: ContextVar[GuardedHost | None] = ContextVar("guarded_host", default=None)


class _Grant(msgspec.Struct, frozen=True):
    """One entry of `allow_hosts`."""

    place: str | IPv4Network | IPv6Network  # a host name in lower case, or a network
    port: int | None  # None: every port


class Egress:
    """Decides which addresses may be connected to: no private ones, unless the operator allowed them."""

    def __init__(self, allow_hosts: Iterable[str] = ()) -> None:
        grants = [_grant(entry) for entry in allow_hosts]
        self._names = frozenset((grant.place, grant.port) for grant in grants if isinstance(grant.place, str))
        self._networks = tuple((grant.place, grant.port) for grant in grants if not isinstance(grant.place, str))

    def permits(self, host: str, address: str, port: int) -> bool:
        """Whether a connection to `address` may be made on behalf of `host`."""
        target = parse_address(address)
        if target is None:  # a name would be resolved once more, unchecked
            return False
        return is_public(target) or self._is_named(host, port) or self._is_within(target, port)

    def grants(self, host: str, port: int) -> bool:
        """Whether the operator allowed this host, or a network that contains this address."""
        address = parse_address(host)
        return self._is_named(host, port) if address is None else self._is_within(address, port)

    def _is_named(self, host: str, port: int) -> bool:
        name = host.lower().rstrip(".")
        return (name, None) in self._names or (name, port) in self._names

    def _is_within(self, address: Address, port: int) -> bool:
        target = effective_address(address)
        return any(target in network and allowed in {None, port} for network, allowed in self._networks)

    def socket_for(self, info: AddrInfo) -> socket.socket:
        """A socket for a permitted address, else AddressRefused; a `socket_factory` for aiohttp."""
        family, kind, protocol, _, where = info
        address, port = str(where[0]), int(where[1])
        guarded = guarded_host.get()
        if not self.permits(guarded.host if guarded else "", address, port):
            if guarded is not None:
                guarded.refused = address
            raise AddressRefused(f"address refused: {address}")
        if guarded is not None:
            guarded.tried = True
        return socket.socket(family=family, type=kind, proto=protocol)


# An address with a port, or a name with or without one; IPv6 with a port is in brackets.
_ENTRY = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<place>[^:\[\]]+))(?::(?P<port>[0-9]{1,5}))?")
# A last label of digits is a mistyped or disguised address, never a name.
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*(?![0-9]+$)[a-z0-9_-]+")


def _grant(entry: str) -> _Grant:
    """An entry of `allow_hosts`: a name, an address or a network, optionally with a port."""
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
