"""What a dead sender leaves to the next one."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from driftline.deliver.journal import Journal
from driftline.model.delivery import Settled

AT = datetime(2026, 1, 1, tzinfo=UTC)
DIES = """
import os, signal, sys
from pathlib import Path
from tests.unit.deliver.test_journal import ending
from driftline.deliver.journal import Journal
journal = Journal(Path(sys.argv[1]))
journal.note(ending(1))
page = journal.turned()
journal.note(ending(2))
os.kill(os.getpid(), signal.SIGKILL)
"""


def ending(number: int) -> Settled:
    return Settled(delivery_ids=(UUID(int=number),), owner="one", state="sent", change_ids=(UUID(int=9),), at=AT)


def left(journal: Journal) -> list[Settled]:
    return [one for page in journal.orphans() for one in page.endings()]


def test_what_a_killed_sender_noted_is_there_for_the_next(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    pages = list(Journal(tmp_path).orphans())
    noted = [one for page in pages for one in page.endings()]
    assert sorted(noted, key=lambda one: one.delivery_ids) == [ending(1), ending(2)]
    assert left(Journal(tmp_path)) == []  # they have an owner again
    for page in pages:
        page.tear()
    assert list(tmp_path.iterdir()) == []


def test_the_pages_of_a_living_sender_are_its_own(tmp_path: Path) -> None:
    living, other = Journal(tmp_path), Journal(tmp_path)
    living.note(ending(1))
    assert left(other) == []
    page = living.turned()
    assert page is not None
    assert left(other) == []
    page.tear()
    assert living.turned() is None
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_is_left_is_found_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.note(ending(1))
    page = journal.turned()
    assert page is not None
    page.close()
    assert left(Journal(tmp_path)) == [ending(1)]


def test_a_page_takes_more_than_it_had_room_for(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    noted = [ending(number) for number in range(2_000)]
    for one in noted:
        journal.note(one)
    page = journal.turned()
    assert page is not None
    page.close()
    assert left(Journal(tmp_path)) == noted


def test_a_line_that_was_not_finished_is_none(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.note(ending(1))
    page = journal.turned()
    assert page is not None
    page.write(b'{"delivery_ids":["0000')
    page.close()
    assert left(Journal(tmp_path)) == [ending(1)]


def test_a_folder_that_refuses_only_costs_the_notes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    journal = Journal(tmp_path / "file")
    journal.note(ending(1))
    assert journal.turned() is None
    assert left(journal) == []
