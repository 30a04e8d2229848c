"""Hostile pages in the recorder of a running `driftline serve`, and people who may not record: others are answered."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.attacks.awake import Server, running, undisturbed
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.services import Services

from driftline.web.auth.guards import SESSION_COOKIE
from driftline.web.auth.secrets import csrf_token

PATIENCE = 120.0  # seconds: a page takes its whole deadline, on a loaded machine
CALM = "<!doctype html><title>Calm</title><h1>Calm words</h1><button id=go>Go on</button>"
# What a page may do while somebody records steps on it; {canary} stands for a machine that nobody allowed.
PAGES: dict[str, str] = {
    "a script without end": CALM + "<script>for (;;);</script>",
    "a script that ends no more after a click": CALM + "<script>document.body.onclick = () => { for (;;); }</script>",
    "windows without end": CALM + "<script>document.body.onclick = setInterval(() => open('/calm'), 5)</script>",
    "alarms without end": CALM + "<script>setInterval(() => alert('Look'), 1)</script>",
    "downloads without end": CALM + "<script>setInterval(() => { location = '/file' }, 50)</script>",
    "a page of 300,000 elements": CALM
    + "<script>document.body.insertAdjacentHTML('beforeend', '<p>Words <b>words</b></p>'.repeat(150000))</script>",
    "names of a million letters": CALM + "<script>for (let n = 0; n < 300; n++) document.body.insertAdjacentHTML('beforeend', "
    "`<p id=\"${'a'.repeat(1e6)}${String.fromCharCode(97 + n % 26)}\" class=\"${'b'.repeat(1e5)}\">Words</p>`)</script>",
    "choices of a million letters": CALM
    + "<select aria-label=Size style='width:90px;height:40px'></select><script>for (let n = 0; n < 50; n++) "
    "document.querySelector('select').add(new Option('c'.repeat(1e6)))</script>",
    "a page deep below itself": CALM + "<div>" * 5_000 + "Words",
    "a page that is wider than high": CALM + "<div style='height:20px;width:100000px;background:red'>Words</div>",
    "a page of a million pixels": CALM + "<div style='height:1000000px;width:100000px'>Words</div>",
    "a page that answers for the browser": CALM
    + "<script>String.prototype.slice = () => 'x'.repeat(2e7); String.prototype.trim = () => 'y'.repeat(2e7); "
    "CSS.escape = () => 'z'.repeat(2e7); Math.max = () => 'm'.repeat(2e8); "
    "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'o'.repeat(2e8)})</script>",
    "an address inside": CALM + "<script>location = '{canary}/inside'</script>",
    "an address inside, after a click": CALM + "<script>document.body.onclick = () => { location = '{canary}/x' }</script>",
    "addresses inside of every type": CALM
    + "<iframe src='{canary}/frame'></iframe><img src='{canary}/picture'><script>fetch('{canary}/a', {mode: 'no-cors'}); "
    "new WebSocket('{canary}/b'.replace('http', 'ws')); navigator.sendBeacon('{canary}/c'); open('{canary}/d')</script>",
    "a file of the machine": CALM
    + "<script>location = 'file:///etc/passwd'</script><iframe src='file:///etc/passwd'></iframe>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        scripted.show("/calm", CALM)
        attachment = {"content-type": "application/octet-stream", "content-disposition": "attachment; filename=a.bin"}
        scripted.show("/file", Page(body=bytes(100_000), headers=attachment))
        yield scripted


@pytest.fixture(scope="module")
def canary() -> Iterator[ScriptedSite]:
    """A machine that nobody allowed."""
    with scripted_site(host="127.0.0.2") as scripted:
        yield scripted


def post(server: Server, path: str, cookie: str | None, *, csrf: bool = True, **form: str) -> tuple[int, str]:
    """Status and body of what a browser posts."""
    headers = {"host": "localhost", "origin": "http://localhost", "content-type": "application/x-www-form-urlencoded"}
    if cookie is not None:
        headers |= {"cookie": f"{SESSION_COOKIE}={cookie}"} | ({"x-csrf-token": csrf_token(cookie)} if csrf else {})
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as line:
        line.request("POST", path, urlencode(form), headers)
        answer = line.getresponse()
        return answer.status, answer.read().decode()


def opened(server: Server, url: str, cookie: str | None = None) -> dict[str, Any]:
    """What the recorder shows first: the page, or the sentence why there is none."""
    status, said = post(server, "/add/record", cookie or server.cookie, url=url, kind="page")
    assert status in (200, 422), (status, said[:400])
    if (shown := re.search(r"<script type=\"application/json\" data-shown>(.*?)</script>", said, re.DOTALL)) is not None:
        found: dict[str, Any] = json.loads(shown[1])
        return found
    alert = re.search(r'role="alert"><div><p>(.*?)</p>', said, re.DOTALL)
    assert alert is not None, said[:400]
    return {"steps": [], "picture": "", "outlines": [], "problem": unescape(alert[1]), "ended": True}


def step(server: Server, text: str, cookie: str | None = None) -> dict[str, Any]:
    status, said = post(server, "/record/step", cookie or server.cookie, step=text)
    assert status == 200, said[:400]
    found: dict[str, Any] = json.loads(said)
    return found


@pytest.fixture(scope="module")
def server(site: ScriptedSite, chromium: str, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server after one recording: it has loaded what the first one loads. No recording is in the database."""
    folder = tmp_path_factory.mktemp("recorder")
    settings = {"DRIFTLINE_CHROMIUM": chromium, "DRIFTLINE_TIMEOUT_FOR": "10"}
    with running(services.migrated_file(folder / "driftline.db"), folder, **settings) as found:
        assert opened(found, site.url + "/calm")["picture"]
        post(found, "/record/end", found.cookie)
        yield found


@pytest.fixture
def recorder(server: Server, site: ScriptedSite) -> Iterator[Server]:
    """The server, in which others can still record afterwards."""
    yield server
    assert opened(server, site.url + "/calm")["picture"]
    assert step(server, "click #go")["steps"][0]["outcome"] == "done"
    assert post(server, "/record/end", server.cookie)[0] == 204


@pytest.mark.parametrize("name", PAGES)
def test_others_are_answered_while_a_hostile_page_is_recorded(
    recorder: Server, site: ScriptedSite, canary: ScriptedSite, name: str
) -> None:
    url = site.show("/hostile", PAGES[name].replace("{canary}", canary.url))

    def record() -> tuple[dict[str, Any], dict[str, Any]]:
        shown = opened(recorder, url)
        after = step(recorder, "click body within 2s")
        assert post(recorder, "/record/end", recorder.cookie)[0] == 204
        return shown, after

    for found in undisturbed(recorder, record):
        assert found["picture"] or one_line(found["problem"]), found
        for row in found["steps"]:
            assert row["outcome"] != "failed" or one_line(row["reason"]), row
        assert sum(len(one["selector"]) + len(one["text"]) + sum(map(len, one["choices"])) for one in found["outlines"]) < 2e6
        assert "root:" not in json.dumps(found["outlines"])
    assert canary.asked == []


def one_line(text: str) -> bool:
    return bool(text) and "\n" not in text and "Traceback" not in text


def test_no_step_leads_inside(recorder: Server, site: ScriptedSite, canary: ScriptedSite) -> None:
    opened(recorder, site.url + "/calm")

    def go() -> list[dict[str, Any]]:
        places = (canary.url, "file:///etc/passwd", "chrome://version", "source://ours", "view-source:" + canary.url)
        return [step(recorder, f"goto {place} within 5s") for place in places]

    for found in undisturbed(recorder, go):
        said = found["steps"][0] if found["steps"] else {"outcome": "failed", "reason": found["problem"]}
        assert said["outcome"] == "failed"
        assert one_line(said["reason"])
    assert canary.asked == []


STRANGERS: dict[str, Callable[[Server, str], tuple[int, str]]] = {
    "nobody": lambda server, url: post(server, "/add/record", None, url=url, kind="page"),
    "a cookie that opens nothing": lambda server, url: post(server, "/add/record", "x" * 43, url=url, kind="page"),
    "another site's form": lambda server, url: post(server, "/add/record", server.cookie, csrf=False, url=url, kind="page"),
    "somebody who may only read": lambda server, url: post(server, "/add/record", server.reader_cookie, url=url, kind="page"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_who_may_not_edit_opens_no_browser(recorder: Server, site: ScriptedSite, name: str) -> None:
    url = site.show(f"/{name.replace(' ', '-')}", CALM)
    status, said = undisturbed(recorder, lambda: STRANGERS[name](recorder, url))
    assert status in (303, 302, 401, 403), said[:400]
    assert not [path for path in site.asked if name.replace(" ", "-") in path]


def test_a_recording_is_its_users_alone(recorder: Server, site: ScriptedSite) -> None:
    """By its user: another one, of this org or another, neither sees it, nor does a step on it, nor ends it."""
    status, watch = recorder.ask("POST", "/watches", {"url": site.url + "/calm", "paused": True})
    assert status == 201, watch
    assert opened(recorder, site.url + "/calm")["picture"]
    status, said = post(recorder, f"/watches/{watch['id']}/record", recorder.stranger_cookie, url=site.url + "/calm")
    assert status == 404, said[:400]
    assert step(recorder, "click #go", recorder.stranger_cookie)["ended"]
    assert post(recorder, "/record/end", recorder.stranger_cookie)[0] == 204
    assert step(recorder, "click #go")["steps"][0]["outcome"] == "done"
    post(recorder, "/record/end", recorder.cookie)
