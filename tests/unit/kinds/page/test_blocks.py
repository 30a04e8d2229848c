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
