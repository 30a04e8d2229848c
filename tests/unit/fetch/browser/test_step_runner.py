"""What a browser says of a step that failed is told in words of our own: its message may hold what was filled in."""

from __future__ import annotations

import pytest
from playwright.async_api import Error

from driftline.fetch.browser.step_runner import _sentence


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("Page.click: 'p[[' is not a valid selector", "the selector is not valid"),
        ('Unknown engine "foo" while parsing selector', "the selector is not valid"),
        ("Element is not an <input>, secret-7", "it is no field that can be filled"),
        ("Page.goto: net::ERR_CONNECTION_REFUSED at http://secret-7/", "the address could not be opened"),
        ("Target closed", "the page was closed"),
        ("Target page, context or browser has been closed", "the page was closed"),
        ("Target crashed", "the page took too much memory"),
        ("something else with secret-7", "the browser could not do it"),
    ],
)
def test_an_error_of_the_browser_is_a_sentence_of_ours(message: str, sentence: str) -> None:
    assert _sentence(Error(message)) == sentence
