"""Answers of a quarter of a megabyte, read where everybody waits: none takes long, and none takes much room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HTML, JSON, XML = "text/html", "application/json", "application/xml"
LONG = b"k" * 100_000


def _filled(unit: bytes, *, before: bytes = b"", after: bytes = b"") -> bytes:
    return before + unit * ((250_000 - len(before) - len(after)) // len(unit)) + after


BOMBS: dict[str, tuple[str, str, bytes]] = {
    "a long key above many values": ("page", JSON, _filled(b"1,", before=b'{"' + LONG + b'":[', after=b"1]}")),
    "long keys inside each other": ("page", JSON, (b'{"' + b"k" * 400 + b'":[1,1,') * 490 + b"1" + b"]}" * 490),
    "a long name around many texts": ("page", XML, _filled(b"1<b/>", before=b"<" + LONG + b">", after=b"</" + LONG + b">")),
    "tags that never end": ("page", XML, _filled(b"<a", before=b"<rss><channel><item><title>")),
    "ends of what never began": ("page", HTML, _filled(b"<div></x>")),
    "lists with ends of what never began": ("page", HTML, _filled(b"<ul><li></x></y>")),
    "comments in JSON-LD": (
        "page",
        HTML,
        _filled(b"/**/", before=b'<script type="application/ld+json">{,', after=b"x</script>"),
    ),
    "tabs in JSON-LD": (
        "catalog",
        HTML,
        _filled(b"\t", before=b'<script type="application/ld+json">{"a":"', after=b'"x</script>'),
    ),
    "articles inside each other": ("article", HTML, _filled(b"<p>a few words</p>", before=b"<article>" * 1_900)),
    "deep JSON": ("availability", JSON, b"[" * 250_000),
    "an element with many attributes": ("page", HTML, _filled(b" a=b", before=b"<p", after=b">words</p>")),
    "one line": ("page", HTML, _filled(b"word ", before=b"<p>")),
    "a line a letter": ("page", HTML, _filled(b"a<br>")),
    "prices": ("catalog", HTML, _filled(b"$1 ")),
    "pictures": ("page", HTML, _filled(b'<img src="/a.png" srcset="/b.png 1x, /c.png 2x">')),
}
MEASURED = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from driftline.engine.editing.watch_input import read_rules
from driftline.kinds.registry import KINDS
from driftline.kinds.sitemap.content import read_page
from driftline.model.fetch import Fetched, Request

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024

def read(kind, media, body):
    if kind == "article":
        return read_page(body, media)
    at, request = datetime(2026, 1, 1, tzinfo=UTC), Request(url="https://a.example/x")
    got = Fetched(request=request, url=request.url, status=200, headers={"content-type": media}, body=body, at=at)
    return KINDS[kind].read(got, read_rules(KINDS[kind], {}), None)

for kind in ("page", "catalog", "sitemap", "availability"):
    read(kind, "text/html", b"<article><p>warm</p></article>")
for row in sys.argv[2:]:
    name, kind, media = row.split("|")
    body = (Path(sys.argv[1]) / name).read_bytes()
    before, began = peak(), time.process_time()
    read(kind, media, body)
    print(name, peak() - before, round(time.process_time() - began, 1), sep="|")
"""


def test_no_answer_takes_long_or_much_room(tmp_path: Path) -> None:
    for name, (_, _, body) in BOMBS.items():
        (tmp_path / name).write_bytes(body)
    root = Path(__file__).parents[2]
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            MEASURED,
            str(tmp_path),
            *(f"{name}|{kind}|{media}" for name, (kind, media, _) in BOMBS.items()),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"},
    )
    rows = [line.split("|") for line in child.stdout.splitlines()]
    assert [row[0] for row in rows] == list(BOMBS)
    assert [row for row in rows if int(row[1]) > 200 or float(row[2]) > 5] == [], child.stdout
