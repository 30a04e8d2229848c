"""One page without a network: the look that says unchanged and the comparison, beside a bare parse of the same bytes.

python -m bench.pages [--pages 200] [--rounds 9] [--print]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from selectolax.lexbor import LexborHTMLParser

from bench.contenders import ROOT
from bench.content import answer
from bench.report import put
from driftline.core.charset import decode
from driftline.core.fingerprint import digest
from driftline.kinds.kind import Hint
from driftline.kinds.page import memo as memos
from driftline.kinds.page.compare import compare
from driftline.kinds.page.kind import KIND
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.read import same_but
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.scan import scan
from driftline.model.fetch import Fetched, Request
from driftline.model.item import Known

MARKS: Final = ("<!-- pages, written by make bench -->", "<!-- pages until here -->")
HEAD: Final = ("| | floor | driftline | ratio | at most |", "|---|--:|--:|--:|--:|")
SMALLEST: Final = 45_000  # bytes: pages of the site around 50 KB
RULES: Final = PageRules()
AT: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Case(NamedTuple):
    """One page: as it was seen first, seen again with other noise, and really changed."""

    again: Fetched
    hint: Hint
    before: ParsedPage
    after: ParsedPage
    changed: Fetched


def cases(count: int) -> Iterator[Case]:
    """Pages of about 50 KB of the noisy site."""
    number = page = 0
    while number < count:
        body = answer(page, 0, 1000 + page)
        page += 1
        if len(body) < SMALLEST:
            continue
        number += 1
        first = KIND.read(got(body, page), RULES, None).items[0]
        known = Known(item_id=UUID(int=page), key=first.key, fingerprint=first.fingerprint, version=1, memo=first.state.memo)
        changed = got(answer(page - 1, 1, 900_000 + page), page)
        yield Case(
            again=got(answer(page - 1, 0, 500_000 + page), page),
            hint=Hint(known=known),
            before=first.state,
            after=KIND.read(changed, RULES, None).items[0].state,
            changed=changed,
        )


def got(body: bytes, page: int) -> Fetched:
    url = f"http://site.example/page/{page}"
    return Fetched(request=Request(url=url), url=url, status=200, headers={"content-type": "text/html"}, body=body, at=AT)


def floor(body: bytes) -> str:
    """A bare parse and the text."""
    tree = LexborHTMLParser(body)
    return tree.body.text() if tree.body is not None else ""


def unchanged(case: Case) -> None:
    reading = KIND.read(case.again, RULES, case.hint)
    assert reading.items[0].fingerprint == case.hint.known.fingerprint


def scanned(case: Case) -> None:
    """As where the source alone does not tell."""
    memo = memos.decode(case.hint.known.memo)
    found = scan(decode(case.again.body, "text/html"), case.again.url, RULES, memo)
    assert digest(found.signature) == case.hint.known.fingerprint


def recognised(case: Case) -> bool:
    memo = memos.decode(case.hint.known.memo)
    return same_but(decode(case.again.body, "text/html"), case.again.url, RULES, memo) is not None


def milliseconds(some: Sequence[Case], call: Callable[[Case], Any]) -> float:
    """CPU a page."""
    began = time.process_time()
    for one in some:
        call(one)
    return (time.process_time() - began) * 1000 / len(some)


def measured(some: Sequence[Case], rounds: int) -> Iterator[str]:
    """Each beside its floor, round by round; other work on the machine only ever adds."""
    rows: tuple[tuple[str, Callable[[Case], Any], Callable[[Case], Any], float | None], ...] = (
        ("say that a noisy page is unchanged", lambda one: floor(one.again.body), unchanged, 2),
        ("its full scan, where the source does not tell", lambda one: floor(one.again.body), scanned, None),
        (
            "compare with a changed page; floor: parse both",
            lambda one: (floor(one.again.body), floor(one.changed.body)),
            lambda one: compare(one.before, one.after, RULES, ()),
            3,
        ),
    )
    for name, bare, ours, limit in rows:
        pairs = [(milliseconds(some, bare), milliseconds(some, ours)) for _ in range(rounds)]
        low, high = (min(times) for times in zip(*pairs, strict=True))
        yield f"| {name} | {low:.2f} ms | {high:.2f} ms | {high / low:.2f} | {'' if limit is None else f'{limit:g}'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--print", action="store_true", help="and write nothing")
    given = parser.parse_args()
    some = list(cases(given.pages))
    share = sum(map(recognised, some)) / len(some)
    size = sum(len(one.again.body) for one in some) / len(some) / 1000
    told = f"{len(some)} pages of {size:.0f} KB; {share:.0%} of the unchanged ones are recognised by their source."
    put([told, "", *HEAD, *measured(some, given.rounds)], MARKS, None if given.print else ROOT / "docs" / "performance.md")


if __name__ == "__main__":
    main()
