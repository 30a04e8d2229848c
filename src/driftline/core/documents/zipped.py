"""Opens office files, which are zip archives of XML, within limits: size, number of parts, depth, no DOCTYPE."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Final
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from driftline.errors import BadFile

MOST_PARTS: Final = 10_000
MOST_BYTES: Final = 64 * 1024 * 1024  # of all parts that are read, unpacked
_DEEPEST: Final = 500

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]
Text = Callable[[str], None]


class Archive:
    """The parts of an office file, unpacked one by one and counted."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = ZipFile(BytesIO(body))
        except (BadZipFile, OSError, ValueError, NotImplementedError) as fault:
            raise BadFile("damaged: it cannot be opened") from fault
        self.names = self._zip.namelist()
        self._left = MOST_BYTES
        if len(self.names) > MOST_PARTS:
            raise BadFile(f"more than {MOST_PARTS:,} parts")

    def read(self, name: str) -> bytes:
        """One part; empty if there is none. What is larger than it says is refused as well."""
        try:
            with self._zip.open(name) as part:
                found = part.read(self._left + 1)
        except KeyError:
            return b""
        except RuntimeError as fault:  # how zipfile says that a password is needed
            raise BadFile("protected by a password") from fault
        except (BadZipFile, OSError, EOFError, ValueError, zlib.error) as fault:
            raise BadFile("damaged: it cannot be unpacked") from fault
        self._left -= len(found)
        if self._left < 0:
            raise BadFile("too large when unpacked")
        return found


def walk_xml(source: bytes, start: Start, end: End, text: Text) -> None:
    """Call these for every element and text, names without their namespace's prefix; raises BadFile for what is hostile."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise BadFile("nests too deep")
        start(name.rpartition(":")[2], {key.rpartition(":")[2]: value for key, value in attributes.items()})

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2])

    def refused(*_: object) -> None:
        raise BadFile("declares a document type, which may hide an attack")

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refused
    try:
        parser.Parse(source, True)
    except expat.ExpatError as fault:
        raise BadFile("damaged: its XML cannot be read") from fault
