"""Hashes of canonical forms, and the recipe that made them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.fingerprint import fingerprint, recipe
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.kind import Rules


@given(st.lists(st.binary(max_size=8), max_size=5), st.lists(st.binary(max_size=8), max_size=5))
def test_fingerprints_are_equal_exactly_when_the_parts_are(one: list[bytes], other: list[bytes]) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (one == other)


def test_another_rule_or_parser_version_is_another_recipe() -> None:
    usual = recipe("catalog", 1, CatalogRules())
    assert usual == recipe("catalog", 1, CatalogRules())
    others = {
        recipe("catalog", 2, CatalogRules()),
        recipe("catalog", 1, CatalogRules(card=".card")),
        recipe("page", 1, Rules()),
    }
    assert len({usual} | others) == 4


def test_a_rule_that_only_judges_is_no_part_of_the_recipe() -> None:
    assert recipe("catalog", 1, CatalogRules(alert_after=5, min_price_change="5%")) == recipe("catalog", 1, CatalogRules())


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_sanitized_text_can_be_stored_anywhere_and_stays_as_it_is(text: str) -> None:
    clean = sanitize(text)
    assert "\x00" not in clean
    assert clean.encode().decode() == clean
    assert sanitize(clean) == clean


@given(st.text(alphabet=st.characters(exclude_characters="\x00", codec="utf-8")))
def test_ordinary_text_passes_untouched(text: str) -> None:
    assert sanitize(text) == text
