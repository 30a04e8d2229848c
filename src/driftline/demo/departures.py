"""The demo site's departures: a page that comes empty, and that a script fills after a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from driftline.demo.pages import Noise

NAME: Final = "departures"
TITLE: Final = "Departures"
CHANGES: Final = (3, 6)  # turns with which a departure really changes
SHOWN: Final = ".times"  # the part that the script adds

_TIMES: Final[Sequence[tuple[str, str, str]]] = (
    ("08:10", "Gull Island", "Pier 2"),
    ("12:40", "Old Lighthouse", "Pier 1"),
    ("18:05", "Gull Island", "Pier 2"),
)


def page(noise: Noise) -> str:
    """The answer to a plain request: nothing that anybody could read."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{TITLE} - Tideway</title>
<link rel="stylesheet" href="/style.css?v={noise.nonce}">
</head><body><div id="root"></div><noscript>You need to enable JavaScript to see the departures.</noscript>
<script src="/departures.js?v={noise.nonce}"></script></body></html>"""


SCRIPT: Final = """setTimeout(async () => {
  const { times, served, viewers } = await (await fetch('/departures.json')).json();
  const rows = times.map(([at, to, pier]) => `<tr><th scope="row">${at}</th><td>${to}</td><td>${pier}</td></tr>`).join('');
  document.getElementById('root').innerHTML = `<header><strong>Tideway</strong></header><main><article class="card">
    <h1>Departures</h1><p>The ferry waits for nobody, but it leaves on time.</p><table class="rows times">${rows}</table>
    </article></main>
    <footer><p>${viewers} people are looking at this page. Served at ${served}.</p></footer>`;
}, 300)"""


def times(turn: int, noise: Noise) -> bytes:
    """What the script asks for; with the third turn the last ferry leaves later, with the sixth from another pier."""
    last = ("18:50" if turn >= CHANGES[0] else "18:05", "Gull Island", "Pier 4" if turn >= CHANGES[1] else "Pier 2")
    return msgspec.json.encode({"times": (*_TIMES[:2], last), "served": noise.clock, "viewers": noise.viewers})
