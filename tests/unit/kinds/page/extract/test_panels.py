"""What one click on the page shows is the page's own text; what scripts show by themselves is not."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

import pytest
from tests.unit.kinds.page.watching import body, seen


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ('<button>What does it cost?</button><div class="panel" style="display:none"><p>The course costs {} pounds.</p></div>', "80", "95"),
        ('<h3><button aria-expanded="false">Fees</button></h3><div hidden><p>The course costs {} pounds.</p></div>', "80", "95"),
        ('<ul role="tablist"><li role="tab">Rules</li></ul><div role="tabpanel" hidden><p>Members may bring {} guest.</p></div>', "one", "no"),
        ('<button aria-controls="x1">Fees</button><p>Text between them.</p><div id="x1" style="display: none">Entry is {} pounds.</div>', "4", "5"),
        ('<a href="#t2" role="tab">Fees</a><div id="t2" hidden>Entry is {} pounds.</div>', "4", "5"),
    ],
)  # fmt: skip
def test_a_panel_that_a_click_shows_is_compared(form: str, old: str, new: str) -> None:
    diff = seen(body(form.format(old)), body(form.format(new)))
    assert diff is not None
    assert new in diff.headline


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ('<div hidden><p>{} seats are left for you today</p></div>', "Four", "Five"),
        ('<button>Share</button><div style="display:none">{}</div>', "Link copied", "Link was copied"),
        ('<button aria-controls="m">Book</button><div id="m" class="modal" style="display:none"><p>Please call {} at noon.</p></div>', "Anna", "Bert"),
        ('<button aria-controls="m">Send</button><div id="m" role="alert" hidden><p>{} went wrong, try again.</p></div>', "Something", "It"),
        ('<button aria-controls="n">Menu</button><ul id="n" hidden><li><a href="/a">All courses {}</a></li><li><a href="/b">All rooms</a></li></ul>', "2025", "2026"),
        ('<button aria-controls="f">Sign in</button><div id="f" hidden><form><p>Welcome back, {} friend.</p><input name=q></form></div>', "dear", "old"),
        ('<template><p>{} rows</p></template><p style="display:none">{} is your token</p>', "a1", "b2"),
    ],
)  # fmt: skip
def test_what_no_reader_opens_stays_silent(form: str, old: str, new: str) -> None:
    assert seen(body(form.format(old, old)), body(form.format(new, new))) is None
