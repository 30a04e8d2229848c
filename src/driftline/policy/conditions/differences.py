"""What a change adds and removes, as texts: lines of a page, values of an entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from driftline.model.change import Change
from driftline.model.condition import ChangeEvidence, VersionText

if TYPE_CHECKING:
    from driftline.core.diff.rows import Row

_ADDED: Final = frozenset({"new_product", "drop", "new_article", "page_added"})
_CUT: Final = "…"  # at the end of a text that the change does not hold whole


class Texts(msgspec.Struct, frozen=True):
    """The lines that came and went, and the whole texts where they are known."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    before: str | None  # None: not kept
    after: str | None
    whole: bool = True  # False: the change lists only a part of its lines


_latest: list[tuple[Change, tuple[VersionText, ...], Texts]] = []  # thousands of subscribers ask about one change in a row


def texts_of(evidence: ChangeEvidence) -> Texts:
    """What the change says on both sides."""
    for change, versions, known in _latest:
        if change is evidence.change and versions is evidence.versions:
            return known
    found = _texts_of(evidence)
    _latest[:] = [(evidence.change, evidence.versions, found)]
    return found


def _texts_of(evidence: ChangeEvidence) -> Texts:
    change = evidence.change
    diff = change.diff or {}
    if isinstance(diff.get("rows"), list):
        return _page_texts(evidence, diff)
    old, new = _values(change.before), _values(change.after)
    if change.type in _ADDED:
        return Texts(tuple(new), (), "", "\n".join(new))
    if change.after is None and change.before is None:
        return Texts((), (change.url,), change.url, "")
    came, went = [value for value in new if value not in old], [value for value in old if value not in new]
    if "changes" in diff:  # price or stock of a page: its text is that of its versions
        return Texts(tuple(came), tuple(went), *_stored_texts(evidence))
    return Texts(tuple(came), tuple(went), "\n".join(old), "\n".join(new))


def holds_texts(change: Change) -> bool:
    """Whether the change itself says all that stood there before and after."""
    diff = change.diff or {}
    if not isinstance(diff.get("rows"), list):
        return "changes" not in diff
    text = (diff.get("changes") or {}).get("text") or {}
    return _kept(text.get("before")) is not None and _kept(text.get("after")) is not None


def field_of(change: Change, name: str) -> tuple[str | None, str | None]:
    """A field of the entry before and after; None where it has none."""
    changes = (change.diff or {}).get("changes")
    level = changes.get(name) if isinstance(changes, dict) else None
    if isinstance(level, dict) and "before" in level and not isinstance(level["before"], dict):
        return _text(level.get("before")), _text(level.get("after"))
    return _field(change.before, name), _field(change.after, name)


def _page_texts(evidence: ChangeEvidence, diff: Mapping[str, Any]) -> Texts:
    rows = _rows(diff["rows"])
    added = [row.new for row in rows if row.action in ("added", "changed")]
    removed = [row.old for row in rows if row.action in ("removed", "changed")]
    changes = diff.get("changes") or {}
    for name in ("title", "description"):
        level = changes.get(name) or {}
        if level.get("changed"):
            added += filter(None, (level.get("after"),))
            removed += filter(None, (level.get("before"),))
    links = changes.get("links") or {}
    added += links.get("added") or ()
    removed += links.get("removed") or ()
    text = changes.get("text") or {}
    before, after = _kept(text.get("before")), _kept(text.get("after"))
    stored = _stored_texts(evidence)
    whole = not any(row.action == "cut" for row in rows)
    return Texts(
        tuple(added),
        tuple(removed),
        stored[0] if before is None else before,
        stored[1] if after is None else after,
        whole=whole,
    )


def _rows(plain: object) -> list[Row]:
    from driftline.core.diff.rows import Row  # noqa: PLC0415 - loads a library that the agent does without

    try:
        return msgspec.convert(plain, list[Row])
    except msgspec.ValidationError:
        return []


def _stored_texts(evidence: ChangeEvidence) -> tuple[str | None, str | None]:
    """The texts of the versions before and after, as far as they were loaded and kept."""
    texts = [version.text for version in evidence.versions[-2:]]
    return (texts[0] if len(texts) > 1 else None), (texts[-1] if texts else None)


def _kept(text: object) -> str | None:
    return text if isinstance(text, str) and not text.endswith(_CUT) else None


def _values(state: Mapping[str, Any] | None) -> list[str]:
    return [text for value in (state or {}).values() for text in _flat(value) if text]


def _flat(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in _flat(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in _flat(one)]
    return [_text(value) or ""]


def _field(state: Mapping[str, Any] | None, name: str) -> str | None:
    value: Any = state
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return _text(value)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) or "" for one in value)
    return str(value)
