"""What the demo site shows, and what really changes when: the ground truth that `driftline demo --once` is checked against."""

from __future__ import annotations

from typing import Literal

import msgspec

Page = Literal["product", "terms", "jobs", "news", "status"]
PAGES: tuple[Page, ...] = ("product", "terms", "jobs", "news", "status")


class Job(msgspec.Struct, frozen=True):
    """An open position."""

    title: str
    place: str
    terms: str


class Story(msgspec.Struct, frozen=True):
    """A headline with its first paragraph."""

    title: str
    lead: str
    author: str


class Component(msgspec.Struct, frozen=True):
    """A line of the status page."""

    name: str
    state: str = "Operational"


class World(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the site has to say at one moment. Noise is not part of it."""

    price: str
    stock: str
    clauses: tuple[tuple[str, str], ...]
    jobs: tuple[Job, ...]
    stories: tuple[Story, ...]
    components: tuple[Component, ...]
    incident: tuple[str, str] | None = None


class Truth(msgspec.Struct, frozen=True):
    """One real change."""

    page: Page
    version: int  # of that page, the first one being 1
    what: str


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of the script."""

    world: World
    changed: tuple[Truth, ...] = ()
    down: frozenset[Page] = frozenset()  # pages that answer 500 in this turn: a failure is not a change


_START = World(
    price="€ 249.00",
    stock="In stock, ships within two days",
    clauses=(
        (
            "What you may do",
            "You may use the library for your own projects and for those of your customers, as often as you like.",
        ),
        ("What it costs", "The plan that you chose is billed monthly and in advance. Prices do not include value added tax."),
        ("How it ends", "You may cancel at any time with effect from the end of the month. We give thirty days of notice."),
        (
            "What we keep",
            "Invoices are kept for ten years because the law says so; everything else goes when your account goes.",
        ),
    ),
    jobs=(
        Job("Backend engineer, storage", "Lisbon or remote", "Full time, from April"),
        Job("Technical writer", "Remote, European hours", "Three days a week"),
        Job("Workshop assistant", "Ghent", "Weekends, from March"),
    ),
    stories=(
        Story("Harbour bridge opens a week early", "Cyclists were the first to cross on Tuesday morning.", "City desk"),
        Story("Library extends its opening hours", "From next month the reading rooms stay open until ten.", "Culture desk"),
        Story("Market hall gets a new roof", "The glass panes of 1911 are kept wherever they still hold.", "Local desk"),
    ),
    components=(Component("Website"), Component("Public API"), Component("Webhooks"), Component("Imports")),
)


def _story() -> tuple[Step, ...]:
    """The script, each turn said as a difference from the one before."""
    replace = msgspec.structs.replace
    cheaper = replace(_START, price="€ 199.00")
    hiring = replace(cheaper, jobs=(Job("Site reliability engineer", "Remote", "Full time, at once"), *cheaper.jobs))
    legal = replace(
        hiring,
        clauses=(
            *hiring.clauses[:2],
            (
                "How it ends",
                "You may cancel at any time with effect from the end of the quarter. We give fourteen days of notice.",
            ),
            hiring.clauses[3],
        ),
    )
    headline = Story(
        "Night trains return to the coast line", "Tickets go on sale on Friday; the first train runs in June.", "City desk"
    )
    published = replace(legal, stories=(headline, *legal.stories[:2]))
    trouble = replace(
        published,
        components=(Component("Website"), Component("Public API", "Degraded"), Component("Webhooks"), Component("Imports")),
        incident=(
            "Slow answers from the public API",
            "A database replica fell behind. Requests succeed but take several seconds.",
        ),
    )
    sold_out = replace(trouble, stock="Sold out, back in three weeks")
    calm = replace(sold_out, components=_START.components, incident=None, jobs=sold_out.jobs[:3])
    return (
        Step(world=_START),
        Step(world=cheaper, changed=(Truth("product", 2, "the price falls from € 249.00 to € 199.00"),)),
        Step(world=hiring, changed=(Truth("jobs", 2, "a site reliability engineer is wanted"),)),
        Step(world=hiring, down=frozenset({"news"})),
        Step(
            world=published,
            changed=(
                Truth("terms", 2, "cancelling takes effect at the end of the quarter"),
                Truth("news", 2, "night trains return to the coast line"),
            ),
        ),
        Step(world=trouble, changed=(Truth("status", 2, "the public API is degraded"),)),
        Step(world=trouble),
        Step(world=sold_out, changed=(Truth("product", 3, "sold out"),)),
        Step(
            world=calm,
            changed=(Truth("status", 3, "the incident is over"), Truth("jobs", 3, "the workshop assistant was found")),
        ),
    )


SCRIPT = _story()
