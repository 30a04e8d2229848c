from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadSetting
from driftline.fetch.addresses import is_public
from driftline.fetch.egress import AddressRefused, Egress, GuardedHost, guarded_host


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1",
     "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)  # fmt: skip
def test_the_open_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))
    assert Egress().permits("any.test", address, 443)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_in_ipv6_clothes_is_judged_as_itself(address: IPv4Address) -> None:
    assert is_public(IPv6Address(f"::ffff:{address}")) == is_public(address)
    assert is_public(IPv6Address(f"64:ff9b::{address}")) == is_public(address)


@given(st.ip_addresses())
def test_nothing_is_public_that_the_standard_library_calls_private(address: IPv4Address | IPv6Address) -> None:
    translated = isinstance(address, IPv6Address) and (address.ipv4_mapped or str(address).startswith("64:ff9b::"))
    if not translated and (address.is_private or address.is_loopback or address.is_link_local or address.is_multicast):
        assert not is_public(address)


@pytest.mark.parametrize(
    ("entry", "host", "address", "port", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", 80, True),
        ("127.0.0.1", "localhost", "127.0.0.1", 80, True),
        ("127.0.0.1", "127.0.0.1", "127.0.0.2", 80, False),
        ("127.0.0.1", "mapped.test", "::ffff:127.0.0.1", 80, True),
        ("127.0.0.1:8080", "a.test", "127.0.0.1", 8080, True),
        ("127.0.0.1:8080", "a.test", "127.0.0.1", 8081, False),
        ("10.1.0.0/16", "a.test", "10.1.255.255", 80, True),
        ("10.1.0.0/16", "a.test", "10.2.0.0", 80, False),
        ("10.1.0.0/16:443", "a.test", "10.1.0.1", 443, True),
        ("10.1.0.0/16:443", "a.test", "10.1.0.1", 80, False),
        ("localhost", "localhost", "127.0.0.1", 80, True),
        ("LocalHost.", "LOCALHOST", "::1", 80, True),
        ("localhost", "localhost.", "127.0.0.1", 80, True),
        ("localhost", "evil.test", "127.0.0.1", 80, False),
        ("shop.internal:8443", "shop.internal", "10.0.0.1", 8443, True),
        ("shop.internal:8443", "shop.internal", "10.0.0.1", 443, False),
        ("internal", "shop.internal", "10.0.0.1", 443, False),
        ("::1", "a.test", "::1", 80, True),
        ("[::1]:8080", "a.test", "::1", 8080, True),
        ("[::1]:8080", "a.test", "::1", 80, False),
        ("fd00::/8", "a.test", "fd12::1", 80, True),
        (" 127.0.0.1 ", "a.test", "127.0.0.1", 80, True),
        ("localhost", "localhost", "localhost", 80, False),
    ],
)
def test_the_operator_allows_what_was_named_and_no_more(entry: str, host: str, address: str, port: int, allowed: bool) -> None:
    assert Egress([entry]).permits(host, address, port) is allowed


@pytest.mark.parametrize(
    "entry",
    ["", " ", "*", "*.internal", "http://localhost", "10.1.2.3/16", "10.0.0.0/33", "127.1", "2130706433", "0177.0.0.1", "a b",
     "localhost:", "localhost:0", "localhost:65536", "localhost:x", "[::1", "[::1]x", "[::1]:", "user@host", "a/b", ".",
     "1.2.3.4.5"],
)  # fmt: skip
def test_an_entry_that_makes_no_sense_is_refused(entry: str) -> None:
    with pytest.raises(BadSetting):
        Egress([entry])


def test_a_refused_socket_is_never_made_and_says_why() -> None:
    asking = GuardedHost("evil.test")
    mark = guarded_host.set(asking)
    try:
        with pytest.raises(AddressRefused):
            Egress().socket_for((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("10.0.0.1", 80)))
    finally:
        guarded_host.reset(mark)
    assert (asking.refused, asking.tried) == ("10.0.0.1", False)


def test_nobody_asking_still_means_a_check() -> None:
    with pytest.raises(AddressRefused):
        Egress(["localhost"]).socket_for((socket.AF_INET6, socket.SOCK_STREAM, 0, "", ("::1", 80, 0, 0)))
