"""A crawl without a network: which pages of a site it finds, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import pytest

from driftline.kinds.kind import Explores, Reading, Target
from driftline.kinds.registry import KINDS
from driftline.kinds.site.frontier import SiteFrontier, SitePage
from driftline.kinds.site.kind import KIND
from driftline.kinds.site.reading import CrawlAnswer
from driftline.kinds.site.rules import SiteRules
from driftline.model.fetch import Blocked, Failed, Fetched, Request

HERE = "https://example.com"
Answer = str | int | None  # HTML, a status, or a request that robots.txt forbids


def page(text: str, *links: str, head: str = "") -> str:
    return f"<html><head><title>{text[:12]}</title>{head}</head><body><p>{text}</p>{''.join(map(link, links))}</body></html>"


def link(href: str) -> str:
    return f'<a href="{href}">go</a>'


def distinct(name: str) -> str:
    """A text whose words no other page has."""
    letters = [name.replace("-", "") + chr(97 + one) * 3 for one in range(12)]
    return " ".join(letters).translate(str.maketrans("0123456789", "ghijklmnop"))


def crawl(
    answers: Callable[[str], Answer], *, known: Iterable[str] = (), start: str = "/", cut: str | None = None, **rules: object
) -> Reading[SitePage]:
    checked = SiteRules(**rules)  # type: ignore[arg-type]  # it checks itself
    frontier = SiteFrontier(Target(url=HERE + start), checked, [HERE + path for path in known])
    while requests := frontier.next_requests(8):
        for request in requests:
            frontier.take(request, read(request, answers(request.url.removeprefix(HERE)), checked))
    return frontier.result(cut)


def read(request: Request, answer: Answer, rules: SiteRules) -> Reading[CrawlAnswer] | Blocked | Failed:
    if answer is None:
        return Blocked(request=request, reason="robots.txt")
    if isinstance(answer, int):
        return Failed(request=request, reason=f"http {answer}", status=answer)
    got = Fetched(
        request=request,
        url=request.url,
        status=200,
        headers={"content-type": "text/html"},
        body=answer.encode(),
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return KIND.read(got, rules, None)


def found(reading: Reading[SitePage]) -> list[str]:
    return sorted(item.key.removeprefix(HERE) for item in reading.items)


def site(pages: Mapping[str, tuple[str, ...]]) -> Callable[[str], Answer]:
    """Pages with these links; everything else is not found."""
    return lambda path: page(distinct(path.strip("/") or "start"), *pages[path]) if path in pages else 404


def test_children_that_a_kind_finds_are_of_another_kind_so_that_queries_can_tell_them_from_buckets() -> None:
    finding = {name: kind for name, kind in KINDS.items() if isinstance(kind, Explores)}
    assert {name for name, kind in KINDS.items() if kind.traits.finds_children} == set(finding) == {"site"}
    assert all(kind.child_kind != name for name, kind in finding.items())


def test_a_site_is_what_is_on_its_host_below_the_start() -> None:
    outside = ("/blog", "https://elsewhere.example/docs/c", "http://www.example.com/docs/d")
    pages = {
        "/docs/": ("a", "/docs/b", *outside),
        "/docs/a": ("../docs/b?utm_source=x", "#top", "mailto:x@y.example"),
        **dict.fromkeys(("/docs/b", "/docs/d", "/blog"), ()),
    }
    answers = site(pages)
    assert found(crawl(answers, start="/docs/")) == ["/docs/", "/docs/a", "/docs/b", "/docs/d"]


def test_included_pages_are_found_through_others_and_excluded_ones_are_not_followed() -> None:
    pages = {"/": ("/list", "/old"), "/list": ("/item/a",), "/old": ("/item/b",), "/item/a": (), "/item/b": ()}
    assert found(crawl(site(pages), include=("/item/",), exclude=("/old",))) == ["/item/a"]


def test_links_are_followed_to_the_depth_and_pages_are_watched_to_the_budget() -> None:
    chain = {f"/{'abcdefgh'[one]}": (f"/{'abcdefgh'[one + 1]}",) for one in range(7)}
    shallow = crawl(site(chain | {"/": ("/a",)}), depth=3)
    assert found(shallow) == ["/", "/a", "/b", "/c"]
    assert shallow.complete
    full = crawl(site(chain | {"/": ("/a",)}), known=("/g", "/"), pages=4)
    assert "/g" not in found(full), "it was cut short before that"
    assert (len(found(full)), full.complete, full.reason) == (3, False, "the site has more than 4 pages")


def test_a_calendar_without_an_end_is_its_first_page_and_months_with_events() -> None:
    months = "January February March April May June July August September October November December".split()

    def answers(path: str) -> Answer:
        if path == "/":
            return page(distinct("start"), "/calendar/2026/11")
        year, month = map(int, path.removeprefix("/calendar/").split("/"))
        at = year * 12 + month - 1
        events = distinct("concert") if (year, month) == (2026, 12) else "nothing"
        nearby = (f"/calendar/{one // 12}/{one % 12 + 1}" for one in (at - 1, at + 1))
        return page(f"{months[month - 1]} {year} Monday Tuesday Wednesday {events}", *nearby)

    reading = crawl(answers)
    assert found(reading) == ["/", "/calendar/2026/11", "/calendar/2026/12"]
    assert reading.complete
    assert [notice.code for notice in reading.warnings] == ["repeats"]


def test_a_repeat_that_another_page_leads_to_is_no_repeat_any_more() -> None:
    def answers(path: str) -> Answer:
        if path == "/":
            return page(distinct("start"), "/month/1", "/about")
        if path == "/about":
            return page(distinct("about"), "/concerts")
        if path == "/concerts":
            return page(distinct("concerts"), "/month/2")
        at = int(path.removeprefix("/month/"))
        return page(f"Month{chr(97 + at % 26)} Monday Tuesday Wednesday nothing", f"/month/{at + 1}")

    reading = crawl(answers)
    assert found(reading) == ["/", "/about", "/concerts", "/month/1", "/month/2"]
    assert [(notice.code, notice.key) for notice in reading.warnings] == [("repeats", f"{HERE}/month/3")]


def test_chained_pages_with_texts_of_their_own_are_no_trap() -> None:
    pages = {f"/story/{one}": (f"/story/{one + 1}",) for one in range(1, 9)}
    assert len(found(crawl(site(pages | {"/": ("/story/1",)})))) == 9


@pytest.mark.parametrize("step", ["more/", "again/and/", "1/"])
def test_a_path_without_an_end_is_its_first_page(step: str) -> None:
    def answers(path: str) -> Answer:
        return page(distinct("start"), "/loop/") if path == "/" else page(f"You are {len(path)} steps from home", path + step)

    assert found(crawl(answers)) == ["/", "/loop/"]


def test_an_unknown_session_parameter_is_learned_and_left_out() -> None:
    asked: list[str] = []

    def answers(path: str) -> Answer:
        asked.append(path)
        name = path.partition("?")[0].strip("/") or "start"
        token = f"{len(asked):04}f3a9c1"
        links = (f"/{one}?visitkey={token}" for one in "abcdef")
        return page(distinct(name), *links)

    reading = crawl(answers)
    assert found(reading) == ["/", "/a", "/b", "/c", "/d", "/e", "/f"]
    assert reading.complete
    assert len(asked) < 25


def test_a_parameter_with_generated_values_that_names_pages_stays() -> None:
    ids = [f"{number:04}f3a9c1" for number in range(6)]

    def answers(path: str) -> Answer:
        links = (f"/item?doc={one}" for one in ids) if path == "/" else ()
        return page(distinct(path[-14:].strip("/?=")), *links)

    assert len(found(crawl(answers))) == 7


def test_addresses_with_one_text_are_one_page_and_a_watched_page_stays_whatever_it_says() -> None:
    def answers(path: str) -> Answer:
        return page(distinct("start"), "/one", "/two", "/three") if path == "/" else page("This page could not be found, sorry")

    assert found(crawl(answers)) == ["/", "/one"]
    assert found(crawl(answers, known=("/one", "/two"))) == ["/", "/one", "/two"]


def test_a_page_that_is_watched_is_asked_though_no_link_leads_there() -> None:
    pages: dict[str, tuple[str, ...]] = {"/": ("/a",), "/a": (), "/b": ()}
    assert found(crawl(site(pages), known=("/", "/a", "/b", "/gone"))) == ["/", "/a", "/b"]


@pytest.mark.parametrize("answer", [500, 403, None], ids=["a server error", "refused", "robots.txt"])
def test_a_watched_page_that_cannot_be_read_makes_the_crawl_incomplete_and_another_does_not(answer: Answer) -> None:
    def answers(path: str) -> Answer:
        return page(distinct("start"), "/a") if path == "/" else answer

    assert not crawl(answers, known=("/", "/a", "/b")).complete
    assert crawl(answers, known=("/",)).complete


def test_all_pages_gone_at_once_is_a_broken_site_unless_others_take_their_place() -> None:
    known = ["/", *(f"/old-{one}" for one in "abcdef")]
    assert not crawl(site({"/": ()}), known=known).complete
    assert crawl(site({"/": ("/new",), "/new": ()}), known=known).complete


def test_a_site_that_stops_answering_is_not_asked_for_the_rest() -> None:
    links = tuple(f"/{chr(97 + one // 26)}{chr(97 + one % 26)}" for one in range(300))
    asked: list[str] = []

    def answers(path: str) -> Answer:
        asked.append(path)
        return page(distinct("start"), *links) if path == "/" else 502

    reading = crawl(answers)
    assert not reading.complete
    assert len(asked) < 40


def test_a_start_that_cannot_be_read_is_a_failure() -> None:
    assert crawl(lambda _: 500).outcome == "error"
    assert crawl(lambda _: None).outcome == "blocked"


def test_a_list_sorted_and_filtered_is_one_page_and_its_next_pages_are_their_own() -> None:
    kettles = [f"{one}kettle" for one in ("amber", "basin", "copper", "dune")]
    facets = [f"/shop?{name}" for name in ("sort=price", "sort=name", "color=red", "print=1")]

    def answers(path: str) -> Answer:
        if path == "/":
            return page(distinct("start"), "/shop")
        base, _, query = path.partition("?")
        if base == "/shop" and query == "page=2":
            return page("Shop with elder fennel ginger and hazel", "/shop/elder", "/shop/hazel")
        if base == "/shop":
            shown = kettles[::-1] if query == "sort=price" else kettles[:2] if query == "color=red" else kettles
            return page(f"Shop {' '.join(shown)} for you", *facets, "/shop?page=2", *(f"/shop/{one}" for one in shown))
        return page(distinct(base.rpartition("/")[2]))

    reading = crawl(answers)
    details = [f"/shop/{one}" for one in (*kettles, "elder", "hazel")]
    assert found(reading) == sorted(["/", "/shop", "/shop?page=2", *details])
    assert "/shop?sort=price" in found(crawl(answers, known=["/shop?sort=price"])), "what is watched stays"
    assert "/shop?sort=price" in found(crawl(answers, skip_repeats=False))


def test_a_page_that_says_there_is_none_is_no_page() -> None:
    def answers(path: str) -> Answer:
        if path == "/":
            return page(distinct("start"), "/about", "/old/lamp", "/old/kettle")
        if path == "/about":
            return page(distinct("about"))
        return f"<title>Page not found | Shop</title><h1>Sorry</h1><p>There is no {path} here.</p><a href='/old/next'>Next</a>"

    reading = crawl(answers, known=["/old/lamp"])
    assert (found(reading), reading.complete) == (["/", "/about"], True)
    assert reading.counters["not_found"] == 2
    start = crawl(lambda _: "<title>404 - Shop</title><p>Nothing here.</p>")
    assert (start.outcome, start.reason) == ("error", "answered that there is no such page")


def test_pages_that_differ_in_naming_their_own_address_are_repeats() -> None:
    def answers(path: str) -> Answer:
        if path == "/":
            return page(distinct("start"), "/tags/")
        name = path.rpartition("/")[2]
        return page(
            f"We searched the shelves for {name} today and found nothing", *(f"/tags/{one}" for one in ("amber", "oak"))
        )

    assert found(crawl(answers)) == ["/", "/tags/"]
