"""The JSON that programs get."""

from __future__ import annotations

import msgspec
from tests.messages import change, message, price, reported, uid

from driftline.deliver.render.document import DocumentWriter

REPORT = reported(price(1), change(2))


def test_a_document_has_the_form_of_the_convention() -> None:
    document = msgspec.json.decode(DocumentWriter().encoded(message(REPORT)))
    assert list(document) == ["type", "timestamp", "data"]
    assert (document["type"], document["timestamp"]) == ("driftline.report", "2026-11-15T20:28:00Z")
    data = document["data"]
    assert (data["delivery"], data["report"]) == (str(uid(9)), str(uid(4)))
    assert [one["id"] for one in data["changes"]] == [str(uid(101)), str(uid(102))]
    assert data["changes"][0]["after"] == {"price": "74999", "currency": "INR"}


def test_messages_of_one_report_differ_in_their_id_alone() -> None:
    writer, fresh = DocumentWriter(), DocumentWriter
    for number in range(3):
        one = msgspec.structs.replace(message(REPORT), id=uid(700 + number))
        assert writer.encoded(one) == fresh().encoded(one)
        assert msgspec.json.decode(writer.encoded(one))["data"]["delivery"] == str(uid(700 + number))
    other = message(reported(change(3, headline='the delivery\'s own id "x"'), name="the delivery's own id"))
    assert writer.encoded(other) == fresh().encoded(other)
    assert msgspec.json.decode(writer.encoded(other))["data"]["delivery"] == str(uid(9))


def test_who_hears_a_part_gets_that_part() -> None:
    whole = message(REPORT)
    part = msgspec.structs.replace(whole, sections=(msgspec.structs.replace(whole.sections[0], changes=REPORT.changes[1:]),))
    writer = DocumentWriter()
    writer.encoded(whole)
    assert [one["id"] for one in msgspec.json.decode(writer.encoded(part))["data"]["changes"]] == [str(uid(102))]


def test_a_diff_that_is_too_large_is_left_out_and_said_to_be() -> None:
    huge = change(1, diff={"text": "x" * 300_000})
    (reports,) = msgspec.json.decode(DocumentWriter().encoded(message(reported(huge))))["data"]["changes"]
    assert reports["diff"] is None
    assert reports["flags"] == {"diff_omitted": True}


def test_a_digest_and_a_sample_say_what_they_are() -> None:
    digest = msgspec.json.decode(DocumentWriter().encoded(message(REPORT, reported(change(3), number=5), digest=True)))
    assert (digest["type"], len(digest["data"]["reports"])) == ("driftline.digest", 2)
    assert msgspec.json.decode(DocumentWriter().encoded(message(sample=True)))["type"] == "driftline.test"
