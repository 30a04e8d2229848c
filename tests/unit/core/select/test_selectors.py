from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.growth import is_in_proportion

from driftline.core.select import selector_cost as costs
from driftline.core.select.css import parse_css
from driftline.core.select.selector_cost import MAX_STEPS, Cost, TreeMeasures, steps
from driftline.core.select.selectors import MAX_SELECTOR, measure, parse_selector, pick, too_slow
from driftline.core.select.xpath import parse_xpath
from driftline.errors import BadRule

PAGE = LexborHTMLParser(
    """<html><body><main id=top>
    <div class="card a"><h2>First</h2><p>one <b>bold</b></p><p data-x="1">two</p></div>
    <div class="card b"><h2>Second</h2><span>three</span></div>
    <table><tr><td>1<td>2</table><o:p @click="go">odd</o:p>
    </main><footer><p>foot</p></footer></body></html>"""
)


def texts(*selectors: str) -> list[str]:
    picked = pick(PAGE, [parse_selector(selector) for selector in selectors])
    assert not picked.reason
    return [found if isinstance(found, str) else found.text(separator="").strip() for found in picked.found]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("h2", ["First", "Second"]),
        ("main p", ["one bold", "two"]),
        ("html main div p", ["one bold", "two"]),
        (".card.a > p", ["one bold", "two"]),
        ("div ~ div span", ["three"]),
        ("body main  >  div + div span", ["three"]),
        ("h2 ~ p ~ p", ["two"]),
        ("main p, main h2", ["one bold", "two", "First", "Second"]),
        ("main p, main p b", ["one bold", "two"]),
        ('[data-x="1"]', ["two"]),
        ("p:has(b)", ["one bold"]),
        ("p:contains('two')", ["two"]),
        ("p:contains(two)", ["two"]),
        ("main p:nth-child(3)", ["two"]),
        ("p:not(main p)", ["foot"]),
        ("css: h2", ["First", "Second"]),
        ("//main//p", ["one bold", "two"]),
        ("xpath: //td[2]", ["2"]),
        ("//p/@data-x", ["1"]),
        ("//h2/text()", ["First", "Second"]),
        ("xpath:count(//p)", ["3"]),
        ("xpath:count(//p) > 2", ["true"]),
        ("xpath:count(//p) + 1234567", ["1234570"]),
        ("xpath:1 div 8", ["0.125"]),
        ("//div[h2]/following-sibling::div/span/text()", ["three"]),
        ("//div[.//b]/h2", ["First"]),
        ("(//h2)[last()]", ["Second"]),
        ("//*[local-name()='o_p']", ["odd"]),
        ("nothing", []),
        ("//nothing", []),
    ],
)
def test_a_selector_finds_its_part(selector: str, found: list[str]) -> None:
    assert texts(selector) == found


def test_several_selectors_join_and_nothing_is_reported_twice() -> None:
    assert texts("h2", "//td[1]", "h2") == ["First", "Second", "1"]
    assert texts("p b", "main p") == ["one bold", "two"]


@pytest.mark.parametrize(
    ("selector", "language"),
    [("#a", "css"), ("//a", "xpath"), ("/html/body", "xpath"), ("(//a)[1]", "xpath"), ("$.a", "json"), ("a:not(.b)", "css")],
)
def test_the_shape_of_a_selector_says_its_language(selector: str, language: str) -> None:
    assert parse_selector(selector).language == language


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "  ",
        "a\0b",
        "div[",
        "a,,b",
        "a >",
        "> a",
        "p::text",
        "\udc80",
        "//p[",
        "//re:test(., 'a')",
        "xpath:re:test('a', '(a+)+b')",
        "xpath:document('file:///etc/passwd')",
        "xpath:$variable",
        "//svg:rect",
        "xpath:",
        "xpath:" + "(" * 600 + "1" + ")" * 300,
        "$.a[?match(@.b, '(a+)+b')]",
        "$[",
        "div " * MAX_SELECTOR,
    ],
)
def test_what_does_not_parse_is_a_bad_rule_with_a_hint(selector: str) -> None:
    with pytest.raises(BadRule):
        parse_selector(selector)


@given(st.data())
def test_walking_combinators_gives_what_lexbor_gives(data: st.DataObject) -> None:
    markup = st.recursive(
        st.sampled_from(["<a></a>", "<b>t</b>", "text", "<!-- c -->"]),
        lambda inner: st.builds(
            lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>",
            st.sampled_from(["section", "div", "i"]),
            st.lists(inner, max_size=4),
        ),
        max_leaves=12,
    )
    tree = LexborHTMLParser("<body>" + "".join(data.draw(st.lists(markup, max_size=4))) + "</body>")
    names = st.sampled_from(["section", "div", "i", "a", "b", "*"])
    selector = data.draw(names)
    for hop, name in data.draw(st.lists(st.tuples(st.sampled_from([" ", " > ", " + ", " ~ "]), names), max_size=4)):
        selector += hop + name
    expected = {node.mem_id for node in tree.css(selector)}
    assert {node.mem_id for node in parse_css(selector).nodes(tree)} == expected


DEEP = LexborHTMLParser("<div>" * 200 + "x" + "</div>" * 200)
WIDE = LexborHTMLParser("<p>a</p>" * 20_000)
NESTED = LexborHTMLParser("<div>" * 1_900 + "x" + "</div>" * 1_900)


@pytest.mark.parametrize("selector", ["x div div div div div div", "x > div div div > div div", "div div div div x"])
def test_descendants_on_a_deep_page_do_not_backtrack(selector: str) -> None:
    assert pick(DEEP, [parse_selector(selector)]).found == ()


def test_siblings_on_a_wide_page_do_not_backtrack() -> None:
    assert pick(WIDE, [parse_selector("x ~ p ~ p ~ p")]).found == ()
    assert len(pick(WIDE, [parse_selector("p ~ p ~ p")]).found) == 19_998


@pytest.mark.parametrize(
    ("tree", "selector"),
    [
        (DEEP, "div:has(div:has(div:has(x)))"),
        (DEEP, "div:not(x div div div div)"),
        (DEEP, "//div[.//div[.//div[.//x]]]"),
        (DEEP, "//div[ancestor::div[ancestor::div[ancestor::x]]]"),
        (WIDE, "body:has(p ~ x)"),
        (WIDE, "p:nth-last-child(2)"),
        (WIDE, "//p[count(//p) > 3]"),
        (WIDE, "//p[preceding::x]"),
        (WIDE, "//p[count(following-sibling::p) = 2]"),
        (WIDE, "xpath://p = //p"),
        (WIDE, "//../.."),
        (WIDE, "//p[../x]"),
        (WIDE, "//p/ancestor::x"),
        (NESTED, "//*[sum(//*) > 1]"),
        (NESTED, "//*[//* = 'y']"),
    ],
)
def test_an_expression_that_would_run_too_long_is_refused_with_a_reason(tree: LexborHTMLParser, selector: str) -> None:
    picked = pick(tree, [parse_selector(selector)])
    assert picked.found == ()
    assert picked.reason.startswith(f"The selector `{selector}` is too slow for this page (")


def test_many_expressions_share_what_one_may_cost() -> None:
    selector = parse_selector("//p[count(following-sibling::p) = 2]")
    page = LexborHTMLParser("<p>a</p>" * 500)
    assert pick(page, [selector]).nodes
    assert not too_slow(page, [parse_selector(f"//p[count(following-sibling::p) = {number}]") for number in range(10)])
    crowd = [parse_selector(f"//p[count(following-sibling::p) = {number}]") for number in range(1_000)]
    assert too_slow(page, crowd).startswith("The 1000 selectors together are too slow for this page (")


@pytest.mark.parametrize("combinator", ["~", " ", ">", "+"])
def test_every_combinator_has_its_price(combinator: str) -> None:
    """Two such selectors took 21 s on 25,000 siblings."""
    page = LexborHTMLParser("<p>x" * 25_000)
    assert not too_slow(page, [parse_selector(combinator.join("***"))])
    long = [parse_selector(combinator.join("*" * 450)), parse_selector(combinator.join("*" * 440))]
    assert len(parse_selector(combinator.join("**********")).compiled.costs) == 10
    refused = too_slow(page, long)
    walked = combinator in "~ "
    assert bool(refused) is walked  # lexbor's own take 50 ms here


def test_an_element_with_ever_so_many_attributes_is_copied_in_proportion() -> None:
    sizes = (1_500, 12_000)
    trees = {size: LexborHTMLParser("<a " + " ".join(f"a{number}=x" for number in range(size)) + ">x</a>") for size in sizes}
    assert len(pick(trees[12_000], [parse_selector("//a")]).nodes) == 1
    assert is_in_proportion(lambda size: pick(trees[size], [parse_selector("//a")]), 1_500)


def test_the_same_expressions_are_fine_on_a_usual_page() -> None:
    assert texts("p:nth-last-child(1)") == ["two", "foot"]
    assert texts("//p[count(//p) = 3]") == ["one bold", "two", "foot"]


def test_without_limits_a_child_process_may_ask_anything() -> None:
    tree = LexborHTMLParser("<p>a</p>" * 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "MAX_STEPS", 1_000)
        assert pick(tree, [parse_selector("p:nth-child(2)")]).reason
        assert len(pick(tree, [parse_selector("p:nth-child(2)")], limited=False).found) == 1


def test_xpath_sees_what_lies_deeper_than_libxml2_parses() -> None:
    tree = LexborHTMLParser("<div>" * 2_500 + "<b>down here</b>" + "</div>" * 2_500)
    (found,) = pick(tree, [parse_selector("//b")]).nodes
    assert found.text() == "down here"


def test_xpath_reads_text_around_comments_and_elements() -> None:
    tree = LexborHTMLParser("<p>a<!-- no -->b<i>c</i>d<!-- no -->e<b></b>f</p>")
    assert pick(tree, [parse_selector("//p/text()")]).found == ("ab", "de", "f")
    assert pick(tree, [parse_selector("xpath:string(//p)")]).found == ("abcdef",)


def test_a_page_is_measured_by_nodes_depth_and_width() -> None:
    tags = {"html": 1, "head": 1, "body": 1, "ul": 1, "li": 3}
    assert measure(LexborHTMLParser("<body><ul><li>1<li>2<li>3</ul></body>")) == TreeMeasures(7, 4, 3, tags)


def test_costs_grow_with_what_is_asked_for_every_node() -> None:
    assert parse_xpath("//a").costs == (Cost(),)
    assert Cost(nodes=1, times=2) in parse_xpath("//p[count(//p)]").costs
    assert Cost(nodes=1, depth=1) in parse_xpath("//p[//p = 'x']").costs
    assert Cost(depth=2, times=3) in parse_xpath("//div[.//a[.//b]]").costs
    assert parse_xpath("//main//div/p").costs == (Cost(times=2), Cost(tags=("main",)))
    assert parse_xpath("/" + "/a" * 300).costs == (Cost(times=300),)
    assert parse_xpath("//*//div").costs == (Cost(), Cost(tags=("*",)))
    assert parse_xpath("//p/preceding::a[//b]").costs[-1] == Cost(nodes=3, times=2)
    assert parse_css("main p").costs == (Cost(), Cost(depth=1))
    assert parse_css("main > p").costs == (Cost(), Cost())
    assert parse_css("p:contains('sold out until ~ May')").costs == (Cost(depth=1, times=3),)
    assert parse_css("p:not(a b c):nth-child(2)").costs == (Cost(depth=2, siblings=1, times=2),)
    assert steps((Cost(),), TreeMeasures(1_000_000, 200, 50)) <= MAX_STEPS
    assert steps((Cost(tags=("main",)),), TreeMeasures(1_000_000, 200, 50, {"main": 1})) <= MAX_STEPS
    assert steps((Cost(nodes=1),), TreeMeasures(20_000, 10, 10)) > MAX_STEPS
    assert steps((Cost(tags=("*",)),), TreeMeasures(20_000, 10, 10)) > MAX_STEPS


@pytest.mark.parametrize(
    "selector",
    [
        "//main//p",
        "//div[@class='card a']//p",
        "//div[contains(concat(' ', normalize-space(@class), ' '), ' card ')]//h2",
        "//tr[td[contains(., 'x')]]/td[2]",
        "//h2[text()='First']/following-sibling::p[1]",
        "//div[.//b]//p | //footer//p",
        "//p[not(.//b)]/text()",
        "//div/p[last()]",
        "xpath:normalize-space(//main)",
    ],
)
def test_what_people_write_is_affordable_on_a_large_page(selector: str) -> None:
    tags = {"div": 1_500, "p": 1_000, "main": 1, "tr": 300, "h2": 50}
    assert steps(parse_selector(selector).compiled.costs, TreeMeasures(20_000, 25, 40, tags)) <= MAX_STEPS


@given(st.text("ab.#[]():>+~* ,=\"'\\$@/|-<&\n1", max_size=40))
def test_a_hostile_selector_either_works_or_is_a_bad_rule(text: str) -> None:
    try:
        selector = parse_selector(text)
    except BadRule:
        return
    if selector.language != "json":
        picked = pick(PAGE, [selector])
        assert picked.nodes is not None


@given(st.text(max_size=60), st.sampled_from(["p", "//p", "//@*", "//text()", "body *", "//*[contains(., 'a')]"]))
def test_selecting_survives_any_page(body: str, selector: str) -> None:
    tree = LexborHTMLParser(f"<p {body}>{body}<{body}>")
    picked = pick(tree, [parse_selector(selector)])
    assert not picked.reason
