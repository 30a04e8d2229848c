"""Pictures, opaque targets and counters that differ at every visit, end to end and on both databases."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from tests.integration.test_flips import Clocked, clocked
from tests.scripted import ScriptedSite

from driftline.store.session import OrgData

__all__ = ["clocked"]


def page(*, picture: str = "lake", token: str = "a91f3c77d2e04b18", visits: int = 1_204, text: str = "Open on Sundays.") -> str:
    return (
        f"<html><head><title>Museum</title></head><body><main><h1>Museum</h1><img src='/pictures/{picture}.jpg' alt=''>"
        f"<p>{text}</p><p>Read <a href='/session/{token}/tour'>the tour</a> first, it says which rooms are open.</p>"
        f"<div class='number'>{visits}</div></main></body></html>"
    )


def _lift(mask_id: UUID, data: OrgData) -> None:
    data.masks.remove(mask_id)


def test_a_picture_that_differed_in_four_checks_is_ignored_listed_and_can_be_lifted(
    clocked: Clocked, site: ScriptedSite
) -> None:
    watch = clocked.watch(site.show("/hours", page()))
    clocked.check(watch)
    found = clocked.hourly(watch, *(page(picture=name) for name in ("hill", "pond", "moor", "wood", "cape")))
    assert len(found) == 3, "the fourth time it is a habit"
    masks = clocked.app.read(lambda data: data.masks.of(watch.id))
    assert {mask.skeleton for mask in masks} == {"picture"}
    assert all("differed in 4 checks" in mask.evidence for mask in masks)
    (news,) = clocked.hourly(watch, page(picture="dune", text="Closed on Sundays."))
    assert "Closed" in news.headline

    for id_ in (mask.id for mask in masks if mask.id is not None):
        clocked.app.write(partial(_lift, id_))
    assert len(clocked.hourly(watch, *(page(picture=name, text="Closed on Sundays.") for name in "abcdefg"))) == 7


def test_a_target_that_differs_in_its_token_is_a_habit_and_a_readable_one_never(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page()))
    clocked.check(watch)
    tokens = ("b81f3c77d2e04b18", "c71f3c77d2e04b18", "d61f3c77d2e04b18", "e51f3c77d2e04b18", "f41f3c77d2e04b18")
    assert len(clocked.hourly(watch, *(page(token=token) for token in tokens))) == 3
    assert len(clocked.hourly(watch, *(page(token=name) for name in ("spring", "summer", "autumn", "winter")))) == 4


def test_a_bare_number_that_creeps_up_is_a_counter_until_it_falls_or_leaps(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page()))
    clocked.check(watch)
    assert (
        len(clocked.hourly(watch, *(page(visits=number) for number in (1_206, 1_209, 1_214, 1_217, 1_230)))) == 2
    )  # less than a hundredth is one at once
    assert len(clocked.hourly(watch, page(visits=900))) == 1
    assert len(clocked.hourly(watch, page(visits=2_400))) == 1


def test_what_differs_rarely_is_no_habit(clocked: Clocked, site: ScriptedSite) -> None:
    watch = clocked.watch(site.show("/hours", page()))
    clocked.check(watch)
    shown = [page(picture=name) for name in ("hill", "pond", "moor", "wood", "cape") for _ in range(60)]
    assert len(clocked.hourly(watch, *shown)) == 5
