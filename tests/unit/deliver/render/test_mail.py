"""Mails: headers that nobody can forge, a text and an HTML part that say the same."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from html.parser import HTMLParser
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages import change, channel, message, price, reported, uid, user

from driftline.core.pictures.crops import ChangedPart
from driftline.deliver.render.html import html
from driftline.deliver.render.mail import mail
from driftline.deliver.render.plain import plain

SENDER = "Driftline <alerts@example.org>"


def parsed(written: EmailMessage) -> EmailMessage:
    return message_from_bytes(written.as_bytes(), policy=SMTP)


def part(written: EmailMessage, kind: str) -> str:
    body = parsed(written).get_body((kind,))
    assert body is not None
    text = body.get_content()
    assert isinstance(text, str)
    return text


class Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def shown(text: str) -> Shown:
    reader = Shown()
    reader.feed(text)
    reader.close()
    return reader


def test_a_mail_has_both_parts_and_the_headers_of_a_list() -> None:
    written = parsed(mail(message(reported(price())), sender=SENDER, public_url="https://drift.example.org/"))
    assert written["Message-ID"] == f"<{uid(9)}@example.org>"
    assert (written["From"], written["To"]) == (SENDER, "Reader <reader@example.org>")
    assert written["Subject"] == "[Example shop] Kettle 1: price fell from 79999 to 74999 INR"
    assert written["Auto-Submitted"] == "auto-generated"
    assert written["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"<https://drift.example.org/unsubscribe/{uid(7)}/" in written["List-Unsubscribe"]
    assert f"<mailto:alerts@example.org?subject=unsubscribe%20{uid(7)}>" in written["List-Unsubscribe"].replace("\n", "")
    assert [one.get_content_type() for one in written.iter_parts()] == ["text/plain", "text/html"]


def test_the_addresses_of_a_list_stand_on_the_wire_as_they_are() -> None:
    place = f"https://drift.{'very-long-name.' * 8}example.org/ä"
    sender = f"alerts@{'very-long-name.' * 8}example.org"
    raw = mail(message(reported(price())), sender=sender, public_url=place).as_bytes().decode("ascii")
    head = raw.partition("\r\n\r\n")[0].replace("\r\n ", " ").split("\r\n")
    lines = dict(line.split(": ", 1) for line in head)
    page, post = lines["List-Unsubscribe"].split(", ")
    assert page.startswith(f"<{quote(place, safe=':/')}/unsubscribe/{uid(7)}/")
    assert post == f"<mailto:{sender}?subject=unsubscribe%20{uid(7)}>"
    assert lines["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert lines["Message-ID"] == f"<{uid(9)}@{sender.partition('@')[2]}>"


def test_text_and_html_tell_prices_diffs_and_places() -> None:
    marks = [["same", "Open 9 to "], ["removed", "17"], ["added", "18"]]
    edited = change(
        2, diff={"rows": [{"action": "context", "marks": [["same", "Hours"]]}, {"action": "changed", "marks": marks}]}
    )
    written = mail(message(reported(price(), edited)), sender=SENDER)
    text, rich = part(written, "plain"), "".join(shown(part(written, "html")).text)
    for reports in (
        "79,999 INR",
        "74,999 INR",
        "Open 9 to 17",
        "Open 9 to 18",
        "example.org/p/2",
        "Example shop",
        "Unsubscribe",
    ):
        assert reports in text
        assert reports in rich
    assert "Hours" not in text
    assert "<b>18</b>" in part(written, "html")


def test_a_mail_leads_to_the_change_its_report_or_all_changes() -> None:
    one, more = message(reported(change(1))), message(reported(change(1), change(2)))
    digest = message(reported(change(1)), reported(change(2), number=5), digest=True)
    report = more.sections[0].report
    for reports, place in ((one, f"/changes/{one.changes[0].id}"), (more, f"/runs/{report.run_id}"), (digest, "/changes")):
        written = mail(reports, sender=SENDER, public_url="https://drift.example.org/")
        assert f'"https://drift.example.org{place}"' in part(written, "html")
        assert f"https://drift.example.org{place}" in part(written, "plain").split()
    assert "Open in driftline" not in part(mail(one, sender=SENDER), "html")


def test_a_digest_names_every_watch() -> None:
    both = message(
        reported(change(1), name="One"),
        reported(change(2), change(3), name="Two", number=5),
        digest=True,
        of=user(name="Reader"),
    )
    written = mail(both, sender=SENDER)
    assert parsed(written)["Subject"] == "3 changes on 2 watches, 15 November"
    for kind in ("plain", "html"):
        assert all(reports in part(written, kind) for reports in ("One", "Two", "Paragraph 1", "Paragraph 3"))


def test_the_mails_of_one_watch_are_one_thread() -> None:
    first, second, both = (
        parsed(mail(message(*reports), sender=SENDER))["References"]
        for reports in (
            [reported(price())],
            [reported(change(2))],
            [reported(change(1), name="One"), reported(change(2), name="Two", number=5)],
        )
    )
    assert first == second
    assert str(first).endswith("@example.org>")
    assert both is None


def test_a_sample_says_that_it_is_one() -> None:
    written = mail(message(sample=True), sender=SENDER)
    assert parsed(written)["Subject"] == "driftline: test message"
    assert "test message" in part(written, "plain")


def test_a_users_templates_write_the_mail() -> None:
    own = channel(subject="[{{severity}}] {{headline}}", text="{{count}} on {{watch}}:\n{{changes}}\n<b>")
    written = mail(message(reported(change(1), change(2)), to=own), sender=SENDER)
    assert parsed(written)["Subject"] == "[medium] 2 content changes"
    assert part(written, "plain").replace("\r", "") == "2 on Example shop:\nParagraph 1 edited\nParagraph 2 edited\n<b>\n"
    assert "&lt;b&gt;" in part(written, "html")


@given(st.text(min_size=1), st.text())
def test_no_headline_can_add_a_header_or_break_a_mail(headline: str, name: str) -> None:
    try:
        f"{headline}{name}".encode()
    except UnicodeEncodeError:
        return  # a lone surrogate never comes out of the store
    clean = parsed(mail(message(reported(change(1, headline="x"))), sender=SENDER))
    reports = change(1, headline=f"{headline}\r\nBcc: other@example.org")
    written = parsed(mail(message(reported(reports, name=f"{name}\nX-Evil: 1")), sender=SENDER))
    assert written.keys() == clean.keys()
    assert not written.defects


_WORDS = st.lists(
    st.sampled_from(["Public", "API", "→", "Degraded", "“x", "y”", "·", "—", "ünterbrochen"]), min_size=1, max_size=24
)


@given(_WORDS)
def test_a_subject_keeps_every_space_between_its_words(words: list[str]) -> None:
    reports = message(reported(change(1, headline=" ".join(words)), name="S"))
    assert str(parsed(mail(reports, sender=SENDER))["Subject"]).startswith(f"[S] {' '.join(words)}"[:100])


@given(st.text())
def test_nothing_from_a_source_becomes_html(text: str) -> None:
    hostile = f"<script>{text}</script><img src=x onerror=alert(1)>"
    reports = change(
        1, headline=hostile, url=f"javascript:{text}", diff={"rows": [{"action": "added", "marks": [["added", hostile]]}]}
    )
    seen = shown(html(message(reported(reports, change(2), name=hostile, url="https://example.org/?a='\"><b>"))))
    assert not {"script", "img", "b"} & set(seen.tags)  # bold is for marked words, and here none is
    assert {link.partition(":")[0] for link in seen.links} == {"https"}


def test_an_address_that_no_reader_should_open_is_text() -> None:
    written = html(message(reported(change(1, headline="Terms changed", url="javascript:alert(1)"), url="data:text/html,x")))
    assert "Terms changed" in written
    assert "None" not in written
    assert {link.partition(":")[0] for link in shown(written).links} <= {"https"}


def test_a_report_of_thousands_stays_a_mail_that_clients_show() -> None:
    lines = [{"action": "added", "marks": [["added", f"line {number} {'x' * 500}"]]} for number in range(1000)]
    many = [price(number, diff={"rows": lines}) for number in range(5000)]
    big = message(reported(*many))
    for form in (html, plain):
        text = form(big)
        assert len(text) < 100_000
        assert "and 4940 more" in text


@pytest.mark.parametrize("kind", ["plain", "html"])
def test_times_are_on_the_users_clock(kind: str) -> None:
    assert "15 November 2026, 21:28 CET" in part(mail(message(reported(change())), sender=SENDER), kind)


def test_pictures_of_a_change_come_with_the_mail_and_nothing_is_loaded_from_elsewhere() -> None:
    shown_part = ChangedPart(before=b"\xff\xd8before", after=b"\xff\xd8after", width=560, height=200)
    shown = price()
    written = mail(message(reported(shown)), sender="driftline@example.org", pictures={shown.id: shown_part})
    read = parsed(written)
    rich = read.get_body(("html",))
    assert rich is not None
    images = {
        str(one["Content-ID"]).strip("<>"): one.get_content() for one in read.walk() if one.get_content_maintype() == "image"
    }
    named = re.findall(r'src="cid:([^"]+)"', rich.get_content())
    assert [images[name] for name in named] == [shown_part.before, shown_part.after]
    assert "http" not in "".join(re.findall(r'<img src="([^"]+)"', rich.get_content()))
    assert read.get_body(("plain",)) is not None


def test_a_mail_that_asks_for_a_confirmation_says_only_that_and_is_an_answer_of_a_program() -> None:
    asked = message(reported(price()))
    asked = msgspec.structs.replace(asked, confirm_url="https://drift.example.org/confirm/1")
    written = parsed(mail(asked, sender=SENDER, public_url="https://drift.example.org/"))
    assert (written["Subject"], written["Auto-Submitted"]) == ("driftline: confirm your address", "auto-generated")
    assert written["Message-ID"] == f"<{asked.id}@example.org>"
    assert written["Date"].datetime == asked.written_at
    assert "https://drift.example.org/confirm/1" in written.get_content()
    assert asked.changes[0].headline not in written.get_content()
