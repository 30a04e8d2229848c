"""Reads the text of a PDF: sentences with the page on which they begin, however the lines were broken.

Two programs that set the same text break lines and pages at other words. So lines are joined to paragraphs and split into
sentences; what repeats at the top or bottom of most pages (headers, footers, page numbers) is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from driftline.core.documents.text import MOST_TEXT, DocumentText, Scan, TextLine, counted
from driftline.core.text.folding import fold
from driftline.core.text.language.sentences import sentences
from driftline.errors import BadFile

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

MOST_PAGES: Final = 5_000
MOST_PICTURED: Final = 20  # pages of a scan that are compared as pictures; others by the bytes of the file
_EDGE: Final = 3  # lines at the top and the bottom of a page that may be headers and footers
_REPEATED_ON: Final = 3  # pages at least, and at least half of them
_ELSEWHERE: Final = 1.2  # a header stands on a page once; a sentence that is often repeated stands elsewhere too
_SHORT: Final = 0.8  # a line that is shorter than this part of the usual full ones ends its paragraph
_LONGEST_HEADING: Final = 100  # characters
_NUMBER: Final = re.compile(r"\d+")
_HYPHENS: Final = "-\u00ad\u2010\x02\ufffe"  # at the end of a line: a word that goes on in the next one
_ITEM: Final = re.compile("^(?:[\u2022\u25aa\u25cf\u25e6\u2013*-]|\\(?\\w{1,3}[.)])\\s")
_HEADING: Final = re.compile("(?:\\d{1,3}\\.?){1,5}\\s+[^\\W\\d]|[^\\W\\d].{0,98}[^\\W\\d]$")  # `4.2 Liability`, or words
_ENDED: Final = (".", "!", "?", ":", ";", "\u3002")


class _PageLine(NamedTuple):
    text: str
    page: int  # counted from 1


def read_pdf(body: bytes) -> DocumentText:
    """The text of a PDF; raises BadFile, with a sentence for people, if it cannot be read."""
    with _opened(body) as document:
        pages = _pages(document)
        title = fold(document.get_metadata_dict(skip_empty=True).get("Title", ""))
    summary = f"PDF, {counted(len(pages), 'page')}"
    if not any(pages):
        raise Scan("no text in it: the pages are pictures (a scan)")
    return DocumentText(list(_lines(_without_running_lines(pages))), title, summary)


def picture_of_pages(body: bytes) -> tuple[bytes, int]:
    """The first pages below each other as one PNG, and how many there are in all; raises BadFile."""
    from driftline.core.pictures.stills import PAGE, stacked  # noqa: PLC0415 - as below

    with _opened(body) as document:
        pictures = []
        for number in range(min(len(document), MOST_PICTURED)):
            page = document[number]
            width, height = page.get_size()
            scale = min(PAGE[0] / max(width, 1.0), PAGE[1] / max(height, 1.0))
            pictures.append(page.render(scale=scale).to_pil())
            page.close()
        return stacked(pictures), len(document)


@contextmanager
def _opened(body: bytes) -> Iterator[PdfDocument]:
    """The document; raises BadFile, also for what goes wrong while it is read."""
    import pypdfium2  # noqa: PLC0415 - an extra, and slow to load
    from pypdfium2.raw import FPDF_ERR_PASSWORD  # noqa: PLC0415 - as above

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as fault:
        locked = getattr(fault, "err_code", None) == FPDF_ERR_PASSWORD
        raise BadFile("protected by a password" if locked else "damaged: it cannot be opened") from fault
    try:
        if not 0 < len(document) <= MOST_PAGES:
            raise BadFile(f"more than {MOST_PAGES:,} pages" if len(document) else "damaged: it has no pages")
        yield document
    except pypdfium2.PdfiumError as fault:
        raise BadFile("damaged: a page of it cannot be read") from fault
    finally:
        document.close()


def _pages(document: PdfDocument) -> list[list[str]]:
    """The lines of each page."""
    found: list[list[str]] = []
    size = 0
    for number in range(len(document)):
        page = document[number]
        text = page.get_textpage().get_text_range()
        page.close()
        size += len(text)
        if size > MOST_TEXT:
            raise BadFile("too much text to compare")
        found.append([line for line in map(fold, text.splitlines()) if line])
    return found


def _without_running_lines(pages: Sequence[Sequence[str]]) -> list[_PageLine]:
    """All lines but headers, footers and page numbers: what stands at the edge of most pages, and nowhere else."""
    at_edge = Counter(shape for lines in pages for shape in {_shape(lines[at]) for at in _edges(lines)})
    often = {shape for shape, times in at_edge.items() if times >= max(_REPEATED_ON, len(pages) / 2)}
    everywhere = Counter(shape for lines in pages for line in lines if (shape := _shape(line)) in often) if often else {}
    running = {shape for shape in often if everywhere[shape] <= at_edge[shape] * _ELSEWHERE}
    found: list[_PageLine] = []
    for number, lines in enumerate(pages, 1):
        left_out = {at for at in _edges(lines) if _shape(lines[at]) in running} if running else ()
        found += (_PageLine(line, number) for at, line in enumerate(lines) if at not in left_out)
    return found


def _edges(lines: Sequence[str]) -> Iterable[int]:
    """The numbers of the first and last lines of a page."""
    return range(len(lines)) if len(lines) <= 2 * _EDGE else (*range(_EDGE), *range(len(lines) - _EDGE, len(lines)))


def _shape(line: str) -> str:
    return _NUMBER.sub("0", line)


def _lines(found: Sequence[_PageLine]) -> Iterator[TextLine]:
    """Sentences and headings, each with the page on which it begins."""
    lengths = sorted(len(line.text) for line in found)
    full = lengths[len(lengths) * 9 // 10] if lengths else 0
    paragraph: list[_PageLine] = []
    for at, line in enumerate(found):
        paragraph.append(line)
        following = found[at + 1].text if at + 1 < len(found) else ""
        if _ends_paragraph(line.text, following, full):
            yield from _sentences(paragraph)
            paragraph = []
    yield from _sentences(paragraph)


def _ends_paragraph(line: str, following: str, full: int) -> bool:
    if not following or _ITEM.match(following):
        return True
    if following[0].islower() or line[-1] in _HYPHENS:
        return False
    return len(line) < full * _SHORT


def _sentences(paragraph: Sequence[_PageLine]) -> Iterator[TextLine]:
    if not paragraph:
        return
    if len(paragraph) == 1:
        text, page = paragraph[0]
        heading = len(text) <= _LONGEST_HEADING and not text.endswith(_ENDED) and _HEADING.match(text) is not None
        yield from (TextLine(one, f"page {page}", heading=heading) for one in ([text] if heading else sentences(text)))
        return
    pieces: list[str] = []
    starts: list[int] = []  # where in the joined text each line begins
    size = 0
    for text, _ in paragraph:
        if pieces:
            broken = pieces[-1][-1] in _HYPHENS and text[0].islower()
            pieces[-1] = pieces[-1][:-1] if broken else f"{pieces[-1]} "
            size += len(pieces[-1])
        starts.append(size)
        pieces.append(text)
    joined = "".join(pieces)
    at = 0
    for sentence in sentences(joined):
        begins = joined.find(sentence[:80], at)
        at = begins + len(sentence) if begins >= 0 else at
        line = paragraph[max(bisect_right(starts, max(begins, 0)) - 1, 0)]
        yield TextLine(sentence, f"page {line.page}")
