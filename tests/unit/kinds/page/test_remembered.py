"""What one reading remembers for the next changes nothing but its price."""

from __future__ import annotations

import pytest

from driftline.kinds.page.memo import Memo, decode
from driftline.kinds.page.parse import build
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.scan import Scan, scan
from driftline.kinds.page.walk import Walk

RULES = PageRules()
LINKED = '{"@type": "Product", "name": "Desk", "offers": {"price": "9", "priceCurrency": "EUR"}}'


def looked(html: str, memo: Memo | None = None) -> Scan:
    return scan(html, "https://site.example/desk", RULES, memo or Memo())


def built(html: str, memo: Memo | None = None) -> ParsedPage:
    return build(looked(html, memo), RULES)


@pytest.mark.parametrize(
    "data",
    [
        "",
        f'<script type="application/ld+json">{LINKED}</script>',
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Desk</b> <i itemprop="price">9 EUR</i></div>',
    ],
)
def test_a_head_that_stayed_is_not_read_again_and_says_the_same(data: str) -> None:
    head = '<head><title>Desk</title><meta name="description" content="Of oak"></head>'
    before, after = (f"{head}<body><h1>Desk</h1><p>{size}</p>{data}</body>" for size in ("Small", "Large"))
    memo = decode(built(before).memo)
    assert memo.head is not None
    assert looked(after, memo).head is memo.head
    assert built(after, memo) == built(after)


def test_a_picture_that_stayed_keeps_the_address_that_masks_ask_for() -> None:
    pictures = '<img src="/shown/8f3a91c2/desk.jpg" alt="Desk"><img src="/logo.png" alt="Logo">'
    before, after = (f"<body><p>{size}</p>{pictures}</body>" for size in ("Small", "Large"))
    memo = decode(built(before).memo)
    assert list(memo.addresses.values()) == ["https://site.example/shown/8f3a91c2/desk.jpg\x01Desk"]
    assert decode(built(after, memo).memo).addresses == memo.addresses


def test_places_do_not_depend_on_how_many_shapes_were_seen_before() -> None:
    page = '<body><div class="a"><p class="b">One</p><p id="c">Two</p></div></body>'
    before = built(page)
    many = "".join(f'<i class="c{number}">.</i>' for number in range(6_000))
    Walk(looked(many).roots)
    assert built(page) == before
