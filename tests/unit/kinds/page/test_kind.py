"""The page kind on its engine side: outcomes, plans, verdicts, masks."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.compare import compare
from driftline.core.identity.fingerprint import digest
from driftline.errors import BadRule, StoreCorrupt
from driftline.kinds.kind import Baseline, Hint, Part, Reading, Target, Verdict, scope_of
from driftline.kinds.page.kind import KIND, PageKind
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.model.account import Features
from driftline.model.change import Finding
from driftline.model.delta import Delta, Entry
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.noise.flapping import Place, Settled, Value
from driftline.model.noise.mask import Mask
from driftline.policy import flapping

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
    known = StoredItem(item_id=ITEM, key=item.key, fingerprint=item.fingerprint, version=1, member=True, memo=memo)
    return Hint(stored=known, masks=tuple(masks))


def past_of(
    state: ParsedPage, features: Features | None = None, *, version: int = 1, at: datetime = AT
) -> SnapshotState[ParsedPage]:
    """As the store gives it back."""
    packed = KIND.pack(state, features or Features())
    stored = KIND.unpack(packed.state, packed.text, packed.blocks)
    return SnapshotState(
        item_id=ITEM, key="page", snapshot_id=UUID(int=version), version=version, fingerprint=digest(KIND.canonical(stored)), state=stored, at=at
    )  # fmt: skip


def judge(
    before: str,
    after: str,
    rules: PageRules | None = None,
    masks: Sequence[Mask] = (),
    *,
    features: Features | None = None,
    at: datetime = AT + timedelta(hours=1),
) -> Verdict:
    rules = rules or PageRules()
    past = past_of(observed(before, rules).state, features)
    item = observed(after, rules)
    known = StoredItem(item_id=ITEM, key="page", fingerprint=past.fingerprint, version=past.version, member=True)
    delta: Delta[ParsedPage] = compare([item], {"page": known}, exhaustive=False)
    baseline = Baseline(first=False, snapshots={"page": past})
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
    assert (reading.outcome, reading.complete, reading.unchanged) == ("truncated", False, None)


def test_deep_json_and_xml_are_truncated() -> None:
    for body, kind in (("[" * 200_000, "application/json"), ("<a>" * 200_000, "application/xml")):
        reading = KIND.read(fetched(body, kind), PageRules(), None)
        assert reading.outcome == "truncated" or reading.items == [], kind
        assert not reading.unchanged


def test_wide_pages_are_not_deep() -> None:
    assert read("<p>x<br>" * 5_000 + "<ul>" + "<li>y" * 5_000).outcome is None


def test_a_page_that_lost_its_text_is_an_error_and_keeps_the_baseline() -> None:
    reading = read(page("", title="Tap"), hint=hint_of(page("<p>text</p>")))
    assert (reading.outcome, reading.reason, reading.complete) == ("error", "empty", False)


def test_empty_is_change_makes_it_news() -> None:
    rules = PageRules(empty_is_change=True)
    assert read(page(""), rules, hint_of(page("<p>text</p>"), rules)).outcome is None
    assert judge(page("<p>text</p>"), page(""), rules).findings


def test_where_a_page_may_be_empty_it_is_so_at_first_and_again() -> None:
    rules = PageRules(empty_is_change=True)
    assert read(page("", title="Tap now"), rules, hint_of(page(""), rules)).outcome is None


def test_a_page_that_is_empty_at_its_first_check_is_no_baseline() -> None:
    reading = read(page(""))
    assert (reading.outcome, reading.reason, list(reading.items)) == ("error", "empty", [])
    rendered = KIND.read(msgspec.structs.replace(fetched(page("")), rendered=True), PageRules(), None)
    assert (rendered.outcome, rendered.reason) == ("error", "empty in the browser")


def test_a_selected_part_that_is_empty_at_first_is_no_baseline() -> None:
    reading = read(page('<p id="a"></p><p>text</p>'), PageRules(select=("#a",)))
    assert (reading.outcome, reading.reason) == ("error", "selection empty")


def test_a_page_of_a_picture_alone_can_be_watched() -> None:
    assert read(page('<img src="/webcam.jpg">')).outcome is None


def test_a_failed_fetch_is_never_content() -> None:
    request = Request(url=URL)
    reading = KIND.combine([Part(request=request, got=Failed(request=request, reason="timeout"))], PageRules())
    assert (reading.outcome, reading.complete) == ("error", False)


def test_a_costly_path_into_json_is_an_error_and_not_a_change() -> None:
    body = "[" * 40 + ",".join(["[1, 2]"] * 400) + "]" * 40
    reading = KIND.read(fetched(body, "application/json"), PageRules(select=("$..*..*..*",)), None)
    assert (reading.outcome, reading.reason) == (
        "error",
        "The JSONPath `$..*..*..*` is too slow for this answer (more than 511,516 values to look at)",
    )


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
    assert scope_of(KIND, ITEM, URL, PageRules()) == f"watch:{ITEM}"
    assert [request.url for request in KIND.requests(Target(url=URL), PageRules())] == [URL]
    assert (
        PageKind.traits.one_item,
        PageKind.traits.absence_is_evidence,
        PageKind.traits.keeps_body,
        PageKind.traits.obeys_robots,
    ) == (True, False, True, False)


# --- plans


def test_free_plans_keep_no_text_and_no_blocks() -> None:
    packed = KIND.pack(observed(page("<h2>A</h2><p>secret words</p>")).state, FREE)
    assert packed.text is None
    assert packed.blocks is None
    assert b"secret words" not in packed.state
    assert packed.content_hash == KIND.pack(observed(page("<h2>A</h2><p>secret words</p>")).state, Features()).content_hash


def test_without_kept_text_before_is_null_and_the_change_is_still_reported() -> None:
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
    assert KIND.unpack(packed.state, packed.text, packed.blocks) == state


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
    delta = Delta(entries=[Entry(observed=item, stored=None)])
    assert KIND.judge(Baseline(first=True, snapshots={}), delta, PageRules(), (), at=AT) == Verdict()


def test_a_change_carries_its_versions() -> None:
    (finding,) = judge(page("<p>a</p>"), page("<p>b</p>")).findings
    assert finding.diff is not None
    assert finding.diff["version"] == {"previous": 1, "current": 2}
    assert finding.key == "page"


def test_noise_alone_stores_nothing() -> None:
    verdict = judge(page("<p>Hello <b>you</b></p>"), page("<p>Hello you</p>"))
    assert (verdict.findings, verdict.noise) == ((), frozenset({"page"}))


def test_below_the_threshold_the_reported_version_stays_and_creeping_edits_add_up() -> None:
    rules = PageRules(sensitivity="threshold")
    words = [f"word{one}{other}" for one in "abcdefghij" for other in "kl"]
    before = page(f"<p>{' '.join(words)}</p>")
    quiet = 0
    for number in range(len(words)):
        words[number] = "another"
        verdict = judge(before, page(f"<p>{' '.join(words)}</p>"), rules)
        if verdict.findings:
            break
        assert verdict.noise == frozenset({"page"}), "nothing is stored: the next check compares with the same version"
        assert any("similarity" in shown.rule for shown in verdict.suppressed)
        quiet += 1
    assert 0 < quiet < 5


def test_below_the_threshold_a_change_of_navigation_moves_no_baseline() -> None:
    rules = PageRules(sensitivity="threshold")
    words = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    body = f"<nav><a href=/a>Home</a></nav><main><p>{words}</p></main>"
    after = body.replace("wordm", "wordn").replace("</nav>", "<a href=/b>Jobs</a></nav>")
    assert judge(page(body), page(after), rules).noise == frozenset({"page"})


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
    baseline = Baseline(first=False, snapshots={"page": past})
    known = StoredItem(item_id=ITEM, key="page", fingerprint=past.fingerprint, version=1, member=True)
    verdicts = [
        KIND.judge(baseline, Delta(entries=[Entry(observed=seen, stored=known)]), rules, (), at=AT) for seen in (item, again)
    ]
    assert verdicts[0] == verdicts[1]


# --- changing back


class Shown:
    """A page that is checked version by version, an hour apart."""

    def __init__(self, first: str, rules: PageRules | None = None) -> None:
        self.rules = rules or PageRules()
        self.past = past_of(observed(first, self.rules).state)
        self.places: tuple[Place, ...] = ()
        self.at = AT

    def then(self, body: str) -> Verdict:
        self.at += timedelta(hours=1)
        item = observed(body, self.rules)
        known = StoredItem(item_id=ITEM, key="page", fingerprint=self.past.fingerprint, version=self.past.version, member=True)
        baseline = Baseline(first=False, snapshots={"page": self.past}, limits=partial(flapping.step, self.places))
        verdict = KIND.judge(baseline, Delta(entries=[Entry(observed=item, stored=known)]), self.rules, (), at=self.at)
        self.places = verdict.step.places if verdict.step else self.places
        self.past = past_of(item.state, version=self.past.version + 1, at=self.at)
        return verdict

    def all(self, *bodies: str) -> list[Finding]:
        return [finding for body in bodies for finding in self.then(body).findings]


A, B = page("<h1>Tips</h1><p class=tip>Drink water</p><p>end</p>"), page("<h1>Tips</h1><p class=tip>Sleep more</p><p>end</p>")


def test_the_way_back_is_reported_as_that_and_further_flips_are_kept_without_a_message() -> None:
    first, back, switching, *held = Shown(A).all(B, A, B, A, B)
    assert "“Drink water” → “Sleep more”" in first.headline
    assert (back.headline, back.severity) == ("Changed back to “Drink water” after 1 hour", "low")
    assert switching.headline == "Keeps switching between “Drink water” and “Sleep more”"
    assert not any("muted" in finding.flags for finding in (first, back, switching))
    assert [finding.flags["muted"] for finding in held] == ["flapping"] * 2


def test_what_comes_and_goes_is_said_so() -> None:
    more = A.replace("<p>end</p>", "<p class=note>Closed on Monday</p><p>end</p>")
    first, back, switching = Shown(A).all(more, A, more)
    assert "Closed on Monday" in first.headline
    assert back.headline == "Changed back after 1 hour: “Closed on Monday” is gone again"
    assert switching.headline == "Keeps switching: “Closed on Monday” comes and goes"


def test_what_varies_by_itself_does_not_hide_that_a_page_flips() -> None:
    noisy = [body.replace("end", f"{number},204 views") for number, body in enumerate((A, B, A, B, A), start=1)]
    assert "muted" in Shown(noisy[0]).all(*noisy[1:])[-1].flags


def test_a_value_outside_the_pair_is_reported_at_once() -> None:
    finding = Shown(A).all(B, A, B, A, B, B.replace("Sleep more", "Eat less"))[-1]
    assert "muted" not in finding.flags
    assert "Eat less" in finding.headline


def test_news_beside_a_flip_is_reported_without_the_flip() -> None:
    shown = Shown(A)
    shown.all(B, A, B, A)
    verdict = shown.then(B.replace("<p>end</p>", "<p>Closed from Monday on</p>"))
    (finding,) = verdict.findings
    assert "muted" not in finding.flags
    assert "Closed from Monday on" in finding.headline
    assert finding.diff is not None
    assert "Sleep more" not in finding.headline + finding.diff["changes"]["text"]["diffSnippet"]
    assert finding.diff["changes"]["text"]["lines"] == {"removed": 1, "added": 1}
    assert {"Drink water", "Sleep more"} <= {side for held in finding.diff["held"] for side in held.values()}
    assert {(one.rule, one.after) for one in verdict.suppressed} >= {("flapping", "Sleep more")}


def test_a_whole_page_that_flips_is_one_difference() -> None:
    one, other = (
        page("".join(f"<p>{word} number {number} stands here</p>" for number in range(90))) for word in ("Oak", "Elm")
    )
    first, back, switching, held = Shown(one).all(other, one, other, one)
    assert back.headline.startswith("Changed back after 1 hour")
    assert switching.headline.startswith("Keeps switching")
    assert "muted" not in first.flags
    assert held.flags["muted"] == "flapping"


def test_a_page_that_comes_back_late_is_news() -> None:
    findings = Shown(A, PageRules(revert_window_for=0)).all(B, A, B, A, B)
    assert not any("muted" in finding.flags or "back" in finding.headline for finding in findings)


def test_a_price_and_stock_that_flip_are_limited_like_all_else() -> None:
    cheap, dear = (page(f"<h1>Kettle</h1><p>{price} €</p><button>Add to cart</button>") for price in ("79.90", "89.90"))
    first, back, switching, held = Shown(cheap).all(dear, cheap, dear, cheap)
    assert (first.type, back.type, back.severity) == ("price_increase", "price_decrease", "high")
    assert back.headline == "Price changed back to 79.90 EUR after 1 hour"
    assert switching.headline == "Price keeps switching between 79.90 EUR and 89.90 EUR"
    assert held.flags["muted"] == "flapping"
    there, gone = (page(f"<h1>Kettle</h1><p>79.90 €</p><p>{stock}</p>") for stock in ("In stock", "Sold out"))
    _, _, switching, held = Shown(there).all(gone, there, gone, there)
    assert switching.headline == "Stock keeps switching between in stock and sold out"
    assert (held.type, held.flags["muted"]) == ("back_in_stock", "flapping")


@pytest.mark.parametrize(
    ("place", "type_", "headline"),
    [
        (("content", Value("a", "Open"), Value("b", "Shut")), "content", "Settled on “Shut”"),
        (("content", Value("a", "Open"), Value("")), "content", "Settled: “Open” is gone"),
        (("price", Value("9.5 EUR", "9.5 EUR"), Value("10 EUR", "10 EUR")), "price_increase", "Price settled on 10 EUR"),
        (("availability", Value("in", "in stock"), Value("out", "sold out")), "sold_out", "Stock settled on sold out"),
    ],
)
def test_what_came_to_rest_is_said_in_words(place: tuple[str, Value, Value], type_: str, headline: str) -> None:
    level, before, after = place
    found = KIND.settled(Settled(level=level, before=before, after=after, since_at=AT))
    assert (found.type, found.headline, found.key) == (type_, headline, "page")


def test_flips_teach_no_mask() -> None:
    shown = Shown(A)
    assert [shown.then(body).masks for body in (B, A, B, A)] == [()] * 4
