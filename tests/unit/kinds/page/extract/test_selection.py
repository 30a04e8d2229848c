"""Rules of a watch: parts that are selected, removed or ignored before two pages are compared."""

from __future__ import annotations

import pytest
from tests.unit.kinds.page.test_compare import compared, page

from driftline.engine.pool import SMALL
from driftline.engine.threads import WORKING
from driftline.kinds.page.rules import PageRules
from driftline.pages import compare_pages, read_page


def test_a_selected_part_ignores_no_text_pattern() -> None:
    before, after = page("<p id=n>12 views</p>"), page("<p id=n>13 views</p>")
    assert not compared(before, after).meaningful
    assert compared(before, after, PageRules(select=("#n",))).meaningful


@pytest.mark.parametrize("select", ["#part", "xpath://div[@id='part']", "//div[@id='part']", "css:#part"])
def test_select_narrows_the_page(select: str) -> None:
    rules = PageRules(select=(select,))
    before, after = page('<div id="part">in</div><p>out</p>'), page('<div id="part">in</div><p>changed</p>', title="Other")
    assert not compared(before, after, rules).different
    assert compared(before, after.replace(">in<", ">now<"), rules).meaningful


def test_an_xpath_may_select_text_and_attributes() -> None:
    assert read_page('<a href="/x">one</a>', rules=PageRules(select=("//a/@href",))).text == "/x"


def test_selected_parts_of_one_link_are_both_of_that_link() -> None:
    source = "<main><p><a href=/x><b class=s>one</b><i>not this</i><b class=s>two</b></a></p><p class=s>three</p></main>"
    read = read_page(source, rules=PageRules(select=(".s",)))
    assert [(line.text, line.linked) for line in read.line_details] == [("one", True), ("two", True), ("three", False)]
    assert [read.paths[line.place] for line in read.line_details] == [">main>p", ">main>p", ">main>p.s"]


def test_remove_takes_parts_out() -> None:
    rules = PageRules(remove=(".noise",))
    assert not compared(page('<p class="noise">a</p>'), page('<p class="noise">b</p>'), rules).different
    assert read_page('<p class="noise">a</p><p>Open daily</p>', rules=rules).text == "Open daily"
    assert compared(page('<p class="noise">a</p><p>Open</p>'), page('<p class="noise">a</p><p>Shut</p>'), rules).meaningful
    assert read_page("<p>Open daily</p>", rules=PageRules(remove=("body", "html"))).text == "Open daily"  # never the whole page


def test_ignore_text_keep_text_and_trigger_text() -> None:
    before, after = page("<p>alpha 1</p><p>beta 1</p>"), page("<p>alpha 2</p><p>beta 1</p>")
    assert not compared(before, after, PageRules(ignore_text=("alpha",))).different
    assert not compared(before, after, PageRules(ignore_text=("/^alp.a/",))).different
    assert not compared(before, after, PageRules(keep_text=("beta",))).different
    assert compared(before, after, PageRules(keep_text=("alpha",))).meaningful
    assert compared(before, after, PageRules(trigger_text=("alpha",))).meaningful
    quiet = compared(before, after, PageRules(trigger_text=("gamma",)))
    assert not quiet.meaningful
    assert quiet.different


def test_sort_lines_and_unique_lines() -> None:
    before, after = "<p>b</p><p>a</p><p>a</p>", "<p>a</p><p>b</p><p>b</p>"
    assert not compare_pages(before, after, rules=PageRules(sort_lines=True, unique_lines=True)).different
    assert compare_pages(before, after, rules=PageRules(sort_lines=True)).different
    assert read_page(before, rules=PageRules(unique_lines=True)).text == "b\na"


def test_a_worker_leaves_an_expression_whose_cost_depends_on_the_page_to_a_child() -> None:
    assert PageRules(select=("//p[count(preceding::p) > 2]",)).weight(b"<p>small</p>", WORKING) >= WORKING
    assert PageRules().weight(b"<p>small</p>", WORKING) < SMALL
