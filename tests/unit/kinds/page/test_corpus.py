"""Pages as the web makes them, in pairs: noise alone must tell nothing, one small real change must be told."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from driftline.pages import compare_pages


class Site(NamedTuple):
    """A page template with holes; `noise` fills some of them in two ways, `content` has one value per hole."""

    html: str
    content: Mapping[str, str]
    noise: Mapping[str, tuple[str, str]]
    edits: Mapping[str, str]  # hole -> another value: one small real change each

    def page(self, turn: int, **changed: str) -> str:
        text = self.html
        for hole, value in {**self.content, **changed}.items():
            text = text.replace("{" + hole + "}", value)
        for hole, values in self.noise.items():
            text = text.replace("{" + hole + "}", values[turn])
        return text


SHOP = Site(
    html="""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="description" content="{description}"><meta property="og:title" content="{title}"><meta property="og:image" content="{hero}">
<meta property="og:site_name" content="Kettle & Co {deploy}"><meta name="csrf-token" content="{token}"><meta name="trace-id" content="{trace}">
<link rel="canonical" href="https://shop.example/p/{slug}?utm_source={token}"><link rel="stylesheet" href="/assets/app.{hash}.css">
<script nonce="{token}">window.__t="{token}";</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"{title}","sku":"{sku}",
"image":"{hero}?v={build}","offers":{"@type":"Offer","price":"{price}","priceCurrency":"EUR","availability":"https://schema.org/{availability}"},
"aggregateRating":{"@type":"AggregateRating","ratingValue":"4.6","reviewCount":"{reviews}"}}</script></head>
<body class="page-{build}"><header><nav><a href="/?sid={session}">Home</a><a href="/tea?gclid={token}">Tea</a></nav></header>
<main><h1>{title}</h1><img class="hero" src="{hero}?v={build}" alt="kettle" width="600" height="400">
<p class="price">{price} €</p><p class="stock">{stock}</p><p>{text}</p><ul class="facts"><li>Capacity: {capacity}</li><li>Colour: steel</li></ul>
<p class="social"><b>{reviews}</b> <span>reviews</span> · {viewers} people are viewing this right now</p>
<form method="post" action="/cart"><input type="hidden" name="csrf" value="{token}"><button>Add to cart</button></form>
<div class="ad-slot" id="ad-{build}"><a href="https://ads.example/c/{trace}">{ad}</a><img src="https://ads.example/i/{trace}.gif"></div>
</main><footer><p>Page generated in {took} seconds. Request ID: {trace}</p><p>© {year} Kettle &amp; Co. All rights reserved.</p>
<noscript><img src="https://px.example/t.gif?{trace}" width="1" height="1"></noscript><img src="https://px.example/p/{trace}.gif" width="1" height="1"></footer></body></html>""",
    content={
        "title": "Gooseneck kettle",
        "slug": "gooseneck",
        "description": "A kettle for pour-over coffee.",
        "hero": "https://cdn.example/img/kettle.jpg",
        "sku": "K-120",
        "price": "79.90",
        "availability": "InStock",
        "stock": "In stock, only 3 left",
        "text": "Brews at 93 degrees. Delivery until 14 March 2026. Returns are accepted for 30 days.",
        "capacity": "1.2 l",
    },
    noise={
        "token": ("9f8e7d6c5b4a39281706f5e4d3c2b1a0", "00112233445566778899aabbccddeeff"),
        "trace": ("4bf92f3577b34da6a3ce929d0e0e4736", "7d1e6a5c0b9f4e3d8c7b6a5948372615"),
        "session": ("u8s7d6f5g4h3j2k1l0q9w8e7", "p0o9i8u7y6t5r4e3w2q1a2s3"),
        "deploy": ("2024.11", "2024.12"),
        "hash": ("3f2a9c1b", "88d01e7f"),
        "build": ("1731666666", "1731777777"),
        "reviews": ("1,204", "1,207"),
        "viewers": ("12", "31"),
        "took": ("0.034", "0.112"),
        "ad": ("Kayaks for everyone", "Twenty percent off tents until Sunday"),
        "year": ("2025", "2026"),
    },
    edits={
        "price": "74.90",
        "title": "Gooseneck kettle, second edition",
        "text": "Brews at 94 degrees. Delivery until 14 March 2026. Returns are accepted for 30 days.",
        "capacity": "1.0 l",
        "hero": "https://cdn.example/img/kettle-black.jpg",
        "stock": "In stock, only 2 left",
        "description": "A kettle for tea.",
    },
)

NEWS = Site(
    html="""<html lang="de"><head><title>{headline} - Tagblatt</title><meta property="og:type" content="article">
<meta property="article:modified_time" content="{modified}"><meta property="og:updated_time" content="{modified}"><meta name="robots" content="index">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"NewsArticle","headline":"{headline}","dateModified":"{modified}",
"datePublished":"2026-02-01T08:00:00+01:00","interactionStatistic":{"@type":"InteractionCounter","userInteractionCount":"{views}"}}]}</script></head><body>
<div id="clock">Aktuelle Uhrzeit: {clock}</div><article><h1>{headline}</h1><p class="byline">Von {author} · Zuletzt aktualisiert: {updated}</p>
<p>{lead}</p><p>{body}</p><p class="stats">{views} Aufrufe · <span class="n">{comments}</span> <span>Kommentare</span> · vor {ago}</p></article>
<aside><h2>Termine</h2><ul><li>Stadtfest am {event}</li><li>Ratssitzung: 12.03.2026, 19:00 Uhr</li></ul></aside>
<div id="cookie-banner">Wir verwenden Cookies {token}</div><script src="/js/main.js?v={token}"></script></body></html>""",
    content={
        "headline": "Brücke wird gesperrt",
        "author": "M. Keller",
        "lead": "Die Brücke über die Aare ist ab Montag nicht befahrbar.",
        "body": "Die Arbeiten kosten 2,4 Millionen Franken und dauern sechs Wochen.",
        "event": "14. März 2026",
    },
    noise={
        "modified": ("2026-02-03T10:11:12+01:00", "2026-02-03T10:15:44+01:00"),
        "clock": ("10:11", "10:15"),
        "updated": ("03.02.2026, 10:11 Uhr", "03.02.2026, 10:15 Uhr"),
        "views": ("1.204", "1.391"),
        "comments": ("17", "19"),
        "ago": ("3 Minuten", "2 Stunden"),
        "token": ("a8f3e2c1", "d9b7c6a5"),
    },
    edits={
        "lead": "Die Brücke über die Aare ist ab Montag befahrbar.",
        "body": "Die Arbeiten kosten 2,5 Millionen Franken und dauern sechs Wochen.",
        "event": "21. März 2026",
        "author": "M. Kellner",
        "headline": "Brücke wird abgerissen",
    },
)

JOBS = Site(
    html="""<html lang="en"><head><title>Open positions</title></head><body><main><h1>Open positions</h1><p>Updated {updated}</p>
<ul class="jobs">{extra}<li class="job" data-track="{token}"><h3><a href="/jobs/17?utm_campaign={token}">Data engineer</a></h3><p class="location">{place}</p><p>Salary: {salary}</p><time>{ago}</time></li>
<li class="job" data-track="{token}"><h3><a href="/jobs/18?utm_campaign={token}">Welder</a></h3><p class="location">Gdańsk</p><p>Salary: 52,000 PLN</p><time>{ago}</time></li>
<li class="job" data-track="{token}"><h3><a href="/jobs/19?utm_campaign={token}">Nurse</a></h3><p class="location">Porto</p><p>{contract}</p><time>{ago}</time></li></ul>
<nav class="pagination"><a href="?page=2">2</a><a href="{last}">Last</a></nav></main><footer>Served by web-{node}</footer></body></html>""",
    content={"place": "Lyon", "salary": "€48,000", "contract": "Permanent, not remote", "extra": "", "last": "?page=9"},
    noise={
        "updated": ("2026-01-05 08:00", "2026-01-06 09:30"),
        "token": ("q1w2e3r4", "z9x8c7v6"),
        "ago": ("2 days ago", "3 days ago"),
        "node": ("03", "11"),
    },
    edits={
        "place": "Nantes",
        "salary": "€49,000",
        "contract": "Permanent, remote",
        "extra": '<li class="job"><h3><a href="/jobs/20">Baker</a></h3><p class="location">Ghent</p><p>Salary: €31,000</p><time>1 day ago</time></li>',
    },
)

TERMS = Site(
    html="""<html lang="fr"><head><title>Conditions générales</title></head><body><h1>Conditions générales</h1><p>Dernière mise à jour : {updated}</p>
<h2>1. Objet</h2><p>{purpose}</p><h2>2. Responsabilité</h2><p>{liability}</p><h2>3. Résiliation</h2><p>{notice}</p>{extra}
<p class="foot">Copyright © 2019-{year} Exemple SA</p></body></html>""",
    content={
        "purpose": "Les présentes conditions régissent l'usage du service.",
        "liability": "La société n'est pas responsable des dommages indirects.",
        "notice": "Le préavis est de 30 jours.",
        "extra": "",
    },
    noise={"updated": ("3 mars 2025", "14 avril 2025"), "year": ("2025", "2026")},
    edits={
        "liability": "La société est responsable des dommages indirects.",
        "notice": "Le préavis est de 60 jours.",
        "extra": "<h2>4. Arbitrage</h2><p>Tout litige est soumis à l'arbitrage.</p>",
    },
)

WIKI = Site(
    html="""<html lang="ja"><head><title>青い橋 - 百科</title></head><body><div id="content"><h1>青い橋</h1><p>{intro}</p><h2>歴史</h2><p>{history}</p>
<ul><li>高さ: {height}</li><li>開通: 1932年4月1日</li></ul><p>閲覧数: {views}</p></div><div id="footer">最終更新 {updated} に行われました。</div></body></html>""",
    content={"intro": "青い橋は川に架かる橋である。", "history": "橋は再建されなかった。", "height": "45 m"},
    noise={"views": ("1,204", "1,391"), "updated": ("2026年1月5日 (月) 10:22", "2026年1月6日 (火) 08:15")},
    edits={"intro": "赤い橋は川に架かる橋である。", "history": "橋は再建された。", "height": "48 m"},
)

SPA = Site(
    html="""<!doctype html><html><head><title>Menu</title></head><body><div id="__next"></div>
<script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"menu":[{"dish":"{dish}","price":"{price}"},{"dish":"Soup","price":"6.00"}],
"opening":"{opening}"}},"buildId":"{build}","query":{},"runtimeConfig":{"requestId":"{trace}","now":{epoch}}}</script></body></html>""",
    content={"dish": "Risotto", "price": "14.50", "opening": "Open until 22:00"},
    noise={
        "build": ("kX9dPq2vLm", "Zr7tYb3nWc"),
        "trace": ("4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "7d1e6a5c-0b9f-4e3d-8c7b-6a5948372615"),
        "epoch": ("1767606000123", "1767609999456"),
    },
    edits={"dish": "Ravioli", "price": "15.50", "opening": "Open until 23:00"},
)

SITES = {
    "shop": SHOP,
    "news": NEWS,
    "jobs": JOBS,
    "terms": TERMS,
    "wiki": WIKI,
    "spa": SPA,
}
URL = "https://site.example/page"


@pytest.mark.parametrize("name", SITES)
def test_noise_alone_tells_nothing(name: str) -> None:
    site = SITES[name]
    dressed = site.page(1).replace("><", ">\n   <").replace("<div", "<DIV").replace("</div", "</DIV")
    for after in (site.page(1), dressed):
        diff = compare_pages(site.page(0), after, url=URL)
        assert not diff.meaningful, (diff.headline, diff.changes)


@pytest.mark.parametrize("name", SITES)
def test_each_noise_alone_tells_nothing(name: str) -> None:
    site = SITES[name]
    assert site.noise
    for hole, values in site.noise.items():
        quiet = site._replace(
            noise={other: (reported[0], reported[0]) for other, reported in site.noise.items()} | {hole: values}
        )
        diff = compare_pages(quiet.page(0), quiet.page(1), url=URL)
        assert not diff.meaningful, (hole, diff.headline)


@pytest.mark.parametrize(("name", "hole"), [(name, hole) for name, site in SITES.items() for hole in site.edits])
def test_one_small_change_among_the_noise_is_reported(name: str, hole: str) -> None:
    site = SITES[name]
    diff = compare_pages(site.page(0), site.page(1, **{hole: site.edits[hole]}), url=URL)
    assert diff.meaningful, (site.content[hole], site.edits[hole])
    assert len([finding for finding in diff.findings if finding.type == "content"]) <= 1


@pytest.mark.parametrize("name", SITES)
def test_the_same_page_twice_tells_nothing(name: str) -> None:
    page = SITES[name].page(0)
    diff = compare_pages(page, page, url=URL)
    assert not diff.meaningful
    assert diff.similarity == 1.0
    assert diff.jaccard == 1.0
    assert diff.headline == "Nothing changed"
