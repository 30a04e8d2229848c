"""Two pages at every level: what counts, how much, and what people read."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

import pytest
from tests.growth import is_in_proportion

from driftline.core.diff.render import as_html, as_markdown, unified
from driftline.kinds.page.diff import PageDiff
from driftline.kinds.page.rules import PageRules
from driftline.pages import compare_pages

URL = "https://site.example/page"
FILL = "".join(
    f"<p>Paragraph {name} says something that nobody edits today.</p>"
    for name in ("one", "two", "three", "four", "five", "six")
)


def page(body: str = "", head: str = "", title: str = "Old Title") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body>{body}{FILL}</body></html>"


def compared(before: str, after: str, rules: PageRules | None = None) -> PageDiff:
    return compare_pages(before, after, url=URL, rules=rules)


# --- title, description, metadata


def test_a_title_is_compared_exactly_then_without_case_and_whitespace() -> None:
    assert compared(page(title="Old Title"), page(title="New Title")).changes["title"] == {
        "before": "Old Title",
        "after": "New Title",
        "changed": True,
    }
    quiet = compared(page(title="Old Title"), page(title="  OLD   title "))
    assert not quiet.meaningful
    assert [shown.rule for shown in quiet.suppressed] == ["letter case of the title"]


def test_a_changed_description_is_metadata() -> None:
    diff = compared(page(head='<meta name="description" content="A">'), page(head='<meta name="description" content="B">'))
    assert diff.changes["description"] == {"before": "A", "after": "B", "changed": True}
    assert diff.changes["metadata"]["description"] == {"before": "A", "after": "B"}
    assert diff.severity == "low"


@pytest.mark.parametrize(
    "key",
    [
        "og:title",
        "product:price:amount",
        "robots",
    ],
)
def test_metadata_that_carries_content_is_compared(key: str) -> None:
    head = '<meta property="{}" content="{}">'
    diff = compared(page(head=head.format(key, "https://x.example/a")), page(head=head.format(key, "https://x.example/b")))
    assert diff.changes["metadata"][key] == {"before": "https://x.example/a", "after": "https://x.example/b"}


@pytest.mark.parametrize(
    "key",
    [
        "og:site_name",
        "og:type",
        "og:image",
        "keywords",
        "author",
        "fb:app_id",
        "csrf-token",
        "request-id",
        "trace",
        "viewport",
        "generator",
        "theme-color",
        "article:modified_time",
        "og:updated_time",
    ],
)
def test_metadata_that_says_nothing_by_itself_is_not(key: str) -> None:
    head = '<meta property="{}" content="{}">'
    assert not compared(page(head=head.format(key, "a1")), page(head=head.format(key, "b2"))).different


def test_a_canonical_address_is_content_and_its_tracking_is_not() -> None:
    head = '<link rel="canonical" href="{}">'
    assert "canonical" in compared(page(head=head.format("/a")), page(head=head.format("/b"))).changes["metadata"]
    assert not compared(page(head=head.format("/a")), page(head=head.format("/a?utm_source=q"))).different


def test_json_ld_is_compared_by_its_content_fields() -> None:
    ld = '<script type="application/ld+json">{{"@type": "JobPosting", "title": "x", "name": "{}", "dateModified": "{}"}}</script>'
    assert compared(page(head=ld.format("Welder", "2026-01-01")), page(head=ld.format("Baker", "2026-01-01"))).meaningful
    assert not compared(page(head=ld.format("Welder", "2026-01-01")), page(head=ld.format("Welder", "2026-02-02"))).different


# --- images and links


def test_images_added_removed_and_the_hero_changed() -> None:
    diff = compared(page('<img src="/a.jpg"><img src="/b.jpg">'), page('<img src="/c.jpg"><img src="/b.jpg">'))
    images = diff.changes["images"]
    assert images["added"] == ["https://site.example/c.jpg"]
    assert images["removed"] == ["https://site.example/a.jpg"]
    assert images["hero"] == {"before": "https://site.example/a.jpg", "after": "https://site.example/c.jpg"}
    assert diff.headline == "Main picture is now “c.jpg”"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<img src="/a.jpg?v=1">', '<img src="/a.jpg?v=2">'),
        ('<img src="/a.3f9a8b7c.jpg">', '<img src="/a.0d1e2f3a.jpg">'),
        ('<img src="/p.gif?x=1" width="1" height="1">', '<img src="/p.gif?x=2" width=1 height=1>'),
        ('<img src="data:image/gif;base64,AA" data-src="/a.jpg">', '<img src="/a.jpg">'),
        ("", '<img src="https://www.facebook.com/tr?id=1">'),
        ("", '<noscript><img src="/beacon"></noscript>'),
    ],
)
def test_cache_busting_pixels_and_lazy_loading_are_no_image_changes(before: str, after: str) -> None:
    assert not compared(page(before), page(after)).different


def test_a_name_that_is_a_hash_is_still_a_name() -> None:
    assert compared(page('<img src="/img/3f9a8b7c6d5e.jpg">'), page('<img src="/img/0d1e2f3a4b5c.jpg">')).changes["images"][
        "changed"
    ]


def test_links_added_and_removed_by_role() -> None:
    before = page('<nav><a href="/n1">x</a></nav><div class="pagination"><a href="?page=2">2</a></div><a href="/c1">c</a>')
    after = page('<nav><a href="/n2">x</a></nav><div class="pagination"><a href="?page=3">2</a></div><a href="/c2">c</a>')
    links = compared(before, after).changes["links"]
    assert (links["added"], links["removed"]) == (["https://site.example/c2"], ["https://site.example/c1"])
    assert links["navigation"]["added"] == ["https://site.example/n2"]
    assert links["pagination"]["removed"] == ["https://site.example/page?page=2"]


def test_a_single_link_is_a_low_change() -> None:
    diff = compared(page('<a href="/c1">c</a>'), page('<a href="/c2">c</a>'))
    assert diff.meaningful
    assert diff.headline == "Link “c” leads to “c2” now"


@pytest.mark.parametrize(
    ("before", "after", "headline"),
    [
        ('<a href="/t-2025.pdf">Tariff</a>', '<a href="/t-2026.pdf">Tariff</a>', "Link “Tariff” leads to “t-2026.pdf” now"),
        ('<a href="/t-2025.pdf"></a>', '<a href="/t-2026.pdf"></a>', "Link added: “t-2026.pdf”; link removed: “t-2025.pdf”"),
        ('<a href="tel:+49301">Call us</a>', '<a href="tel:+49302">Call us</a>', "Link “Call us” leads to “+49302” now"),
        ('<a href="mailto:a@x.example"></a>', '<a href="mailto:b@x.example"></a>', "Link added: “b@x.example”; link removed: “a@x.example”"),
        ("<p>End</p>", '<p>End</p><a href="/a%20b.zip"><img src="/i.png" alt="All maps"></a><img src="/i.png">', "Link added: “a b.zip”; picture added: “All maps”"),
        ('<a href="/i.zip"><img src="/i.png" alt="Maps"></a>', '<img src="/i.png" alt="Maps">', "Link removed: “i.zip”"),
        ("<dl><dt>Beds:</dt><dd>14</dd></dl>", "<dl><dt>Beds:</dt><dd>19</dd></dl>", "Beds: “14” → “19”"),
        ("<p>14</p>", "<p>19</p>", "“14” → “19”"),
    ],
)  # fmt: skip
def test_a_headline_says_what_changed_in_words(before: str, after: str, headline: str) -> None:
    frame = "<html><head><title>T</title></head><body><p>Some words that do not change at all, 1 of 2.</p>{}</body></html>"
    assert compared(frame.format(before), frame.format(after)).headline == headline


@pytest.mark.parametrize(
    ("before", "after", "headline"),
    [
        ('<meta name="robots" content="all">', '<meta name="robots" content="noindex">', "Robots: “all” → “noindex”"),
        ("", '<meta name="robots" content="noindex">', "Robots added: “noindex”"),
    ],
)
def test_a_headline_about_metadata_has_its_values(before: str, after: str, headline: str) -> None:
    frame = "<html><head><title>T</title>{}</head><body><p>Words</p></body></html>"
    assert compared(frame.format(before), frame.format(after)).headline == headline


def test_a_headline_about_what_is_embedded_names_it() -> None:
    frame = '<html><body><p>Words</p><iframe src="https://www.youtube.com/embed/{}"></iframe></body></html>'
    assert "“bbbbbbbbbbb”" in compared(frame.format("aaaaaaaaaaa"), frame.format("bbbbbbbbbbb")).headline


def test_a_state_of_a_shell_is_read_once() -> None:
    frame = '<html><body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{{"props":{{"name":"Tea","price":{}}}}}</script></body></html>'
    diff = compared(frame.format("5.10"), frame.format("5.20"))
    assert diff.changes["text"]["lines"] == {"changed": 1}


# --- text


def test_only_whitespace_changes_are_nothing() -> None:
    assert not compared(page("<p>a  b\n c</p>"), page("<p>a b c</p>\n\n")).different


def test_large_html_but_small_changes_is_one_small_change() -> None:
    many = "".join(f"<p>Line {number} of a long page, never touched.</p>" for number in range(2_000))
    diff = compared(page(many + "<p>needle</p>"), page(many + "<p>noodle</p>"))
    assert diff.headline == "“needle” → “noodle”"
    assert diff.severity == "medium"
    assert diff.changes["text"]["lines"] == {"changed": 1}
    assert diff.changes["text"]["diffSnippet"] == "[+ noodle - needle]"


def test_the_headline_quotes_long_lines_where_they_part() -> None:
    start = "You may cancel at any time with effect from the end of the"
    diff = compare_pages(f"<p>{start} month, in writing.</p>", f"<p>{start} quarter, in writing.</p>")
    assert "month" in diff.headline
    assert "quarter" in diff.headline


def test_the_structured_document_has_the_shape_of_the_source() -> None:
    diff = compared(page("<p>old text</p>"), page("<p>new text</p>", title="New Title"))
    (finding,) = diff.findings
    assert finding.diff is not None
    changes = finding.diff["changes"]
    assert set(changes["title"]) == {"before", "after", "changed"}
    assert {"before", "after", "diffSnippet", "changed"} <= set(changes["text"])
    assert {"added", "removed", "changed"} <= set(changes["images"])
    assert changes["metadata"] == {}
    assert finding.severity == "medium"


def test_a_moved_paragraph_is_moved_and_not_removed_and_added() -> None:
    one, two, three = (
        f"<p>The {name} paragraph is long enough to be running text, whose order says something too.</p>"
        for name in ("first", "second", "third")
    )
    before, after = page(one + two + three), page(two + three + one)
    assert compared(before, after).changes["text"]["lines"].keys() == {"moved"}


def test_every_suppressed_difference_is_explained() -> None:
    diff = compared(page("<p>3 minutes ago</p><p>12 views</p>"), page("<p>5 hours ago</p><p>14 views</p>"))
    assert [(shown.rule, shown.before, shown.after) for shown in diff.suppressed] == [
        ("relative time", "3 minutes ago", "5 hours ago"),
        ("counter", "12 views", "14 views"),
    ]


def test_renderings_mark_words_and_escape() -> None:
    diff = compared(page("<p>Open until &lt;b&gt; 17</p>"), page("<p>Open until &lt;b&gt; 18</p>"))
    assert "+Open until <b> 18" in unified(diff.rows)
    assert "<ins>18</ins>" in as_html(diff.rows)
    assert "&lt;b&gt;" in as_html(diff.rows)
    assert "18" in as_markdown(diff.rows)


def test_the_date_of_an_event_in_the_head_counts() -> None:
    head = '<script type="application/ld+json">{{"@type": "Event", "name": "Fair", "startDate": "{}T19:00:00+01:00"}}</script>'
    before, after = (
        f"<html><head>{head.format(day)}</head><body><h1>Fair</h1></body></html>" for day in ("2026-11-15", "2026-11-22")
    )
    assert compare_pages(before, after).meaningful


# --- sensitivity

WORDS = " ".join(f"{first}{second}o" for first in "bcdfghklmnpr" for second in "aeiou")


def test_any_difference_counts_by_default() -> None:
    assert compared(page(f"<p>{WORDS}</p>"), page(f"<p>{WORDS.replace('bao', 'bae')}</p>")).meaningful


def test_under_threshold_a_small_edit_does_not_count() -> None:
    diff = compared(page(f"<p>{WORDS}</p>"), page(f"<p>{WORDS.replace('bao', 'bae')}</p>"), PageRules(sensitivity="threshold"))
    assert not diff.meaningful
    assert diff.different
    assert 0.9 <= diff.similarity < 1.0


def test_threshold_is_strictly_below() -> None:
    before, after = "<p>" + "x" * 100 + "</p>", "<p>" + "x" * 90 + "y" * 10 + "</p>"
    assert compare_pages(before, after).similarity == pytest.approx(0.9)
    at = PageRules(sensitivity="threshold", text_threshold=0.9)
    above = PageRules(sensitivity="threshold", text_threshold=0.91)
    assert not compare_pages(before, after, rules=at).meaningful
    assert compare_pages(before, after, rules=above).meaningful


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("costs 12 francs", "costs 13 francs"),
        ("until 3 March", "until 3 April"),
        ("is allowed", "is not allowed"),
        ("only 5 €", "only 6 €"),
        ("wir liefern", "wir liefern nicht"),
    ],
)
def test_under_threshold_a_number_date_price_or_negation_always_counts(before: str, after: str) -> None:
    rules = PageRules(sensitivity="threshold")
    assert compared(page(f"<p>{WORDS} {before}</p>"), page(f"<p>{WORDS} {after}</p>"), rules).meaningful


def test_under_threshold_a_counter_still_does_not_count() -> None:
    rules = PageRules(sensitivity="threshold")
    assert not compared(page(f"<p>{WORDS}</p><p>12 views</p>"), page(f"<p>{WORDS}</p><p>13 views</p>"), rules).different


# --- prices and stock

SHOP = '<h1>Kettle</h1><p class="price">{price}</p><p class="stock">{stock}</p><p>{text}</p><button>Add to cart</button>'


def shop(price: str = "₹79,999", stock: str = "In stock", text: str = "Boils water.") -> str:
    return page(SHOP.format(price=price, stock=stock, text=text), title="Kettle")


def test_a_price_has_a_type_of_its_own_and_is_not_repeated() -> None:
    diff = compared(shop(), shop(price="₹74,999"))
    (finding,) = diff.findings
    assert (finding.type, finding.severity) == ("price_decrease", "high")
    assert finding.headline == "Price fell from 79,999 to 74,999 INR"
    assert finding.before == {"price": "79999", "currency": "INR"}


def test_a_price_and_an_edit_are_two_findings_with_one_headline() -> None:
    diff = compared(shop(), shop(price="₹84,999", text="Boils water quickly."))
    assert [finding.type for finding in diff.findings] == ["price_increase", "content"]
    assert diff.headline.startswith("Price rose from 79,999 to 84,999 INR; ")
    assert "price" not in diff.findings[1].headline.lower()


def test_sold_out_and_back_in_stock() -> None:
    gone = compared(shop(), shop(stock="Sold out"))
    assert [finding.type for finding in gone.findings] == ["sold_out"]
    back = compared(shop(stock="Sold out"), shop())
    assert [finding.type for finding in back.findings] == ["back_in_stock"]


def test_unknown_stock_is_never_a_transition() -> None:
    assert [finding.type for finding in compared(shop(), shop(stock="Ships soon")).findings] == ["content"]


def test_two_currencies_are_never_compared() -> None:
    types = {finding.type for finding in compared(shop(price="10 €"), shop(price="$12")).findings}
    assert types == {"content"}


# --- severity


def test_a_removed_block_that_held_much_of_the_page_is_high() -> None:
    long = "<p>" + "Every word of this paragraph will be gone tomorrow. " * 6 + "</p>"
    assert compared(page(long), page()).severity == "high"


def test_two_wholly_different_long_texts_are_compared_in_proportion() -> None:
    def compared_at(size: int) -> PageDiff:
        one, other = (
            "".join(f"<p>{letters[number % 7] * 40} {number * step}</p>" for number in range(size))
            for letters, step in (("abcdefg", 1), ("hijklmn", 7))
        )
        return compare_pages(one, other)

    diff = compared_at(200)
    assert diff.meaningful
    assert diff.severity == "high"
    assert is_in_proportion(compared_at, 200)


def test_repetitive_lines_end() -> None:
    diff = compare_pages("<p>same</p>" * 8_000 + "<p>x</p>", "<p>x</p>" + "<p>same</p>" * 7_990)
    assert diff.meaningful
