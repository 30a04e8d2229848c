"""Parts that can be picked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from driftline.core.select.selectors import parse_selector
from driftline.kinds.page.extract.selector_suggestions import AT_MOST, parts_of

PAGE = """<main id="content"><h1>Lamps</h1><div class="price">249.00</div><div id="x81f3a9c0d77">Random name</div>
<ul class="jobs"><li>Writer</li></ul><section><p>One</p></section><section><p>Two</p></section></main>"""


def test_parts_are_named_by_what_stays() -> None:
    found = {part.selector: part.excerpt for part in parts_of(PAGE)}
    assert found["#content"].startswith("Lamps")
    assert found["h1"] == "Lamps"
    assert found["div.price"] == "249.00"
    assert found["ul.jobs"] == "Writer"
    assert "Random name" not in found.values()  # a name that a machine made
    assert "One" not in found.values()  # nothing names it alone


NAMES = st.sampled_from(["main", "price", "a1", "content", "job-list", "é", "1st", "x y", "a" * 50, '"><b>'])


@given(
    st.lists(
        st.tuples(st.sampled_from(["div", "ul", "table", "section", "h1"]), NAMES, NAMES, st.text(max_size=8)), max_size=30
    )
)
def test_every_selector_finds_exactly_one_element(shape: list[tuple[str, str, str, str]]) -> None:
    source = "".join(f'<{tag} id="{name}" class="{other}">{text}</{tag}>' for tag, name, other, text in shape)
    found = parts_of(source)
    assert len(found) <= AT_MOST
    for part in found:
        parse_selector(part.selector)
        assert len(LexborHTMLParser(source).css(part.selector)) == 1
        assert part.excerpt
