"""What a report calls added or removed, and what its headline names."""

from __future__ import annotations

import json

from driftline.kinds.page.report.phrases import edit_phrase
from driftline.pages import compare_pages, read_page

URL = "https://a.example/"


def cards(*names: str) -> str:
    return "<h1>Contests</h1>" + "".join(
        f'<a class="card" href="/{name.split()[0].lower()}"><div>{name}</div><div>March</div></a>' for name in names
    )


def test_links_around_whole_cards_are_entries() -> None:
    page = read_page(cards("Rowing 2026", "Chess 2026", "Poetry 2026"), url=URL)
    assert [entry.key for entry in page.entries] == [URL + name for name in ("rowing", "chess", "poetry")]


def test_a_badge_that_leaves_a_card_is_one_edit_wherever_the_card_moved() -> None:
    diff = compare_pages(
        cards("Rowing 2026 New", "Chess 2026", "Poetry 2026"), cards("Chess 2026", "Rowing 2026", "Poetry 2026"), url=URL
    )
    assert diff.headline == "“Rowing 2026 New” → “Rowing 2026”"


def sections(*extra: str) -> str:
    first = "<div class=part><h2>Services</h2><p>What everybody gets without paying for it.</p>{}</div>"
    others = "".join(f"<div class=part><h2>{name}</h2><p>What is said of {name.lower()}.</p></div>" for name in ("Fees", "Law"))
    return first.format("".join(f"<p>{line}</p>" for line in extra)) + others


def test_a_section_that_gained_a_line_is_not_called_new() -> None:
    diff = compare_pages(sections(), sections("Calls between members"))
    assert [block.action for block in diff.blocks] == ["modified"]
    assert "“Calls between members”" in diff.headline


def test_a_part_with_another_key_whose_text_stands_on_both_sides_is_edited() -> None:
    row = "<li><h3><a href='/{}'>Terms</a></h3><p>They apply to everybody who uses the service.</p>{}</li>"
    others = "".join(f"<li><h3><a href='/{name}'>{name}</a></h3><p>As it is.</p></li>" for name in ("law", "court"))
    old, new = row.format("terms-1", ""), row.format("terms-2", "<p>See below</p>")
    diff = compare_pages(f"<ul>{old}{others}</ul>", f"<ul>{new}{others}</ul>", url=URL)
    assert {block.action for block in diff.blocks} == {"modified"}


def test_a_link_inside_a_sentence_does_not_say_which_row_it_is() -> None:
    said = "When you write to us, you give us what is needed to answer you, and no more of it than this, in every case, be it"
    rows = f"<tr><td>{said} to us or to <a href='/partner'>a partner</a> of ours in the country where you live.</td></tr>"
    page = read_page(f"<table>{rows}<tr><td>Accounts</td></tr><tr><td>Payments</td></tr></table>", url=URL)
    assert len(page.entries) == 3
    assert not any(entry.linked for entry in page.entries)


def test_entries_of_a_document_are_called_by_their_own_title() -> None:
    def jobs(*titles: str) -> str:
        return json.dumps([{"id": title, "company": {"name": "Acme"}, "title": title} for title in titles])

    assert compare_pages(jobs("Welder", "Cook"), jobs("Cook")).headline == "Removed: “Welder”"


def test_entries_of_a_document_are_known_by_the_ids_of_what_they_hold() -> None:
    def jobs(*titles: str) -> str:
        return json.dumps([{"job": {"id": t, "fields": [{"id": f"{t}-1", "name": "Scope"}]}, "title": t} for t in titles])

    assert compare_pages(jobs("Welder"), jobs("Welder", "Cook")).headline == "New: “Cook”"


def test_a_value_of_a_document_is_named_by_its_entry_and_its_field() -> None:
    def board(place: str) -> str:
        return json.dumps({"data": {"jobs": [{"id": 1, "title": "Welder", "place": place}, {"id": 2, "title": "Cook"}]}})

    assert compare_pages(board("Lyon"), board("Porto")).headline == "“Welder”: “place: Lyon” → “place: Porto”"


def test_when_a_record_was_touched_is_no_change_of_a_document() -> None:
    def board(day: int) -> str:
        return json.dumps([{"id": 1, "title": "Welder", "updatedAt": f"2026-03-{day:02}T10:00:00Z"}])

    assert not compare_pages(board(3), board(5)).meaningful


def test_buttons_in_another_order_are_no_change() -> None:
    asked = [f"<button><span>What is {word}?</span></button>" for word in ("a watch", "a run", "a change")]
    text = "<p>Ask us a question</p>{}"
    diff = compare_pages(text.format("".join(asked)), text.format("".join(asked[1:] + asked[:1])))
    assert not diff.different


def test_a_link_whose_words_stay_is_named_by_where_it_leads() -> None:
    text = "<p>Write to us <a href='/form'>here</a> or here.</p>"
    diff = compare_pages(text, text.replace("or here", "or <a href='/request'>here</a>"), url=URL)
    assert diff.headline == "Link added: “here” to “request”"


def test_an_edit_inside_an_entry_is_reported_with_the_entry() -> None:
    def listed(price: str) -> str:
        rows = [("Boots", price), ("Hat", "small"), ("Coat", "large")]
        return "".join(f"<li><h3><a href='/{name}'>{name}</a></h3><p>{said}</p></li>" for name, said in rows)

    diff = compare_pages(f"<ul>{listed('size 42')}</ul>", f"<ul>{listed('size 44')}</ul>", url=URL)
    assert diff.headline == "“Boots”: “size 42” → “size 44”"


def test_a_rank_that_came_with_nothing_else_is_no_change() -> None:
    def front(*ranks: int) -> str:
        rows = zip(ranks, ("Alpha", "Beta", "Gamma"), strict=True)
        return "<ol>" + "".join(f"<li><p>{n}.</p><p><a href='/{name}'>{name}</a></p></li>" for n, name in rows) + "</ol>"

    assert not compare_pages(front(1, 2, 3), front(1, 2, 4), url=URL).meaningful


def test_an_edit_that_was_made_in_many_lines_is_named_once() -> None:
    def page(price: int, hours: str) -> bytes:
        lines = "".join(
            f"<h2>{name}</h2><p>A day in the old hall costs {price} EUR for everybody.</p>" for name in ("May", "June", "July")
        )
        return f"<main>{lines}<p>Open {hours}</p></main>".encode()

    diff = compare_pages(page(5, "daily"), page(6, "never"))
    assert diff.headline.count("old hall costs 5 → 6 EUR") == 1
    assert "“Open daily” → “Open never”" in diff.headline
    assert "more" not in diff.headline


def test_long_values_of_a_document_in_another_order_are_no_change() -> None:
    one, other = (f"{name} " * 20 for name in ("alpha", "beta"))
    before, after = (json.dumps({"matched": values}) for values in ([one, other, "c"], [other, "c", one]))
    assert not compare_pages(before, after).meaningful


def test_an_edit_is_told_by_its_words_not_by_a_sign_before_them() -> None:
    text = "You can change what you agreed to at any time in the settings of your account"
    said = compare_pages(f"<p>{text}, or write to us.</p>", f"<p>{text} , or call us.</p>").headline
    assert "call" in said


def test_an_edit_at_the_end_of_a_sentence_is_quoted_without_the_next_one() -> None:
    text = "You may cancel at any time with effect from the end of the {}. We give thirty days of notice."
    assert edit_phrase(text.format("month"), text.format("quarter")) == "…effect from the end of the month → quarter"
    ferry = "The 10:15 ferry to Northport leaves from pier {}."
    assert edit_phrase(ferry.format(4), ferry.format(7)) == "…ferry to Northport leaves from pier 4 → 7"


def test_a_title_that_changed_in_several_places_is_quoted_whole() -> None:
    said = edit_phrase("Storm closes coastal roads", "Storm kills two as coastal roads close")
    assert said == "“Storm closes coastal roads” → “Storm kills two as coastal roads close”"


def test_a_link_with_the_moment_of_the_answer_behind_it_leads_where_it_led() -> None:
    page = "<main><p>Our policy is long.</p><a href='/policy.pdf?{}'>Print it</a></main>"
    assert not compare_pages(page.format("1663693918000"), page.format("1666693918000"), url=URL).meaningful
    assert compare_pages(page.format("4"), page.format("5"), url=URL).meaningful


def test_a_sentence_that_stands_in_another_element_now_is_one_edit() -> None:
    page = "<main><h1>Contact</h1>{}<p>Open on all days.</p></main>"
    said = "Write to us at 391 Grove Street, San Francisco"
    diff = compare_pages(page.format(f"<p>{said}</p>"), page.format(f"<h2>News</h2><div>{said} or call us</div>"), url=URL)
    assert "removed" not in diff.headline
    assert "or call us" in diff.headline


def test_a_sentence_that_went_is_not_taken_for_another_one_that_came() -> None:
    page = "<main><h1>Contact</h1>{}<p>Open on all days.</p></main>"
    old, new = (
        "<p>Children under twelve travel for nothing</p>",
        "<h2>News</h2><div>Our bakery sells bread from six o'clock</div>",
    )
    diff = compare_pages(page.format(old), page.format(new), url=URL)
    assert "→" not in diff.headline
