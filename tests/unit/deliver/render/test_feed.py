"""The Atom document."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from tests.messages import AT, change, uid

from driftline.deliver.render.feed import feed
from driftline.model.change import Change

ATOM = "{http://www.w3.org/2005/Atom}"


def document(*changes: Change, title: str = "All changes") -> ET.Element:
    names = {uid(2): "Example shop"}
    raw = feed(
        changes, feed_id="urn:uuid:1", title=title, self_url="https://x.example/feed?a=1&b=2", names=names, updated_at=AT
    )
    return ET.fromstring(raw)


def test_every_change_is_an_entry_with_a_stable_id() -> None:
    root = document(change(1), change(2, type="drop"))
    entries = root.findall(f"{ATOM}entry")
    assert [one.findtext(f"{ATOM}id") for one in entries] == [f"urn:uuid:{uid(101)}", f"urn:uuid:{uid(102)}"]
    assert entries[0].findtext(f"{ATOM}title") == "Example shop: Paragraph 1 edited"
    assert entries[0].findtext(f"{ATOM}updated") == "2026-11-15T20:28:00Z"
    assert entries[1].find(f"{ATOM}category[@label='Just opened']") is not None


def test_an_empty_feed_is_a_feed() -> None:
    root = document()
    assert root.findtext(f"{ATOM}updated") == "2026-11-15T20:28:00Z"
    assert root.find(f"{ATOM}link[@rel='self']") is not None


def test_only_addresses_of_the_web_are_linked() -> None:
    for url in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " https://example.org/"):
        (entry,) = document(change(1, url=url)).findall(f"{ATOM}entry")
        assert entry.find(f"{ATOM}link") is None
    (entry,) = document(change(1, url="http://example.org/")).findall(f"{ATOM}entry")
    assert entry.find(f"{ATOM}link[@href='http://example.org/']") is not None


@given(st.text(), st.text())
def test_any_text_makes_sound_xml(headline: str, title: str) -> None:
    try:
        f"{headline}{title}".encode()
    except UnicodeEncodeError:
        return  # a lone surrogate never comes out of the store
    root = document(change(1, headline=headline, url=f"https://example.org/?q={headline}"), title=title)
    assert len(root.findall(f"{ATOM}entry")) == 1
