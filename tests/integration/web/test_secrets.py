"""Secrets through the API: values go in, and whoever cannot store one learns why."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from tests.web_server import WebServer, server_on

from driftline.model.browser.credentials import SiteSession
from driftline.store.session import OrgData


@pytest.mark.parametrize("key", ["", "short"])
def test_without_a_key_that_works_the_answer_says_what_to_do(key: str, tmp_path: Path) -> None:
    with server_on(f"sqlite:///{tmp_path}/d.db", secret_key=key) as server:
        session = {"url": "https://a.example/", "steps": ["click text=Sign in"]}
        for path, body in (("secrets/pw", {"value": "hunter22"}), ("browser-sessions/shop", session)):
            answer = server.ask("PUT", f"/api/v1/{path}", json=body)
            assert answer.status_code == 409
            assert "driftline secret key" in answer.json()["hint"]
        assert stored(server) == []


def test_a_secret_is_stored_under_a_plain_name_and_its_value_is_not_shown(tmp_path: Path) -> None:
    with server_on(f"sqlite:///{tmp_path}/d.db", secret_key="k" * 32) as server:
        assert server.ask("PUT", "/api/v1/secrets/a%20b", json={"value": "x"}).status_code == 422
        answer = server.ask("PUT", "/api/v1/secrets/pw", json={"value": "hunter22\x00é"})
        assert answer.status_code == 200
        assert "hunter22" not in answer.text
        half = server.ask(
            "PUT", "/api/v1/secrets/half", content=b'{"value": "\\ud800"}', headers={"Content-Type": "application/json"}
        )
        assert half.status_code in {400, 422}
        assert stored(server) == ["pw"]


def stored(server: WebServer) -> list[str]:
    return [one["name"] for one in server.get("/secrets").json()["items"]]


def test_secrets_and_sessions_are_listed_in_pages(tmp_path: Path) -> None:
    with server_on(f"sqlite:///{tmp_path}/d.db", secret_key="k" * 32) as server:
        names = [f"n{number:03}" for number in range(101)]
        session = SiteSession(name="", url="https://a.example/", steps=(), created_at=server.app.clock.now())

        def fill(data: OrgData) -> None:
            for name in names:
                data.secrets.set(name, b"sealed", at=session.created_at)
                data.browser_sessions.set(msgspec.structs.replace(session, name=name))

        server.app.write(fill)
        for path in ("/secrets", "/browser-sessions"):
            first = server.get(path).json()
            rest = server.get(path, params={"cursor": first["cursor"]}).json()
            assert [one["name"] for one in (*first["items"], *rest["items"])] == names
            assert rest["cursor"] is None
        cookie = server.tenant.session_for(server.tenant.owner)
        page = server.browse("GET", "/settings/secrets", cookie=cookie).text
        assert (page.count(">n099<"), page.count(">n100<"), page.count("Next page")) == (2, 0, 2)
        for link in re.findall(r'rel="next" href="([^"]+)"', page):
            assert server.browse("GET", link, cookie=cookie).text.count(">n100<") == 1
