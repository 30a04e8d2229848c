"""Lists of addresses, line by line."""

from __future__ import annotations

import msgspec
import pytest

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.imports.limits import LINE_AT_MOST
from driftline.engine.imports.watch_list import inputs_from_file, inputs_from_list
from driftline.model.watch import Schedule

EVERY = Schedule(every_for=60.0)


def read(text: str) -> list[tuple[int, WatchInput | None, str]]:
    return list(inputs_from_list(text.encode(), "page", {"select": "main"}, EVERY, ("news",)))


def test_a_line_is_an_address_with_a_name_or_without() -> None:
    found = read("https://a.example/ The first\n\n# a note\nhttps://b.example/\thome\nhttps://c.example/\n")
    assert [(number, one.url, one.name) for number, one, _ in found if one] == [
        (1, "https://a.example/", "The first"),
        (4, "https://b.example/", "home"),
        (5, "https://c.example/", None),
    ]
    assert {problem for _, _, problem in found} == {""}
    first = found[0][1]
    assert first == WatchInput(
        url="https://a.example/", kind="page", name="The first", rules={"select": "main"}, schedule=EVERY, tags=("news",)
    )


def test_a_line_of_an_export_is_a_whole_watch() -> None:
    whole = WatchInput(url="https://a.example/", kind="sitemap", name="x", paused=True)
    ((number, found, problem),) = read(msgspec.json.encode(whole).decode())
    assert (number, found, problem) == (1, whole, "")


@pytest.mark.parametrize("line", ['{"url": 5}', "{", '{"url": "https://a.example/", "colour": "red"}'])
def test_a_line_that_cannot_be_read_is_named_and_the_others_go_on(line: str) -> None:
    bad, good = read(f"{line}\nhttps://a.example/")
    assert (bad[0], bad[1], bad[2].startswith("invalid watch: ")) == (1, None, True)
    assert good[1] is not None


def test_a_line_may_be_long_but_not_endless() -> None:
    address = "https://a.example/"
    longest, too_long = (address + "x" * (length - len(address)) for length in (LINE_AT_MOST - 1, LINE_AT_MOST))
    (good,), (bad,) = read(longest), read(too_long)
    assert good[1] is not None
    assert (bad[1], "longer than" in bad[2]) == (None, True)


def test_what_another_program_wrote_gets_the_tags_besides_its_own() -> None:
    opml = b'<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/feed" category="/x"/></body></opml>'
    found = [one for _, one, _ in inputs_from_file(opml, "page", {}, EVERY, ("news",))]
    assert found
    assert all(one is not None and one.tags[-1] == "news" for one in found)
