"""The same content written otherwise is the same; a word, a parameter or a picture that differs beside it is told."""

# ruff: noqa: E501 - fragments stand here as servers send them

from __future__ import annotations

import unicodedata

import pytest

from driftline.pages import compare_pages

URL = "https://site.example/dir/page"
PAGE = """<!doctype html><html lang="en"><head><title>{title}</title><meta name="description" content="{title}"></head><body><main><h1>Harbour</h1>
<p>The ferry runs every day of the year, also in winter.</p>{main}<p>Write to the office for a list of all sailings.</p></main></body></html>"""


def page(main: str, title: str = "Harbour") -> str:
    return PAGE.format(main=main, title=title)


SAS = "https://acct.blob.example/docs/{}.pdf?sv=2022-11-02&st=2026-03-{}T09%3A14%3A00Z&se=2026-03-{}T10%3A14%3A00Z&sr=b&sp=r&sig={}%3D"
SAME = [
    ('<a href="/i.php?view=a&id=12">Plan</a>', '<a href="/i.php?id=12&view=a">Plan</a>'),
    ('<img src="/i.php?view=a&n=12">', '<img src="/i.php?n=12&view=a">'),
    ("<p>Le café est fermé à midi</p>", f"<p>{unicodedata.normalize('NFD', 'Le café est fermé à midi')}</p>"),
    ("<p>5 février, mis à jour le 3 février 2026</p>", f"<p>{unicodedata.normalize('NFD', '5 février, mis à jour le 4 février 2026')}</p>"),
    ("<p>See you 🙂 all</p>", '<p>See you <img class="emoji" alt="🙂" src="https://s.w.org/images/core/emoji/15.0.3/svg/1f642.svg"> all</p>'),
    ("<p>\"We don't expect delays\" ... said the chair</p>", "<p>“We don’t expect delays” … said the chair</p>"),
    ("<p>Mo-Fr 9-17 -- closed on holidays</p>", "<p>Mo‑Fr 9–17 — closed on holidays</p>"),
    ('<img src="/plan.jpg" alt="The chair\'s plan">', '<img src="/plan.jpg" alt="The chair’s plan">'),
    ('<h2>Install<a class="headerlink" href="#i">¶</a></h2>', '<h2>Install<a class="headerlink" href="#i">#</a></h2>'),
    ('<h2>Install<a class="headerlink" href="#i">¶</a></h2>', "<h2>Install</h2>"),
    (f'<a href="{SAS.format("minutes", 10, 10, "v4O2yyj0yL3V9j8uuPg2K892o")}">Minutes</a>', f'<a href="{SAS.format("minutes", 11, 11, "MqOATw5pf9kemMbwUW8MD1YTl")}">Minutes</a>'),
    ('<a href="https://cdn.example/a.pdf?ex=65f1&is=65e1&hm=ab12">A</a>', '<a href="https://cdn.example/a.pdf?ex=77f1&is=77e1&hm=cd34">A</a>'),
    ('<img src="/fileadmin/_processed_/3/f/csm_hall_1a2b3c4d5e.jpg">', '<img src="/fileadmin/_processed_/9/c/csm_hall_9f8e7d6c5b.jpg">'),
    ('<img srcset="/h-400.jpg 400w, /h-800.jpg 800w" src="/h-800.jpg">', '<img srcset="/h-600.jpg 600w, /h-1200.jpg 1200w" src="/h-600.jpg">'),
    ('<img src="https://scontent-fra3-1.xx.fbcdn.example/v/12_n.jpg?oh=1&oe=2">', '<img src="https://scontent-cdg4-2.xx.fbcdn.example/v/12_n.jpg?oh=3&oe=4">'),
]  # fmt: skip

OTHER = [
    ('<a href="/i.php?view=a&id=12">Plan</a>', '<a href="/i.php?id=13&view=a">Plan</a>'),
    ('<a href="/i.php?a=1&a=2">Plan</a>', '<a href="/i.php?a=2&a=1">Plan</a>'),
    ("<p>Le café est fermé à midi</p>", f"<p>{unicodedata.normalize('NFD', 'Le café est fermé à une heure')}</p>"),
    ("<p>Le café est fermé</p>", "<p>Le cafe est ferme</p>"),
    ("<p>See you 🙂 all</p>", '<p>See you <img class="emoji" alt="🙁" src="https://s.w.org/images/core/emoji/15.0.3/svg/1f641.svg"> all</p>'),
    ("<p>Sun</p>", '<p><img class="emoji" alt="Sun" src="/photos/sun.jpg"></p>'),
    ("<p>\"We don't expect delays\"</p>", "<p>“We do expect delays”</p>"),
    ("<p>Mo-Fr 9-17</p>", "<p>Mo–Fr 9–18</p>"),
    ("<p>Use the option -help</p>", "<p>Use the option --help</p>"),
    ("<p>A 5' wall</p>", '<p>A 5" wall</p>'),
    ("<h2>Learn C</h2>", "<h2>Learn C#</h2>"),
    ('<h2>Install<a class="headerlink" href="#i">¶</a></h2>', '<h2>Remove<a class="headerlink" href="#i">#</a></h2>'),
    (f'<a href="{SAS.format("minutes", 10, 10, "v4O2yyj0yL3V9j8uuPg2K892o")}">Minutes</a>', f'<a href="{SAS.format("agenda", 11, 11, "MqOATw5pf9kemMbwUW8MD1YTl")}">Minutes</a>'),
    ('<a href="/list?se=north&sp=2">List</a>', '<a href="/list?se=south&sp=2">List</a>'),
    ('<a href="/doc?id=1&sig=v4O2yyj0yL3V9j8uuPg2K892o&se=1">Doc</a>', '<a href="/doc?id=2&sig=MqOATw5pf9kemMbwUW8MD1YTl&se=2">Doc</a>'),
    ('<img src="/fileadmin/_processed_/3/f/csm_hall_1a2b3c4d5e.jpg">', '<img src="/fileadmin/_processed_/9/c/csm_court_9f8e7d6c5b.jpg">'),
    ('<img srcset="/h-400.jpg 400w, /h-800.jpg 800w" src="/h-800.jpg">', '<img srcset="/k-400.jpg 400w, /k-800.jpg 800w" src="/k-800.jpg">'),
    ('<img src="/poster-2025.jpg">', '<img src="/poster-2026.jpg">'),
    ('<img src="https://scontent-fra3-1.xx.fbcdn.example/v/12_n.jpg">', '<img src="https://scontent-cdg4-2.xx.fbcdn.example/v/13_n.jpg">'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SAME)
def test_the_same_written_otherwise_is_the_same(before: str, after: str) -> None:
    assert not compare_pages(page(before), page(after), url=URL).different
    assert not compare_pages(page(after), page(before), url=URL).different


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_what_differs_beside_another_writing_is_reported(before: str, after: str) -> None:
    diff = compare_pages(page(before), page(after), url=URL)
    assert diff.meaningful


def test_titles_and_descriptions_are_read_alike_too() -> None:
    before, after = page("", "The chair's plan - 2026..."), page("", "The chair’s plan – 2026…")
    assert not compare_pages(before, after, url=URL).different
    assert compare_pages(before, after.replace("plan", "plans"), url=URL).meaningful


def test_people_see_the_signs_that_the_page_has() -> None:
    diff = compare_pages(
        page("<p>“We don’t expect delays” — the chair</p>"), page("<p>“We don’t expect change” — the chair</p>"), url=URL
    )
    assert "“We don’t expect change” — the chair" in diff.changes["text"]["after"]


def test_explaining_names_the_writing() -> None:
    diff = compare_pages(page("<p>More to come...</p>"), page("<p>More to come…</p>"), url=URL)
    assert [dropped.rule for dropped in diff.suppressed] == ["writing"]
