"""Values of the wrong type, in words that say what to write."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from driftline.core.answers.invalid_value import did_you_mean, invalid_value
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.page.rules import PageRules


@pytest.mark.parametrize(
    ("type_", "values", "message", "hint"),
    [
        (PageRules, {"ignor_text": ["x"]}, 'unknown rule "ignor_text"', 'Did you mean "ignore_text"?'),
        (PageRules, {"colour": "blue"}, 'unknown rule "colour"', "see the rules"),
        (PageRules, {"alert_after": "often"}, "invalid rule alert_after: must be a whole number", "see the rules"),
        (PageRules, {"calibrate": 7}, "invalid rule calibrate: must be true or false", "see the rules"),
        (CatalogRules, {"fields": {"titel": "h2"}}, 'unknown rule "titel"', 'Did you mean "title"?'),
        (CatalogRules, {"fields": {"title": 3}}, "invalid rule fields.title: must be text or empty", "see the rules"),
    ],
)
def test_a_wrong_value_is_named_with_what_it_must_be(type_: Any, values: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(values, type_)
    assert invalid_value(refused.value, type_, called="rule", hint="see the rules") == (message, hint)


def test_a_name_that_is_close_to_none_gets_no_guess() -> None:
    assert did_you_mean("xyz", ["list", "show"]) == ""
