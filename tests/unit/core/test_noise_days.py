"""What a line says of the present moment is noise; hours, dates and distances that somebody set are content."""

from __future__ import annotations

import pytest

from driftline.core.days import is_date
from driftline.core.noise import canonical, explain

NOISE = [
    ("Open now · Closes 6 pm", "Closed now · Opens 9 am"),
    ("Open now", "Closed now"),
    ("Open ⋅ Closes 10 PM", "Closed ⋅ Opens 9 AM Mon"),
    ("Jetzt geöffnet", "Jetzt geschlossen"),
    ("Geöffnet · Schließt um 18:00 Uhr", "Geschlossen · Öffnet um 09:00 Uhr"),
    ("Ouvert actuellement", "Fermé actuellement"),
    ("Ouvert · Ferme à 18h00", "Fermé · Ouvre à 9h00"),
    ("Сейчас открыто", "Сейчас закрыто"),
    ("Only 12 days until the fair!", "Only 11 days until the fair!"),
    ("12 days to go until the fair", "11 days to go until the fair"),
    ("Nur noch 12 Tage bis zum Fest", "Nur noch 3 Tage bis zum Fest"),
    ("Ještě 12 dní do začátku", "Ještě 9 dní do začátku"),
    ("Next bus in 4 min", "Next bus in 9 min"),
    ("Nächste Bahn in 4 Min.", "Nächste Bahn in 12 Min."),
    ("Odjezd za 4 min", "Odjezd za 9 min"),
    ("تم تحديث الصفحة في 10/03/2026", "تم تحديث الصفحة في 11/03/2026"),
    ("Prochain train dans 4 min", "Prochain train dans 11 min"),
    ("Nous sommes le mardi 10 mars 2026", "Nous sommes le mercredi 11 mars 2026"),
    ("今天是：2026年3月10日 星期二", "今天是：2026年3月11日 星期三"),
    ("今日は2026年3月10日（火）です", "今日は2026年3月11日（水）です"),
    ("Dnes je úterý 10. 3. 2026", "Dnes je středa 11. 3. 2026"),
    ("Poslední aktualizace: 10. 3. 2026", "Poslední aktualizace: 11. 3. 2026"),
    ("آخر تحديث قبل 5 دقائق", "آخر تحديث قبل ساعتين"),
    ("تاريخ آخر تحديث: 10/03/2026", "تاريخ آخر تحديث: 11/03/2026"),
    ("最近更新：2026-03-10", "最近更新：2026-03-11"),
]  # fmt: skip

CONTENT = [
    ("Monday 9 am – 6 pm", "Monday 9 am – 5 pm"),
    ("Now open: our new hall", "Now closed: our new hall"),
    ("Applications open now for autumn", "Applications closed now for autumn"),
    ("Open until 6 pm", "Open until 5 pm"),
    ("Closed", "Open"),
    ("Free cancellation until 12 days before arrival", "Free cancellation until 3 days before arrival"),
    ("Apply at least 12 days before", "Apply at least 10 days before"),
    ("The next course takes 40 min", "The next course takes 50 min"),
    ("Only 14 days to return goods", "Only 30 days to return goods"),
    ("Parking 12 days to the airport", "Parking 9 days to the airport"),
    ("10. 3. 2026 od 18 hodin", "11. 3. 2026 od 18 hodin"),
    ("Open day · Closes registration 5 May", "Open day · Closes registration 9 May"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), NOISE)
def test_what_a_clock_turns_over_is_noise_and_explained(before: str, after: str) -> None:
    assert canonical(before).text == canonical(after).text
    assert explain(before)
    assert explain(after)


@pytest.mark.parametrize(("before", "after"), CONTENT)
def test_what_somebody_set_is_content(before: str, after: str) -> None:
    assert canonical(before).text != canonical(after).text


@pytest.mark.parametrize(
    "text",
    [
        "2026年3月10日（火曜日）",
        "令和8年3月10日(火)",
        "10 марта 2026, вторник",
        "10. 3. 2026",
        "الثلاثاء، 10 مارس 2026",
    ],
)
def test_a_date_may_be_written_in_many_ways(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize("part", ["open now ", "next x ", "only 1 days ", "today is ", "1. 1. ", "closed · "])
def test_a_hostile_line_is_looked_at_in_no_time(part: str) -> None:
    canonical(part * 4_000)
    assert not is_date(part * 4_000)
