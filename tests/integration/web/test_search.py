"""Search over changes and stored texts, on both databases: what was stored is found at once, and what is gone is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.web.test_dashboard import check
from tests.scripted import ScriptedSite, scripted_site
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch
from driftline.store.db import migrate
from driftline.store.db.database import Database

PAGE = "<title>Café menu</title><h1>Café menu</h1><p>The soup of the day is {} with bread.</p><p>Straße 12, 東京都.</p>"


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


@pytest.fixture
def menu(server: WebServer, site: ScriptedSite) -> Watch:
    """A page with two versions, and one reported change."""
    (watch,) = server.app.add([server.app.draft(WatchInput(url=site.show("/menu", PAGE.format("lentil")), tags=("food",)))])
    check(server, watch)
    site.show("/menu", PAGE.format("pumpkin"))
    check(server, watch)
    return watch


def found(server: WebServer, words: str, **more: Any) -> list[tuple[str, Any]]:
    rows = server.get("/search", params={"words": words, **more}).json()["items"]
    return [("change", row["change"]["type"]) if row["change"] else ("text", row["text"]["version"]) for row in rows]


def test_changes_and_texts_are_found_by_their_words(server: WebServer, menu: Watch) -> None:
    assert found(server, "pumpkin") == [("change", "content"), ("text", 2)]
    assert found(server, "lentil") == [("change", "content"), ("text", 1)]  # what went is found too
    assert found(server, "SOUP pump*") == [("change", "content"), ("text", 2)]  # any case; a star: how the word begins
    assert found(server, "soup pump") == []
    assert found(server, "cafe strasse") == [("text", 2)]  # one row an item, without accents
    assert found(server, "京") == [("text", 2)]
    assert found(server, "pumpkin zebra") == []
    assert found(server, "pumpkin", watch=str(menu.id), tag="food", type="content") == [("change", "content")]
    assert found(server, "pumpkin", tag="other") == []
    assert found(server, "pumpkin", since="2200-01-01T00:00:00Z") == []
    assert found(server, "pumpkin", until="2200-01-01T00:00:00Z") == [("change", "content"), ("text", 2)]


def test_a_page_of_finds_leads_to_the_next(server: WebServer, menu: Watch) -> None:
    first = server.get("/search", params={"words": "pumpkin", "limit": 1}).json()
    assert first["items"][0]["change"] is not None
    second = server.get("/search", params={"words": "pumpkin", "limit": 1, "cursor": first["cursor"]}).json()
    assert (second["items"][0]["text"]["version"], second["cursor"]) == (2, None)
    assert server.get("/search", params={"words": "pumpkin", "cursor": "x"}).status_code == 422


@pytest.mark.parametrize("words", ['" OR "', "pump* OR", "a' & 'b", "NEAR(", ":*", "{}", "\\", "x" * 1000, "pumpkin\x00"])
def test_no_text_is_a_query_of_its_own(server: WebServer, words: str) -> None:
    assert server.get("/search", params={"words": words}).status_code in (200, 422)


def test_nobody_finds_what_another_org_has(server: WebServer, menu: Watch) -> None:
    stranger = server.another("stranger")
    answer = server.get("/search", params={"words": f"pumpkin o{menu.org_id.hex}"}, token=stranger.token)
    assert answer.json()["items"] == []
    assert server.get("/search", params={"words": "pumpkin", "watch": str(menu.id)}, token=stranger.token).status_code == 404


def test_what_is_removed_is_not_found(server: WebServer, menu: Watch) -> None:
    server.app.write(lambda data: data.watches.remove(menu.id))
    assert found(server, "pumpkin") == []
    left = server.app.store.read_now(lambda session: session.tx.row("SELECT count(*) FROM search_documents"))
    assert left[0] == 0


def test_what_was_stored_before_is_found_after_the_upgrade(server: WebServer, menu: Watch, shared_url: str) -> None:
    before = found(server, "soup")
    database = Database.open(shared_url)
    with database.transaction(write=True) as tx:
        if not tx.postgres:
            tx.run("DROP TABLE search_words")
        tx.run("DROP TABLE search_documents")
        tx.run("ALTER TABLE watches DROP COLUMN browser_again_at")  # of later revisions, which run again too
        tx.run("ALTER TABLE users DROP COLUMN read_until_at")
        for table in (
            "read_marks",
            "secrets",
            "browser_sessions",
            "tag_conditions",
            "pictures",
            "tags",
            "model_answers",
            "model_usage",
        ):
            tx.run(f"DROP TABLE {table}")
        for column in ("condition", "intent", "own"):
            tx.run(f"ALTER TABLE watches DROP COLUMN {column}")
        tx.run("ALTER TABLE subscriptions DROP COLUMN tag")
        tx.run("DROP INDEX ix_items_code")
        tx.run("UPDATE alembic_version SET version_num = '0021'")
    migrate.migrate(database)
    database.close()
    assert sorted(found(server, "soup")) == sorted(before) != []
    assert found(server, "lentil", watch=str(menu.id)) != []


def test_the_dashboard_shows_what_was_found(server: WebServer, menu: Watch) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    page = server.browse("GET", f"/search?q=pumpkin&watch={menu.id}&since=2020-01-01", cookie=cookie).text
    assert "Text of version 2" in page
    assert "soup of the day is pumpkin" in page
    assert "Nothing found" in server.browse("GET", "/search?q=zebra", cookie=cookie).text
    assert "Nothing found" in server.browse("GET", "/search?q=%22%22", cookie=cookie).text
    assert "What are you looking for?" in server.browse("GET", "/search", cookie=cookie).text
