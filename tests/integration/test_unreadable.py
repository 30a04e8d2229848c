"""Sources in which there is nothing to watch say so from the first check on, and never look like content."""

from __future__ import annotations

import pytest
from tests.integration.conftest import Driftline, Runner
from tests.scripted import Page, ScriptedSite
from tests.unit.core.documents import made

from driftline.engine.check.context import Checked
from driftline.model.watch import Watch

HOURS = "<html><head><title>Hours</title></head><body><h1>Hours</h1><p>Open from nine to five on {}.</p></body></html>"
SHELL = """<html><head><title>App</title><script type="module" src="/app.js"></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"""
STATE = SHELL.replace(
    '<div id="root">', '<script id="__NEXT_DATA__" type="application/json">{"props": {"text": "%s"}}</script><div id="root">'
)
FORM = "<html><head><title>Sign in</title></head><body><h1>Sign in</h1><form><input type='password'></form></body></html>"
PNG = Page(body=b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(9_000), headers={"content-type": "text/html"})
SCRIPTS = "This page is built by scripts and needs a browser"


def pdf(size: int) -> Page:
    return Page(body=b"%PDF-1.7\n".ljust(size, b"x"), headers={"content-type": "text/plain"})


def to(place: str) -> Page:
    return Page(status=302, headers={"location": place})


def shown(runner: Runner, site: ScriptedSite, watch: Watch, page: str | Page) -> Checked:
    site.show("/it", page)
    return runner.check(watch)[0]


def reported(checked: Checked) -> list[tuple[str, str]]:
    return [(change.type, change.headline) for change in checked.changes]


def test_a_page_that_scripts_make_needs_a_browser_and_is_never_a_baseline(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/it", SHELL))
    (first,), (second,) = runner.check(watch), runner.check(watch)
    assert (first.run.outcome, second.run.outcome) == ("needs_browser", "needs_browser")
    ((kind, headline),) = reported(first)
    assert kind == "needs_browser"
    assert headline.startswith(SCRIPTS)
    assert reported(second) == []
    assert runner.again(watch).baseline_run_id is None
    assert runner.count("snapshots") == 0
    read = shown(runner, site, watch, HOURS.format("Mondays"))
    assert (read.run.outcome, reported(read)) == (
        "baseline",
        [("recovered", "The source can be read again (was: needs a browser)")],
    )


def test_a_page_that_becomes_a_shell_has_lost_nothing(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/it", HOURS.format("Mondays")))
    runner.check(watch)
    shell = shown(runner, site, watch, SHELL)
    assert [kind for kind, _ in reported(shell)] == ["needs_browser"]
    assert [kind for kind, _ in reported(shown(runner, site, watch, HOURS.format("Mondays")))] == ["recovered"]
    assert runner.count("snapshots") == 1


def test_a_shell_that_carries_its_text_is_read_and_one_whose_selected_part_is_missing_is_not(
    runner: Runner, site: ScriptedSite
) -> None:
    watch = runner.watch(site.show("/it", STATE % ("Open from nine to five. " * 10)))
    narrow = runner.watch(site.show("/shell", SHELL), rules={"select": ["#hours"]})
    assert [checked.run.outcome for checked in runner.check(watch, narrow)] == ["baseline", "needs_browser"]


def test_a_catalog_that_scripts_make_needs_a_browser_too(runner: Runner, site: ScriptedSite) -> None:
    shop = runner.watch(site.show("/it", SHELL), kind="catalog")
    picture = runner.watch(site.show("/picture", PNG), kind="catalog", name="picture")
    ended = runner.check(shop, picture)
    assert [checked.run.outcome for checked in ended] == ["needs_browser", "error"]
    assert ended[1].run.reason == "answers with a picture (PNG) instead of a page"


def test_a_file_is_compared_by_its_bytes_whatever_it_is_called(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/it", pdf(1_200_000)))
    (first,) = runner.check(watch)
    assert (first.run.outcome, first.run.reason) == (
        "baseline",
        "PDF, 1.2 MB: compared as a file; damaged: it cannot be opened",
    )
    assert shown(runner, site, watch, pdf(1_200_000)).run.outcome == "unchanged"
    replaced = shown(runner, site, watch, pdf(1_400_000))
    assert reported(replaced) == [("content", "File replaced: 1.2 MB → 1.4 MB (PDF)")]
    assert replaced.changes[0].severity == "medium"
    assert "xxx" not in str(replaced.changes[0].diff)


def test_a_document_is_read_and_a_damaged_answer_in_between_loses_nothing(runner: Runner, site: ScriptedSite) -> None:
    def terms(days: str) -> Page:
        body = made.pdf([["Delivery", f"Goods are delivered within {days} days after the order was confirmed."]])
        return Page(body=body, headers={"content-type": "application/octet-stream"})

    watch = runner.watch(site.show("/it", terms("thirty")))
    (first,) = runner.check(watch)
    assert (first.run.outcome, first.run.reason) == ("baseline", "PDF, 1 page: its text is compared")
    assert shown(runner, site, watch, terms("thirty")).run.outcome == "unchanged"
    broken = shown(runner, site, watch, pdf(900))
    assert (broken.run.outcome, reported(broken)) == ("error", [])
    assert broken.run.reason == "answers with a document (PDF) that cannot be read: damaged: it cannot be opened"
    gone = shown(runner, site, watch, HOURS.format("Mondays"))
    assert (gone.run.outcome, gone.run.reason) == ("error", "answers with a page instead of a document (PDF)")
    ((kind, headline),) = reported(shown(runner, site, watch, terms("fourteen")))
    assert (kind, headline) == ("content", "Page 1: Goods are delivered within thirty → fourteen days after the…")


def test_a_page_that_answers_with_a_file_fails_and_so_does_a_file_that_answers_with_a_page(
    runner: Runner, site: ScriptedSite
) -> None:
    page, file = runner.watch(site.show("/it", HOURS.format("Mondays"))), runner.watch(site.show("/file", PNG), name="file")
    runner.check(page, file)
    site.show("/file", HOURS.format("Mondays"))
    one, other = shown(runner, site, page, PNG), runner.check(file)[0]
    assert (one.run.outcome, one.run.reason) == ("error", "answers with a picture (PNG) instead of a page")
    assert (other.run.outcome, other.run.reason) == ("error", "answers with a page instead of a picture (PNG)")
    assert reported(one) == reported(other) == []
    assert runner.count("snapshots") == 2
    assert reported(shown(runner, site, page, HOURS.format("Tuesdays")))[0][0] == "content"


@pytest.mark.parametrize(("page", "reason"), [("<html><body></body></html>", "empty"), (Page(), "empty")])
def test_a_page_that_is_empty_from_the_beginning_is_an_error(
    runner: Runner, site: ScriptedSite, page: str | Page, reason: str
) -> None:
    (checked,) = runner.check(watch := runner.watch(site.show("/it", page)))
    assert (checked.run.outcome, checked.run.reason) == ("error", reason)
    assert runner.again(watch).baseline_run_id is None


def test_a_redirect_to_a_sign_in_page_is_named_and_is_no_content(runner: Runner, site: ScriptedSite) -> None:
    site.show("/login", FORM)
    site.show("/new", HOURS.format("Mondays"))
    gone, moved = runner.watch(site.show("/it", to("/login?next=/it"))), runner.watch(site.show("/old", to("/new")))
    form, itself = runner.watch(site.show("/members", FORM)), runner.watch(site.url + "/login")
    ended = runner.check(gone, moved, form, itself)
    assert [checked.run.outcome for checked in ended] == ["blocked", "baseline", "blocked", "baseline"]
    assert reported(ended[0])[0][1].startswith("Redirects to /login: this looks like a sign-in page")


def test_commands_say_what_is_wrong_from_the_first_failure_on(
    driftline: Driftline, site: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # so that no cell is folded
    driftline("add", site.url + "/nothing", "--name", "missing")
    driftline("add", site.show("/app", SHELL), "--name", "shell")
    driftline("add", site.show("/terms.pdf", pdf(2_000)), "--name", "terms")
    checked = driftline("check", "--all")
    assert checked.code == 1
    assert "error        missing  Page not found (404), 1 of 3 tries. Check the address" in checked.out
    assert SCRIPTS in checked.out
    assert "(PDF, 2 KB: compared as a file; damaged: it cannot be opened)" in checked.out
    driftline("check", "missing")
    listed = driftline("list").out
    assert "Page not found (404), 2 of 3 tries" in listed
    assert SCRIPTS in listed
    assert "PDF, 2 KB: compared as a file; damaged: it cannot be opened" in listed
    assert "Page not found (404), 2 of 3 tries" in driftline("show", "missing").out
    assert "PDF, 2 KB: compared as a file" in driftline("show", "terms").out.splitlines()[1]
    (row,) = driftline("list", "--text", "missing", "--json").rows
    assert (row["outcome"], row["reason"], row["failures"]) == ("error", "http 404", 2)
    assert row["message"] == "Page not found (404), 2 of 3 tries. Check the address"
