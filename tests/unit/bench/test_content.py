"""The bench site tells the truth about itself: else its precision and recall mean nothing."""

from __future__ import annotations

import re

import pytest
from bench.content import answer, changes, version

PAGES = range(200)


def without_noise(html: bytes) -> bytes:
    for noise in (
        rb'(content|value|nonce)="[0-9a-f]{16}"',
        rb"v=[0-9a-f]{8}",
        rb'token: "[0-9a-f]{16}"',
        rb"Page generated at .*? times\.",
    ):
        html, found = re.subn(noise, b"", html)
        assert found
    html, found = re.subn(rb'<div class="advert">.*?</div>', b"", html)
    assert found == 1
    return html


@pytest.mark.parametrize("page", [0, 7, 999])
def test_answers_of_one_version_differ_in_every_kind_of_noise_and_in_nothing_else(page: int) -> None:
    one, other = answer(page, 2, 1001), answer(page, 2, 2004)
    for noise in (
        rb"Page generated at (.*?),",
        rb"seen (\d+) times",
        rb'nonce="(\w+)"',
        rb"<h4>(Sponsored.*?)</h4>|<div class=.advert.>(.*?)</div>",
    ):
        assert re.findall(noise, one) != re.findall(noise, other)
    assert without_noise(one) == without_noise(other)


def test_another_version_says_something_else_in_its_text() -> None:
    for page in PAGES[:20]:
        assert without_noise(answer(page, 0, 1)) != without_noise(answer(page, 1, 1))


def test_pages_are_of_the_promised_size() -> None:
    sizes = [len(answer(page, 0, page)) for page in PAGES]
    assert min(sizes) > 25_000
    assert max(sizes) < 65_000
    assert 35_000 < sum(sizes) / len(sizes) < 50_000


def test_about_a_tenth_of_the_pages_changes_in_every_round_but_the_first() -> None:
    assert not any(changes(page, 0) for page in range(1000))
    for number in (1, 2, 3):
        assert 70 <= sum(changes(page, number) for page in range(1000)) <= 130


def test_versions_count_the_changes_up_to_a_round() -> None:
    for page in PAGES:
        for number in (1, 2, 3):
            assert version(page, number) - version(page, number - 1) == changes(page, number)
