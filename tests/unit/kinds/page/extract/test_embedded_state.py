"""The state of a page that a script makes: experiments and servers are noise, what it says of its product is not."""

from __future__ import annotations

import json

import pytest

from driftline.pages import compare_pages


def shell(**more: object) -> str:
    props = {"product": {"name": "Air Runner", "price": 129.95, "region": "Bavaria", "variant": "Red"}, **more}
    state = json.dumps({"props": {"pageProps": props}, "buildId": "abc"})
    script = f'<script id="__NEXT_DATA__" type="application/json">{state}</script>'
    return f"<html><head><title>Air</title></head><body>{script}</body></html>"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"experiments": {"checkout-v2": "A"}}, {"experiments": {"checkout-v2": "B"}}),
        ({"edge": {"region": "fra1", "pop": "FRA"}}, {"edge": {"region": "cdg1", "pop": "CDG"}}),
        ({"abTest": "hero-large"}, {"abTest": "hero-small"}),
        ({"featureFlags": {"newCart": "on"}}, {"featureFlags": {"newCart": "off"}}),
        ({"served": {"region": "us-east-1"}}, {"served": {"region": "eu-west-2"}}),
        ({"layout": {"variant": "control"}}, {"layout": {"variant": "variant-b"}}),
    ],
)
def test_which_experiment_and_server_made_a_page_is_noise(one: dict[str, object], other: dict[str, object]) -> None:
    assert not compare_pages(shell(**one), shell(**other)).different


@pytest.mark.parametrize(
    ("old", "new"), [("129.95", "109.95"), ("Bavaria", "Saxony"), ("Red", "Blue"), ("Air Runner", "Air Walker")]
)
def test_what_a_shell_says_of_its_product_is_reported(old: str, new: str) -> None:
    assert compare_pages(shell(), shell().replace(old, new)).meaningful


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"experiments": [{"title": "Growing salt crystals"}]}, {"experiments": [{"title": "Growing sugar crystals"}]}),
        ({"tracking": {"status": "Sent"}}, {"tracking": {"status": "Arrived"}}),
        ({"variant": {"price": 5}}, {"variant": {"price": 6}}),
        ({"request": {"state": "open"}}, {"request": {"state": "answered"}}),
        ({"plan": {"analytics": "basic"}}, {"plan": {"analytics": "full"}}),
    ],
)
def test_what_only_sounds_like_machinery_is_reported(one: dict[str, object], other: dict[str, object]) -> None:
    assert compare_pages(shell(**one), shell(**other)).meaningful
