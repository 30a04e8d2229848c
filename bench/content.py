"""The pages of the bench site: pure, so that the site and the judge of its contenders agree on what really changed."""

from __future__ import annotations

import random
from functools import lru_cache

CHANGED_SHARE = 0.10  # of the pages, in every round
_SYLLABLES = "ka lo mi ren tas vel dor han eis um pra sil ton gar bel nor ati wes cal und".split()
_WORDS = [*_SYLLABLES, *(one + other for one in _SYLLABLES for other in _SYLLABLES)]
_ADS = tuple(
    (f"Sponsored: {name}", f"{name} has something for you: {offer}.")
    for name in (
        "Brightwater Kayaks",
        "Old Mill Bakery",
        "Juniper Insurance",
        "Northlight Opticians",
        "Halden Tools",
        "Peak Tea",
    )
    for offer in ("twenty percent off until Sunday", "a free trial", "the new autumn range", "delivery at no cost")
)
_SLOT = "\x00"  # where noise goes; cannot occur in the text


def changes(page: int, round_number: int) -> bool:
    """Whether a page really changes in a round; none does in round 0."""
    return round_number > 0 and random.Random(page * 1_000_003 + round_number).random() < CHANGED_SHARE


def version(page: int, round_number: int) -> int:
    """How often a page has really changed up to a round."""
    return sum(changes(page, earlier) for earlier in range(1, round_number + 1))


@lru_cache(maxsize=30_000)
def template(page: int, page_version: int) -> tuple[bytes, ...]:
    """A page of 30-60 KB as the pieces between its noise."""
    words = random.Random(page)
    size = words.randint(30_000, 60_000)
    sections: list[str] = []
    length = 0
    while length < size - 6_000:
        section = _section(words, len(sections))
        sections.append(section)
        length += len(section)
    price = f"{20 + page % 400 + page_version * 3}.{page % 90 + 10}"
    updates = "".join(
        f"<li>Revision {number}: {_sentence(random.Random(page * 7919 + number), 14)}</li>" for number in range(page_version)
    )
    menu = "".join(f'<li><a href="/section/{number}">{_sentence(words, 2)}</a></li>' for number in range(14))
    html = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{_sentence(words, 5)}</title>
<meta name="description" content="{_sentence(words, 12)}"><meta name="request-id" content="{_SLOT}">
<link rel="stylesheet" href="/static/site.css?v={_SLOT}">
<script nonce="{_SLOT}">var page = {{id: {page}, token: "{_SLOT}"}};</script>
<style>{"".join(f".c{number} {{ margin: {number}px; color: #{number:03x}; }}" for number in range(60))}</style></head>
<body><header><a href="/">Home</a><nav><ul>{menu}</ul></nav>
<form action="/search"><input type="hidden" name="csrf" value="{_SLOT}"><input name="q"></form></header>
<main><h1>{_sentence(words, 6)}</h1><p class="meta">Page generated at {_SLOT}, seen {_SLOT} times.</p>
<p class="price">Our price: <b>{price} EUR</b></p><ul class="updates">{updates}</ul>
{"".join(sections[: len(sections) // 2])}
<div class="advert"><h4>{_SLOT}</h4><p>{_SLOT}</p></div>
{"".join(sections[len(sections) // 2 :])}</main>
<footer><p>{_sentence(words, 20)}</p></footer></body></html>"""
    return tuple(piece.encode() for piece in html.split(_SLOT))


def answer(page: int, page_version: int, number: int) -> bytes:
    """One answer: `number` is its place among all answers of the site, and makes its noise differ from every other's."""
    nonce = b"%016x" % (number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)
    clock = b"2026-05-04 %02d:%02d:%02d.%03d" % (
        number // 3_600_000 % 24,
        number // 60_000 % 60,
        number // 1000 % 60,
        number % 1000,
    )
    ad, slogan = _ADS[number % len(_ADS)]
    noise = (nonce, nonce[:8], nonce, nonce, nonce, clock, b"%d" % (40_000 + number), ad.encode(), slogan.encode(), b"")
    return b"".join(part for pair in zip(template(page, page_version), noise, strict=True) for part in pair)


def _section(words: random.Random, number: int) -> str:
    paragraphs = "".join(
        f'<p class="c{number % 60}">{_sentence(words, words.randint(25, 90))}</p>' for _ in range(words.randint(2, 5))
    )
    links = "".join(
        f'<li><a href="/item/{words.randint(1, 9999)}">{_sentence(words, 4)}</a></li>' for _ in range(words.randint(0, 6))
    )
    cells = "".join(
        f"<tr><td>{_sentence(words, 2)}</td><td>{words.randint(1, 999)}</td></tr>" for _ in range(words.randint(0, 5))
    )
    picture = f'<figure><img src="/img/{words.randint(1, 999)}.jpg" alt="{_sentence(words, 3)}"></figure>'
    return f"<section><h2>{_sentence(words, 5)}</h2>{picture}{paragraphs}<ul>{links}</ul><table>{cells}</table></section>"


def _sentence(words: random.Random, count: int) -> str:
    return " ".join(words.choices(_WORDS, k=count)).capitalize() + "."
