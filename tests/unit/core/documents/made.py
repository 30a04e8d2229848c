"""Makes small documents of every type, written by hand, so that each test says what it holds."""

from __future__ import annotations

import textwrap
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO


def pdf(
    pages: Sequence[Sequence[str]], *, title: str = "", compressed: bool = False, columns: int = 1, extra: Sequence[bytes] = ()
) -> bytes:
    """A PDF with these lines on its pages, written in as many columns, one after the other."""
    objects: list[bytes] = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for lines in pages:
        height = -(-len(lines) // columns) or 1
        shown = [
            f"1 0 0 1 {50 + 260 * (at // height)} {780 - 14 * (at % height)} Tm ({_escaped(line)}) Tj"
            for at, line in enumerate(lines)
        ]
        stream = ("BT /F1 10 Tf\n" + "\n".join(shown) + "\nET").encode("latin-1", "replace")
        head = b""
        if compressed:
            stream, head = zlib.compress(stream), b"/Filter/FlateDecode"
        objects.append(b"<<%b/Length %d>>stream\n%b\nendstream" % (head, len(stream), stream))
        kids.append(len(objects) + 1)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>" % len(objects)
        )
    objects[1] = b"<</Type/Pages/Kids[%b]/Count %d>>" % (b" ".join(b"%d 0 R" % kid for kid in kids), len(kids))
    objects.append(f"<</Title({_escaped(title)})>>".encode("latin-1"))
    info = len(objects)
    objects += extra
    written, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj" % number + one + b"endobj\n"
    at = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    written += b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, info, at)
    return bytes(written)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def set_in(paragraphs: Sequence[str], *, width: int, height: int, header: str = "", footer: str = "") -> list[list[str]]:
    """Paragraphs broken into lines and pages, as a typesetter would; `{page}` in header and footer is the page's number."""
    lines = [line for one in paragraphs for line in textwrap.wrap(one, width)]
    pages = [lines[at : at + height] for at in range(0, len(lines), height)]
    return [
        [*([header.format(page=number)] if header else []), *page, *([footer.format(page=number)] if footer else [])]
        for number, page in enumerate(pages, 1)
    ]


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these parts; the first ones say what it is."""
    found = BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=stored)
    return found.getvalue()


def docx(*body: str) -> bytes:
    """A Word document with this XML as its body."""
    return zipped({"word/document.xml": f'<w:document xmlns:w="urn:w"><w:body>{"".join(body)}</w:body></w:document>'})


def word(text: str, style: str = "") -> str:
    """A paragraph of a Word document, its text in two runs."""
    half = len(text) // 2
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:t>{text[:half]}</w:t></w:r><w:r><w:t>{text[half:]}</w:t></w:r></w:p>"


def odf(kind: str, body: str) -> bytes:
    """An OpenDocument file of a kind: text, spreadsheet, presentation."""
    names = " ".join(f'xmlns:{name}="urn:{name}"' for name in ("office", "text", "table", "draw"))
    content = f"<office:document-content {names}><office:body>{body}</office:body></office:document-content>"
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    parts = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "META-INF/manifest.xml": manifest,
        "content.xml": content,
    }
    return zipped(parts)


def pptx(*slides: Sequence[str]) -> bytes:
    """A presentation; each slide has these paragraphs."""
    return zipped(
        {
            f"ppt/slides/slide{number}.xml": '<p:sld xmlns:p="urn:p" xmlns:a="urn:a">'
            + "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in slide)
            + "</p:sld>"
            for number, slide in enumerate(slides, 1)
        }
    )


def xlsx(rows: Sequence[Sequence[str | float]], sheet: str = "Prices") -> bytes:
    """A workbook with one sheet."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    linked = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    cells = "".join(
        f'<row r="{down}">'
        + "".join(
            f'<c r="{chr(64 + across)}{down}" t="inlineStr"><is><t>{cell}</t></is></c>'
            if isinstance(cell, str)
            else f'<c r="{chr(64 + across)}{down}"><v>{cell}</v></c>'
            for across, cell in enumerate(row, 1)
        )
        + "</row>"
        for down, row in enumerate(rows, 1)
    )
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
            f' Type="{linked}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
            f' Type="{linked}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{linked}"><sheets>'
            f'<sheet name="{sheet}" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
        }
    )


def epub(*chapters: str) -> bytes:
    """A book; each chapter is the body of an XHTML file."""
    items = "".join(f'<item id="c{number}" href="c{number}.xhtml"/>' for number in range(len(chapters)))
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>',
            "book/content.opf": f"<package><metadata><title>A book</title></metadata><manifest>{items}</manifest>"
            f"<spine>{order}</spine></package>",
        }
        | {f"book/c{number}.xhtml": f"<html><body>{body}</body></html>" for number, body in enumerate(chapters)}
    )
