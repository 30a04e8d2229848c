"""The page kind on its engine side: outcomes, plans, verdicts, masks."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kinds.page.test_passing import CONTENT, OTHERS, OTHERS_LATER, PASSING
from tests.unit.kinds.page.test_passing import page as article

from driftline.core.compare import compare
from driftline.core.fingerprint import digest
from driftline.errors import BadRule, StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Part, Reading, Target, Verdict
from driftline.kinds.page.kind import KIND, PageKind
from driftline.kinds.page.memo import decode
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import Known, Mask, Observed, Past

AT = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
URL = "https://site.example/page"
ITEM = UUID(int=1)
FREE = Features(tier="free", detailed_snapshots=False, semantic_diff=False)


def fetched(body: str | bytes, content_type: str = "text/html; charset=utf-8", url: str = URL) -> Fetched:
    data = body.encode() if isinstance(body, str) else body
    return Fetched(request=Request(url=url), url=url, status=200, headers={"content-type": content_type}, body=data, at=AT)


def read(body: str | bytes, rules: PageRules | None = None, hint: Hint | None = None) -> Reading[ParsedPage]:
    return KIND.read(fetched(body), rules or PageRules(), hint)


def observed(body: str | bytes, rules: PageRules | None = None) -> Observed[ParsedPage]:
    reading = read(body, rules)
    assert reading.outcome is None, reading.reason
    return reading.items[0]


def hint_of(body: str | bytes, rules: PageRules | None = None, masks: Sequence[Mask] = ()) -> Hint:
    item = observed(body, rules)
    memo = KIND.pack(item.state, Features()).memo
    known = Known(item_id=ITEM, key=item.key, fingerprint=item.fingerprint, version=1, member=True, memo=memo)
    return Hint(known=known, masks=tuple(masks))


def past_of(state: ParsedPage, features: Features | None = None, *, version: int = 1, at: datetime = AT) -> Past[ParsedPage]:
    """As the store gives it back."""
    packed = KIND.pack(state, features or Features())
    stored = KIND.unpack(packed.state, packed.text, packed.blocks)
    return Past(
        item_id=ITEM, key="page", snapshot_id=UUID(int=version), version=version, fingerprint=digest(KIND.canonical(stored)), state=stored, at=at
    )  # fmt: skip


def judge(
    before: str,
    after: str,
    rules: PageRules | None = None,
    masks: Sequence[Mask] = (),
    *,
    features: Features | None = None,
    history: Sequence[Past[ParsedPage]] | None = None,
    at: datetime = AT + timedelta(hours=1),
) -> Verdict:
    rules = rules or PageRules()
    past = history[0] if history else past_of(observed(before, rules).state, features)
    item = observed(after, rules)
    known = Known(item_id=ITEM, key="page", fingerprint=past.fingerprint, version=past.version, member=True)
    delta: Delta[ParsedPage] = compare([item], {"page": known}, exhaustive=False)
    baseline = Baseline(first=False, past={"page": past}, history=history or [past])
    return KIND.judge(baseline, delta, rules, masks, at=at)


def page(body: str, title: str = "Tap") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


# --- outcomes


def test_a_selector_that_finds_nothing_is_selector_missing_and_no_content() -> None:
    reading = read(page("<p>text</p>"), PageRules(select=("#price",)))
    assert (reading.outcome, reading.complete, list(reading.items)) == ("selector_missing", False, [])
    assert "#price" in (reading.reason or "")


def test_one_of_two_selectors_is_enough() -> None:
    assert observed(page("<p id=a>one</p>"), PageRules(select=("#a", "#b"))).state.text == "one"


@pytest.mark.parametrize("body", ["<div>" * 200_000, "<div>" * 100_000 + "x" + "</div>" * 100_000, "<b><p>" * 100_000])
def test_200_000_nested_elements_are_truncated_and_never_unchanged(body: str) -> None:
    reading = read(body)
    assert (reading.outcome, reading.complete, reading.unchanged) == ("truncated", False, False)


def test_deep_json_and_xml_are_truncated() -> None:
    for body, kind in (("[" * 200_000, "application/json"), ("<a>" * 200_000, "application/xml")):
        reading = KIND.read(fetched(body, kind), PageRules(), None)
        assert reading.outcome == "truncated" or reading.items == [], kind
        assert not reading.unchanged


def test_wide_pages_are_not_deep() -> None:
    assert read("<p>x<br>" * 30_000 + "<ul>" + "<li>y" * 30_000).outcome is None


def test_a_page_that_lost_its_text_is_an_error_and_keeps_the_baseline() -> None:
    reading = read(page("", title="Tap"), hint=hint_of(page("<p>text</p>")))
    assert (reading.outcome, reading.reason, reading.complete) == ("error", "empty", False)


def test_empty_is_change_makes_it_news() -> None:
    rules = PageRules(empty_is_change=True)
    assert read(page(""), rules, hint_of(page("<p>text</p>"), rules)).outcome is None
    assert judge(page("<p>text</p>"), page(""), rules).findings


def test_empty_twice_is_unchanged() -> None:
    reading = read(page("", title="Tap now"), hint=hint_of(page("")))
    assert reading.outcome is None


def test_a_first_page_may_be_empty() -> None:
    assert read(page("")).outcome is None


def test_a_failed_fetch_is_never_content() -> None:
    request = Request(url=URL)
    reading = KIND.combine([Part(request=request, got=Failed(request=request, reason="timeout"))], PageRules())
    assert (reading.outcome, reading.complete) == ("error", False)


def test_a_costly_path_into_json_is_an_error_and_not_a_change() -> None:
    body = "[" * 40 + ",".join(["[1, 2]"] * 400) + "]" * 40
    reading = KIND.read(fetched(body, "application/json"), PageRules(select=("$..*..*..*",)), None)
    assert (reading.outcome, reading.reason) == ("error", "JSONPath does too much work on this answer")


def test_a_costly_selector_is_an_error_and_not_a_change() -> None:
    reading = read(
        page("<div><p>x</p></div>" * 3_000), PageRules(select=("xpath://div[count(.//preceding::*) > 1]//preceding::p",))
    )
    assert reading.outcome in {None, "error"}


def test_rules_that_do_not_parse_are_refused() -> None:
    for rules in (
        PageRules(select=("div[",)),
        PageRules(remove=("//div[",)),
        PageRules(ignore_text=("/(/",)),
        PageRules(text_threshold=1.5),
        PageRules(revert_window_for=-1),
    ):
        with pytest.raises(BadRule):
            KIND.check_rules(rules)
    KIND.check_rules(PageRules(select=("main", "//h1", "$.price"), ignore_text=("ads", "/[0-9]+/i")))


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"selct": "main"}, PageRules)


def test_a_page_watch_is_its_own_source_with_one_request() -> None:
    assert KIND.scope(ITEM, URL, PageRules()) == str(ITEM)
    assert [request.url for request in KIND.requests(Target(url=URL), PageRules())] == [URL]
    assert (PageKind.singular, PageKind.exhaustive, PageKind.keeps_body, PageKind.robots) == (True, False, True, False)


# --- plans


def test_free_plans_keep_no_text_and_no_blocks() -> None:
    packed = KIND.pack(observed(page("<h2>A</h2><p>secret words</p>")).state, FREE)
    assert packed.text is None
    assert packed.blocks is None
    assert b"secret words" not in packed.state
    assert packed.content_hash == KIND.pack(observed(page("<h2>A</h2><p>secret words</p>")).state, Features()).content_hash


def test_without_kept_text_before_is_null_and_the_change_is_still_told() -> None:
    verdict = judge(page("<p>one</p><p>two</p>"), page("<p>one</p><p>three</p>"), features=FREE)
    (finding,) = verdict.findings
    assert finding.diff is not None
    text = finding.diff["changes"]["text"]
    assert (text["before"], text["after"], text["changed"]) == (None, "one\nthree", True)
    assert finding.blocks == ()


def test_without_kept_text_noise_is_still_noise() -> None:
    verdict = judge(
        page("<p>one</p><p>3 minutes ago</p><p>12 views</p>"),
        page("<p>one </p><p>4 hours ago</p><p>13 views</p>"),
        features=FREE,
    )
    assert verdict.findings == ()


def test_a_state_comes_back_from_the_store_as_it_went() -> None:
    state = observed(page('<h1>T</h1><p>a</p><a href="/x">x</a><img src="/i.png">')).state
    packed = KIND.pack(state, Features())
    assert KIND.unpack(packed.state, packed.text, packed.blocks) == msgspec.structs.replace(state, memo=b"")


def test_a_broken_state_is_corrupt() -> None:
    with pytest.raises(StoreCorrupt):
        KIND.unpack(b"{", None, None)
    with pytest.raises(StoreCorrupt):
        KIND.unpack(b'{"url": 5}', "text", None)


def test_the_fingerprint_is_of_the_canonical_form() -> None:
    item = observed(page("<p>a</p>"))
    assert item.fingerprint == digest(KIND.canonical(item.state))


# --- verdicts


def test_a_first_run_tells_nothing() -> None:
    item = observed(page("<p>a</p>"))
    delta = Delta(entries=[Entry(observed=item, known=None)])
    assert KIND.judge(Baseline(first=True, past={}), delta, PageRules(), (), at=AT) == Verdict()


def test_a_change_carries_its_versions() -> None:
    (finding,) = judge(page("<p>a</p>"), page("<p>b</p>")).findings
    assert finding.diff is not None
    assert finding.diff["version"] == {"previous": 1, "current": 2}
    assert finding.key == "page"


def test_noise_alone_stores_nothing() -> None:
    verdict = judge(page("<p>Hello <b>you</b></p>"), page("<p>Hello you</p>"))
    assert (verdict.findings, verdict.noise) == ((), frozenset({"page"}))


def test_below_the_threshold_the_next_version_is_stored_without_a_change() -> None:
    rules = PageRules(sensitivity="threshold")
    words = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    verdict = judge(page(f"<p>{words}</p>"), page(f"<p>{words.replace('wordm', 'wordn')}</p>"), rules)
    assert (verdict.findings, verdict.noise) == ((), frozenset())
    assert any("similarity" in shown.rule for shown in verdict.suppressed)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["alpha beta", "gamma", "12 views", "Price: 5 EUR", "Updated 5 January 2026", "not here"]), max_size=6
    ),
    st.lists(
        st.sampled_from(["alpha beta", "gamma ray", "13 views", "Price: 6 EUR", "Updated 6 January 2026", "here"]), max_size=6
    ),
    st.sampled_from([PageRules(), PageRules(sensitivity="threshold")]),
    st.sampled_from([Features(), FREE]),
)
def test_judging_in_memory_equals_judging_from_stored_rows(
    one: list[str], other: list[str], rules: PageRules, features: Features
) -> None:
    before = page("".join(f"<p>{text}</p>" for text in one)) + "<i>x</i>"
    after = page("".join(f"<p>{text}</p>" for text in other)) + "<i>x</i>"
    item = observed(after, rules)
    stored = past_of(item.state)
    again = Observed(key="page", url=URL, title=item.title, fingerprint=stored.fingerprint, build=lambda: stored.state)
    past = past_of(observed(before, rules).state, features)
    baseline = Baseline(first=False, past={"page": past}, history=[past])
    known = Known(item_id=ITEM, key="page", fingerprint=past.fingerprint, version=1, member=True)
    verdicts = [
        KIND.judge(baseline, Delta(entries=[Entry(observed=seen, known=known)]), rules, (), at=AT) for seen in (item, again)
    ]
    assert verdicts[0] == verdicts[1]


# --- reverts


def _history(*bodies: str) -> list[Past[ParsedPage]]:
    """Newest first, an hour apart."""
    return [
        past_of(observed(body).state, version=len(bodies) - age, at=AT - timedelta(hours=age))
        for age, body in enumerate(bodies)
    ]


A, B = page("<h1>Tips</h1><p class=tip>Drink water</p><p>end</p>"), page("<h1>Tips</h1><p class=tip>Sleep more</p><p>end</p>")


def test_a_page_that_comes_back_is_told_once() -> None:
    (finding,) = judge("", A, history=_history(B, A)).findings
    assert finding.flags["muted"] == "reverted"
    (first,) = judge("", B, history=_history(A)).findings
    assert "muted" not in first.flags


def test_a_page_that_comes_back_late_is_news() -> None:
    (finding,) = judge("", A, PageRules(revert_window_for=60), history=_history(B, A)).findings
    assert "muted" not in finding.flags


def test_a_place_that_comes_back_twice_is_masked() -> None:
    assert judge("", A, history=_history(B, A)).masks == ()
    (mask,) = judge("", A, history=_history(B, A, B, A)).masks
    assert "p.tip" in mask.place
    assert not judge(A, B, masks=[mask]).findings
    assert judge(A, B.replace("end", "The end"), masks=[mask]).findings


def test_a_price_that_comes_back_is_told_every_time() -> None:
    cheap, dear = (page(f"<h1>Kettle</h1><p>{price} €</p><button>Add to cart</button>") for price in ("79.90", "89.90"))
    (finding,) = judge("", cheap, history=_history(dear, cheap)).findings
    assert finding.type == "price_decrease"
    assert "muted" not in finding.flags
    assert judge("", cheap, history=_history(dear, cheap, dear, cheap)).masks == ()


def test_pages_that_differ_by_parts_that_pass_are_known_without_being_built() -> None:
    parts = [
        (slot, before, after) for slot, before, after in PASSING if decode(hint_of(article(slot, before)).known.memo).lasting
    ]
    assert len(parts) > 25  # others are told by comparing: an order that turns, a counter that goes
    for slot, before, after in parts:
        hint = hint_of(article(slot, before))
        reading = read(article(slot, after), hint=hint)
        assert reading.unchanged or reading.items[0].fingerprint == hint.known.fingerprint, (before, after)


@pytest.mark.parametrize("slot", ["main", "side"])
def test_a_new_line_beside_what_passes_is_seen(slot: str) -> None:
    hint = hint_of(article(slot, f'<div class="related-posts">{OTHERS}</div>'))
    assert read(article(slot, f'<div class="related-posts">{OTHERS_LATER}</div>'), hint=hint).unchanged
    for beside in ("<p>The hall is closed.</p>{}", "{}<p>The hall is closed.</p>"):
        after = article(slot, beside.format(f'<div class="related-posts">{OTHERS_LATER}</div>'))
        assert not read(after, hint=hint).unchanged


@pytest.mark.parametrize(("slot", "before", "after"), CONTENT)
def test_what_only_looks_passing_is_looked_at(slot: str, before: str, after: str) -> None:
    assert not read(article(slot, after), hint=hint_of(article(slot, before))).unchanged


@pytest.mark.parametrize("edit", [("New bus line opens", "New bus line closes"), ("/n/2", "/n/2-new-bus-line")])
def test_a_rewritten_entry_of_a_passing_list_is_looked_at(edit: tuple[str, str]) -> None:
    listed = f'<div class="related-posts">{OTHERS.replace("New bus line opens", "New bus line opens in the north")}</div>'
    old, new = edit
    reading = read(article("side", listed.replace(old, new)), hint=hint_of(article("side", listed)))
    assert not reading.unchanged
