"""Changes as an Atom feed (RFC 4287): for a user, a watch or a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID
from xml.sax.saxutils import escape, quoteattr

from driftline.core.text.time_text import stamp
from driftline.deliver.render import wording
from driftline.deliver.render.excerpt import excerpt
from driftline.model.change import Change

DIFF_AT_MOST: Final = 20  # lines of one entry


def feed(
    changes: Sequence[Change],
    *,
    feed_id: str,  # a URI that never changes: urn:uuid:...
    title: str,
    self_url: str,
    names: Mapping[UUID, str],  # of watches
    updated_at: datetime,  # if there are no changes
) -> bytes:
    """The feed, newest first; ids are stable, so that readers show each change once."""
    newest_at = max((change.created_at for change in changes), default=updated_at)
    entries = "".join(_entry(change, names.get(change.watch_id, "")) for change in changes)
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{_text(feed_id)}</id><title>{_text(title)}</title><updated>{stamp(newest_at)}</updated>"
        f'<link rel="self" type="application/atom+xml" href={_attribute(self_url)}/>'
        f"<author><name>driftline</name></author><generator>driftline</generator>{entries}</feed>\n"
    )
    return text.encode()


def _entry(change: Change, watch: str) -> str:
    title = f"{watch}: {change.headline}" if watch else change.headline
    found, more = excerpt(change, DIFF_AT_MOST)
    lines = [wording.one_line(change.headline), *(f"{line.sign} {line.text}" for line in found), *(["…"] if more else [])]
    return (
        f"<entry><id>urn:uuid:{change.id}</id><title>{_text(wording.one_line(title))}</title>"
        f"<updated>{stamp(change.created_at)}</updated><published>{stamp(change.created_at)}</published>"
        f"{_link(change.url)}"
        f"<category term={_attribute(change.type)} label={_attribute(wording.label(change))}/>"
        f"<category term={_attribute(change.severity)}/>"
        f'<content type="text">{_text(chr(10).join(lines))}</content></entry>'
    )


def _link(url: str) -> str:
    """A link element; empty if it is no web address."""
    return f'<link rel="alternate" href={_attribute(url)}/>' if url.startswith(("http://", "https://")) else ""


def _text(text: str) -> str:
    return escape(_allowed(text))


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    """The text without characters that XML 1.0 cannot contain."""
    return "".join(
        letter
        for letter in text
        if letter in "\t\n\r" or "\x20" <= letter <= "\ud7ff" or "\ue000" <= letter <= "\ufffd" or letter > "\uffff"
    )
