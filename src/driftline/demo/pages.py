"""The demo site's HTML: what it has to say, wrapped in the noise of the real web."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

import msgspec

from driftline.core.identity.fingerprint import spread
from driftline.demo.script import Page, World

_ADS = (
    ("Copper Kettle Coffee", "Beans roasted this morning, at your door on Thursday."),
    ("Fjord & Sons Rainwear", "The jacket that the ferry crews wear. Now in ochre."),
    ("Learn the cello", "First lesson free, instrument on loan."),
    ("Plum Bicycles", "Hand-built frames, lifelong repairs."),
    ("Sourdough weekend", "Two days, one starter, no phone."),
)


class Noise(msgspec.Struct, frozen=True):
    """Everything about an answer that means nothing; another one for every answer."""

    answer: int  # which answer of this server it is

    @property
    def clock(self) -> str:
        """A clock that moves with every answer."""
        seconds = 9 * 3600 + self.answer * 37
        return f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    @property
    def nonce(self) -> str:
        """Twelve random-looking digits, as in tokens and cache busters."""
        return f"{int(spread(self.answer, 1) * 16**12):012x}"

    @property
    def viewers(self) -> int:
        """A counter that nobody needs."""
        return 80 + int(spread(self.answer, 2) * 900)

    @property
    def ad(self) -> tuple[str, str]:
        """Whose turn it is to be advertised, and with which words."""
        return _ADS[self.answer % len(_ADS)]


def _product(world: World) -> str:
    stocked = "yes" if world.stock.startswith("In stock") else "no"
    return f"""
    <article class="card product">
      <div class="swatch" role="img" aria-label="A walnut desk lamp, switched on"></div>
      <div>
        <p class="kicker">Lighting / Desk</p>
        <h1>Tern desk lamp</h1>
        <p>Oiled walnut, a brass joint that never needs tightening, and a warm light that dims down to a candle. Made in small
           batches in a workshop by the canal; every lamp carries the initials of whoever built it.</p>
        <p class="price">{escape(world.price)}</p>
        <p class="stock {stocked}">{escape(world.stock)}</p>
        <form><button type="button">Put into basket</button></form>
        <dl>
          <dt>Height</dt><dd>46 cm</dd><dt>Weight</dt><dd>1.9 kg</dd>
          <dt>Bulb</dt><dd>LED, 6 W, can be replaced</dd><dt>Cable</dt><dd>2.2 m, braided cotton</dd>
        </dl>
      </div>
    </article>"""


def _terms(world: World) -> str:
    clauses = "".join(
        f"<section><h2>{number}. {escape(title)}</h2><p>{escape(text)}</p></section>"
        for number, (title, text) in enumerate(world.clauses, start=1)
    )
    opening = "<h1>Terms of service</h1><p>In plain words, because you should read them.</p>"
    return f'<article class="card prose">{opening}{clauses}</article>'


def _jobs(world: World) -> str:
    rows = "".join(
        f"<li><h2>{escape(job.title)}</h2><p>{escape(job.place)}</p><p class='quiet'>{escape(job.terms)}</p></li>"
        for job in world.jobs
    )
    opening = "<h1>Work with us</h1><p>Small teams, long lunches, no ping-pong.</p>"
    return f'<article class="card">{opening}<ul class="rows">{rows}</ul></article>'


def _news(world: World) -> str:
    stories = "".join(
        f"<section><h2>{escape(story.title)}</h2><p>{escape(story.lead)}</p>"
        f"<p class='quiet'>By {escape(story.author)}</p></section>"
        for story in world.stories
    )
    return f'<article class="card prose"><h1>The Tideway Courier</h1>{stories}</article>'


def _status(world: World) -> str:
    incident = ""
    if world.incident is not None:
        title, text = world.incident
        incident = f'<section class="incident"><h2>{escape(title)}</h2><p>{escape(text)}</p></section>'
    rows = "".join(
        f'<tr><th scope="row">{escape(part.name)}</th><td class="{part.state.lower()}">{escape(part.state)}</td></tr>'
        for part in world.components
    )
    return f'<article class="card"><h1>System status</h1>{incident}<table class="rows">{rows}</table></article>'


_BODIES: Mapping[Page, tuple[str, Callable[[World], str]]] = {
    "product": ("Tern desk lamp", _product),
    "terms": ("Terms of service", _terms),
    "jobs": ("Work with us", _jobs),
    "news": ("The Tideway Courier", _news),
    "status": ("System status", _status),
}


def title_of(page: Page) -> str:
    """What the page calls itself."""
    return _BODIES[page][0]


def render(page: Page, world: World, noise: Noise) -> str:
    """One answer: the same world twice differs in noise alone."""
    title, body = _BODIES[page]
    return shell(title, body(world), noise)


def shell(title: str, body: str, noise: Noise) -> str:
    """The site's frame around a body of HTML, with everything about it that means nothing."""
    sponsor, slogan = noise.ad
    places = [*((f"/{name}", title_of(name)) for name in _BODIES), ("/store", "Store"), ("/blog", "Blog")]
    links = "".join(f'<a href="{path}">{escape(name)}</a>' for path, name in places)
    return f"""<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="csrf-token" content="{noise.nonce}">
  <title>{escape(title)} - Tideway</title>
  <link rel="stylesheet" href="/style.css?v={noise.nonce}">
  <script nonce="{noise.nonce}">window.__page = {{"request": "{noise.nonce}", "answer": {noise.answer}}};</script>
</head>
<body>
  <header><strong>Tideway</strong><nav>{links}</nav></header>
  <main>
    {body}
    <aside class="ad" id="slot-{noise.nonce[:6]}">
      <p class="quiet">Advertisement</p><h3>{escape(sponsor)}</h3><p>{escape(slogan)}</p>
    </aside>
  </main>
  <footer>
    <p>{noise.viewers} people are looking at this page. Served at {noise.clock}.</p>
    <p>Request {noise.nonce}, answer number {noise.answer}. &copy; Tideway Trading</p>
  </footer>
</body>
</html>
"""


STYLE = """
:root { --ink: #1d2a33; --quiet: #6b7a85; --paper: #f6f3ec; --card: #fffdf8; --sea: #1f6f78; --warm: #c8643b; }
* { box-sizing: border-box; }
body { margin: 0; font: 17px/1.6 Georgia, "Times New Roman", serif; color: var(--ink); background: var(--paper); }
header { display: flex; gap: 2rem; align-items: baseline; padding: 1.2rem 6vw; background: var(--sea); color: #fff; }
header strong { font-size: 1.4rem; letter-spacing: .02em; }
nav { display: flex; flex-wrap: wrap; gap: 1.2rem; }
nav a { color: #e6f2f1; text-decoration: none; }
nav a:hover, nav a:focus { text-decoration: underline; }
main { max-width: 62rem; margin: 2.5rem auto; padding: 0 4vw; }
main a { color: var(--sea); text-decoration-thickness: 1px; text-underline-offset: 3px; }
.card { background: var(--card); border-radius: 10px; padding: 2rem 2.4rem; box-shadow: 0 1px 12px rgb(29 42 51 / 9%); }
.product { display: grid; grid-template-columns: minmax(12rem, 1fr) 2fr; gap: 2.4rem; }
.swatch { border-radius: 8px; min-height: 18rem;
  background: radial-gradient(circle at 50% 30%, #fff3c4, #d9a566 45%, #6d4427); }
.kicker, .quiet, dt { color: var(--quiet); font-size: .9rem; }
.price { font-size: 1.8rem; color: var(--warm); margin: .6rem 0 0; }
.stock.yes { color: #2c7a4b; } .stock.no { color: #a33; }
button { font: inherit; padding: .5rem 1.2rem; border: 0; border-radius: 6px; background: var(--sea); color: #fff; }
dl { display: grid; grid-template-columns: 8rem 1fr; } dd { margin: 0; }
.prose section { border-top: 1px solid #e5dfd2; margin-top: 1.2rem; }
.rows { list-style: none; padding: 0; width: 100%; border-collapse: collapse; }
.ware { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: center; padding: .6rem 0; }
.ware a { display: flex; flex: 1 1 14rem; gap: 1rem; align-items: center; color: inherit; }
.ware img { width: 3.5rem; height: 3.5rem; border-radius: 8px; } .ware h3, .ware p { margin: 0; }
.ware .price { font-size: 1.2rem; } .ware .stock { width: 5.5rem; text-align: right; }
.rows h2 { margin: .6rem 0 0; font-size: 1.15rem; } .rows h2 + p, .rows p + p { margin: 0 0 .4rem; }
.rows li, .rows tr { border-top: 1px solid #e5dfd2; } .rows th { text-align: left; padding: .7rem 0; font-weight: normal; }
.operational { color: #2c7a4b; } .degraded { color: #b06a00; }
.incident { border-left: 4px solid #b06a00; padding-left: 1rem; background: #fdf5e3; }
.ad { margin-top: 2rem; padding: 1rem 1.4rem; border: 1px dashed #cfc6b4; border-radius: 8px; }
.ad h3, .ad p { margin: 0; }
.mail { width: 100%; height: 30rem; border: 1px solid #e5dfd2; border-radius: 8px; background: #fff; }
pre { overflow-x: auto; } article + article { margin-top: 1.5rem; }
footer { padding: 1.5rem 6vw; color: var(--quiet); font-size: .9rem; }
@media (max-width: 40rem) {
  header { display: block; padding: 1rem 4vw; } .card { padding: 1.2rem; }
  .product { grid-template-columns: 1fr; } .swatch { min-height: 9rem; }
  .ware a { flex-basis: 100%; } .ware .stock { width: auto; }
}
"""
