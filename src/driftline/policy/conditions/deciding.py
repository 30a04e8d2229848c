"""Decides whether a condition holds of a change, with the reason in words: "price 92 is not below 80"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from driftline.core.identity.severity import CHANGE_TYPES, RANK
from driftline.core.text.time_text import clock
from driftline.model.condition import (
    AllOf,
    AnyOf,
    Between,
    ChangeEvidence,
    Compared,
    Condition,
    ConditionVerdict,
    EvidenceNeeds,
    Extreme,
    HasSelector,
    Moved,
    Not,
    Says,
    SeverityAtLeast,
    TimeOfDay,
)
from driftline.policy.conditions.comparing import compare
from driftline.policy.conditions.saying import says
from driftline.policy.schedule.zones import zone


def decide(condition: Condition | None, evidence: ChangeEvidence) -> ConditionVerdict:
    """Whether it holds. News of the watch itself (failing, recovered) always passes, unless its status is asked for."""
    if condition is None:
        return ConditionVerdict(None, "the condition cannot be read")
    if CHANGE_TYPES[evidence.change.type].health and not _asks_status(condition):
        return ConditionVerdict(True, "news of the watch itself is always sent")
    return _decide(condition, evidence)


@lru_cache(maxsize=16_384)
def needs_of(condition: Condition | None) -> EvidenceNeeds:
    """What has to be loaded to decide it."""
    if condition is None:
        return EvidenceNeeds()
    prices = price_history = versions = texts = False
    selectors: set[str] = set()
    for leaf in leaves(condition):
        match leaf:
            case HasSelector(selector=selector):
                selectors.add(selector)
            case Says(how="appears" | "disappears", field=None):
                texts = True
            case Compared(what=what) | Between(what=what) | Moved(what=what) | Extreme(what=what):
                prices = prices or what.of == "price"
                price_history = price_history or (what.of == "price" and isinstance(leaf, Extreme))
                of_text = what.of in ("count", "size") or (what.of == "number" and what.field is None)
                texts = texts or of_text
                versions = versions or (of_text and isinstance(leaf, Extreme))
            case _:
                pass
    return EvidenceNeeds(
        prices=prices, price_history=price_history, versions=versions, texts=texts, selectors=frozenset(selectors)
    )


def leaves(condition: Condition) -> Iterable[Condition]:
    """Its parts that are no combinations."""
    match condition:
        case AllOf(of=some) | AnyOf(of=some):
            return [leaf for one in some for leaf in leaves(one)]
        case Not(of=one):
            return leaves(one)
        case _:
            return [condition]


def _asks_status(condition: Condition) -> bool:
    return any(isinstance(leaf, Compared | Between) and leaf.what.of == "status" for leaf in leaves(condition))


def _decide(condition: Condition, evidence: ChangeEvidence) -> ConditionVerdict:
    match condition:
        case AllOf(of=some):
            return _joined([_decide(one, evidence) for one in some], deciding=False)
        case AnyOf(of=some):
            return _joined([_decide(one, evidence) for one in some], deciding=True)
        case Not(of=one):
            inner = _decide(one, evidence)
            return ConditionVerdict(None if inner.holds is None else not inner.holds, inner.reason)
        case Says():
            return says(condition, evidence)
        case Compared() | Between() | Moved() | Extreme():
            return compare(condition, evidence)
        case HasSelector(selector=selector, present=present):
            found = evidence.selectors.get(selector)
            if found is None:
                return ConditionVerdict(None, f'the page was not kept, so "{selector}" cannot be looked for')
            return ConditionVerdict(found is present, f'"{selector}" is {"present" if found else "absent"}')
        case SeverityAtLeast(level=level):
            severity = evidence.change.severity
            holds = RANK[severity] >= RANK[level]
            return ConditionVerdict(holds, f"severity {severity} is {'' if holds else 'not '}at least {level}")
        case TimeOfDay(starts=starts, ends=ends):
            local = evidence.change.created_at.astimezone(zone(evidence.timezone)).time()
            holds = starts <= local < ends if starts <= ends else local >= starts or local < ends
            return ConditionVerdict(
                holds, f"{clock(local)} is {'' if holds else 'not '}between {clock(starts)} and {clock(ends)}"
            )


def _joined(verdicts: list[ConditionVerdict], *, deciding: bool) -> ConditionVerdict:
    """All of them (one that fails decides), or any of them (one that holds decides); what is unknown decides nothing."""
    for one in verdicts:
        if one.holds is deciding:
            return one
    for one in verdicts:
        if one.holds is None:
            return one
    return ConditionVerdict(not deciding, "; ".join(dict.fromkeys(one.reason for one in verdicts)))
