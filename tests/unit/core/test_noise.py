"""Noise is named by shape; content that looks a little like it stays."""

# ruff: noqa: E501 - lines stand here as pages have them

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.noise import COUNT, COUNT_LABEL, PLACEHOLDER, ROLE, RULES, TIME, TIME_LABEL, canonical, explain, settle
from driftline.core.noise_quotas import FEATURE, PLAN, PRICED, QUOTA

PAIRS_OF_NOISE = [
    ("Last updated: 2026-01-05 10:22:31", "Last updated: 2026-02-11 08:00:00", "updated-at"),
    ("Request b3cd017f200f", "Request 12d8acf1d902", "trace"),
    ("trace: 4bf92f3577b34da6a3ce929d0e0e4736", "trace: 5af92f3577b34da6a3ce929d0e0e4736", "trace"),
    ("Served at 09:01:14", "Served at 10:22:31", "served-at"),
    ("You are visitor number 48213", "You are visitor number 48214", "visit-number"),
    ("answer no. 2", "answer no. 3", "visit-number"),
    ("Open now · Closes 6 pm", "Closed now · Opens 9 am", "open-now"),
    ("Deal ends in 02:13:44", "Deal ends in 02:13:41", "countdown"),
    ("Sale ends in 3d 4h 12m", "Sale ends in 3d 4h 11m", "countdown"),
    ("Last updated: 5 January 2026", "Last updated: 11 February 2026", "updated-at"),
    ("Last updated January 5, 2026 at 10:22 AM", "Last updated February 11, 2026 at 8:00 PM", "updated-at"),
    ("Prices as of 03/01/2026", "Prices as of 04/01/2026", "updated-at"),
    ("As of 12 March 2026", "As of 13 March 2026", "updated-at"),
    ("$24.99 (as of March 12, 2026)", "$24.99 (as of March 13, 2026)", "updated-at"),
    ("Exchange rates | as of 12.03.2026", "Exchange rates | as of 13.03.2026", "updated-at"),
    ("Mortgage rates as of March 12, 2026", "Mortgage rates as of March 13, 2026", "updated-at"),
    ("Copyright - 2025 Example", "Copyright - 2026 Example", "copyright-year"),
    ("Data as at 12/03/2026", "Data as at 13/03/2026", "updated-at"),
    ("This page is current as of 12 March 2026", "This page is current as of 13 March 2026", "updated-at"),
    ("Stand: 12.03.2026", "Stand: 13.03.2026", "updated-at"),
    (
        "Zuletzt aktualisiert am 5. Januar 2026 um 10:22 Uhr",
        "Zuletzt aktualisiert am 6. Januar 2026 um 07:11 Uhr",
        "updated-at",
    ),
    ("Mis à jour le 3 mars 2026 à 10h22", "Mis à jour le 4 mars 2026 à 11h02", "updated-at"),
    ("Última actualización: 5 de enero de 2026", "Última actualización: 6 de enero de 2026", "updated-at"),
    ("Ultimo aggiornamento: 05/01/2026 10:22", "Ultimo aggiornamento: 06/01/2026 11:22", "updated-at"),
    ("Atualizado em 5 de janeiro de 2026", "Atualizado em 7 de janeiro de 2026", "updated-at"),
    ("Laatst bijgewerkt: 5 januari 2026", "Laatst bijgewerkt: 6 januari 2026", "updated-at"),
    ("Ostatnia aktualizacja: 5 stycznia 2026", "Ostatnia aktualizacja: 6 stycznia 2026", "updated-at"),
    ("Обновлено: 5 января 2026 г.", "Обновлено: 6 января 2026 г.", "updated-at"),
    ("最終更新日：2026年1月5日", "最終更新日：2026年1月6日", "updated-at"),
    ("更新时间：2026-01-05 10:22", "更新时间：2026-01-06 10:22", "updated-at"),
    ("Server time: 10:22:31", "Server time: 10:27:02", "updated-at"),
    ("The time now is 10:22 AM.", "The time now is 11:45 AM.", "updated-at"),
    ("2026-01-05T10:22:31Z", "2026-01-05T10:27:02Z", "timestamp"),
    ("2026-01-05 10:22:31.123", "2026-01-05 10:27:02.456", "timestamp"),
    ("Mon, 05 Jan 2026 10:22:31 GMT", "Tue, 06 Jan 2026 08:00:00 GMT", "timestamp"),
    ("Mon Jan  5 10:22:31 UTC 2026".replace("  ", " "), "Tue Jan 6 08:00:00 UTC 2026", "timestamp"),
    ("3 minutes ago", "2 hours ago", "relative-time"),
    ("posted 3 days ago by anna", "posted 2 weeks ago by anna", "relative-time"),
    ("an hour ago", "5 hours ago", "relative-time"),
    ("vor 3 Minuten", "vor 2 Stunden", "relative-time"),
    ("il y a 3 minutes", "il y a 2 heures", "relative-time"),
    ("hace 3 minutos", "hace 2 horas", "relative-time"),
    ("3 minuti fa", "2 ore fa", "relative-time"),
    ("há 3 minutos", "há 2 horas", "relative-time"),
    ("3 minuten geleden", "2 uur geleden", "relative-time"),
    ("3 minuty temu", "2 godziny temu", "relative-time"),
    ("för 3 minuter sedan", "för 2 timmar sedan", "relative-time"),
    ("3 minuuttia sitten", "2 tuntia sitten", "relative-time"),
    ("před 3 minutami", "před 2 hodinami", "relative-time"),
    ("3 минуты назад", "2 часа назад", "relative-time"),
    ("3 dakika önce", "2 saat önce", "relative-time"),
    ("3分前", "2時間前", "relative-time"),
    ("3分钟前", "2小时前", "relative-time"),
    ("3분 전", "2시간 전", "relative-time"),
    ("منذ 3 دقائق", "منذ 5 ساعات", "relative-time"),
    ("yesterday", "today", "relative-time"),
    ("1,204 views", "1,391 views", "counter"),
    ("1.2k followers", "1.3k followers", "counter"),
    ("Views: 120", "Views: 143", "counter"),
    ("12 likes 3 shares", "13 likes 4 shares", "counter"),
    ("1.204 Aufrufe", "1.391 Aufrufe", "counter"),
    ("1 204 vues", "1 391 vues", "counter"),
    ("閲覧数：1,204", "閲覧数：1,391", "counter"),
    ("seen 40123 times", "seen 40124 times", "counter"),
    ("12 people are viewing this right now", "31 people are viewing this right now", "online-now"),
    ("Page generated in 0.034 seconds", "Page generated in 0.112 seconds", "generation-time"),
    ("Build time: 12 ms", "Build time: 48 ms", "generation-time"),
    ("Request ID: 4bf92f3577b34da6", "Request ID: 7d1e6a5c0b9f4e3d", "request-id"),
    ("Ray ID: 8f3a2b1c4d5e6f70", "Ray ID: 0a1b2c3d4e5f6a7b", "request-id"),
    ("id 4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "id 7d1e6a5c-0b9f-4e3d-8c7b-6a5948372615", "uuid"),
    ("Your IP address is 203.0.113.7", "Your IP address is 198.51.100.20", "reader-address"),
    ("Served by web-03", "Served by web-11", "served-by"),
    ("© 2019-2025 Example", "© 2019-2026 Example", "copyright-year"),
    ("Copyright 2025 Example Ltd", "Copyright 2026 Example Ltd", "copyright-year"),
    ("data.took: 12", "data.took: 15", "machine-field"),
    ("data.updated_at: 2026-01-05", "data.updated_at: 2026-01-06", "machine-field"),
    ("It is currently Sat Nov 15, 2026 10:22 pm", "It is currently Sun Nov 16, 2026 9:02 am", "updated-at"),
    ("This page was last edited on 5 January 2026, at 10:22 (UTC).", "This page was last edited on 6 March 2026, at 9:02 (UTC).", "updated-at"),
    ("Generated by JSDoc 4.0.2 on Sat Nov 15 2026", "Generated by JSDoc 4.0.2 on Sun Nov 16 2026", "updated-at"),
    ("Data ostatniej aktualizacji: 15.11.2026", "Data ostatniej aktualizacji: 16.11.2026", "updated-at"),
    ("Heute: Samstag, 15.11.2026", "Heute: Sonntag, 16.11.2026", "updated-at"),
    ("Today at 10:22", "Yesterday at 10:22", "relative-time"),
    ("By Anna Keller · 2h · 5 min read", "By Anna Keller · 3d · 5 min read", "relative-time"),
    ("Posted 30+ Days Ago", "Posted Today", "relative-time"),
    ("By Anna · yesterday", "By Anna · 2 days ago", "relative-time"),
    ("Updated just now", "Updated 3 min. ago", "relative-time"),
    ("il y a une heure", "il y a 2 heures", "relative-time"),
    ("hace una hora", "hace 2 horas", "relative-time"),
    ("منذ ساعة", "منذ ساعتين", "relative-time"),
    ("released this 3 days ago", "released this last week", "relative-time"),
    ("1 Comment", "2 Comments", "counter"),
    ("No comments", "1 comment", "counter"),
    ("♥ 12", "♥ 15", "counter"),
    ("Star 1.2k", "Star 1.3k", "counter"),
    ("4.6 (1,204)", "4.6 (1,207)", "counter"),
    ("100+ bought in past month", "200+ bought in past month", "counter"),
    ("204 points by anna 3 hours ago | 120 comments", "231 points by anna 4 hours ago | 144 comments", "counter"),
    ("조회 1,204", "조회 1,391", "counter"),
    ("Cart (0)", "Cart (2)", "counter"),
    ("Security question: 3 + 4 =", "Security question: 8 + 1 =", "captcha"),
    ("12 people found this helpful", "14 people found this helpful", "online-now"),
    ("In total there are 12 users online :: 4 registered and 8 guests", "In total there are 9 users online :: 3 registered and 6 guests", "online-now"),
    ("Total posts 120,442 • Total topics 9,120", "Total posts 120,449 • Total topics 9,121", "board-statistics"),
    ("Posts: 12,044", "Posts: 12,101", "board-statistics"),
    ("Site design © 2026 Example; rev 2026.11.15.18112", "Site design © 2026 Example; rev 2026.11.16.18201", "build-hash"),
    ("204 people have saved this property", "231 people have saved this property", "online-now"),
    ("Our newest member anna", "Our newest member berta", "board-statistics"),
    ("Best Sellers Rank: #1,204 in Kitchen", "Best Sellers Rank: #1,211 in Kitchen", "sales-rank"),
    ("34 queries in 0.123 seconds", "31 queries in 0.456 seconds", "generation-time"),
    ("Version 3f2a9c1", "Version 88d01e7", "build-hash"),
    ("build: 2026.11.15-3f2a9c1", "build: 2026.11.16-88d01e7", "build-hash"),
    ("2025 © Example", "2026 © Example", "copyright-year"),
    ("Copyright © 2025, Example", "Copyright © 2026, Example", "copyright-year"),
    ("Copyright (c) 2019 - 2025 Example", "Copyright (c) 2019 - 2026 Example", "copyright-year"),
    ("(c) Example Ltd 2025", "(c) Example Ltd 2026", "copyright-year"),
    ("Copyright Example Ltd 2025", "Copyright Example Ltd 2026", "copyright-year"),
    ("Imprint | Copyright: Example & Sons Ltd. 2025.", "Imprint | Copyright: Example & Sons Ltd. 2026.", "copyright-year"),
    ("Copyright by Example 2001-2025. All rights reserved", "Copyright by Example 2001-2026. All rights reserved", "copyright-year"),
    ("All rights reserved 2025", "All rights reserved 2026", "copyright-year"),
    ("Closes in 3 days", "Closes in 2 days", "countdown"),
    ("Order within 2 hrs 13 mins for delivery tomorrow", "Order within 1 hr 3 mins for delivery tomorrow", "countdown"),
    ("02 Days 13 Hours 44 Minutes", "02 Days 13 Hours 21 Minutes", "countdown"),
    ("FREE delivery Tuesday, November 18", "FREE delivery Wednesday, November 19", "delivery-day"),
    ("Estimated delivery: Nov 18 - Nov 21", "Estimated delivery: Nov 19 - Nov 22", "delivery-day"),
]  # fmt: skip

PAIRS_OF_CONTENT = [
    ("Delivery by Tuesday, 12 June 2026", "Delivery by Tuesday, 19 June 2026"),
    ("Consegna prevista: 12 giugno 2026", "Consegna prevista: 30 settembre 2026"),
    ("Estimated arrival: June 12, 2026", "Estimated arrival: August 3, 2026"),
    ("Up to 5 orders today", "Up to 2 orders today"),
    ("At most 20 views in the last day for guests", "At most 10 views in the last day for guests"),
    ("34 points by Smith", "38 points by Smith"),
    ("Our rating: 4.5 out of 5", "Our rating: 3.0 out of 5"),
    ("Verdict: 4.5/5", "Verdict: 2.5/5"),
    ("Hygiene rating 4.5 out of 5", "Hygiene rating 1.5 out of 5"),
    ("Testurteil: 4,5 von 5 Punkten", "Testurteil: 2,5 von 5 Punkten"),
    ("Notre note : 4,5 sur 5", "Notre note : 2,5 sur 5"),
    ("Event on 14 March 2026", "Event on 21 March 2026"),
    ("Valid until 3 March", "Valid until 4 March"),
    ("Under the Copyright Act 1968 you may copy 10 pages.", "Under the Copyright Act 1987 you may copy 10 pages."),
    ("Copyright Act 1968", "Copyright Act 1987"),
    ("Copyright expires in 2030.", "Copyright expires in 2045."),
    ("Copyright royalties 2025: 4.1 million", "Copyright royalties 2026: 4.1 million"),
    ("Copyright 2025: what is new", "Copyright 2026: what is new"),
    ("(a) in 2024, (b) in 2025 and (c) by the end of 2026", "(a) in 2024, (b) in 2025 and (c) by the end of 2027"),
    ("Fees as of 1 April 2026", "Fees as of 1 May 2026"),
    ("Effective as of 1 April 2026", "Effective as of 1 May 2026"),
    ("Terms and conditions as of 1 April 2026", "Terms and conditions as of 1 May 2026"),
    ("Closed as of 18:00", "Closed as of 17:00"),
    ("Members as at 1 January 2026", "Members as at 1 February 2026"),
    ("Deadline: 2026-11-30", "Deadline: 2026-12-31"),
    ("Doors open 19:30", "Doors open 20:00"),
    ("2026-03-14 19:00", "2026-03-14 20:00"),
    ("Published: 3 March 2026", "Published: 4 March 2026"),
    ("Effective date: 1 May 2026", "Effective date: 1 June 2026"),
    ("Price: $19.99", "Price: $18.99"),
    ("only 3 left", "only 2 left"),
    ("18 tickets left", "17 tickets left"),
    ("Score 2:1", "Score 2:2"),
    ("40 points", "41 points"),
    ("Version 3.2.1", "Version 3.2.2"),
    ("Opening hours 10:00-18:00", "Opening hours 10:00-17:00"),
    ("call +34 900 123 456", "call +34 900 123 457"),
    ("1,204 results", "1,391 results"),
    ("Dinner served at 19:00", "Dinner served at 20:00"),
    ("Starts 20:30", "Starts 21:30"),
    ("Request 2119", "Request 2120"),
    ("Session 12", "Session 13"),
    ("12 jobs", "13 jobs"),
    ("The notice period is 30 days", "The notice period is 60 days"),
    ("Warranty: 2 years", "Warranty: 3 years"),
    ("delivery in 3 days", "delivery in 5 days"),
    ("SHA256: " + "3f" * 32, "SHA256: " + "4f" * 32),
    ("ISBN 9781234567897", "ISBN 9781234567898"),
    ("Lap 1:23.456", "Lap 1:23.457"),
    ("Marathon 2:03:59", "Marathon 2:04:01"),
    ("You may run it", "You may not run it"),
    ("a < b 5", "a < b 6"),
    ("up to 10 downloads", "up to 20 downloads"),
    ("500 views included", "900 views included"),
    ("5,000 downloads / month", "9,000 downloads / month"),
    ("Response in 24 hours", "Response in 48 hours"),
    ("5 days left of leave per year", "6 days left of leave per year"),
    ("Ships in 3 days", "Ships in 5 days"),
    ("Delivery: 15 November 2026", "Delivery: 22 November 2026"),
    ("Members: 27 states", "Members: 28 states"),
    ("Version 2.4.1", "Version 2.4.2"),
    ("Open today", "Closed today"),
    ("Deadline: 2026-11-15 23:59:59", "Deadline: 2026-11-22 23:59:59"),
    ("Starts on 2026-11-15 19:00:00 UTC", "Starts on 2026-11-22 19:00:00 UTC"),
    ("events[].startDate: 2026-11-15T19:00:00+01:00", "events[].startDate: 2026-11-22T19:00:00+01:00"),
    ("1,2026-11-15T19:00:00,Berlin", "1,2026-11-22T19:00:00,Berlin"),
    (
        "This target does not build as of 2025-10-01 due to a change in the linker.",
        "This target does not build as of 2025-11-01 due to a change in the linker.",
    ),
    ("He came to the country with his family some 30 years ago.", "He came to the country with his family some 40 years ago."),
    (
        "The museum counted 12,040 visitors in the year of its jubilee.",
        "The museum counted 13,910 visitors in the year of its jubilee.",
    ),
    (
        "Her first film had two million and 300 views within a week of the show.",
        "Her first film had two million and 900 views within a week of the show.",
    ),
    ("Doors open today at 19:00", "Doors open today at 20:00"),
    ("Team A 2 - 1", "Team A 2 - 2"),
]


@pytest.mark.parametrize(("before", "after", "rule"), PAIRS_OF_NOISE)
def test_noise_is_replaced_by_the_rule_that_names_it(before: str, after: str, rule: str) -> None:
    assert canonical(before).text == canonical(after).text
    assert rule in {found.name for found, _ in explain(before)}


@pytest.mark.parametrize(("before", "after"), PAIRS_OF_CONTENT)
def test_content_stays(before: str, after: str) -> None:
    assert canonical(before).text != canonical(after).text


def test_every_rule_has_a_reason_and_a_test() -> None:
    tested = {rule for _, _, rule in PAIRS_OF_NOISE}
    assert {rule.name for rule in RULES} == tested
    assert all(rule.reason for rule in RULES)


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("1,204", COUNT),
        ("(12)", COUNT),
        ("5 January 2026", TIME),
        ("10:22", TIME),
        ("Last updated:", TIME_LABEL),
        ("Updated", TIME_LABEL),
        ("views", COUNT_LABEL),
        ("Comments:", COUNT_LABEL),
        ("minutes ago", COUNT_LABEL),
        ("$19.99", PRICED),
        ("Pro plan, $29", PLAN),
        ("5 GB", FEATURE),
        ("500 subscribers", QUOTA),
        ("501 subscribers", TIME),
        ("Chapter", 0),
        ("Last updated: 5 January 2026", 0),
    ],
)
def test_a_line_has_a_role_for_its_neighbours(line: str, role: int) -> None:
    assert canonical(line).role == role


def _marks(*lines: str) -> list[int]:
    return [hash(canonical(line).text) << 4 & 0xFFFFFFFFFFFFFFF0 | canonical(line).role for line in lines]


def test_a_number_beside_a_counter_label_is_noise() -> None:
    assert settle(_marks("1,204", "views"), 0)[0] == 0
    assert settle(_marks("Views", "1,204"), 0)[1] == 0


def test_a_date_behind_an_update_label_is_noise() -> None:
    assert settle(_marks("Last updated:", "5 January 2026", "10:22"), 0)[1:] == [0, 0]


def test_a_number_or_date_elsewhere_is_content() -> None:
    marks = _marks("Tickets", "18", "Event", "5 January 2026", "$19.99", "views")
    assert settle(marks, 0) == marks


def test_only_one_of_two_numbers_belongs_to_a_label() -> None:
    settled = settle(_marks("12", "likes", "34", "comments", "7"), 0)
    assert [mark == 0 for mark in settled] == [True, False, True, False, False]


@given(st.text(max_size=300))
def test_canonical_is_idempotent_enough_to_hash_and_never_fails(text: str) -> None:
    line = " ".join(text.split())
    found = canonical(line)
    assert canonical(line) == found
    assert found.role & ~ROLE == 0
    assert (found.text == line) or PLACEHOLDER in found.text


@given(st.from_regex(r"[a-z0-9 :.,/-]{0,400}", fullmatch=True))
def test_lines_of_digits_and_separators_end_quickly(line: str) -> None:
    canonical(line * 20)
