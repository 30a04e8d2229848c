"""Parts with an identity: sections, cards, rows, entries."""

# ruff: noqa: E501 - pages stand here as servers send them

from __future__ import annotations

from driftline.pages import compare_pages, read_page

URL = "https://jobs.example/open"


def job(number: int, title: str, place: str = "Lyon", salary: str = "€48,000") -> str:
    return f'<li class="job"><h3><a href="/jobs/{number}">{title}</a></h3><p class="location">{place}</p><p>Salary: {salary}</p></li>'


def board(*jobs: str) -> str:
    return f'<html><body><h1>Open positions</h1><ul class="jobs">{"".join(jobs)}</ul></body></html>'


WELDER, NURSE, COOK = job(1, "Welder"), job(2, "Nurse", "Porto"), job(3, "Cook", "Ghent")


def test_repeated_siblings_become_blocks_with_their_link_as_key() -> None:
    page = read_page(board(WELDER, NURSE, COOK), url=URL)
    assert page.blocks is not None
    assert [(block.key, block.title) for block in page.blocks[:3]] == [
        ("https://jobs.example/jobs/1", "Welder"),
        ("https://jobs.example/jobs/2", "Nurse"),
        ("https://jobs.example/jobs/3", "Cook"),
    ]
    assert page.blocks[0].metadata == {"salary": "€48,000", "location": "Lyon"}


def test_a_board_that_gains_two_jobs_reports_two_added_blocks_whatever_the_order() -> None:
    baker, smith = job(4, "Baker"), job(5, "Smith")
    diff = compare_pages(board(WELDER, NURSE, COOK), board(baker, COOK, WELDER, smith, NURSE), url=URL)
    assert sorted((block.action, block.title) for block in diff.blocks) == [("added", "Baker"), ("added", "Smith")]
    assert "“Baker”" in diff.headline
    assert "“Smith”" in diff.headline


def test_a_lone_article_around_a_list_is_its_frame_and_no_entry() -> None:
    framed = [
        f"<article><h1>Work with us</h1><p>Small teams.</p><ul>{''.join(jobs)}</ul></article>"
        for jobs in ((WELDER, NURSE), (COOK, WELDER, NURSE))
    ]
    diff = compare_pages(*framed, url=URL)
    assert [(block.action, block.title) for block in diff.blocks] == [("added", "Cook")]


def test_a_removed_and_an_edited_job() -> None:
    diff = compare_pages(board(WELDER, NURSE, COOK), board(WELDER, job(2, "Nurse", "Faro")), url=URL)
    assert sorted((block.action, block.title) for block in diff.blocks) == [("modified", "Nurse"), ("removed", "Cook")]
    assert all(block.text_excerpt for block in diff.blocks)


def test_noise_in_a_block_modifies_nothing() -> None:
    before = board(*(entry.replace("</li>", "<time>2 days ago</time></li>") for entry in (WELDER, NURSE, COOK)))
    assert compare_pages(before, before.replace("2 days", "5 days"), url=URL).blocks == ()


def test_headed_sections_are_blocks_by_id_or_heading() -> None:
    html = '<h2 id="fees">Fees</h2><p>Ten francs.</p><h2>Hours</h2><p>Nine to five.</p>'
    diff = compare_pages(html, html.replace("Ten", "Twelve"), url=URL)
    assert [(block.block_key, block.action, block.title) for block in diff.blocks] == [("#fees", "modified", "Fees")]


def test_table_rows_are_blocks() -> None:
    rows = "".join(f"<tr><td>Line {name}</td><td>runs daily</td></tr>" for name in "ABCD")
    diff = compare_pages(
        f"<table>{rows}</table>", f"<table>{rows}<tr><td>Line E</td><td>runs on Sunday</td></tr></table>", url=URL
    )
    assert [(block.action, block.title) for block in diff.blocks] == [("added", "Line E runs on Sunday")]


def test_the_same_key_twice_is_two_blocks() -> None:
    page = read_page(board(WELDER, WELDER, WELDER), url=URL)
    assert page.blocks is not None
    keys = [block.key for block in page.blocks]
    assert len(keys) == len(set(keys))


def test_navigation_is_no_list_of_blocks() -> None:
    menu = "".join(f'<li><a href="/m/{number}">Menu entry {number}</a></li>' for number in range(6))
    page = read_page(f"<nav><ul>{menu}</ul></nav><p>text</p>", url=URL)
    assert page.blocks == ()


# --- one edit is told once


def posting(number: int, title: str, token: str, town: str = "Berlin") -> str:
    return f'<div class="posting"><a href="/apply/{number}?lever-via={token}">Apply</a><a href="/job/{number}"><h5>{title}</h5><span>{town}</span></a></div>'


def openings(token: str, *more: str, town: str = "Berlin") -> str:
    titles = ["Account Executive", "Data Analyst", "Office Manager"]
    cards = [
        posting(number, title, f"{token}{number}", town if number == 1 else "Berlin") for number, title in enumerate(titles)
    ]
    return f"<html><body><h1>Jobs</h1><div>{''.join(cards)}{''.join(more)}</div></body></html>"


def test_a_token_in_the_link_of_every_card_makes_no_card_new() -> None:
    diff = compare_pages(openings("qX7"), openings("Zk2", posting(9, "Warehouse Planner", "Zk29")), url=URL)
    assert [(block.action, block.title) for block in diff.blocks] == [("added", "Warehouse Planner")]
    diff = compare_pages(openings("qX7"), openings("Zk2", town="Munich"), url=URL)
    assert [(block.action, block.title) for block in diff.blocks] == [("modified", "Data Analyst")]
    assert diff.headline.startswith("“Data Analyst”: “Berlin” → “Munich”")


def test_cards_whose_only_link_is_a_token_are_known_by_their_title() -> None:
    form = '<li><a href="/go/{token}{number}"><h3>{title}</h3></a><p>{town}</p></li>'
    pages = [
        "<ul>" + "".join(form.format(token=token, number=number, title=title, town=town) for number, title in enumerate(titles)) + "</ul>"
        for token, town, titles in (("a1", "Lyon", ("Welder", "Nurse")), ("b2", "Lyon", ("Welder", "Nurse", "Cook")))
    ]  # fmt: skip
    assert [(block.action, block.title) for block in compare_pages(*pages, url=URL).blocks] == [("added", "Cook")]


def test_an_entry_in_which_one_value_moved_is_edited_and_reported_once() -> None:
    rows = "<table><tr><td>6 months</td><td>£20.10</td></tr><tr><td>12 months</td><td>{}</td></tr></table>"
    diff = compare_pages(rows.format("£35.80"), rows.format("£38.50"), url=URL)
    assert [block.action for block in diff.blocks] == ["modified"]
    assert diff.headline == "“12 months £35.80” → “12 months £38.50”"


def test_a_row_whose_value_becomes_that_of_another_row_is_named_with_both() -> None:
    rows = "<table><tr><td>Monday</td><td>{}</td></tr><tr><td>Tuesday</td><td>9am – 6pm</td></tr><tr><td>Saturday</td><td>10am – 4pm</td></tr><tr><td>Sunday</td><td>Closed</td></tr></table>"
    diff = compare_pages(rows.format("9am – 6pm"), rows.format("Closed"), url=URL)
    assert diff.headline == "“Monday 9am – 6pm” → “Monday Closed”"


def test_cards_that_took_the_place_of_others_are_named() -> None:
    card = '<div class="card"><a href="/{0}"><h3>{0}</h3></a><p>£{1}</p></div>'
    before = "".join(card.format(name, price) for name, price in (("Alpha", 90), ("Bravo", 80), ("Charlie", 70)))
    after = "".join(card.format(name, price) for name, price in (("Delta", 95), ("Bravo", 80), ("Echo", 75)))
    diff = compare_pages(f"<h1>Shop</h1><div>{before}</div>", f"<h1>Shop</h1><div>{after}</div>", url=URL)
    assert diff.headline == "New: “Delta”, “Echo”; Removed: “Alpha”, “Charlie”"


def test_a_heading_that_names_another_year_is_edited() -> None:
    html = "<h2>Fees {}</h2><p>Ten francs a month.</p><h2>Hours</h2><p>Nine to five.</p>"
    diff = compare_pages(html.format(2025), html.format(2026), url=URL)
    assert diff.headline == "“Fees 2025” → “Fees 2026”"


def test_an_edit_beside_a_new_entry_is_reported_too() -> None:
    diff = compare_pages(board(WELDER, NURSE), board(WELDER, NURSE, COOK).replace("Open positions", "All positions"), url=URL)
    assert "New: “Cook”" in diff.headline
    assert "“Open positions” → “All positions”" in diff.headline


def test_a_line_that_grew_into_an_entry_is_edited() -> None:
    rows = "<ul><li>Thu Sun 11°</li><li>Fri {}</li><li>Sat Wind 12°</li></ul>"
    assert compare_pages(rows.format("Rain 9°"), rows.format("Storm 6°"), url=URL).headline == "“Fri Rain 9°” → “Fri Storm 6°”"


def test_an_entry_that_took_the_place_of_another_behind_one_script_is_named() -> None:
    form = '<ul><li><a href="/item?id=9">Garden chair, oak</a> 90</li><li><a href="/item?id={}">{}</a> 50</li></ul>'
    diff = compare_pages(form.format(1, "Mountain bike"), form.format(2, "Old piano"), url=URL)
    assert sorted((block.action, block.title) for block in diff.blocks) == [
        ("added", "Old piano"),
        ("removed", "Mountain bike"),
    ]


def test_a_job_that_is_offered_again_elsewhere_is_another_job() -> None:
    diff = compare_pages(board(WELDER, NURSE, COOK), board(WELDER, NURSE, job(9, "Cook", "Turin", "€31,000")), url=URL)
    assert sorted((block.action, block.title) for block in diff.blocks) == [("added", "Cook"), ("removed", "Cook")]


def test_a_heading_without_a_text_that_became_another_is_reported() -> None:
    diff = compare_pages("<p>Words</p><h2>Summer menu</h2>", "<p>Words</p><h2>Opening hours</h2>", url=URL)
    assert "“Opening hours”" in diff.headline
