"""The library as its users meet it: documented names, examples that run, and the source's testing strategy by its own words."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import driftline
from driftline.engine.editing.watch_input import read_rules
from driftline.kinds.kind import Rules
from driftline.kinds.registry import KINDS
from driftline.pages import PageRules

DOCS = Path(__file__).parents[2] / "docs"
LIBRARY = (DOCS / "library.md").read_text(encoding="utf-8")
RULES = (DOCS / "rules.md").read_text(encoding="utf-8")


# Documents.


def test_the_examples_of_the_library_page_run() -> None:
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testfile(str(DOCS / "library.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 20
    assert result.failed == 0


@pytest.mark.parametrize("name", ["", "catalogs", "pages", "sitemaps", "slots"])
def test_the_examples_in_the_code_run(name: str) -> None:
    module = import_module(f"driftline.{name}".rstrip("."))
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", driftline.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert callable(getattr(driftline, name))
    assert f"`{name}" in LIBRARY or f"{name}(" in LIBRARY


def test_a_prompt_completes_every_public_name_before_it_is_used() -> None:
    code = "import driftline; print(sorted(set(driftline.__all__) - set(dir(driftline))))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_importing_the_library_costs_nothing_until_a_name_is_used() -> None:
    look = "import sys, driftline; print(sorted(name for name in sys.modules if name.startswith('driftline')))"
    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "['driftline']"
    with pytest.raises(AttributeError):
        driftline.compare_everything  # noqa: B018 - the access is the test


def fields(struct: type[Any], prefix: str = "") -> Iterator[str]:
    """Every field of rules, those of nested structs with their path."""
    for field in msgspec.structs.fields(struct):
        inner = type(field.default) if field.default is not msgspec.NODEFAULT else None
        if inner is not None and issubclass(inner, msgspec.Struct):
            yield from fields(inner, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.encode_name}"


def section(kind: str) -> str:
    return RULES.split(f"\n## {kind}\n", 1)[1].split("\n## ", 1)[0]


def examples(kind: str) -> list[dict[str, Any]]:
    return [yaml.safe_load(part.split("```", 1)[0]) for part in section(kind).split("```yaml\n")[1:]]


ALL_FIELDS = [(kind, name) for kind, one in KINDS.items() for name in fields(one.rules)]
SHARED = set(fields(Rules))


@pytest.mark.parametrize(("kind", "name"), ALL_FIELDS, ids=str)
def test_every_rule_of_every_kind_has_a_row_and_an_example(kind: str, name: str) -> None:
    text = section("Every kind") if name in SHARED else section(kind)
    assert f"\n| `{name}` |" in text

    def names(value: Any, way: tuple[str, ...]) -> bool:
        return not way or (isinstance(value, dict) and way[0] in value and names(value[way[0]], way[1:]))

    assert any(names(example, tuple(name.split("."))) for example in examples(kind)), f"no example of {name}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_row_names_a_rule_that_is_not_there(kind: str) -> None:
    rows = {line.split("`")[1] for line in section(kind).splitlines() if line.startswith("| `")}
    assert rows <= {name for of, name in ALL_FIELDS if of == kind}


@pytest.mark.parametrize(("kind", "example"), [(kind, example) for kind in KINDS for example in examples(kind)], ids=repr)
def test_every_example_is_taken_as_it_stands(kind: str, example: dict[str, Any]) -> None:
    rules = read_rules(KINDS[kind], example)
    assert rules != KINDS[kind].rules()


# The testing strategy of the source, case by case.

PAGE = """<html lang="en"><head><title>iPhone 13</title><meta name="description" content="The latest model.">
<meta property="og:title" content="iPhone 13"><meta property="og:site_name" content="Shop"><link rel="canonical" href="/p/12">
</head><body><main><h1>iPhone 13</h1><img src="/front.jpg" width="600" height="600"><p>Latest model with a great camera.</p>
<p>Ships within two days.</p></main></body></html>"""


def reported(before: str, after: str, **rules: Any) -> driftline.PageDiff:
    return driftline.compare_pages(before, after, url="https://shop.example/p/12", rules=PageRules(**rules))


def test_unit_text_diffing_logic() -> None:
    diff = reported(PAGE, PAGE.replace("two days", "three days"))
    assert [finding.type for finding in diff.findings] == ["content"]
    text = diff.changes["text"]
    assert (text["changed"], text["diffSnippet"]) == (True, "[+ three - two]")
    assert 0.9 < diff.similarity < 1.0


def test_unit_normalization_of_whitespace() -> None:
    spread = PAGE.replace("Latest model with a great camera.", "\n   Latest  model\twith&nbsp;a\n great camera. ")
    assert not reported(PAGE, spread).meaningful
    assert driftline.read_page(spread).lines == driftline.read_page(PAGE).lines


def test_unit_metadata_comparison() -> None:
    diff = reported(PAGE, PAGE.replace('og:title" content="iPhone 13"', 'og:title" content="iPhone 13 Pro"'))
    assert diff.changes["metadata"] == {"og:title": {"before": "iPhone 13", "after": "iPhone 13 Pro"}}
    assert diff.severity == "low"
    assert not reported(PAGE, PAGE.replace('site_name" content="Shop"', 'site_name" content="The Shop"')).meaningful


def test_unit_image_list_diffing() -> None:
    diff = reported(PAGE, PAGE.replace("/front.jpg", "/back.jpg"))
    assert diff.changes["images"]["added"] == ["https://shop.example/back.jpg"]
    assert diff.changes["images"]["removed"] == ["https://shop.example/front.jpg"]
    assert diff.changes["images"]["hero"] is not None
    assert not reported(PAGE, PAGE.replace("/front.jpg", "/front.jpg?utm_source=mail")).meaningful


@pytest.mark.parametrize(("threshold", "meaningful"), [(0.5, False), (0.90, False), (0.999, True)])
def test_unit_threshold_behavior(threshold: float, meaningful: bool) -> None:
    diff = reported(PAGE, PAGE.replace("great camera", "good camera"), sensitivity="threshold", text_threshold=threshold)
    assert diff.meaningful is meaningful
    assert diff.different


@pytest.mark.parametrize(
    ("before", "after", "meaningful"),
    [("", "", False), ("<html></html>", "<html><body> </body></html>", False), ("", PAGE, True), (PAGE, "", True)],
)
def test_edge_empty_pages(before: str, after: str, meaningful: bool) -> None:
    assert reported(before, after).meaningful is meaningful


def test_edge_all_fields_identical() -> None:
    diff = reported(PAGE, PAGE)
    assert (diff.meaningful, diff.different, diff.similarity, diff.jaccard, diff.findings) == (False, False, 1.0, 1.0, ())
    assert not any(level.get("changed") for level in diff.changes.values() if isinstance(level, dict))


def test_edge_only_whitespace_changes() -> None:
    diff = reported(PAGE, PAGE.replace("><", ">\n  <").replace(" ", "  "))
    assert (diff.meaningful, diff.different) == (False, False)


def test_edge_large_html_but_small_changes() -> None:
    rows = [f"<p>Paragraph {number} of a long page about many things, none of them new.</p>" for number in range(4_000)]
    before = "<html><body><main>" + "".join(rows) + "</main></body></html>"
    assert len(before) > 250_000
    diff = reported(before, before.replace("Paragraph 2000 of a long page", "Paragraph 2000 of a short page"))
    assert (diff.severity, diff.changes["text"]["lines"]) == ("medium", {"changed": 1})
    assert diff.headline.count("short") == 1
