"""Packages that add kinds, channels, fetchers and summarizers: the example of the documentation, and broken ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integration.conftest import Driftline, Runner
from tests.scripted import ScriptedSite
from tests.sinks import sink
from tests.web_server import server_on

from driftline import extensions
from driftline.core.identity.urls import checked
from driftline.engine.editing.watch_input import watch_address
from driftline.engine.jobs.extension import ExtensionWriter
from driftline.engine.jobs.summaries import NotWritten
from driftline.errors import BadUrl
from driftline.wiring import run_loop

EXAMPLE = Path(__file__).parents[2] / "examples/extension"
FIRST, SECOND = (f'{{"plan": {{"price": {price}, "seats": 5}}, "regions": ["eu"]}}' for price in (10, 12))
OWN = "tests.integration.own_extensions"
BROKEN = {  # by group and name: where it leads, and why it is left out
    "kinds": {
        "typo": (f"{OWN}:NOTHING", "AttributeError: module"),
        "missing": ("nowhere_at_all:KIND", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        "leaving": ("leaving:KIND", "SystemExit: 3"),
        "half": (f"{OWN}:HALF", "it has no rules, traits"),
        "page": (f"{OWN}:RAISING", "driftline has one of this name"),
        "other": (f"{OWN}:OTHER", "its name is 'else'"),
    },
    "channels": {"Loud": (f"{OWN}:OddChannel", "its name is not of lower-case letters")},
}
WORKING = {
    "kinds": {"raising": (f"{OWN}:RAISING",)},
    "channels": {"odd": (f"{OWN}:OddChannel",)},
    "fetchers": {"memo": (f"{OWN}:Memo",)},
    "summarizers": {"short": (f"{OWN}:Short",)},
}


def forget() -> None:
    extensions._entries.cache_clear()
    extensions._loaded.cache_clear()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, installed by pip into a folder of its own."""
    folder = tmp_path_factory.mktemp("extension")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*pip, "--target", str(folder), str(EXAMPLE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Puts a folder, or packages that a table describes, on the path."""

    def put(folder: Path | None = None, **groups: dict[str, tuple[str, ...]]) -> None:
        where = folder or tmp_path / "packages"
        if groups:
            facts = where / "own-1.0.dist-info"
            facts.mkdir(parents=True, exist_ok=True)
            (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
            (facts / "entry_points.txt").write_text(
                "".join(
                    f"[driftline.{group}]\n" + "".join(f"{name} = {leads[0]}\n" for name, leads in found.items())
                    for group, found in groups.items()
                )
            )
            (where / "leaving.py").write_text("raise SystemExit(3)")
        monkeypatch.syspath_prepend(where)
        monkeypatch.setenv("PYTHONPATH", str(where))  # of children
        forget()

    yield put
    monkeypatch.undo()
    forget()


def test_the_example_watches_and_notifies(
    driftline: Driftline, install: Callable[..., None], example: Path, site: ScriptedSite
) -> None:
    install(example)
    doctor = {one["says"] for one in driftline("doctor", "--json").rows if one["what"].startswith("extension") and one["ok"]}
    assert doctor == {"json (driftline-example 1.0)", "text (driftline-example 1.0)"}
    url = site.show("/plan", FIRST)
    assert driftline("add", url, "--kind", "json", "--name", "Plan").code == 0
    with sink() as receiver:
        assert driftline("channel", "add", "text", "nowhere").code == 2
        assert driftline("channel", "add", "text", receiver.at("ok"), "--name", "text", "--default").code == 0
        assert driftline("channel", "test", "text").code == 0
        assert driftline("subscribe", "Plan").code == 0
        assert driftline("check", "Plan", "--json").rows[0]["outcome"] == "baseline"
        site.show("/plan", SECOND)
        (change,) = driftline("check", "Plan", "--json").rows[0]["changes"]
        assert "plan.price: 12" in str(change)
        assert driftline("run", "--once").code == 0
        sample, report = (one.body.decode() for one in receiver.received)
    assert "This is a test message" in sample
    assert "plan.price" in report


def test_the_example_is_on_the_dashboard(
    database_url: str, install: Callable[..., None], example: Path, site: ScriptedSite
) -> None:
    install(example)
    url = site.show("/plan", FIRST)
    with server_on(database_url, browser=False) as server:
        cookie = server.tenant.session_for(server.tenant.owner)
        form = server.browse("GET", "/add", cookie=cookie).text
        assert '<input type="radio" name="kind" value="json"' in form
        assert "A JSON answer: one line a value" in form
        assert '<option value="text">Text</option>' in server.browse("GET", "/settings?tab=channels", cookie=cookie).text
        added = server.browse("POST", "/add", cookie=cookie, data={"url": url, "kind": "json", "name": "Plan"})
        assert added.status_code == 303, added.text
        assert server.get("/watches").json()["items"][0]["kind"] == "json"
        assert '<option value="json">Json</option>' in server.browse("GET", "/watches", cookie=cookie).text
        seen = server.post("/preview", {"url": url, "kind": "json"}).json()
        assert "plan.price: 10" in seen["text"]
        made = server.browse("POST", "/settings/channels", cookie=cookie, data={"kind": "text", "target": "https://a.example/"})
        assert made.status_code == 303
        assert "text a.example" in server.browse("GET", "/settings?tab=channels", cookie=cookie).text


def test_a_broken_extension_is_left_out_with_its_reason(driftline: Driftline, install: Callable[..., None]) -> None:
    install(None, **BROKEN)
    found = driftline("doctor", "--json")
    said = {one["says"] for one in found.rows if one["what"].startswith("extension")}
    for group in BROKEN.values():
        for name, (_, reason) in group.items():
            assert any(line.startswith(f"{name} (own 1.0) left out: {reason}") for line in said), (name, said)
    assert found.code == 1
    refused = driftline("add", "http://127.0.0.1/", "--kind", "typo")
    assert (refused.code, "unknown kind" in refused.err) == (2, True)
    assert driftline("add", "http://127.0.0.1/", "--kind", "page").code == 0


def test_a_kind_that_raises_ends_its_run_and_nothing_else(
    runner: Runner, install: Callable[..., None], site: ScriptedSite
) -> None:
    install(None, **WORKING)
    url = site.show("/", "<p>Some text that is long enough to be a page.</p>")
    raising, usual = runner.watch(url, kind="raising"), runner.watch(url)
    one, other = runner.check(raising, usual)
    assert (one.run.outcome, one.run.reason, other.run.outcome) == ("error", "internal error: OddError", "baseline")


def test_a_watch_whose_kind_is_uninstalled_says_so_and_keeps_its_history(
    database_url: str, install: Callable[..., None], example: Path, site: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(example)
    url = site.show("/plan", FIRST)
    with server_on(database_url, browser=False) as server:
        runner = Runner(server.app)
        watch, page = runner.watch(url, kind="json", rules={"ignore_text": ["seats"]}), runner.watch(url)
        assert runner.outcome(watch) == "baseline"
        monkeypatch.undo()
        forget()
        gone, still = runner.check(watch, page)
        assert (gone.run.outcome, still.run.outcome) == ("error", "baseline")
        assert gone.run.reason == "the kind json is not there: no installed package has it"
        cookie = server.tenant.session_for(server.tenant.owner)
        for place in ("/", "/watches", f"/watches/{watch.id}", f"/watches/{watch.id}?tab=rules"):
            assert server.browse("GET", place, cookie=cookie).status_code == 200, place
        install(example)
        site.show("/plan", SECOND)
        (again,) = runner.check(watch)
        assert again.run.outcome == "changed"


def test_a_channel_that_raises_is_tried_again_later(driftline: Driftline, install: Callable[..., None]) -> None:
    install(None, **WORKING)
    assert driftline("channel", "add", "odd", "bad").code == 2
    assert driftline("channel", "add", "odd", "here", "--name", "odd").code == 0
    tested = driftline("channel", "test", "odd")
    assert tested.code != 0
    assert "OddError" in tested.out + tested.err


def test_a_fetcher_reads_addresses_of_its_own_scheme(runner: Runner, install: Callable[..., None]) -> None:
    install(None, **WORKING)
    good, odd = runner.watch("memo://notes/today"), runner.watch("memo://notes/odd")
    one, other = runner.check(good, odd)
    assert one.run.outcome == "baseline"
    assert (other.run.outcome, other.run.reason) == ("error", "fetcher memo: OddError")
    with pytest.raises(Exception, match="only https"):
        runner.watch("nemo://notes/today")


def test_no_page_leads_to_the_scheme_of_an_extension(install: Callable[..., None]) -> None:
    install(None, **WORKING)
    assert watch_address("memo://notes/today") == "memo://notes/today"
    with pytest.raises(BadUrl, match="only https"):
        checked("memo://notes/today")  # as links, entries of sitemaps and redirects are


def test_a_summarizer_is_chosen_by_its_name(
    driftline: Driftline, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(None, **WORKING)
    monkeypatch.setenv("DRIFTLINE_SUMMARIZER", "shirt")
    assert "unknown summarizer" in driftline("summarize").err
    monkeypatch.setenv("DRIFTLINE_SUMMARIZER", "short")
    assert driftline("summarize").code == 0
    writer = ExtensionWriter("short", extensions.usable(extensions.SUMMARIZERS)["short"])
    assert run_loop(lambda: writer.summarize(title="News", text="x")) == "NEWS"
    assert isinstance(run_loop(lambda: writer.summarize(title="", text="x")), NotWritten)
