"""Counters of visitors and who is online, as the systems of the web word them; and numbers that only look like it."""

# ruff: noqa: E501 - lines stand here as pages have them

from __future__ import annotations

import pytest

from driftline.core.noise import COUNT_LABEL, canonical

NOISE = [
    ("We have 32 guests and no members online", "We have 118 guests and one member online"),
    ("Aktuell sind 43 Gäste und keine Mitglieder online", "Aktuell sind 7 Gäste und ein Mitglied online"),
    ("Nous avons 32 invités et aucun membre en ligne", "Nous avons 8 invités et 2 membres en ligne"),
    ("Hay 32 invitados y ningún miembro en línea", "Hay 9 invitados y 1 miembro en línea"),
    ("Abbiamo 32 visitatori e nessun utente online", "Abbiamo 5 visitatori e 2 utenti online"),
    ("We hebben 32 gasten en geen leden online", "We hebben 4 gasten en een lid online"),
    ("Odwiedza nas 45 gości oraz 0 użytkowników.", "Odwiedza nas 12 gości oraz 1 użytkownik."),
    ("Сейчас на сайте: гостей — 14, пользователей — 2", "Сейчас на сайте: гостей — 31, пользователей — 0"),
    ("In total there are 5 users online :: 1 registered, 0 hidden and 4 guests", "In total there are 9 users online :: 2 registered, 0 hidden and 7 guests"),
    ("Mitglieder in diesem Forum: Hans, Anna und 4 Gäste", "Mitglieder in diesem Forum: Bert und 18 Gäste"),
    ("Users browsing this forum: No registered users and 3 guests", "Users browsing this forum: anna and 12 guests"),
    ("Currently Active Users: 1024 (12 members and 1012 guests)", "Currently Active Users: 988 (3 members and 985 guests)"),
    ("12 users active in the past 15 minutes (1 members, 0 of whom are invisible, and 11 guests).", "31 users active in the past 15 minutes (1 members, 0 of whom are invisible, and 11 guests)."),
    ("Total: 1,234 (members: 12, guests: 1,222)", "Total: 980 (members: 5, guests: 975)"),
    ("Most Online Today: 12. Most Online Ever: 345", "Most Online Today: 31. Most Online Ever: 401"),
    ("1,234 Posts in 123 Topics by 45 Members", "1,301 Posts in 130 Topics by 46 Members"),
    ("Our members have made a total of 12,345 posts in 1,234 threads.", "Our members have made a total of 12,401 posts in 1,240 threads."),
    ("Besucher seit 2001: 0881223", "Besucher seit 2001: 0881455"),
    ("Besucherzähler: 88122", "Besucherzähler: 88123"),
    ("Visitante n.º 88.120", "Visitante n.º 88.655"),
    ("Toplam Ziyaretçi: 402.113 Bugün: 312", "Toplam Ziyaretçi: 402.901 Bugün: 77"),
    ("Počet návštěv: 190332", "Počet návštěv: 190871"),
    ("Посетителей сегодня: 112, всего: 330120", "Посетителей сегодня: 45, всего: 330561"),
    ("Сегодня: 112 Вчера: 300 Всего посетителей: 44012", "Сегодня: 12 Вчера: 112 Всего посетителей: 44120"),
    ("Licznik odwiedzin: 12 331", "Licznik odwiedzin: 12 402"),
    ("Nombre de visites : 120 331", "Nombre de visites : 120 402"),
    ("アクセスカウンター：55120", "アクセスカウンター：55501"),
    ("あなたは 12345 人目の訪問者です。", "あなたは 12410 人目の訪問者です。"),
    ("您是第 881200 位访客", "您是第 882190 位访客"),
    ("访问量：220113", "访问量：220984"),
    ("오늘 방문자: 12 전체 방문자: 3,301", "오늘 방문자: 55 전체 방문자: 3,356"),
    ("عدد الزوار: 99120", "عدد الزوار: 99853"),
    ("عدد الزيارات: 55012", "عدد الزيارات: 55880"),
    ("Visitors today: 12, yesterday: 31, total: 44012", "Visitors today: 3, yesterday: 12, total: 44024"),
    ("Rank: Member, Posts: 120, Joined: 2019", "Rank: Member, Posts: 125, Joined: 2019"),
    ("14 commits to main since this release", "20 commits to main since this release"),
    ("52 Personen sehen sich gerade diese Seite an", "31 Personen sehen sich gerade diese Seite an"),
    ("Sicherheitsfrage: Was ist 9 plus 3?", "Sicherheitsfrage: Was ist 3 plus 6?"),
    ("Seite erzeugt in 0,1597 Sekunden", "Seite erzeugt in 0,1558 Sekunden"),
]  # fmt: skip

CONTENT = [
    ("Room for 4 guests", "Room for 6 guests"),
    ("Dinner for 2 members and 4 guests", "Dinner for 2 members and 6 guests"),
    ("Green fee: members: 20, guests: 35", "Green fee: members: 20, guests: 40"),
    ("Currently 12 guests and 3 members may enter", "Currently 10 guests and 3 members may enter"),
    ("Members: 5. Guests: 8.", "Members: 5. Guests: 9."),
    ("Visits included: 3", "Visits included: 1"),
    ("Day visitors per year: 131,002", "Day visitors per year: 113,002"),
    ("Today: 9-17, visitors today: 12", "Today: 9-18, visitors today: 12"),
    ("Besucher zahlen 12 Euro", "Besucher zahlen 14 Euro"),
    ("OSZE entsendet 14 Beobachter", "OSZE entsendet 19 Beobachter"),
    ("3人目以降の児童手当", "2人目以降の児童手当"),
    ("Open posts: 12", "Open posts: 13"),
    ("14 commits are needed to join", "20 commits are needed to join"),
    ("Joined: 2019", "Joined: 2020"),
    ("What is a 9 plus rating?", "What is a 3 plus rating?"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), NOISE)
def test_who_visits_a_site_is_noise(before: str, after: str) -> None:
    assert canonical(before).text == canonical(after).text


@pytest.mark.parametrize(("before", "after"), CONTENT)
def test_numbers_of_guests_members_and_visits_elsewhere_are_content(before: str, after: str) -> None:
    assert canonical(before).text != canonical(after).text


@pytest.mark.parametrize("label", ["Beobachter", "Watchers:", "アクセスカウンター", "عدد الزوار"])
def test_a_label_waits_for_its_number(label: str) -> None:
    assert canonical(label).role == COUNT_LABEL


@pytest.mark.parametrize("part", ["today ", "visits: ", "1 guests, ", "no members and ", "posts: 1, ", "users online: 1 "])
def test_a_hostile_line_is_looked_at_in_no_time(part: str) -> None:
    canonical((part * 40)[:199] + ":")
    canonical(part * 4_000)
