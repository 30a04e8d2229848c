"""Templates without logic."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages import change, message, reported

from driftline.deliver.render import templates
from driftline.errors import BadRule


@pytest.mark.parametrize(
    "template",
    [
        "{{nobody}}",
        "{{headline.upper}}",
        "{{ headline | upper }}",
        "{{#if}}x{{/if}}",
        "{{",
        "}} {{headline}}",
        "{{{headline}}}x{{",
        "{% for x in y %}{{x}}",
        "{{self.__class__}}",
    ],
)
def test_what_is_not_a_known_name_is_refused_on_save(template: str) -> None:
    with pytest.raises(BadRule):
        templates.check(template)


@pytest.mark.parametrize("letters", ["\r\nBcc: other@example.org", "\n", "\r", "\x00", "\x0b", "\u2028", "\x85"])
def test_a_line_break_in_a_subject_is_refused_on_save(letters: str) -> None:
    with pytest.raises(BadRule):
        templates.check(f"{{{{headline}}}}{letters}", one_line=True)


def test_every_name_can_be_used_and_has_a_value() -> None:
    template = " ".join(f"{{{{ {name} }}}}" for name in templates.NAMES)
    templates.check(template, one_line=True)
    filled = templates.MessageValues(message(reported(change(1), change(2))))
    assert filled.keys() == templates.NAMES.keys()
    assert "{{" not in templates.fill(template, filled)


@given(st.text())
def test_a_value_is_never_read_as_a_template(text: str) -> None:
    assert templates.fill("a{{headline}}b", {"headline": text}) == f"a{text}b"


@given(st.text(), st.text())
def test_a_value_cannot_leave_its_json_string(one: str, other: str) -> None:
    template = '{"text": "{{headline}}", "more": ["{{watch}}: {{headline}}"]}'
    templates.check_json(template)
    try:
        one.encode(), other.encode()
    except UnicodeEncodeError:
        return  # a lone surrogate never comes out of the store
    filled = templates.fill_json(template, {"headline": one, "watch": other})
    assert msgspec.json.decode(filled) == {"text": one, "more": [f"{other}: {one}"]}


@pytest.mark.parametrize("template", ['{"text": {{headline}}', "{{headline}}", '{"text": "{{headline}}"', "hello"])
def test_a_webhook_template_that_is_no_json_is_refused_on_save(template: str) -> None:
    with pytest.raises(BadRule):
        templates.check_json(template)


def test_every_name_stands_in_the_document() -> None:
    page = (Path(__file__).parents[4] / "docs/delivery.md").read_text(encoding="utf-8")
    rows = [f"| `{{{{{name}}}}}` | {meaning} |" for name, meaning in templates.NAMES.items()]
    assert rows
    assert [row for row in rows if row not in page] == []
