"""Pages that say in words that there is nothing to book, and pages that only sound like it."""

from __future__ import annotations

import pytest
from tests.unit.kinds.availability.test_board_pages import read, seen

from driftline.kinds.availability.html.empty_board import denies_slots

NOTHING = """
Non ci sono date disponibili per il servizio richiesto
Brak wolnych terminów w wybranym okresie
Tidak ada jadwal tersedia
No appointments available
There are no appointments available at this time
No slots available for the selected date and location
Sorry, we have no availability
Fully booked
All lovely summer appointments are booked
Sold out
We are fully booked
No available times
No times available
Currently no open slots
We couldn't find any available appointments
There is currently no availability for your party size
Not available: no tables
Keine Termine verfügbar
Keine freien Termine
Derzeit sind leider keine Termine verfügbar
Aktuell ausgebucht
Es sind keine freien Plätze mehr vorhanden
Leider sind derzeit keine Termine buchbar
Aucune disponibilité
Il n'y a plus de rendez-vous disponibles
Aucun créneau disponible
Aucun rendez-vous n'est disponible
Complet
No hay citas disponibles
No hay horarios disponibles para esta fecha
Sin disponibilidad
En este momento no hay citas disponibles
No quedan plazas libres
Não há horários disponíveis
Sem vagas disponíveis
Nenhum horário disponível
Nessun appuntamento disponibile
Non ci sono posti disponibili
Nessuna disponibilità
Geen afspraken beschikbaar
Er zijn geen tijden beschikbaar
Volgeboekt
Brak wolnych terminów
Brak dostępnych wizyt
Inga lediga tider
Det finns inga lediga tider
Ingen ledige tider
Der er ingen ledige tider
Ingen ledige timer
Ei vapaita aikoja
Нет свободных мест
Нет доступного времени для записи
Свободных мест нет
Немає вільних місць
空きがありません
予約可能な時間がありません
ご予約いただける空席がございません
暂无可预约时间
没有可预约的时段
目前沒有可預約時段
예약 가능한 시간이 없습니다
Uygun randevu bulunmamaktadır
Müsait saat yok
Žádné volné termíny
Nejsou k dispozici žádné termíny
Nincs szabad időpont
Nu există locuri disponibile
Nu sunt programări disponibile
Δεν υπάρχουν διαθέσιμα ραντεβού
لا توجد مواعيد متاحة
אין תורים פנויים
Keine Zeiten gefunden
All appointments are fully booked
Nema slobodnih termina
Няма свободни часове
We currently don't have any appointment slots available
Currently no slots are available for the selected category, please confirm the waitlist
For the service that you chose there are currently no appointments available
All appointments for this location are currently booked
All dates are booked
No courts available
No sites available
Nothing available
This event is fully booked
Für die gewählte Dienstleistung sind aktuell keine Termine verfügbar
Aucune disponibilité en ligne
Il n'existe plus de plage horaire libre pour votre demande de rendez-vous
Não existem horários disponíveis para marcação
Er is helaas geen plek meer
Momenteel geen beschikbaarheid
На текущий момент для записи свободного времени нет
Uygun randevu bulunamamıştır
""".strip().splitlines()


def test_a_sentence_that_nothing_is_to_be_booked_is_understood() -> None:
    assert [sentence for sentence in NOTHING if not denies_slots(sentence)] == []
    page = "<html><body><h1>B</h1><div class='board'><p>{}.</p></div></body></html>"
    assert [sentence for sentence in NOTHING if seen(read(page.format(sentence))) != []] == []


PROSE = """
No worries, please try again another time
No appointment necessary
No appointment needed, walk in any time
No appointments required
If there are no appointments available, call us
What if there are no slots available?
Book a table
No time to wait
No time limit
No booking fee
Please book your appointment in time
We do not accept bookings by phone
Do not miss your time slot
No dogs on the tables
Not all tables are wheelchair accessible
Dates may not be changed
Appointments available
No refunds for missed appointments
The time zone is not yours
When no times are shown, call the office
There is no place like home
Kein Problem, nächstes Mal
Pas de problème
Il n'y a pas de temps à perdre
No te pierdas tus citas
Your appointment is not confirmed
You have no appointments
You have no upcoming bookings
Time is not money
Termine nur nach Vereinbarung
Bitte kommen Sie nicht vor der Zeit
Never book without dates
Complete the form
Complet en 5 jours
No more waiting: times you like
This date is not a holiday
At this time we do not take reservations by phone
Not all times are available
Some dates are not available
If all appointments are booked, please call
All courts must be booked online
All rooms are reserved for members
All lovely warm summer appointments are booked
We recommend booking early as no same-day slots are available
There is nothing to see here
No session
予約は電話ではできません
時間をご確認ください
""".strip().splitlines()


def test_a_sentence_about_something_else_says_nothing_of_the_board() -> None:
    assert [sentence for sentence in PROSE if denies_slots(sentence)] == []


EMPTY = {
    "with advice": "<p>No appointments are available. Please try again later.</p>",
    "beside opening hours": "<ul><li>Mon 09:00 - 17:00</li></ul><p>No slots available</p>",
    "beside a number to call": '<a href="tel:0900">Call 09:00 - 17:00</a><p>No appointments available</p>',
    "beside a form to search": "<select name=time><option>09:00</option></select><p>No tables available</p>",
    "in a cell": "<table><tr><td>Keine freien Termine</td></tr></table>",
    "as an option": "<select><option>No times available</option></select>",
    "on a page with a sign-in": f"<a>Sign in</a><h1>Our place</h1><p>{'We serve food. ' * 40}</p><p>No tables available</p>",
    "at a garage": "<h1>Car maintenance</h1><p>No appointments available</p><p>Failure to cancel is charged. reCAPTCHA</p>",
    "far from an error": f"<p>No slots available</p>{'<p>Some words of ours here</p>' * 200}<p>Report an error</p>",
}


@pytest.mark.parametrize("page", EMPTY.values(), ids=EMPTY)
def test_a_page_that_says_so_has_no_slots(page: str) -> None:
    assert seen(read(f"<html><body>{page}</body></html>")) == []


UNKNOWN = {
    "a failure that only sounds like it": "<h1>Something went wrong</h1><p>No worries, please try again another time.</p>",
    "an error": "<h1>Error</h1><p>No appointments available</p>",
    "a German error": "<p>Es ist ein Fehler aufgetreten. Keine Termine verfügbar.</p>",
    "to be tried again": "<p>No slots available</p><button>Try again</button>",
    "a wall": "<h1>Sign in</h1><p>No appointments</p>",
    "not shown": "<p hidden>No appointments available</p>",
    "not shown by style": "<p style='display: none'>No slots available</p><p>Welcome</p>",
    "not shown by class": "<div class='d-none'><p>No slots available</p></div><p>Welcome</p>",
    "not needed": "<p>No appointment necessary</p>",
    "on a condition": "<p>If there are no appointments available, call us.</p>",
    "a question": "<p>No slots available?</p>",
    "beside a row of a table with a time and a button": (
        "<p>No appointments available</p><table><tr><td>Troy 9:00 AM</td><td><button>Choose</button></td></tr></table>"
    ),
    "beside an entry with a time and a link": (
        "<p>No appointments available</p><ul><li>Troy 9:00 AM <a href='/x'>Choose</a></li></ul>"
    ),
    "beside a time without its day": "<h3>Hudson</h3><p>No appointments available</p><h3>Troy</h3><button>9:00 AM</button>",
}


@pytest.mark.parametrize("page", UNKNOWN.values(), ids=UNKNOWN)
def test_a_page_that_may_have_failed_closes_nothing(page: str) -> None:
    reading = read(f"<html><body>{page}</body></html>")
    assert (reading.complete, reading.outcome) == (False, "error")
