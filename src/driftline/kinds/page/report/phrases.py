"""Describes an edited line in words: the old and the new text, cut to the part that differs."""

from __future__ import annotations

from typing import Final

from driftline.core.diff.lines import mark_words
from driftline.core.text.folding import excerpt

SHOWN: Final = 70  # characters of a quoted text
_BEFORE: Final = 6  # words that are quoted before a difference
_AFTER: Final = 3  # and behind it
_SHORT: Final = 20  # characters of an edit that is shown with the words on both sides
_NEAR: Final = 3  # words before it
_ARROW: Final = " → "
_ENDS: Final = frozenset(".!?;")


def quoted(text: str, limit: int = SHOWN) -> str:
    """In quotation marks, cut at a word."""
    return f"“{excerpt(text, limit)}”"


def edit_phrase(before: str, after: str) -> str:
    """One edit of a line: some words of context, the old text and the new text."""
    if len(before) <= SHOWN // 2 and len(after) <= SHOWN // 2:
        return f"“{before}”{_ARROW}“{after}”"
    marks = mark_words(before[:4_000], after[:4_000])
    edits = [at for at, mark in enumerate(marks) if mark.action != "same"]
    first = next((at for at in edits if any(map(str.isalnum, marks[at].text))), edits[0] if edits else None)
    if first is None:
        return quoted(after)
    lead = marks[first - 1].text if first else ""
    old = new = ""
    end = first
    while end < len(marks) and (marks[end].action != "same" or len(marks[end].text.split()) <= 1):
        piece = marks[end].text
        old += piece if marks[end].action != "added" else ""
        new += piece if marks[end].action != "removed" else ""
        end += 1
    if max(len(before), len(after)) <= SHOWN and any(at > end and any(map(str.isalnum, marks[at].text)) for at in edits):
        return f"“{before}”{_ARROW}“{after}”"  # as a title: one edit of several would not say what it became
    tail = marks[end].text if end < len(marks) else ""
    lead, old, new, tail = _whole_words(lead, old, new, tail)
    lead_words, tail_words = lead.split(), tail.split()
    start = ("…" if len(lead_words) > _BEFORE else "") + " ".join(lead_words[-_BEFORE:])
    stop = " ".join(tail_words[:_AFTER]) + ("…" if len(tail_words) > _AFTER else "")
    old, new = old.strip(), new.strip()
    if not tail and old[-1:] == new[-1:] == "." and old[-2:-1].isdigit() and new[-2:-1].isdigit():  # the line ends there
        old, new = old[:-1], new[:-1]
    old, new = excerpt(old, SHOWN), excerpt(new, SHOWN)
    if not old or not new:
        came, verb = (new, "added") if new else (old, "removed")
        if not came:
            return quoted(after)
        if len(came) <= _SHORT and stop:  # a single word only makes sense in its clause: "not" in "You may not resell"
            near = " ".join(lead_words[-_NEAR:])
            return f"{verb} {quoted(came)} in {quoted(f'{near} {came} {stop}'.strip())}"
        return f"{verb} {quoted(came)}{_around(start, stop)}"
    return f"{start} {old}{_ARROW}{new} {stop}".strip()


def _whole_words(lead: str, old: str, new: str, tail: str) -> tuple[str, str, str, str]:
    """The difference extended to whole words on both sides, so that no mail address is cut."""
    if not (old and new):
        return lead, old, new, tail
    if lead[-1:].strip() and not (old[0].isspace() and new[0].isspace()):
        word = lead.rsplit(maxsplit=1)[-1]
        lead, old, new = lead[: -len(word)], word + old, word + new
    if tail[:1] in _ENDS and not tail[1:2].strip() and not new[-1].isdigit():  # the sentence ends here; "2." may continue
        return lead, old, new, ""
    if tail[:1].strip() and not (old[-1].isspace() and new[-1].isspace()):
        word = tail.split(maxsplit=1)[0]
        tail, old, new = tail[len(word) :], old + word, new + word
    return lead, old, new, tail


def _around(start: str, stop: str) -> str:
    if start:
        return f" after “{start}”"
    return f" before “{stop}”" if stop else ""
