"""Errors on the dashboard, in words."""

from __future__ import annotations

from driftline.errors import NotFound, Refused
from driftline.web.pages.public.failing import error_notice


def test_what_was_not_found_is_named_without_the_name_of_a_field() -> None:
    notice = error_notice(NotFound("no such watch", ref="Terms", hint="choose one of the list"))
    assert (notice.title, notice.context, notice.hint) == ("No such watch", "Terms", "Choose one of the list.")
    assert error_notice(Refused("the name is taken", name="mail")).context == "name mail"
