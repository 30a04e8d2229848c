"""Whether a change adds, removes or changes a text."""

from __future__ import annotations

from typing import Final

from driftline.model.condition import ChangeEvidence, ConditionVerdict, Says, Way
from driftline.policy.conditions.differences import field_of, texts_of

_DONE: Final[dict[Way, tuple[str, str]]] = {  # what happened to it, and what did not
    "added": ("was added", "was not added"),
    "removed": ("was removed", "was not removed"),
    "changed": ("was changed", "was not changed"),
    "appears": ("appeared", "did not appear"),
    "disappears": ("disappeared", "did not disappear"),
}


def says(condition: Says, evidence: ChangeEvidence) -> ConditionVerdict:
    """By the lines that came and went, or by one field of an entry."""
    if condition.field is not None:
        return _says_field(condition, condition.field, evidence)
    texts, how = texts_of(evidence), condition.how
    if condition.text is None:
        return _verdict(how, "something", came=bool(texts.added), went=bool(texts.removed))
    from driftline.core.select.patterns import parse_pattern  # noqa: PLC0415 - loads a library that the agent does without

    pattern = parse_pattern(condition.text)
    came = how != "removed" and any(map(pattern.matches, texts.added))
    went = how != "added" and any(map(pattern.matches, texts.removed))
    if how in ("appears", "disappears"):
        if texts.before is not None and texts.after is not None:
            before, after = pattern.matches(texts.before), pattern.matches(texts.after)
            came, went = after and not before, before and not after
        else:
            came, went = came and not went, went and not came
    verdict = _verdict(how, shown(condition.text), came=came, went=went)
    if not verdict.holds and not texts.whole:
        return ConditionVerdict(None, f"the change is too large to say whether {shown(condition.text)} {_DONE[how][0]}")
    return verdict


def _says_field(condition: Says, field: str, evidence: ChangeEvidence) -> ConditionVerdict:
    old, new = field_of(evidence.change, field)
    differs = old != new
    if condition.text is None:
        return _verdict(condition.how, field, came=differs and new is not None, went=differs and old is not None)
    from driftline.core.select.patterns import parse_pattern  # noqa: PLC0415 - loads a library that the agent does without

    pattern = parse_pattern(condition.text)
    was, now = old is not None and pattern.matches(old), new is not None and pattern.matches(new)
    if condition.how in ("appears", "disappears"):
        was, now = was and not now, now and not was
    return _verdict(condition.how, f"{shown(condition.text)} in {field}", came=differs and now, went=differs and was)


def _verdict(how: Way, what: str, *, came: bool, went: bool) -> ConditionVerdict:
    holds = {"added": came, "appears": came, "removed": went, "disappears": went, "changed": came or went}[how]
    return ConditionVerdict(holds, f"{what if holds or what != 'something' else 'nothing'} {_done(how, what, holds=holds)}")


def _done(how: Way, what: str, *, holds: bool) -> str:
    return _DONE[how][0 if holds or what == "something" else 1]


def shown(text: str) -> str:
    """A wanted text as reasons quote it."""
    return text if text.startswith("/") else f'"{text}"'
