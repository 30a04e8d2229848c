"""The operator's sources, with real files, programs, repositories, and a mailbox on loopback."""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest

from driftline.engine.clock import SystemClock
from driftline.errors import BadSetting
from driftline.fetch.sources.fetcher import NO_SOURCE, SourceFetcher
from driftline.model.fetch import Answer, Failed, Fetched, FetchOptions, Request
from driftline.model.operator_source import OperatorSource
from driftline.settings import load

OURS, THEIRS = UUID(int=1), UUID(int=2)
Read = Callable[..., Answer]


async def name_of(org_id: UUID) -> str | None:
    return {OURS: "ours", THEIRS: "theirs"}.get(org_id)


async def answer(
    source: OperatorSource,
    url: str = "source://it",
    *,
    org_id: UUID | None = OURS,
    depth: int = 0,
    limit: int = 100_000,
    within: float = 20.0,
) -> Answer:
    fetcher = SourceFetcher({"it": source}, name_of, SystemClock(), total_for=within, max_bytes=limit)
    return await fetcher.fetch(Request(url=url, org_id=org_id, depth=depth, options=FetchOptions()), robots=False)


async def text(source: OperatorSource) -> str:
    got = await answer(source)
    assert isinstance(got, Fetched), got
    return got.body.decode()


async def reason(source: OperatorSource, **given: object) -> str:
    got = await answer(source, **given)  # type: ignore[arg-type]  # as the function above has them
    assert isinstance(got, Failed), got
    return got.reason


def ours(**given: object) -> OperatorSource:
    return OperatorSource(orgs=("ours",), **given)  # type: ignore[arg-type]  # it checks itself


async def test_a_file_is_read_with_its_type(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("sku,price\na,1\n")
    got = await answer(ours(file=str(file)))
    assert isinstance(got, Fetched)
    assert (got.body, got.content_type) == (b"sku,price\na,1\n", "text/csv")


@pytest.mark.parametrize("org_id", [THEIRS, None, UUID(int=9)], ids=["another org", "nobody", "an unknown org"])
async def test_only_the_orgs_that_the_operator_named_reach_a_source(org_id: UUID | None, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    source = ours(file=str(tmp_path / "x"))
    assert await reason(source, org_id=org_id) == NO_SOURCE
    everybody = OperatorSource(orgs=("*",), file=str(tmp_path / "x"))
    assert isinstance(await answer(everybody, org_id=org_id), Fetched)


@pytest.mark.parametrize("url", ["source://other", "source://it/../x", "source://it/etc/passwd", "source://", "source://IT"])
async def test_an_address_names_a_source_and_nothing_else(url: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    assert await reason(ours(folder=str(tmp_path)), url=url) == NO_SOURCE


async def test_no_answer_of_a_page_leads_to_a_source(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    assert await reason(ours(file=str(tmp_path / "x")), depth=1) == NO_SOURCE


async def test_a_link_a_pipe_and_a_folder_in_place_of_a_file_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "missing", "."):
        said = await reason(ours(file=str(tmp_path / name)))
        assert str(tmp_path) not in said, "users read it"


async def test_a_folder_is_a_table_of_its_files_without_links_and_folders(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("four")
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "below").mkdir()
    (tmp_path / "link").symlink_to("/etc/passwd")
    for name in ("a.txt", "b.txt"):
        os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))
    listed = "name,size,written\na.txt,0,2023-11-14T22:13:20+00:00\nb.txt,4,2023-11-14T22:13:20+00:00\n"
    assert await text(ours(folder=str(tmp_path))) == listed


async def test_a_command_runs_without_a_shell_and_without_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFTLINE_SECRET_KEY", "secret")
    program = "import os, sys; print(sys.argv[1], 'DRIFTLINE_SECRET_KEY' in os.environ)"
    assert await text(ours(command=(sys.executable, "-c", program, "$HOME; ls"))) == "$HOME; ls False\n"


def is_alive(pid_file: Path) -> bool:
    return Path(f"/proc/{pid_file.read_text()}").exists()


async def test_a_command_that_fails_hangs_or_never_stops_printing_is_a_failed_check_and_is_gone(tmp_path: Path) -> None:
    assert await reason(ours(command=(sys.executable, "-c", "raise SystemExit(3)"))) == "the command ended with 3"
    assert await reason(ours(command=("/no/such/program",))) == "the command cannot be started"
    noisy = "import os\nopen(r'{}', 'w').write(str(os.getpid()))\nwhile True: print('x' * 1000)"
    started = tmp_path / "pid"
    assert await reason(ours(command=(sys.executable, "-c", noisy.format(started))), limit=5_000) == "body too large"
    assert not is_alive(started)
    assert await reason(ours(command=(sys.executable, "-c", "import signal; signal.pause()")), within=1.0) == "timeout"


@pytest.fixture
def repository(tmp_path: Path) -> str:
    git = ("git", "-C", str(tmp_path), "-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    subprocess.run((*git, "init", "-q", "-b", "main"), check=True)
    for subject in ("Begin", "Go on"):
        subprocess.run((*git, "commit", "-q", "--allow-empty", "-m", subject), check=True)
    return str(tmp_path)


async def test_a_git_ref_is_its_latest_commits_and_no_option(repository: str) -> None:
    lines = (await text(ours(git=repository, ref="main"))).splitlines()
    assert [line.partition(" ")[2] for line in lines] == ["Go on (Ann)", "Begin (Ann)"]
    assert await reason(ours(git=repository, ref="--output=/tmp/x")) == "invalid git ref"


HEADER = (
    b"Message-ID: <1@x>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\nFrom: Ann <ann@x.example>\r\nSubject: Hello, you\r\n\r\n"
)
FETCHED = b"* 1 FETCH (UID 7 BODY[HEADER.FIELDS (DATE FROM SUBJECT MESSAGE-ID)] {%d}\r\n%s)\r\n" % (len(HEADER), HEADER)


class Mailbox(socketserver.StreamRequestHandler):
    """As much of an IMAP server as one folder needs."""

    def handle(self) -> None:
        self.wfile.write(b"* OK ready\r\n")
        for line in self.rfile:
            mark, _, asked = line.strip().partition(b" ")
            self.server.asked.append(asked)  # type: ignore[attr-defined]  # of the server below
            word = asked.split(b" ")[0].upper()
            if word == b"CAPABILITY":
                self.wfile.write(b"* CAPABILITY IMAP4rev1\r\n")
            elif word == b"EXAMINE":
                self.wfile.write(b"* 1 EXISTS\r\n")
            elif word == b"FETCH":
                self.wfile.write(FETCHED)
            refused = word == b"LOGIN" and b"right" not in asked
            self.wfile.write(mark + (b" NO\r\n" if refused else b" OK done\r\n"))
            if word == b"LOGOUT":
                return


@pytest.fixture
def mailbox() -> Iterator[socketserver.ThreadingTCPServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox) as server:
        server.asked = []  # type: ignore[attr-defined]  # what the handler notes
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_a_mailbox_is_a_table_of_its_messages_and_nothing_is_marked_as_read(
    mailbox: socketserver.ThreadingTCPServer,
) -> None:
    address = f"imap://reader@127.0.0.1:{mailbox.server_address[1]}/INBOX/News"
    found = await text(ours(imap=address, password="right"))
    assert found == 'id,date,from,subject\n<1@x>,"Mon, 02 Mar 2026 10:00:00 +0000",Ann <ann@x.example>,"Hello, you"\n'
    asked = b"\n".join(mailbox.asked)  # type: ignore[attr-defined]  # noted by the handler
    assert b'EXAMINE "INBOX/News"' in asked
    assert b"SELECT" not in asked
    assert await reason(ours(imap=address, password="wrong")) == "the mailbox refuses"


@pytest.mark.parametrize(
    "written",
    ['orgs = ["a"]', 'orgs = ["a"]\nfile = "/x"\nfolder = "/y"', 'file = "/x"', 'orgs = ["a"]\nshell = "ls"'],
    ids=["nothing", "two things", "no orgs", "something unknown"],
)
def test_a_source_names_one_thing_and_its_orgs(written: str, tmp_path: Path) -> None:
    (tmp_path / "driftline.toml").write_text(f"[sources.it]\n{written}\n")
    with pytest.raises(BadSetting):
        load({}, folder=tmp_path)
