"""Answers in which nothing can be found, whatever a kind looks for: files that are no text, and pages that scripts make."""

from __future__ import annotations

from typing import Any

from driftline.core.answers.failure_text import MADE_BY_SCRIPTS
from driftline.core.answers.file_types import file_type
from driftline.core.answers.shells import is_shell
from driftline.core.text.charset import decode
from driftline.kinds.kind import Reading
from driftline.model.fetch import Fetched


def no_text(got: Fetched) -> Reading[Any] | None:
    """A failed reading of an answer that is a picture, an archive or the like; None: it is text."""
    found = file_type(got.body, got.headers.get("content-type", ""))
    return found and Reading(complete=False, outcome="error", reason=f"answers with {found.noun} instead of a page")


def needs_browser(got: Fetched) -> Reading[Any] | None:
    """A failed reading of a page that scripts make; None: it is another page. For answers in which nothing was found."""
    if got.rendered or not is_shell(decode(got.body, got.headers.get("content-type", ""))):
        return None
    return Reading(complete=False, outcome="needs_browser", reason=MADE_BY_SCRIPTS)
