"""What boards write beside a slot that is taken or free, in the languages of the world."""

from __future__ import annotations

import re
from typing import Final

_SEPARATORS: Final = re.compile(r"[\W_]+")


def _plain(text: str) -> frozenset[str]:
    """A table's words as `openness.plain` has them; `_` stands for a space."""
    return frozenset(_SEPARATORS.sub("", word) for word in text.lower().split())


# Taken where a whole text, a flag or a class says it. Several words that are one state are written as one.
TAKEN: Final = _plain("""
booked busy unavailable not_available taken reserved full fully_booked closed blocked sold_out out_of_stock occupied
held
on_hold locked past expired cancelled canceled disabled not_reservable not_bookable busy_unavailable busy_tentative
entered_in_error
waitlist waiting_list blocked_out not_available_for_booking no_longer_available unbookable no_availability
no_vacancy no_vacancies slot_taken time_taken passed filled at_capacity class_full session_full booked_up booked_out
all_gone
join_waitlist join_the_waitlist join_waiting_list join_the_waiting_list waitlist_only waitlist_open ended finished
booking_closed bookings_closed registration_closed reservations_closed closed_for_booking
belegt gebucht besetzt vergeben ausgebucht reserviert ausverkauft voll nicht_verfügbar nicht_frei gesperrt nicht_buchbar
geschlossen abgelaufen bereits_gebucht bereits_vergeben nicht_mehr_verfügbar warteliste vorbei abgesagt storniert
entfällt
occupé occupée complet complète réservé réservée indisponible non_disponible pas_disponible fermé fermée épuisé
plus_disponible liste_d_attente annulé bloqué
ocupado ocupada completo completa reservado reservada agotado agotada no_disponible lleno llena cerrado cerrada sin_cupo
sin_plazas sin_disponibilidad lista_de_espera cancelado bloqueado
esgotado esgotada lotado lotada indisponível não_disponível fechado fechada sem_vagas lista_de_espera preenchido
occupato occupata esaurito esaurita esauriti esaurite prenotato prenotata riservato riservata non_disponibile al_completo pieno
chiuso tutto_esaurito bezet vol volgeboekt volzet gereserveerd geboekt niet_beschikbaar uitverkocht gesloten wachtlijst
upptagen upptaget fullbokad fullbokat bokad bokat reserverad stängd ej_tillgänglig ej_ledig ej_bokningsbar slutsåld
fullt
optaget optagen booket udsolgt fuldt_booket ikke_ledig reserveret lukket ikke_tilgængelig
opptatt fullbooket fulltegnet utsolgt reservert stengt ikke_tilgjengelig
varattu täynnä loppuunvarattu ei_saatavilla ei_vapaana loppuunmyyty suljettu
zajęte zajęty zajęta zarezerwowane zarezerwowany niedostępne niedostępny niedostępna brak_miejsc brak_wolnych_miejsc
wyprzedane
pełne pełny zamknięte
obsazeno obsazený obsazené zadáno rezervováno nedostupné vyprodáno plno zavřeno obsadené rezervované vypredané plné
foglalt betelt nem_elérhető nem_foglalható elfogyott megtelt lefoglalva zárva
ocupat ocupată rezervat rezervată indisponibil epuizat complet_rezervat închis
zauzeto rezervirano nedostupno popunjeno rasprodano zasedeno rezervisano
заето резервирано няма_места
занято занят занята забронировано недоступно нет_мест мест_нет распродано бронь закрыто полностью_занято
зайнято заброньовано недоступно немає_місць розпродано закрито
dolu rezerve müsait_değil uygun_değil tükendi kapalı doldu
κατειλημμένο κρατημένο μη_διαθέσιμο εξαντλήθηκε πλήρες κλειστό κλεισμένο
満席 満室 満員 予約済 予約済み 予約不可 受付終了 空きなし 空席なし 売り切れ 完売 満 終了 受付不可
已满 已滿 约满 約滿 已约满 已約滿 已预约 已預約 已预订 已預訂 已订 已訂 不可预约 不可預約 已售罄 满员 滿員 满 滿 无号
已占用 额满 額滿
마감 예약마감 예약완료 예약불가 매진 만석
محجوز محجوزة غير_متاح غير_متوفر ممتلئ مكتمل مغلق
תפוס תפוסה מלא לא_זמין אזל סגור
penuh habis tidak_tersedia đã_đặt hết_chỗ kín_chỗ เต็ม จองแล้ว
""")

FREE: Final = _plain("""
available free open bookable vacant in_stock limited limited_availability vacancy book_now select reserve
frei verfügbar buchbar freie_plätze offen buchen reservieren
disponible libre ouvert réserver disponibles libres abierto reservar
disponibile libero libera liberi prenota disponível livre vago vaga agendar
vrij beschikbaar boeken reserveren ledig ledigt lediga tillgänglig boka book bestill tilgængelig vapaa vapaana varaa
wolne wolny wolna dostępne dostępny dostępna zarezerwuj volno volný volné dostupné rezervovat voľné
szabad foglalható elérhető liber liberă disponibil rezervă slobodno slobodan prosto свободно свободен доступно
записаться вільно
müsait boş uygun διαθέσιμο ελεύθερο κράτηση
空き 空席 空室 予約可 予約可能 予約する 可预约 可預約 可约 有号 预约 預約 有空 예약가능 예약하기 예약 متاح متاحة متوفر פנוי זמין
tersedia còn_chỗ ว่าง
""")

# Words that may stand around one of the above and change nothing: "leider ausgebucht", "already booked".
AROUND: Final = _plain("""
already currently sorry now is are this slot time all completely totally temporarily at the moment we re been has have
unfortunately leider bereits schon derzeit aktuell momentan zur zeit zurzeit ist sind alle komplett schon
déjà actuellement désolé de d est sont malheureusement ya actualmente está están lo sentimos já momento già attualmente
è sono
al helaas momenteel is zijn redan tyvärr för närvarande allerede desværre dessverre już niestety obecnie już již bohužel
már sajnos deja din păcate уже к сожалению вже на жаль zaten maalesef
""")

# "Booked by Smith", "vergeben an ...".
BY: Final = _plain("by von an par por da do door af av przez от para for")
