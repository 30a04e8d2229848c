from __future__ import annotations

import re
from itertools import pairwise

import aiohttp
import msgspec
import pytest
from selectolax.lexbor import LexborHTMLParser

from driftline.core.answers.shells import is_shell
from driftline.demo import departures, feeds
from driftline.demo.pages import Noise, render
from driftline.demo.script import PAGES, SCRIPT, Page, World
from driftline.demo.site import Site, serve


def meaning(page: Page, world: World) -> str:
    """What the page says in its article: the part that holds no noise."""
    article = LexborHTMLParser(render(page, world, Noise(1))).css_first("article")
    assert article is not None
    return article.text()


def test_the_script_tells_exactly_what_changes_with_each_turn() -> None:
    versions = dict.fromkeys(PAGES, 1)
    assert len(SCRIPT) > 2
    for before, after in pairwise(SCRIPT):
        differ = {page for page in PAGES if meaning(page, before.world) != meaning(page, after.world)}
        assert differ == {truth.page for truth in after.changed}
        assert len(differ) == len(after.changed)
        for truth in after.changed:
            versions[truth.page] += 1
            assert truth.version == versions[truth.page]


def test_every_page_changes_at_some_time_and_some_turns_change_nothing() -> None:
    assert {truth.page for step in SCRIPT for truth in step.changed} == set(PAGES)
    assert any(not step.changed for step in SCRIPT[1:])
    assert any(step.down for step in SCRIPT)


@pytest.mark.parametrize("page", PAGES)
def test_two_answers_differ_in_noise_alone(page: Page) -> None:
    one, other = (render(page, SCRIPT[0].world, Noise(answer)) for answer in (1, 2))
    assert one != other
    places = [LexborHTMLParser(html).css_first("article") for html in (one, other)]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0].html == places[1].html
    for pattern in (r"Served at ([\d:]+)", r"answer number (\d+)", r'csrf-token" content="(\w+)', r"<h3>([^<]+)"):
        found = [re.findall(pattern, html) for html in (one, other)]
        assert all(found)
        assert found[0] != found[1]


def test_the_site_moves_only_when_reported_and_stops_at_the_end() -> None:
    site = Site()
    reported = [truth for _ in SCRIPT for truth in site.advance()]
    assert site.finished
    assert reported == list(site.happened) == [truth for step in SCRIPT for truth in step.changed]
    assert site.advance() == ()


async def test_the_site_answers_on_loopback_with_each_page_and_with_its_outage() -> None:
    async with serve() as site, aiohttp.ClientSession() as client:
        assert site.address.startswith("http://127.0.0.1:")
        while not site.finished:
            site.advance()
            for page, _, url in site.pages:
                async with client.get(url) as answer:
                    down = page in site._script[site._turn].down
                    assert answer.status == (500 if down else 200)
        async with client.get(f"{site.address}/nothing") as answer:
            assert answer.status == 404
        async with client.get(f"{site.address}/style.css") as answer:
            assert answer.content_type == "text/css"


def _tables(turn: int) -> dict[str, set[str]]:
    slots = msgspec.json.decode(feeds.board(turn, "2026-06-01", "2", Noise(turn)))["slots"]
    found: dict[str, set[str]] = {}
    for slot in slots:
        found.setdefault(slot["venue_id"], set()).add(slot["time"])
    return found


def test_the_board_and_the_blog_tell_exactly_when_something_is_really_new() -> None:
    for turn in range(1, len(SCRIPT)):
        before, after = _tables(turn - 1), _tables(turn)
        opened = bool(after.keys() - before.keys())
        renewed = feeds.sitemap(turn - 1, "https://t.example") != feeds.sitemap(turn, "https://t.example")
        assert feeds.NEW.get(turn, ()) == tuple(name for name, new in (("board", opened), ("blog", renewed)) if new)


def test_the_board_is_never_the_same_twice_and_articles_differ_in_noise_alone() -> None:
    one, other = (feeds.board(0, "2026-06-01", "2", Noise(answer)) for answer in (1, 2))
    assert one != other
    pages = [feeds.article(0, "ferry", Noise(answer)) or "" for answer in (1, 2)]
    assert pages[0] != pages[1]
    articles = {re.findall(r"<article>.*</article>", page)[0] for page in pages}
    assert len(articles) == 1
    assert feeds.article(0, "choir", Noise(1)) is None


def test_a_wandering_site_takes_one_turn_at_a_time_and_never_ends() -> None:
    site, turns = Site(), []
    for _ in range(3 * len(SCRIPT)):
        site.wander()
        turns.append(site._turn)
    assert all(abs(one - other) == 1 for one, other in pairwise([0, *turns]))
    assert set(turns) == set(range(len(SCRIPT)))


async def test_every_link_of_the_site_leads_somewhere() -> None:
    async with serve() as site, aiohttp.ClientSession() as client:
        todo, seen = ["/"], set[str]()
        while todo:
            path = todo.pop()
            seen.add(path)
            async with client.get(site.address + path) as answer:
                assert answer.status == 200, path
                html = await answer.text()
            found = (re.sub(r"\?(utm|v|[0-9a-f]{12}).*", "", link) for link in re.findall(r'(?:href|src)="(/[^"]*)"', html))
            todo += [link for link in dict.fromkeys(found) if link not in seen and link not in todo]
        assert {"/store", "/store/kettle", "/blog/ferry", "/img/mug.svg"} <= seen
        board = msgspec.json.decode(await (await client.get(f"{site.address}/board?day=2026-06-01&seats=2")).read())
        for slot in board["slots"]:
            assert (await client.get(slot["link"])).status == 200


def test_departures_are_empty_without_their_script_and_change_with_the_turns_that_say_so() -> None:
    assert is_shell(departures.page(Noise(1)))
    said = [msgspec.json.decode(departures.times(turn, Noise(turn)))["times"] for turn in range(len(SCRIPT))]
    assert [turn for turn in range(1, len(SCRIPT)) if said[turn] != said[turn - 1]] == list(departures.CHANGES)
    site = Site()
    for shown in (False, True):
        site.shows_departures = shown
        site._turn = departures.CHANGES[0]
        assert (departures.NAME in site.renewed) == shown
