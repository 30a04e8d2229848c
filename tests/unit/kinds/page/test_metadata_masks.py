"""What turns with every answer is learned in pictures and in metadata too, and a change beside it is told."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from driftline.kinds.page.compare import PageDiff, compare, learn_masks
from driftline.kinds.page.rules import PageRules
from driftline.model.item import Mask
from driftline.pages import read_page

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
URL = "https://site.example/page"
PAGE = "<html><head><title>Harbour</title>{head}</head><body><main><h1>Harbour</h1><p>Closed on Sunday</p>{body}</main></body></html>"


def page(head: str = "", body: str = "") -> str:
    return PAGE.format(head=head, body=body)


def ld(**fields: str) -> str:
    said = "".join(f', "{name}": {value}' for name, value in fields.items())
    return page(f'<script type="application/ld+json">{{"@type": "NewsArticle"{said}}}</script>')


def taught(one: str, other: str) -> list[Mask]:
    return learn_masks(read_page(one, url=URL), read_page(other, url=URL), evidence="differed", at=AT)


def judged(before: str, after: str, masks: list[Mask]) -> PageDiff:
    return compare(read_page(before, url=URL), read_page(after, url=URL), PageRules(), masks)


def resized(token: str, name: str = "a.jpg") -> str:
    return ld(image=f'["https://img.example/resizer/{token}/980x0/{name}"]', headline='"Ferry"')


def og(token: str, name: str = "a") -> str:
    return page(f'<meta property="og:image" content="https://img.example/t/{token}/{name}">')


def clock(seconds: str) -> str:
    return ld(datePublished=f'"2026-01-05T10:00:{seconds}"')


VARYING = [
    [resized(token) for token in ("q7Xz81=", "Ab-9_k=", "zz01Kq=")],
    [resized(token) for token in ("q7/z81=", "Ab9k=", "zz/0/1=")],
    [og(token) for token in ("q7z81", "ab9k", "zz01")],
    [clock(seconds) for seconds in ("01", "04", "59")],
    [page(f'<meta name="description" content="Tip {n}: read the rules">') for n in ("one", "two", "three")],
    [page(body=f'<img src="//stat.example/hit?t14.6;r;0.{n}" width=88 height=31>') for n in (123, 456, 789)],
    [page(body=f'<img src="/plan.png"><img src="//stat.example/hit?{n}">') for n in (123, 456, 789)],
]


@pytest.mark.parametrize(("one", "other", "third"), VARYING)
def test_what_turned_once_is_noise_at_the_third_answer(one: str, other: str, third: str) -> None:
    assert judged(one, other, []).meaningful
    masks = taught(one, other)
    diff = judged(one, third, masks)
    assert not diff.different
    assert any(dropped.rule.startswith("mask") for dropped in diff.suppressed)


@pytest.mark.parametrize(
    ("one", "other", "after"),
    [
        (resized("q7Xz81="), resized("Ab9k01="), resized("zz01Kq=", "b.jpg")),
        (resized("q7/z81="), resized("Ab9k01="), resized("zz01Kq=", "b.jpg")),
        (og("q7z81"), og("ab9k"), og("zz01", "b")),
        (resized("q7Xz81="), resized("Ab9k01="), resized("zz01Kq=").replace("Ferry", "Ferry cancelled")),
        (resized("q7Xz81="), resized("Ab9k01="), page()),
    ],
)
def test_a_change_beside_what_turns_is_told(one: str, other: str, after: str) -> None:
    assert judged(one, after, taught(one, other)).meaningful


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ld(headline='"Ferry"'), ld(headline='"Ferry late"')),
        (page('<meta property="og:title" content="A">'), page('<meta property="og:title" content="B">')),
        (
            page('<meta property="product:price:amount" content="5">'),
            page('<meta property="product:price:amount" content="6">'),
        ),
        (page('<meta name="robots" content="index">'), page('<meta name="robots" content="noindex">')),
    ],
)
def test_titles_prices_and_stock_are_never_learned(one: str, other: str) -> None:
    assert taught(one, other) == []
    assert judged(one, other, taught(one, other)).meaningful


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<img src="//counter.yadro.example/hit?t14.6;r;0.123">', '<img src="//counter.yadro.example/hit?t14.6;r;0.987">'),
        ('<img src="https://hitwebcounter.com/counter/counter.php?page=1">', '<img src="https://hitwebcounter.com/counter/counter.php?page=2">'),
    ],
)  # fmt: skip
def test_pictures_of_counters_are_none(before: str, after: str) -> None:
    assert not judged(page(body=before), page(body=after), []).different


def test_photographs_of_a_shop_for_counters_are_pictures() -> None:
    one, other = ('<img src="https://counter.example/oak.jpg">', '<img src="https://counter.example/elm.jpg">')
    assert judged(page(body=one), page(body=other), []).meaningful
