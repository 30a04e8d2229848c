"""The command line as a user types it, on both databases."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.conftest import Driftline
from tests.scripted import Page, ScriptedSite

DOCS = Path(__file__).parents[2] / "docs"
ARTICLE = "<html><head><title>Hours</title></head><body><main><h1>Hours</h1><p>Open from nine to five.</p></main></body></html>"


def test_a_user_adds_checks_and_reads_a_change(driftline: Driftline, site: ScriptedSite) -> None:
    url = site.show("/hours", ARTICLE)
    added = driftline("add", url, "--name", "Hours", "--every", "15m", "--json")
    assert (added.code, added.err) == (0, "")
    assert added.rows[0]["name"] == "Hours"
    assert added.rows[0]["schedule"]["every_for"] == 900
    assert driftline("check", "Hours", "--json").rows[0]["outcome"] == "baseline"
    again = driftline("check", "--all", "--json")
    assert (again.code, again.rows[0]["outcome"], again.rows[0]["changes"]) == (0, "unchanged", [])
    site.show("/hours", ARTICLE.replace("nine to five", "ten to four"))
    found = driftline("check", "--all", "--exit-code", "--json")
    assert found.code == 3
    change = found.rows[0]["changes"][0]
    assert set(change) >= {"id", "watch", "run", "item", "type", "severity", "headline", "url", "before", "after", "diff", "at"}
    assert [row["id"] for row in driftline("changes", "--json").rows] == [change["id"]]
    assert [row["id"] for row in driftline("changes", "--watch", "Hours", "--since", "1h", "--json").rows] == [change["id"]]
    assert driftline("changes", "--type", "drop", "--json").rows == []
    assert [row["id"] for row in driftline("changes", "Hours", "--json").rows] == [change["id"]]
    assert "two watches are named" in driftline("changes", "Hours", "--watch", "Ours").err
    assert driftline("changes", "Ours").err.endswith('no such watch: Ours. Did you mean "Hours"?\n')
    assert driftline("changes", "Elsewhere").err.endswith("no such watch: Elsewhere. Run: driftline list\n")
    assert driftline("changes", "--until", "1h", "--json").rows == []
    assert len(driftline("changes", "--since", "1h", "--until", "2100-01-01", "--json").rows) == 1
    assert "--since is not before --until" in driftline("changes", "--since", "1h", "--until", "2h").err
    assert "(until: soon)" in driftline("changes", "--until", "soon").err
    shown = driftline("show", change["id"][-8:])
    assert shown.code == 0
    assert "ten to four" in shown.out
    assert driftline("show", "Hours").code == 0
    listed = driftline("list")
    assert "Hours" in listed.out


def test_show_marks_what_changed_and_not_what_was_dropped_as_noise(driftline: Driftline, site: ScriptedSite) -> None:
    counted = ARTICLE.replace("</main>", "<p>3 visitors</p></main>")
    driftline("add", site.show("/hours", counted), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", counted.replace("nine to five", "nine to six").replace("3 visitors", "7 visitors"))
    (checked,) = driftline("check", "Hours", "--json").rows
    shown = driftline("show", checked["changes"][0]["id"]).out.splitlines()
    assert "  ~ Open from nine to [-five-]{+six+}." in shown
    assert not any("visitors" in line for line in shown)


def test_a_file_that_is_not_there_is_named_in_a_sentence(driftline: Driftline) -> None:
    for command in (["import", "/no/such"], ["apply", "/no/such"], ["compare", "/no/such", "/no/such"]):
        assert driftline(*command).err == 'driftline: cannot read "/no/such": no such file or directory\n'


def test_a_redirect_is_named_by_the_check_and_by_the_watch(driftline: Driftline, site: ScriptedSite) -> None:
    site.show("/new", "<h1>Opening hours</h1><p>We are open from nine to five.</p>")
    url = site.show("/old", Page(status=302, headers={"location": "/new"}))
    driftline("add", url, "--name", "Hours")
    assert "(redirects to /new)" in driftline("check", "Hours").out
    assert "redirects to /new" in driftline("show", "Hours").out


def test_the_first_check_of_a_catalog_is_one_line(driftline: Driftline, site: ScriptedSite) -> None:
    cards = "".join(f'<div class="product"><a href="/p/{n}"><h3>Lamp {n}</h3></a><b>€ {n}.00</b></div>' for n in range(20, 26))
    url = site.show("/shop", f"<title>Lamps</title><h1>Lamps</h1>{cards}")
    driftline("add", url, "--kind", "catalog", "--name", "Shop")
    assert driftline("check", "Shop").out.splitlines()[1:] == ["             low: Now watching 6 products"]
    (row,) = driftline("changes").out.splitlines()[1:]
    assert "low       first check  Shop   Now watching 6 products" in row


def test_run_once_checks_what_is_due_and_leaves(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", ARTICLE))
    assert [row["outcome"] for row in driftline("run", "--once", "--json").rows] == ["baseline"]
    assert driftline("run", "--once", "--json").rows == []


def test_paused_watches_are_not_checked_and_removed_ones_are_gone(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", ARTICLE), "--name", "Hours")
    assert driftline("pause", "Hours").code == 0
    assert driftline("check", "--all", "--json").rows == []
    assert driftline("resume", "Hours").code == 0
    assert len(driftline("check", "--all", "--json").rows) == 1
    assert driftline("rm", "Hours", "--yes").code == 0
    assert driftline("list", "--json").rows == []
    assert driftline("rm", "Hours").code == 2


def test_a_name_is_given_once(driftline: Driftline) -> None:
    assert driftline("add", "https://a.example/", "--name", "Terms").code == 0
    again = driftline("add", "https://b.example/", "--name", "Terms")
    assert (again.code, "Choose another --name" in again.err) == (2, True)
    assert [one["url"] for one in driftline("list", "--json").rows] == ["https://a.example/"]


def test_a_watch_that_needed_a_browser_is_imported_with_one(driftline: Driftline, tmp_path: Path) -> None:
    watches = {"one": {"url": "https://a.example/", "fetch_backend": "html_webdriver"}, "two": {"url": "https://b.example/"}}
    (tmp_path / "url-watches.json").write_text(json.dumps({"watching": watches}))
    ended = driftline("import", "url-watches.json")
    assert ended.out == "imported 2, invalid 0\n"
    assert ended.err == ""
    fetch = {one["url"]: one["fetch"] for one in map(json.loads, driftline("export", "-").out.splitlines())}
    assert [fetch[f"https://{name}.example/"].get("browser", "auto") for name in "ab"] == ["always", "auto"]


def test_the_file_of_the_documents_can_be_applied(driftline: Driftline, tmp_path: Path) -> None:
    written = re.search(r"```yaml\n(.*?)```", (DOCS / "import.md").read_text(encoding="utf-8"), re.DOTALL)
    assert written
    (tmp_path / "watches.yaml").write_text(written[1], encoding="utf-8")
    assert [row["action"] for row in driftline("apply", "watches.yaml", "--json").rows] == ["added"] * 3
    assert [row["action"] for row in driftline("apply", "watches.yaml", "--json").rows] == ["unchanged"] * 3


def test_an_import_with_three_bad_lines_imports_the_others_and_lists_the_three(driftline: Driftline, tmp_path: Path) -> None:
    lines = [f"https://site{number}.example/page" for number in range(1, 1001)]
    lines[9], lines[499], lines[999] = "ftp://site.example/", "http://user@site.example/", "not a url"
    (tmp_path / "urls.txt").write_text("\n".join(lines))
    ended = driftline("import", "urls.txt", "--json")
    assert ended.code == 0
    assert sum("id" in row for row in ended.rows) == 997
    assert [row["line"] for row in ended.rows if "line" in row] == [10, 500, 1000]
    assert all(row["error"] for row in ended.rows if "line" in row)
    assert len(driftline("list", "--limit", "2000", "--json").rows) == 997


def test_a_strict_import_with_a_bad_line_imports_nothing(driftline: Driftline, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://a.example/\nnope\n")
    assert driftline("import", "urls.txt", "--strict").code == 2
    assert driftline("list", "--json").rows == []


def test_export_and_import_again_is_lossless(driftline: Driftline, tmp_path: Path) -> None:
    driftline(
        "add",
        "https://a.example/",
        "--name",
        "A",
        "--tag",
        "x",
        "--every",
        "2h",
        "--select",
        "main",
        "--header",
        "Accept: text/html",
    )
    driftline(
        "add",
        "https://b.example/",
        "--cron",
        "0 9 * * mon-fri",
        "--timezone",
        "Europe/Berlin",
        "--window",
        "mon-fri 08:00-18:00",
    )
    driftline("pause", "A")
    first = driftline("export", "watches.jsonl")
    assert first.code == 0
    before = (tmp_path / "watches.jsonl").read_text()
    assert driftline("import", "watches.jsonl").out == "imported 0, skipped 2, invalid 0\n"
    driftline("rm", "A", "b.example", "--yes")
    assert driftline("import", "watches.jsonl").code == 0
    assert driftline("export").out == before


@pytest.mark.parametrize(
    "words",
    [
        ("add", "file:///etc/passwd"),
        ("add", "ftp://example.com/"),
        ("add", "https://a.example/", "--every", "sometimes"),
        ("add", "https://a.example/", "--every", "0s"),
        ("add", "https://a.example/", "--cron", "61 * * * *"),
        ("add", "https://a.example/", "--timezone", "Mars/Olympus"),
        ("add", "https://a.example/", "--select", "div[["),
        ("add", "https://a.example/", "--kind", "teapot"),
        ("add", "https://a.example/", "--rules", "nowhere.yaml"),
        ("add", "https://a.example/", "--header", "no colon"),
        ("add", "https://a.example/", "--window", "always"),
        ("add",),
        ("import", "nowhere.txt"),
        ("check", "nobody"),
        ("check",),
        ("check", "--all", "nobody"),
        ("pause", "nobody"),
        ("show", "nobody"),
        ("changes", "--watch", "nobody"),
        ("changes", "--since", "yore"),
        ("changes", "--severity", "awful"),
        ("compare", "nowhere.html", "nowhere.html"),
        ("fly",),
    ],
    ids=" ".join,
)
def test_bad_input_gives_one_line_and_exit_code_2_and_writes_nothing(driftline: Driftline, words: tuple[str, ...]) -> None:
    ended = driftline(*words)
    assert ended.code == 2
    assert ended.out == ""
    assert len(ended.err.strip().splitlines()) == 1
    assert "Traceback" not in ended.err
    assert driftline("list", "--json").rows == []


def test_an_unreachable_database_is_one_line_too(driftline: Driftline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DRIFTLINE_DB", "postgresql://nobody@127.0.0.1:1/none")
    ended = subprocess.run(
        [sys.executable, "-m", "driftline", "list"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert ended.returncode == 1
    assert len(ended.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DRIFTLINE_ALLOW_HOSTS", "300.1.1.1/99"),
        ("DRIFTLINE_DB", "postgresql://me:sek%zzret@127.0.0.1/x"),
        ("DRIFTLINE_DB", "postgresql://me:sek@ret@127.0.0.1/x"),
        ("DRIFTLINE_DB", "postgresql://me@127.0.0.1/x?password=sek%zzret"),
    ],
)
def test_doctor_sees_a_bad_setting_and_repeats_no_password(
    driftline: Driftline, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(name, text)
    ended = driftline("doctor")
    assert ended.code == 1
    assert "BAD" in ended.out
    assert "sek" not in ended.out + ended.err


def test_what_is_asked_for_wrongly_is_named_in_the_refusal(driftline: Driftline) -> None:
    assert "no such run" in driftline("explain", "zz").err
    assert "--expires" in driftline("token", "add", "t", "--expires", "soon").err
    assert "--older-than" in driftline("prune", "--older-than", "99y").err
    assert "--method POST" in driftline("add", "https://example.org/", "--body", "x").err
    assert "No matching deliveries: dead" in driftline("deliveries", "--state", "dead").out


def test_long_spans_of_time_are_understood(driftline: Driftline) -> None:
    assert driftline("token", "add", "t", "--expires", "2y").code == 0
    assert driftline("prune", "--older-than", "400d").code == 0


def test_doctor_says_that_others_may_look_into_the_bodies(
    driftline: Driftline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bodies"
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.setenv("DRIFTLINE_BLOBS", str(folder))
    assert f"chmod -R go= {folder}" in driftline("doctor").out
    folder.chmod(0o700)
    assert "BAD" not in driftline("doctor").out


def test_doctor_is_content_with_a_fresh_database(driftline: Driftline) -> None:
    ended = driftline("doctor", "--json")
    assert (ended.code, [row for row in ended.rows if not row["ok"]]) == (0, [])


def test_a_failed_check_leaves_with_1(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/gone", Page(status=500)))
    assert driftline("check", "--all").code == 1


def test_the_demo_finds_exactly_what_its_site_changed(driftline: Driftline) -> None:
    ended = driftline("demo", "--once", "--json")
    assert ended.rows[-1]["ok"]
    assert ended.code == 0
    scripted = [row for row in ended.rows[:-1] if "departures" in row["truth"]]
    assert bool(scripted) == (ended.rows[-1]["left_out"] is None)  # a page of scripts takes a browser


def test_the_demo_ends_by_itself_where_nobody_is_at_a_terminal_and_says_what_it_left_out(
    driftline: Driftline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # no Chromium there
    ended = driftline("demo")
    assert ended.code == 0
    assert "Left out: Departures, a page that scripts make." in ended.out
    assert "Install" in ended.out
    assert "playing the script once" in ended.out
    assert "found exactly the changes that the site made" in ended.out


def test_help_lists_every_command(driftline: Driftline) -> None:
    ended = driftline("--help")
    assert ended.code == 0
    for command in (
        "add",
        "import",
        "export",
        "list",
        "show",
        "pause",
        "resume",
        "rm",
        "check",
        "run",
        "changes",
        "compare",
        "doctor",
        "demo",
    ):
        assert f"  {command} " in ended.out
