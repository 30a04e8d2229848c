"""Answers that are no HTML, each type through whole checks: a non-change, a change, and a hostile one that loses nothing."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tarfile import TarFile, TarInfo
from typing import NamedTuple

import pytest
from tests.integration.conftest import Runner
from tests.scripted import Page, ScriptedSite
from tests.unit.core.documents import made
from tests.unit.core.pictures.drawn import drawn, saved, scan

from driftline.engine.check.context import Checked
from driftline.settings import Settings
from driftline.wiring import App

ORDERS = "Goods are delivered within {} days after the order was confirmed. Delivery is free above fifty euros."
RTF = r"{{\rtf1\ansi {} {}\par Closed on Sunday.\par}}"
ROWS = [["sku", "name", "price"], *([f"a{number}", f"Lamp {number}", f"{number}.50"] for number in range(40))]
DEARER = [row if row[0] != "a7" else ["a7", "Lamp 7", "8.90"] for row in ROWS]
FEED = """<rss version="2.0"><channel><title>News</title><lastBuildDate>{built}</lastBuildDate>{items}</channel></rss>"""
ITEM = "<item><guid>{0}</guid><title>Story {0}</title><description>{1}</description></item>"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><updated>{built}</updated>{entries}</feed>"""
ENTRY = "<entry><id>urn:{0}</id><title>Story {0}</title><link href='https://a.example/{0}'/><summary>{1}</summary></entry>"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 9}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
CALENDAR = """BEGIN:VCALENDAR
DTSTAMP:{}
BEGIN:VEVENT
UID:1
DTSTART:20261201T{}0000Z
SUMMARY:Meeting
END:VEVENT
END:VCALENDAR"""


class Story(NamedTuple):
    """Answers of one type, and what is said of them."""

    media: str
    first: bytes
    same: bytes  # other bytes that say the same
    hostile: Callable[[], bytes]
    changed: bytes
    preview: str  # how the first check names what it found
    headline: str
    refusal: str = ""  # how the hostile answer ends; empty: it is read as what it is


def cells(rows: list[list[str]], gap: str = ",") -> bytes:
    return "\n".join(gap.join(row) for row in rows).encode()


def bomb(part: str, size: int = 70_000_000) -> bytes:
    """An archive whose part unpacks to so many bytes."""
    head = {"mimetype": part} if part.startswith("application/") else {}
    return made.zipped(head | {"content.xml" if head else part: bytes(size)})


def stream_bomb() -> bytes:
    """A PDF whose page unpacks to 1 GB."""
    packer, million = zlib.compressobj(9), b" " * 1_000_000
    packed = b"".join(packer.compress(million) for _ in range(1_000)) + packer.flush()
    page = made.pdf([["x"]], compressed=True)
    start, end = page.index(b"stream\n") + 7, page.index(b"\nendstream")
    length = page.rindex(b"/Length ", 0, start)
    return page[: length + 8] + b"%d>>stream\n" % len(packed) + packed + page[end:]


def archive(size: int) -> bytes:
    file = BytesIO()
    with TarFile(fileobj=file, mode="w") as tar:
        info = TarInfo("a.bin")
        info.size = size
        tar.addfile(info, BytesIO(bytes(size)))
    return file.getvalue()


def odt(days: str, extra: str = "") -> bytes:
    return made.odf("text", f"<text:p>{ORDERS.format(days)}</text:p>{extra}")


def ods(rows: list[list[str]], extra: str = "") -> bytes:
    lines = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell office:value-type='string'><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in rows
    )
    return made.odf(
        "spreadsheet", f'<office:spreadsheet><table:table table:name="Prices">{lines}</table:table></office:spreadsheet>{extra}'
    )


def listed(*prices: tuple[str, int]) -> bytes:
    return json.dumps({"products": [{"sku": sku, "price": price} for sku, price in prices]}).encode()


def json_feed(*items: tuple[int, str], indent: int | None = None) -> bytes:
    listed = [
        {"id": str(number), "url": f"https://a.example/{number}", "title": f"Story {number}", "content_text": text}
        for number, text in items
    ]
    whole = {"items": listed, "title": "News", "version": "https://jsonfeed.org/version/1.1"}
    return json.dumps(whole, indent=indent).encode()


def stories() -> dict[str, Story]:
    edit = "Goods are delivered within thirty → fourteen days after the…"
    thirty, fourteen = ORDERS.format("thirty"), ORDERS.format("fourteen")
    cell = "“a7”: price “7.50” → “8.90”"
    page = (850, 1100)
    log = [f"2026-11-0{day} 10:00:00 service started" for day in range(1, 8)]
    return {
        "pdf": Story(
            "application/pdf",
            made.pdf([[thirty]]),
            made.pdf([[thirty]], compressed=True, title="Anew"),
            stream_bomb,
            made.pdf([[fourteen]]),
            "PDF, 1 page: its text is compared",
            f"Page 1: {edit}",
            "damaged: a page of it cannot be read",
        ),
        "scan": Story(
            "application/pdf",
            scan(drawn("one", size=page)),
            scan(drawn("one", size=page), title="Anew"),
            lambda: b"%PDF-1.7\nbroken",
            scan(drawn("ten", size=page)),
            "its pages are compared as pictures",
            "Scan changed: page 1 of 1",
            "damaged",
        ),
        "docx": Story(
            "",
            made.docx(made.word(thirty)),
            made.docx(made.word(thirty, "Body")),
            lambda: bomb("word/document.xml"),
            made.docx(made.word(fourteen)),
            "Word document: its text is compared",
            edit,
            "too large when unpacked",
        ),
        "odt": Story(
            "",
            odt("thirty"),
            odt("thirty", "<text:p/>"),
            lambda: bomb("application/vnd.oasis.opendocument.text"),
            odt("fourteen"),
            "OpenDocument text: its text is compared",
            edit,
            "too large when unpacked",
        ),
        "rtf": Story(
            "",
            RTF.format("Open from nine to", "five.").encode(),
            RTF.format(r"\b Open from nine\b0  to", "five.").encode(),
            lambda: b"{\\rtf1" + b"{" * 200_000,
            RTF.format("Open from nine to", "six.").encode(),
            "Rich text: its text is compared",
            "“Open from nine to five.” → “Open from nine to six.”",
            "no text in it",
        ),
        "pptx": Story(
            "",
            made.pptx(["Plan", "Ship in May"]),
            made.pptx(["Plan", "Ship in May"], []),
            lambda: bomb("ppt/slides/slide1.xml"),
            made.pptx(["Plan", "Ship in July"]),
            "PowerPoint, 1 slide: its text is compared",
            "Slide 1: “Ship in May” → “Ship in July”",
            "too large when unpacked",
        ),
        "xlsx": Story(
            "",
            made.xlsx(ROWS),
            made.xlsx([ROWS[0], *reversed(ROWS[1:])]),
            lambda: bomb("xl/workbook.xml", 300_000_000),
            made.xlsx(DEARER),
            "spreadsheet, 1 sheet, 41 rows: its text is compared",
            cell,
            "too large when unpacked",
        ),
        "ods": Story(
            "",
            ods(ROWS),
            ods([ROWS[0], *reversed(ROWS[1:])]),
            lambda: bomb("application/vnd.oasis.opendocument.spreadsheet", 300_000_000),
            ods(DEARER),
            "spreadsheet, 1 sheet, 41 rows: its text is compared",
            cell,
            "too large when unpacked",
        ),
        "epub": Story(
            "",
            made.epub("<p>They met.</p>"),
            made.epub("<div><p>They met.</p></div>"),
            lambda: made.epub("<p>" + " " * 70_000_000),
            made.epub("<p>They parted.</p>"),
            "EPUB, 1 chapter: its text is compared",
            "Chapter 1: “They met.” → “They parted.”",
            "too large when unpacked",
        ),
        "csv": Story(
            "text/csv",
            cells(ROWS),
            cells([ROWS[0], *reversed(ROWS[1:])]),
            lambda: b'sku,name\n"' + b"a," * 500_000,
            cells(DEARER),
            "",
            cell,
            "",
        ),
        "tsv": Story(
            "text/tab-separated-values",
            cells(ROWS, "\t"),
            cells([ROWS[0], *reversed(ROWS[1:])], "\t"),
            lambda: b"\t" * 500_000,
            cells(DEARER, "\t"),
            "",
            cell,
            "empty",
        ),
        "json": Story(
            "application/json",
            listed(("a", 4), ("b", 9)),
            listed(("b", 9), ("a", 4)),
            lambda: b"[" * 200_000,
            listed(("a", 4), ("b", 7)),
            "",
            "“b”: “price: 9” → “price: 7”",
            "too deep",
        ),
        "ndjson": Story(
            "application/x-ndjson",
            b'{"id":1,"t":"one"}\n{"id":2,"t":"two"}',
            b'{"id":2,"t":"two"}\n{"t":"one","id":1}',
            lambda: b'{"a":' * 100_000,
            b'{"id":1,"t":"one"}\n{"id":2,"t":"ten"}',
            "",
            "“2”: “t: two” → “t: ten”",
            "too deep",
        ),
        "xml": Story(
            "application/xml",
            b"<a><b>one</b><c>two</c></a>",
            b"<a>\n <b>one</b>\n <c>two</c>\n</a>",
            (LAUGHS + "]><x>&i;</x>").encode,
            b"<a><b>one</b><c>ten</c></a>",
            "",
            "“c: two” → “c: ten”",
            "declares entities",
        ),
        "rss": Story(
            "application/rss+xml",
            FEED.format(built="Mon, 02 Nov 2026 10:00:00 GMT", items=ITEM.format(1, "Old words")).encode(),
            FEED.format(built="Tue, 03 Nov 2026 10:00:00 GMT", items=ITEM.format(1, "Old words")).encode(),
            lambda: b"<rss>" * 100_000,
            FEED.format(
                built="Tue, 03 Nov 2026 10:00:00 GMT", items=ITEM.format(1, "Old words") + ITEM.format(2, "Fresh words")
            ).encode(),
            "",
            "New: “Story 2”",
            "too deep",
        ),
        "atom": Story(
            "application/atom+xml",
            ATOM.format(built="2026-11-02T10:00:00Z", entries=ENTRY.format(1, "Old words")).encode(),
            ATOM.format(built="2026-11-03T10:00:00Z", entries=ENTRY.format(1, "Old words")).encode(),
            lambda: b"<feed>" * 100_000,
            ATOM.format(
                built="2026-11-03T10:00:00Z", entries=ENTRY.format(2, "Fresh words") + ENTRY.format(1, "Old words")
            ).encode(),
            "",
            "New: “Story 2”",
            "too deep",
        ),
        "json feed": Story(
            "application/feed+json",
            json_feed((1, "Old words")),
            json_feed((1, "Old words"), indent=2),
            lambda: b'{"version":"https://jsonfeed.org/version/1.1","items":' + b"[" * 200_000,
            json_feed((2, "Fresh words"), (1, "Old words")),
            "",
            "New: “Story 2”",
            "too deep",
        ),
        "ical": Story(
            "text/calendar",
            CALENDAR.format("20261101T000000Z", "10").encode(),
            CALENDAR.format("20261102T000000Z", "10").encode(),
            lambda: b"BEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 100_000,
            CALENDAR.format("20261102T000000Z", "11").encode(),
            "",
            "“Meeting”: “starts: 2026-12-01 10:00 UTC” → “starts: 2026-12-01 11:00 UTC”",
            "empty",
        ),
        "text": Story(
            "text/plain",
            b"Open from nine to five.\nClosed on Sunday.",
            b"Open  from nine to five.\r\n\r\nClosed on Sunday.\r\n",
            lambda: b"a" * 3_000_000,
            b"Open from nine to six.\nClosed on Sunday.",
            "",
            "“Open from nine to five.” → “Open from nine to six.”",
            "",
        ),
        "log": Story(
            "text/plain",
            "\n".join(log).encode(),
            "\n".join(log[2:]).encode(),
            lambda: b"\0" * 3_000_000,
            "\n".join([*log[2:], "2026-11-09 11:00:00 disk is full"]).encode(),
            "",
            "Added: “2026-11-09 11:00:00 disk is full”",
            "not text",
        ),
        "image": Story(
            "image/png",
            saved(drawn()),
            saved(drawn(), compress_level=1),
            lambda: saved(drawn())[:900],
            saved(drawn(box=True)),
            "PNG picture, 3",
            "Picture changed: top right: something new (3.9% of the picture)",
            "damaged: it cannot be shown",
        ),
        "archive": Story(
            "",
            archive(20_000),
            archive(20_000),
            lambda: b"PK\x03\x04" + bytes(100),
            archive(90_000),
            "tar archive, 31 KB: compared as a file",
            "File replaced: 31 KB → 92 KB (tar archive)",
            "",
        ),
    }


@pytest.fixture(scope="module")
def one_runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """What is read and judged is the same on both databases; the children are started once."""
    folder: Path = tmp_path_factory.mktemp("stories")
    settings = Settings(
        db=f"sqlite:///{folder}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0, timeout_for=10.0, browser=False
    )
    with closing(App(settings)) as app:
        yield Runner(app)


STORIES = stories()


@pytest.mark.parametrize("name", STORIES)
def test_a_document_is_named_and_compared_and_a_hostile_one_loses_nothing(
    one_runner: Runner, site: ScriptedSite, name: str
) -> None:
    story = STORIES[name]

    def checked(body: bytes) -> Checked:
        site.show("/it", Page(body=body, headers={"content-type": story.media} if story.media else {}))
        return one_runner.check(watch)[0]

    watch = one_runner.watch(f"{site.url}/it", name=name)
    first = checked(story.first)
    assert first.run.outcome == "baseline"
    assert story.preview in (first.run.reason or "")
    assert checked(story.same).run.outcome == "unchanged"
    changed = checked(story.changed)
    assert [change.headline for change in changed.changes] == [story.headline]
    hostile = checked(story.hostile())
    if not story.refusal:  # it is read as what it is
        assert hostile.run.status == "completed", hostile.run.reason
        assert checked(story.changed).run.status == "completed"
        return
    assert (hostile.run.status, hostile.changes) == ("failed", ())
    assert story.refusal in (hostile.run.reason or "")
    assert checked(story.changed).changes == (), "nothing was lost"
