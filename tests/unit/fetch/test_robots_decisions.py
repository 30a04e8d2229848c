"""What robots.txt allows: protego behind our excerpt against the parser of our own that it replaced, decision by decision."""

from __future__ import annotations

from typing import Final

import pytest
from protego import Protego

from driftline.fetch.robots import allowed, excerpt

PATHS: Final = (
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/a/b.html",
    "/a/b.html?x=1",
    "/a/index.html",
    "/ab",
    "/A",
    "/a%2Fb",
    "/a%7Eb",
    "/a~b",
    "/caf%C3%A9",
    "/a?x=1&sid=2",
    "/x$y",
    "/x*y",
    "/a/b%3Fc",
    "/robots.txt",
    "//a/b",
    "/a=b",
    "/a%3Db",
    "/a/b/c.pdf",
)
# What the former parser said of each path in turn: + allowed, - not.
BEFORE: Final = (
    ("User-agent: *\nDisallow: /", "-----------------+----"),
    ("User-agent: *\nDisallow:", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: *\nDisallow: /a/", "++-----+++++++++-++++-"),
    ("User-agent: *\nDisallow: /a$", "+-++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /a/$", "++-+++++++++++++++++++"),
    ("User-agent: *\nDisallow: /*", "-----------------+----"),
    ("User-agent: *\nDisallow: *", "-----------------+----"),
    ("User-agent: *\nDisallow: *b", "+++---+-+---++++-+----"),
    ("User-agent: *\nDisallow: a", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /$", "-+++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /*$", "-----------------+----"),
    ("User-agent: *\nDisallow: /*.html", "++++---+++++++++++++++"),
    ("User-agent: *\nDisallow: /*.html$", "++++-+-+++++++++++++++"),
    ("User-agent: *\nDisallow: /a*b", "+++---+-+---++++-++---"),
    ("User-agent: *\nDisallow: /a*b$", "+++-+++-+---+++++++--+"),
    ("User-agent: *\nDisallow: /a**b", "+++---+-+---++++-++---"),
    ("User-agent: *\nDisallow: /*?", "+++++-+++++++-++++++++"),
    ("User-agent: *\nDisallow: /*?x=", "+++++-+++++++-++++++++"),
    ("User-agent: *\nDisallow: /*sid=", "+++++++++++++-++++++++"),
    ("User-agent: *\nDisallow: /a%2Fb", "+++++++++-++++++++++++"),
    ("User-agent: *\nDisallow: /a%2fb", "+++++++++-++++++++++++"),
    ("User-agent: *\nDisallow: /a%7eb", "++++++++++--++++++++++"),
    ("User-agent: *\nDisallow: /a~b", "++++++++++--++++++++++"),
    ("User-agent: *\nDisallow: /café", "++++++++++++-+++++++++"),
    ("User-agent: *\nDisallow: /caf%c3%a9", "++++++++++++-+++++++++"),
    ("User-agent: *\nDisallow: /x$y", "++++++++++++++-+++++++"),
    ("User-agent: *\nDisallow: /x%24y", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /x%2Ay", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /a%3Db", "++++++++++++++++++++-+"),
    ("User-agent: *\nDisallow: /a/b%3Fc", "++++++++++++++++-+++++"),
    ("User-agent: *\nDisallow: /a/b?c", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /A", "++++++++-+++++++++++++"),
    ("User-agent: *\nDisallow: //a", "++++++++++++++++++-+++"),
    ("User-agent: *\nDisallow: /\nAllow: /a", "-+++++++-+++-+--++-+++"),
    ("User-agent: *\nAllow: /\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: *\nDisallow: /a\nAllow: /a", "++++++++++++++++++++++"),
    ("User-agent: *\nAllow: /a/b\nDisallow: /a", "+--+++--+---+-+++++--+"),
    ("User-agent: *\nDisallow: /a/\nAllow: /a/b.html$", "++--+--+++++++++-++++-"),
    ("User-agent: *\nDisallow: /\nAllow: /$", "+----------------+----"),
    ("User-agent: *\nDisallow: /\nAllow: /a/index.html", "------+----------+----"),
    ("User-agent: *\nDisallow: /a\nAllow: /*.html", "+---+++-+---+-++-++---"),
    ("User-agent: *\nDisallow: /*b\nAllow: /a/b", "+++++++-+---++++++---+"),
    ("User-agent: *\nDisallow: /a?\nAllow: /a*", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /a?x\nAllow: /a*x=1", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /caf*\nAllow: /café", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /*.pdf$\nAllow: /a/b/", "+++++++++++++++++++++-"),
    ("User-agent: *\nDisallow: https://host/a", "++++++++++++++++++++++"),
    ("User-agent: *\ndisallow:/a", "+-------+---+-++-++---"),
    ("User-agent: *\nDISALLOW : /a # all of it", "+-------+---+-++-++---"),
    ("User-agent: *\nDisallow /a", "++++++++++++++++++++++"),
    ("User-agent: *\nDissallow: /a", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /a\rAllow: /ab", "+------++---+-++-++---"),
    ("User-agent: *\nNoindex: /a", "++++++++++++++++++++++"),
    ("User-agent: driftline\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: Driftline/2.0\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: driftline*\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: drift\nDisallow: /a", "++++++++++++++++++++++"),
    ("User-agent: driftliner\nDisallow: /a", "++++++++++++++++++++++"),
    ("User-agent: my driftline\nDisallow: /a", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /\nUser-agent: driftline\nAllow: /", "++++++++++++++++++++++"),
    ("User-agent: *\nDisallow: /\n\nUser-agent: driftline\nDisallow:", "++++++++++++++++++++++"),
    ("User-agent: other\nUser-agent: driftline\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: driftline\nCrawl-delay: 5\nUser-agent: other\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: driftline\nSitemap: https://a/s\nDisallow: /a", "+-------+---+-++-++---"),
    ("User-agent: driftline\nDisallow: /a\nUser-agent: other\nDisallow: /", "+-------+---+-++-++---"),
    ("User-agent: driftline\nAllow: /a/b\nUser-agent: driftline\nDisallow: /a", "+--+++--+---+-+++++--+"),
    ("User-agent: driftline", "++++++++++++++++++++++"),
    ("User agent: *\nDisallow: /a", "++++++++++++++++++++++"),
    ("Useragent *\nDisallow /a", "++++++++++++++++++++++"),
    ("Disallow: /a\nUser-agent: *", "++++++++++++++++++++++"),
    ("User-agent:\nDisallow: /a", "++++++++++++++++++++++"),
    ("User-agent: * \nDisallow: /a\n\n\nDisallow: /ab", "+-------+---+-++-++---"),
    ("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "+-------+---+-++-++---"),
    ("<!doctype html><p>Disallow: /a", "++++++++++++++++++++++"),
)

ESCAPED = (
    "a reserved sign and its escape are the same to protego; RFC 9309 tells them apart, and we only ask for less than we may"
)
SPECIAL = "RFC 9309 2.2.3: %24 and %2A in a rule stand for the signs themselves, which the former parser did not know"
INDEX = "whoever allows a folder's index.html allows the folder; not in RFC 9309, but as Google reads it"
OCTETS = "RFC 9309 2.2.2 counts octets and allows on a tie; protego counts the three of an escaped `?`, and forbids"
LENIENT = "misspelt and without a colon, a rule still says what its author wants; RFC 9309 leaves that to the reader"
# Where protego says something else, with what it says and why that is right or does no harm.
DIFFERENCES: Final = {
    "User-agent: *\nDisallow: /*?": ("+++++-+++++++-++-+++++", ESCAPED),
    "User-agent: *\nDisallow: /x%24y": ("++++++++++++++-+++++++", SPECIAL),
    "User-agent: *\nDisallow: /x%2Ay": ("+++++++++++++++-++++++", SPECIAL),
    "User-agent: *\nDisallow: /a%3Db": ("+++++++++++++++++++--+", ESCAPED),
    "User-agent: *\nDisallow: /a/b?c": ("++++++++++++++++-+++++", ESCAPED),
    "User-agent: *\nDisallow: /\nAllow: /a/index.html": ("--+---+----------+----", INDEX),
    "User-agent: *\nDisallow: /a?\nAllow: /a*": ("+++++++++++++-++++++++", OCTETS),
    "User-agent: *\nDisallow /a": ("+-------+---+-++-++---", LENIENT),
    "User-agent: *\nDissallow: /a": ("+-------+---+-++-++---", LENIENT),
    "User agent: *\nDisallow: /a": ("+-------+---+-++-++---", LENIENT),
    "Useragent *\nDisallow /a": ("+-------+---+-++-++---", LENIENT),
}


@pytest.mark.parametrize(("text", "before"), BEFORE)
def test_every_decision_is_as_before_or_differs_for_a_reason(text: str, before: str) -> None:
    expected, _reason = DIFFERENCES.get(text, (before, ""))
    rules = Protego.parse(excerpt(text.encode(), "driftline"))
    assert "".join("+" if allowed(rules, "driftline", path) else "-" for path in PATHS) == expected


def test_every_difference_is_one() -> None:
    before = dict(BEFORE)
    assert all(before[text] != now for text, (now, _reason) in DIFFERENCES.items())
