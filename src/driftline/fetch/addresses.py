"""Which IP addresses are public, and which are private."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

# Listed here, because `ipaddress.is_global` calls 224/4 and 192.88.99/24 global and differs between Python versions.
_REFUSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # "this network": Linux connects 0.0.0.0 to loopback
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; also a cloud's metadata service
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's host agent, on a public address that only its own machines reach
        "169.254.0.0/16",  # link-local, where cloud metadata lives
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",  # with the broadcast address
    )
)
# IPv6 is an allowlist: global unicast without its special ranges. Not included: loopback, ::a.b.c.d, 64:ff9b:1::/48,
# 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
_GLOBAL_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarking
        "2001:db8::/32",
        "2002::/16",  # 6to4 embeds an IPv4 address
        "3ffe::/16",
        "3fff::/20",
    )
)
# Packets to these go to the IPv4 address inside, which therefore decides.
_TRANSLATED_V6 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


@lru_cache(maxsize=1024)  # every fetch asks for its host
def parse_address(text: str) -> Address | None:
    """The address of canonical text; None for names and for 2130706433, 0177.0.0.1, 127.1 and the like."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def effective_address(address: Address) -> Address:
    """The address that packets reach: the IPv4 one inside a mapped or translated IPv6 one."""
    if isinstance(address, IPv6Address) and any(address in network for network in _TRANSLATED_V6):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether it is an address of the public internet."""
    target = effective_address(address)
    if isinstance(target, IPv4Address):
        return not any(target in network for network in _REFUSED_V4)
    return target in _GLOBAL_V6 and not any(target in network for network in _REFUSED_V6)
