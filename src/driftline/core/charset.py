"""Bytes to text the way browsers do it: byte order mark, header, declaration, then a guess; WHATWG labels only."""

from __future__ import annotations

import codecs
import re
from typing import Final

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_PRESCAN: Final = 4096  # bytes in which a declaration is looked for; browsers stop at 1024, real pages do not
_META: Final = re.compile(rb"""<meta[^>]{0,400}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_XML: Final = re.compile(rb"""^\s{0,8}<\?xml[^>]{0,200}?encoding\s{0,8}=\s{0,8}["']([A-Za-z0-9._:-]{1,40})""")
_PARAMETER: Final = re.compile(r"""charset\s{0,8}=\s{0,8}["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)


def _table(text: str) -> dict[str, str]:
    return {label: line.split()[0] for line in text.strip().splitlines() for label in line.split()[1:]}


# The Encoding Standard's labels, each under the Python codec that decodes it. latin-1 and ASCII mean windows-1252 on the web.
# Labels of encodings that the standard replaces (hz-gb-2312, iso-2022-kr, utf-7) are absent on purpose: they carry attacks.
LABELS: Final = _table("""
utf-8 utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
cp866 866 cp866 csibm866 ibm866
iso8859-2 csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso8859-3 csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso8859-4 csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso8859-5 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127
iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987
sun_eu_greek
iso8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8
iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
iso8859-10 csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso8859-13 iso-8859-13 iso8859-13 iso885913
iso8859-14 iso-8859-14 iso8859-14 iso885914
iso8859-15 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso8859-16 iso-8859-16
koi8-r cskoi8r koi koi8 koi8-r koi8_r
koi8-u koi8-ru koi8-u
mac-roman csmacintosh mac macintosh x-mac-roman
cp874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
cp1250 cp1250 windows-1250 x-cp1250
cp1251 cp1251 windows-1251 x-cp1251
cp1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1
iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
cp1253 cp1253 windows-1253 x-cp1253
cp1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
cp1255 cp1255 windows-1255 x-cp1255
cp1256 cp1256 windows-1256 x-cp1256
cp1257 cp1257 windows-1257 x-cp1257
cp1258 cp1258 windows-1258 x-cp1258
mac-cyrillic x-mac-cyrillic x-mac-ukrainian
gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030
big5hkscs big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp cseucpkdfmtjapanese euc-jp x-euc-jp
iso2022-jp csiso2022jp iso-2022-jp
cp932 csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
cp949 cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
utf-16-be unicodefffe utf-16be
utf-16-le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
""")


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a body, decoded once. A declaration that the bytes contradict does not win over valid UTF-8."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    declared = _from_header(content_type) or _from_body(body)
    if declared is None or declared == "utf-8":
        return _utf8_or_windows(body)
    if not declared.startswith("utf-16") and not body.isascii():
        # Many servers declare latin-1 by default and send UTF-8; several bytes of real latin-1 are never valid UTF-8 by
        # accident.
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    return _windows(body, declared)


def _from_header(content_type: str) -> str | None:
    found = _PARAMETER.search(content_type) if content_type else None
    return LABELS.get(found[1].lower()) if found else None


def _from_body(body: bytes) -> str | None:
    found = _XML.search(body[:512]) or _META.search(body[:_PRESCAN])
    codec = LABELS.get(found[1].decode("ascii").lower()) if found else None
    # A declaration that could be read byte by byte cannot be UTF-16, the standard says; it means UTF-8.
    return "utf-8" if codec is not None and codec.startswith("utf-16") else codec


def _utf8_or_windows(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as fault:
        # One broken sequence in a UTF-8 page (a cut title, an old comment) is replaced; a page without valid ones is not UTF-8.
        return body.decode("utf-8", "replace") if _mostly_utf8(body, fault.start) else _windows(body, "cp1252")


def _mostly_utf8(body: bytes, first_fault: int) -> bool:
    """Whether more multi-byte sequences of the body are valid UTF-8 than not."""
    text = body[max(0, first_fault - 20_000) : first_fault + 20_000].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(1 for character in text if character > "\x7f") - broken > broken


def _windows(body: bytes, codec: str) -> str:
    """Decode; the bytes that windows code pages leave undefined are control characters, as browsers read them."""
    if codec == "cp1252":
        try:
            return body.decode(codec)
        except UnicodeDecodeError:
            return body.decode("latin-1").translate(_CP1252)
    return body.decode(codec, "replace")


_CP1252: Final = {
    byte: codecs.decode(bytes([byte]), "cp1252") for byte in range(0x80, 0xA0) if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}
