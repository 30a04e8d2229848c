"""What moves in an article by itself does not count; what its author wrote does."""

from __future__ import annotations

import pytest

from driftline.core.noise.line_noise import without_line_noise

MOVES = [
    ("Last updated: 2026-01-05 10:22:31", "Last updated: 2026-02-11 08:00:00"),
    ("Last updated on Oct 19, 2025", "Last updated on Oct 20, 2025"),
    ("Last updated:\n5 January 2026", "Last updated:\n11 February 2026"),
    ("As of 12 March 2026", "As of 13 March 2026"),
    ("Zuletzt aktualisiert am 5. Januar 2026 um 10:22 Uhr", "Zuletzt aktualisiert am 6. Januar 2026 um 07:11 Uhr"),
    ("最終更新日：2026年1月5日", "最終更新日：2026年1月6日"),
    ("posted 3 days ago by anna", "posted 2 weeks ago by anna"),
    ("il y a une heure", "il y a 2 heures"),
    ("yesterday", "2 days ago"),
    ("1,204 views", "1,391 views"),
    ("1,204\nviews", "1,391\nviews"),
    ("Views: 120", "Views: 143"),
    ("Leave a comment", "1 Comment"),
    ("1 Comment", "2 Comments"),
    ("By Anna · 3 hours ago · 12 comments", "By Anna · 4 hours ago · 15 comments"),
    ("閲覧数：1,204", "閲覧数：1,391"),
]
COUNTS = [
    ("Fees as of 1 April 2026", "Fees as of 1 May 2026"),
    ("Event on 14 March 2026", "Event on 21 March 2026"),
    ("Published: 3 March 2026", "Published: 4 March 2026"),
    ("up to 10 downloads", "up to 20 downloads"),
    ("500 views included", "900 views included"),
    ("5,000 downloads / month", "9,000 downloads / month"),
    ("18 tickets left", "17 tickets left"),
    ("Tickets\n18", "Tickets\n17"),
    ("Price: $19.99", "Price: $18.99"),
    ("He came to the country with his family some 30 years ago.", "He came to the country with his family some 40 years ago."),
    ("The museum counted 12,040 visitors in its best year.", "The museum counted 13,910 visitors in its best year."),
]


@pytest.mark.parametrize(("before", "after"), MOVES)
def test_what_moves_by_itself_does_not_count(before: str, after: str) -> None:
    assert without_line_noise(before.split("\n")) == without_line_noise(after.split("\n"))


@pytest.mark.parametrize(("before", "after"), COUNTS)
def test_what_somebody_wrote_counts(before: str, after: str) -> None:
    assert without_line_noise(before.split("\n")) != without_line_noise(after.split("\n"))
