from __future__ import annotations

import gc
import gzip
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.sitemaps import files
from driftline.core.sitemaps.entries import MAX_ENTRIES
from driftline.core.sitemaps.files import read_file, sitemaps_in_robots
from driftline.errors import BadFile

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*rows: str, attributes: str = NS) -> bytes:
    return f"<urlset {attributes}>{''.join(f'<url>{row}</url>' for row in rows)}</urlset>".encode()


def test_a_urlset_lists_locs_with_their_lastmods() -> None:
    body = urlset(
        "<loc> https://a.example/1 </loc><lastmod>2024-01-15</lastmod><priority>1</priority>", "<loc>https://a.example/2</loc>"
    )
    assert [entry[:2] for entry in read_file(body).entries] == [
        ("https://a.example/1", "2024-01-15"),
        ("https://a.example/2", None),
    ]


def test_a_prefix_on_every_tag_makes_no_difference() -> None:
    body = b'<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://a.example/1</sm:loc><sm:lastmod>2024</sm:lastmod></sm:url></sm:urlset>'
    assert read_file(body).entries[0][:2] == ("https://a.example/1", "2024")


def test_the_locs_of_images_and_videos_are_not_articles() -> None:
    body = urlset(
        "<loc>https://a.example/1</loc><image:image><image:loc>https://a.example/i.png</image:loc><loc>https://evil.example/</loc></image:image>"
    )
    assert [entry[0] for entry in read_file(body).entries] == ["https://a.example/1"]


def test_news_extensions_give_title_date_and_tags() -> None:
    body = urlset(
        "<loc>https://a.example/1</loc><news:news><news:publication><news:name>N</news:name></news:publication>"
        "<news:publication_date>2024-01-15</news:publication_date><news:title>T &amp; U</news:title>"
        "<news:keywords>x, y</news:keywords></news:news>"
    )
    assert read_file(body).entries == [("https://a.example/1", "2024-01-15", "2024-01-15", "T & U", (), ("x", "y"))]


def test_cdata_comments_and_entities_are_text() -> None:
    body = urlset(
        "<loc><![CDATA[https://a.example/?a=1&b=2]]></loc><!-- x -->", "<loc>https://a.example/?a=1&amp;b=<!-- x -->2</loc>"
    )
    assert [entry[0] for entry in read_file(body).entries] == ["https://a.example/?a=1&b=2"] * 2


@pytest.mark.parametrize("start", [b"\n\n  ", b"\xef\xbb\xbf", b""])
def test_what_stands_before_the_declaration_is_forgiven(start: bytes) -> None:
    body = start + b'<?xml version="1.0" encoding="UTF-8"?>' + urlset("<loc>https://a.example/</loc>")
    assert len(read_file(body).entries) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_declared_encodings_are_read(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + urlset("<loc>https://a.example/é</loc>").decode()
    assert read_file(text.encode(encoding)).entries[0][0] == "https://a.example/é"


def test_an_index_lists_files() -> None:
    listing = read_file(b"<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>")
    assert (listing.form, [entry[0] for entry in listing.entries]) == ("index", ["https://a.example/1.xml"])


def test_a_file_that_calls_itself_the_other_kind_is_what_it_lists() -> None:
    pages = read_file(b"<sitemapindex><url><loc>https://a.example/1</loc></url></sitemapindex>")
    files = read_file(
        b"<urlset><sitemap><loc>https://a.example/1.xml</loc></sitemap><url><loc>https://a.example/2</loc></url></urlset>"
    )
    assert (pages.form, [entry[0] for entry in pages.entries]) == ("urlset", ["https://a.example/1"])
    assert (files.form, [entry[0] for entry in files.entries]) == ("index", ["https://a.example/1.xml"])


def test_rss_items_are_articles() -> None:
    body = b"""<?xml version="1.0"?><rss version="2.0" xmlns:dc="d"><channel><title>C</title><link>https://a.example/</link>
    <item><title>One</title><link>https://a.example/1</link><pubDate>Mon, 15 Jan 2024 10:30:00 GMT</pubDate>
    <dc:creator>Ann</dc:creator><category>x</category><category>y</category></item>
    <item><guid>https://a.example/2</guid></item><item><guid isPermaLink="false">https://a.example/no</guid></item>
    </channel></rss>"""
    entries = read_file(body).entries
    moment = "Mon, 15 Jan 2024 10:30:00 GMT"
    assert entries[0] == ("https://a.example/1", moment, moment, "One", ("Ann",), ("x", "y"))
    assert [entry[0] for entry in entries[1:]] == ["https://a.example/2", ""]


def test_atom_entries_are_articles() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>C</title><updated>2024-02-01T00:00:00Z</updated>
    <entry><title>One</title><link rel="self" href="https://a.example/self"/><link href="https://a.example/1"/><id>urn:1</id>
    <updated>2024-01-15T10:30:00Z</updated><published>2024-01-01T00:00:00Z</published>
    <author><name>Ann</name></author><category term="x"/></entry></feed>"""
    assert read_file(body).entries == [
        ("https://a.example/1", "2024-01-15T10:30:00Z", "2024-01-01T00:00:00Z", "One", ("Ann",), ("x",))
    ]


def test_rss_1_items_are_articles() -> None:
    body = b'<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><item><link>https://a.example/1</link><dc:date>2024-01-15</dc:date></item></rdf:RDF>'
    assert read_file(body).entries[0][:2] == ("https://a.example/1", "2024-01-15")


def test_a_text_sitemap_is_a_url_a_line() -> None:
    listing = read_file(b"\xef\xbb\xbfhttps://a.example/1\r\n\r\nhttps://a.example/2\n")
    assert (listing.form, [entry[0] for entry in listing.entries]) == ("text", ["https://a.example/1", "https://a.example/2"])


@pytest.mark.parametrize(
    "body",
    [
        b'<s:urlset xmlns:s="x" xmlns="x"><url><loc>https://a.example/1</loc><lastmod>2024</lastmod></url></s:urlset>',
        b'<urlset xmlns:s="x"><s:url><s:loc>https://a.example/1</s:loc><s:lastmod>2024</s:lastmod></s:url></urlset>',
        b'<urlset xmlns:s="x"><s:url><loc>https://a.example/1</loc><s:lastmod>2024</s:lastmod></s:url></urlset>',
        b"<URLSET><URL><LOC>https://a.example/1</LOC><LASTMOD>2024</LASTMOD></URL></URLSET>",
        b"<urlset><Url><Loc>https://a.example/1</Loc><lastMod>2024</lastMod></Url></urlset>",
    ],
)
def test_prefixes_and_case_may_be_mixed(body: bytes) -> None:
    assert read_file(body).entries[0][:2] == ("https://a.example/1", "2024")


def test_the_date_of_a_video_stands_for_a_missing_lastmod() -> None:
    body = urlset(
        "<loc>https://a.example/1</loc><video:video><video:title>V</video:title>"
        "<video:publication_date>2024-01-15</video:publication_date></video:video>"
    )
    assert read_file(body).entries[0] == ("https://a.example/1", "2024-01-15", "2024-01-15", "", (), ())


@pytest.mark.parametrize(
    ("encoding", "word"), [("Shift_JIS", "日本"), ("GB2312", "中文"), ("EUC-KR", "한국"), ("Big5", "中文")]
)
def test_encodings_of_several_bytes_are_read(encoding: str, word: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + urlset(f"<loc>https://a.example/{word}</loc>").decode()
    assert read_file(text.encode(encoding)).entries[0][0] == f"https://a.example/{word}"


@pytest.mark.parametrize("times", [2, 3])
def test_a_file_that_was_compressed_again_is_read(times: int) -> None:
    body = urlset("<loc>https://a.example/1</loc>")
    for _ in range(times):
        body = gzip.compress(body)
    assert len(read_file(body).entries) == 1


def test_a_file_that_was_compressed_without_end_is_refused() -> None:
    body = urlset("<loc>https://a.example/1</loc>")
    for _ in range(6):
        body = gzip.compress(body)
    with pytest.raises(BadFile, match="neither XML nor text"):
        read_file(body)


def test_gzip_is_unpacked_also_in_several_members() -> None:
    body = urlset("<loc>https://a.example/1</loc>")
    assert len(read_file(gzip.compress(body)).entries) == 1
    assert len(read_file(gzip.compress(body[:40]) + gzip.compress(body[40:])).entries) == 1


def test_robots_names_sitemaps() -> None:
    robots = (
        b"\xef\xbb\xbfUser-agent: *\nSITEMAP : https://a.example/1.xml # x\nsitemap:/2.xml\nSitemap:\nSitemap: /2.xml\n"
        b"Site-map: /3.xml"
    )
    assert sitemaps_in_robots(robots) == ["https://a.example/1.xml", "/2.xml", "/3.xml"]
    assert sitemaps_in_robots(b"") == []


BOMB = b'<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (BOMB, "DOCTYPE"),
        (b'<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset/>', "DOCTYPE"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML"),
        (b"<html><body>404</body></html>", "HTML"),
        (b"<opml/>", "no sitemap or feed"),
        (b"<urlset><url><loc>&undefined;</loc></url></urlset>", "malformed"),
        (b"<urlset><url>", "malformed"),
        (b"<urlset></url></urlset>", "malformed"),
        (b"<urlset>" + b"<a>" * 100_000, "nested too deeply"),
        (b"<urlset><url>" + b"<a>" * 100_000, "nested too deeply"),
        (b'<?xml version="1.0" encoding="x-unheard-of"?><urlset/>', ""),
        (b'<?xml version="1.0" encoding="utf-7"?><urlset/>', ""),
        (b"<urlset>\xff\xff</urlset>", "malformed"),
        (b"hello\nworld", "not a list of URLs"),
        (b'{"error": "busy"}', "JSON in place of a sitemap"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "neither XML nor text"),
        (b"\x1f\x8b" + b"x" * 50, "gzip"),
        (gzip.compress(urlset(), mtime=0)[:-12], ""),
        (gzip.compress(b"", mtime=0), "empty"),
    ],
)
def test_hostile_and_broken_files_end_in_one_line(body: bytes, reason: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_file(body)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_gzip_bomb_is_stopped_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 3 * 1024 * 1024)
    packer = zlib.compressobj(wbits=31)
    bomb = packer.compress(b"<urlset>" + b" " * (20 * 1024 * 1024)) + packer.flush()
    with pytest.raises(BadFile, match="larger than a sitemap may be"):
        read_file(bomb)
    with pytest.raises(BadFile, match="larger than a sitemap may be"):
        read_file(b"<urlset>" + b" " * (4 * 1024 * 1024))


def test_more_entries_than_a_file_may_have_are_cut_and_said() -> None:
    listing = read_file(urlset(*["<loc>https://a.example/</loc>"] * (MAX_ENTRIES + 1)))
    assert len(listing.entries) == MAX_ENTRIES
    assert listing.cut_reason is not None
    text = read_file(b"https://a.example/\n" * (MAX_ENTRIES + 1))
    assert (len(text.entries), text.cut_reason is None) == (MAX_ENTRIES, False)


def test_a_field_of_absurd_length_is_cut() -> None:
    assert len(read_file(urlset(f"<loc>https://a.example/{'x' * 200_000}</loc>")).entries[0][0]) < 20_000


@given(st.binary(max_size=200) | st.text(alphabet="<>/!urlsetoc&;=\"' \n-[]", max_size=80).map(str.encode))
def test_no_bytes_break_the_reader(body: bytes) -> None:
    for candidate in (body, b"<urlset>" + body, gzip.compress(body)):
        try:
            read_file(candidate)
        except BadFile as fault:
            assert "\n" not in str(fault)  # noqa: PT017 - it may as well be a sitemap


def test_a_file_that_was_read_leaves_nothing_for_the_garbage_collector() -> None:
    body = urlset(*(f"<loc>https://blog.example/{number}</loc>" for number in range(1000)))
    read_file(body, "application/xml")  # what it needs is imported, which leaves something
    gc.collect()
    gc.disable()
    try:
        read_file(body, "application/xml")
        assert gc.collect() < 100
    finally:
        gc.enable()


SLIPS = {
    "a byte order mark": b"\xef\xbb\xbf" + urlset("<loc>https://a.example/1</loc>"),
    "a comment before the declaration": b'<!-- cache --><?xml version="1.0"?>' + urlset("<loc>https://a.example/1</loc>"),
    "UTF-16 that is said to be UTF-8": (
        '<?xml version="1.0" encoding="UTF-8"?>' + urlset("<loc>https://a.example/1</loc>").decode()
    ).encode("utf-16"),
    "Latin-1 that is said to be UTF-8": (
        '<?xml version="1.0" encoding="UTF-8"?>'
        + urlset("<loc>https://a.example/1</loc>", "<loc>https://a.example/caf\xe9</loc>").decode()
    ).encode("latin-1"),
    "a control character": urlset("<loc>https://a.example/\x0b1</loc>"),
    "a NUL at the end": urlset("<loc>https://a.example/1</loc>") + b"\n\0",
    "a character that XML has no number for": urlset("<loc>https://a.example/1&#8;</loc>"),
    "a bare less-than sign": urlset("<loc>https://a.example/1</loc><image:title>a < b</image:title>"),
    "a mark and an empty line": b"\xef\xbb\xbf\n" + b'<?xml version="1.0"?>' + urlset("<loc>https://a.example/1</loc>"),
    "a warning before the declaration": b"<br />\n<b>Warning</b>: x in <b>/a.php</b><br />\n<?xml version='1.0'?>\n"
    + urlset("<loc>https://a.example/1</loc>"),
    "a notice in plain words": b"Notice: Undefined index in /a.php on line 3\n" + urlset("<loc>https://a.example/1</loc>"),
    "a script behind the end": urlset("<loc>https://a.example/1</loc>") + b"<!-- cached -->\n<script>x</script>",
    "a debug line behind the end": urlset("<loc>https://a.example/1</loc>") + b"\nrendered in 0.2 s",
    "an encoding that nobody knows": b'<?xml version="1.0" encoding="x-none"?>' + urlset("<loc>https://a.example/1</loc>"),
    "an entity of HTML": urlset("<loc>https://a.example/1</loc><title>a&nbsp;b</title>"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_of_the_generator_is_mended(slip: str) -> None:
    assert read_file(SLIPS[slip]).entries[0][0] == "https://a.example/1"
    assert read_file(gzip.compress(SLIPS[slip])).entries[0][0] == "https://a.example/1"


def test_bare_ampersands_are_part_of_the_url() -> None:
    body = urlset("<loc>https://a.example/?a=1&b=2&amp;c=3&copy=4</loc>")
    assert read_file(body).entries[0][0] == "https://a.example/?a=1&b=2&c=3&copy=4"


@pytest.mark.parametrize("before", [b"", b"<br />\n<b>Warning</b>: x<br />\n", b"Notice: x\n"])
@pytest.mark.parametrize("cut", [1, 9, 20, 60])
def test_a_file_that_was_cut_is_not_mended(before: bytes, cut: int) -> None:
    body = urlset("<loc>https://a.example/?a=1&b=2</loc>", "<loc>https://a.example/2</loc>")
    with pytest.raises(BadFile, match="malformed"):
        read_file(before + body[:-cut])


def test_two_files_in_one_are_not_taken_for_the_first() -> None:
    with pytest.raises(BadFile, match="malformed"):
        read_file(urlset("<loc>https://a.example/1</loc>") + urlset("<loc>https://a.example/2</loc>"))


def test_what_stands_before_a_page_of_html_makes_it_no_sitemap() -> None:
    page = b"<br />Warning<br /><!DOCTYPE html><html><body><pre>&lt;urlset></pre></body></html>"
    with pytest.raises(BadFile, match="no sitemap or feed"):
        read_file(page)


def test_a_strange_line_in_a_text_sitemap_is_counted_and_the_others_stand() -> None:
    listing = read_file(b"https://a.example/1\nHTTPS://a.example/2\nsee also\nhttps://a.example/3\n")
    assert [entry[0] for entry in listing.entries] == ["https://a.example/1", "HTTPS://a.example/2", "", "https://a.example/3"]
    with pytest.raises(BadFile, match="not a list of URLs"):
        read_file(b"https://a.example/1\nsee also\n")


def test_text_sitemaps_may_have_comments_and_be_wide() -> None:
    assert [entry[0] for entry in read_file(b"# made by hand\nhttps://a.example/1\n").entries] == ["https://a.example/1"]
    assert [entry[0] for entry in read_file("https://a.example/1\n".encode("utf-16")).entries] == ["https://a.example/1"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_xml_too(encoding: str) -> None:
    mark = "\ufeff".encode(encoding)
    declared = f'<?xml version="1.0" encoding="UTF-16"?>{urlset("<loc>https://a.example/1</loc>").decode()}'
    assert [entry[0] for entry in read_file(mark + declared.encode(encoding)).entries] == ["https://a.example/1"]


def test_a_namespace_is_known_under_any_prefix() -> None:
    news = "<n:news><n:publication_date>2024-01-15</n:publication_date><n:title>T</n:title></n:news>"
    body = urlset(
        f"<loc>https://a.example/1</loc>{news}", attributes='xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'
    )
    assert read_file(body).entries == [("https://a.example/1", "2024-01-15", "2024-01-15", "T", (), ())]


def test_an_episode_without_a_link_is_its_file() -> None:
    item = '<item><guid isPermaLink="false">e1</guid><enclosure url="https://a.example/1.mp3" type="audio/mpeg"/></item>'
    assert read_file(f"<rss><channel>{item}</channel></rss>".encode()).entries[0][0] == "https://a.example/1.mp3"


def test_the_links_of_a_feed_are_relative_to_its_base() -> None:
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/blog/"><entry><link href="one"/></entry></feed>'
    )
    assert read_file(feed.encode()).entries[0][0] == "https://a.example/blog/one"


def test_a_json_feed_is_a_feed() -> None:
    items = [
        {"id": "1", "url": "https://a.example/1", "title": "One", "date_published": "2026-02-27", "date_modified": "2026-02-28",
         "authors": [{"name": "Ann"}], "tags": ["news"]},
        {"id": "https://a.example/2", "content_text": "x", "author": {"name": "Bob"}},
    ]  # fmt: skip
    found = read_file(json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode())
    assert found.form == "feed"
    assert found.entries == [
        ("https://a.example/1", "2026-02-28", "2026-02-27", "One", ("Ann",), ("news",)),
        ("https://a.example/2", None, None, "", ("Bob",), ()),
    ]


@pytest.mark.parametrize("body", [b'{"error": "not found"}', b'{"items": [1, {}]}', b'{"items": ', b"{" * 100_000])
def test_json_that_is_no_feed_is_refused_with_one_line(body: bytes) -> None:
    with pytest.raises(BadFile):
        read_file(body)


def test_the_lines_of_a_robots_txt_are_an_index_wherever_it_was() -> None:
    found = read_file(b"User-agent: *\nDisallow: /x\nSitemap: https://a.example/1.xml\nsitemap: /2.xml.gz # all\n")
    assert (found.form, [entry[0] for entry in found.entries]) == ("index", ["https://a.example/1.xml", "/2.xml.gz"])


def rss(*items: str, attributes: str = "") -> bytes:
    return (
        f"<rss version='2.0' {attributes}><channel>{''.join(f'<item>{one}</item>' for one in items)}</channel></rss>".encode()
    )


def test_entries_that_all_link_one_page_are_known_by_their_ids() -> None:
    link = "<link>https://a.example/changelog</link>"
    opaque = rss(f"{link}<guid isPermaLink='false'>v 2.1</guid>", f"{link}<guid isPermaLink='false'>v 2.0</guid>")
    assert [entry[0] for entry in read_file(opaque).entries] == [
        "https://a.example/changelog#v%202.1",
        "https://a.example/changelog#v%202.0",
    ]
    linked = rss(f"{link}<guid>https://a.example/log#two</guid>", f"{link}<guid>https://a.example/log#one</guid>")
    assert [entry[0] for entry in read_file(linked).entries] == ["https://a.example/log#two", "https://a.example/log#one"]
    same = rss(f"{link}<guid>x</guid>", f"{link}<guid>x</guid>")
    assert [entry[0] for entry in read_file(same).entries] == ["https://a.example/changelog"] * 2
    items = [{"id": version, "url": "https://a.example/changelog"} for version in ("2", "1")]
    feed = json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode()
    assert [entry[0] for entry in read_file(feed).entries] == ["https://a.example/changelog#2", "https://a.example/changelog#1"]


def test_of_several_links_the_page_counts() -> None:
    links = (
        '<link rel="alternate" type="application/json" href="https://a.example/1.json"/>'
        '<link rel="alternate" type="text/html" href="https://a.example/1"/>'
    )
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>A</title>{links}</entry></feed>'.encode()
    assert read_file(atom).entries[0][0] == "https://a.example/1"
    inside = rss('<atom:link href="https://a.example/1"/>', attributes='xmlns:atom="http://www.w3.org/2005/Atom"')
    assert read_file(inside).entries[0][0] == "https://a.example/1"


def test_an_entry_may_say_in_its_attributes_where_it_is() -> None:
    rdf = b'<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><item rdf:about="https://a.example/1"><title>A</title></item></rdf:RDF>'
    assert read_file(rdf).entries[0][0] == "https://a.example/1"
    cdf = b'<CHANNEL><ITEM HREF="https://a.example/1" LASTMOD="2026-03-01T10:00"><TITLE>A</TITLE></ITEM></CHANNEL>'
    assert read_file(cdf).entries == [("https://a.example/1", "2026-03-01T10:00", None, "A", (), ())]
    based = (
        b'<feed><entry xml:base="https://a.example/blog/"><link href="1.html"/></entry>'
        b'<entry><link href="2.html"/></entry></feed>'
    )
    assert [entry[0] for entry in read_file(based).entries] == ["https://a.example/blog/1.html", "2.html"]
