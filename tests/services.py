"""The real parts that tests run against: found where they usually are, else started, else their absence is said loudly.

One folder per test session, shared by all of its pytest workers, remembers what was found, so that each service is looked for
once. The session's first process made the folder, and stops and removes whatever is noted there.
"""

from __future__ import annotations

import fcntl
import getpass
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec
import psycopg
from psycopg import sql

from driftline.store.db.database import Database
from tests.servers import NotInstalled, OwnPostgres, OwnRabbit, Unstartable, postgres_programs, run


class Found(msgspec.Struct, frozen=True, kw_only=True, tag="found"):
    """A service that answers."""

    url: str
    own: OwnPostgres | OwnRabbit | None = None  # set when we started it, so that we stop it


class Missing(msgspec.Struct, frozen=True, kw_only=True, tag="missing"):
    """A service that is nowhere, and what was tried."""

    reason: str


Search = Found | Missing
_Used = TypeVar("_Used")
VHOSTS_AT_ONCE = 8  # each call of rabbitmqctl starts an Erlang machine, which costs more than the call
INSTALL_FOR = 600.0  # seconds; a browser is a large package


class Services:
    """What one test session uses of the machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = folder.name.rsplit("-", 1)[-1]  # in the name of everything that this session creates
        self._vhosts: list[str] = []  # made and not used yet
        self._used_vhosts: list[str] = []

    @classmethod
    def open(cls) -> Self:
        """For the session's first process; it must `close`."""
        folder = Path(tempfile.gettempdir(), f"driftline-tests-{secrets.token_hex(6)}")
        folder.mkdir(mode=0o700)
        return cls(folder)

    def close(self) -> None:
        """Stop what was started, drop what tests could not drop themselves."""
        for name, tidy in (("postgres", self._drop_databases), ("rabbit", self._drop_vhosts)):
            match self._noted(name):
                case Found(own=None, url=url):
                    tidy(url)
                case Found(own=own) if own is not None:
                    own.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def postgres(self) -> Search:
        """A server on which databases can be created."""
        return self._once("postgres", _find_postgres)

    def rabbit(self) -> Search:
        """A broker on which vhosts can be created."""
        return self._once("rabbit", _find_rabbit)

    def chromium(self) -> Search:
        """The path of a browser, as a url."""
        return self._once("chromium", _find_chromium)

    def dump_programs(self, server: Found) -> Search:
        """The folder of a `pg_dump` and `pg_restore` that are as old as the server, as a url."""
        return self._once("dump", lambda: _find_dump_programs(server))

    @contextmanager
    def fresh_database(self, server: Found, *, template: str = "template1") -> Iterator[str]:
        """The URL of an empty database with a name of its own, or of a copy of `template`; dropped at the end."""
        name = f"driftline_test_{self.token}_{secrets.token_hex(4)}"
        with _connect(server.url) as admin:
            names = (sql.Identifier(name), sql.Identifier(template))
            admin.execute(sql.SQL("create database {} template {}").format(*names))
        try:
            yield _with_path(server.url, name)
        finally:
            with _connect(server.url) as admin:
                _drop_database(admin, name)

    def migrated_database(self, server: Found) -> AbstractContextManager[str]:
        """A fresh database with all tables and no rows: copying one costs a fraction of nineteen migrations."""
        match self._once("migrated", lambda: self._make_template(server)):
            case Found(url=template):
                return self.fresh_database(server, template=template)
            case missing:
                raise Unstartable(missing.reason)

    def migrated_file(self, path: Path) -> str:
        """The URL of a new SQLite file with all tables and no rows."""
        template = self.folder / f"migrated-{os.getpid()}.db"
        if not template.exists():
            Database.open(str(template)).close()
        shutil.copyfile(template, path)
        return f"sqlite:///{path}"

    def _make_template(self, server: Found) -> Found:
        name = f"driftline_test_{self.token}_template"
        with _connect(server.url) as admin:
            admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        Database.open(_with_path(server.url, name)).close()
        return Found(url=name)

    @contextmanager
    def fresh_vhost(self, broker: Found) -> Iterator[str]:
        """The URL of an empty vhost with a name of its own; deleted with all of its queues, some at a time."""
        if not self._vhosts:
            self._vhosts = [f"driftline-test-{self.token}-{secrets.token_hex(4)}" for _ in range(VHOSTS_AT_ONCE)]
            _add_vhosts(broker, self._vhosts)
        name = self._vhosts.pop()
        try:
            yield _with_path(broker.url, name)
        finally:
            self._used_vhosts.append(name)
            if len(self._used_vhosts) >= VHOSTS_AT_ONCE:
                _delete_vhosts(broker, self._used_vhosts)
                self._used_vhosts = []

    def _once(self, name: str, find: Callable[[], Search]) -> Search:
        with (self.folder / "lock").open("w") as lock:  # one for all: apt-get does not like to meet itself
            fcntl.flock(lock, fcntl.LOCK_EX)
            noted = self._noted(name)
            if noted is None:
                noted = find()
                (self.folder / f"{name}.json").write_bytes(msgspec.json.encode(noted))
            return noted

    def _noted(self, name: str) -> Search | None:
        note = self.folder / f"{name}.json"
        return msgspec.json.decode(note.read_bytes(), type=Search) if note.exists() else None

    def _drop_databases(self, url: str) -> None:
        with _connect(url) as admin:
            left = admin.execute(
                "select datname from pg_database where starts_with(datname, %s)", (f"driftline_test_{self.token}_",)
            )
            for (name,) in left.fetchall():
                _drop_database(admin, name)

    def _drop_vhosts(self, url: str) -> None:
        broker = Found(url=url)
        names = _control(broker, "list_vhosts").splitlines()
        _delete_vhosts(broker, [name for name in names if name.startswith(f"driftline-test-{self.token}-")])


def _find_postgres() -> Search:
    if given := os.environ.get("DRIFTLINE_TEST_POSTGRES"):
        trouble = _cannot_create(given)
        return Missing(reason=f"DRIFTLINE_TEST_POSTGRES: {trouble}") if trouble else Found(url=given)
    tried = []
    try:  # our own first: it need not survive a power cut, and without fsync a database comes and goes in a tenth of the time
        own = OwnPostgres.start()
        return Found(url=own.url(), own=own)
    except Unstartable as error:
        tried.append(str(error))
    for user in dict.fromkeys(("postgres", getpass.getuser())):
        url = f"postgresql://{quote(user)}@127.0.0.1:5432/postgres"
        trouble = _cannot_create(url)
        if not trouble:
            return Found(url=url)
        tried.append(f"{user}@127.0.0.1:5432: {trouble}")
    return Missing(reason="; ".join(tried))


def _find_rabbit() -> Search:
    if given := os.environ.get("DRIFTLINE_TEST_RABBIT"):
        trouble = _no_vhosts(given)
        return Missing(reason=f"DRIFTLINE_TEST_RABBIT: {trouble}") if trouble else Found(url=given)
    usual = "amqp://guest:guest@127.0.0.1:5672/"
    trouble = _no_vhosts(usual)
    if not trouble:
        return Found(url=usual)
    match start_rabbit():
        case Missing(reason=reason):
            return Missing(reason=f"127.0.0.1:5672: {trouble}; {reason}")
        case found:
            return found


def start_rabbit() -> Search:
    """A node of our own, which the caller stops."""
    try:
        own = _installed(OwnRabbit.start, "rabbitmq-server")
    except Unstartable as error:
        return Missing(reason=str(error))
    return Found(url=own.url(), own=own)


def _find_chromium() -> Search:
    try:
        return Found(url=_installed(_chromium, "chromium", "libatomic1"))
    except Unstartable as error:
        return Missing(reason=str(error))


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise NotInstalled("chromium is not installed")
    try:
        run(sys.executable, "-m", "playwright", "--version")  # needs libatomic, and does not bring it
    except Unstartable as error:
        raise NotInstalled(f"Playwright's driver does not run: {error}") from error
    return found


def _find_dump_programs(server: Found) -> Search:
    """A newer pg_restore sets what an older server does not know, an older pg_dump refuses: both must be the server's."""
    with _connect(server.url) as admin:
        major = admin.info.server_version // 10_000
    installed = shutil.which("pg_dump")
    for folder in (*postgres_programs(), *([Path(installed).parent] if installed else [])):
        with suppress(Unstartable):
            if f" {major}." in run(folder / "pg_dump", "--version"):
                return Found(url=str(folder))
    return Missing(reason=f"there is none of PostgreSQL {major} (apt-get install postgresql-client-{major})")


def _installed(use: Callable[[], _Used], *packages: str) -> _Used:
    """What `use` gives, after installing Debian's packages if it needs them and that is in our power."""
    how = f"(apt-get install {' '.join(packages)})"
    try:
        return use()
    except NotInstalled as error:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise Unstartable(f"{error} {how}") from error
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}  # runlevel 1: do not start the daemon
    try:
        run("apt-get", "update", env=quiet, seconds=INSTALL_FOR)
        run("apt-get", "install", "-y", "--no-install-recommends", *packages, env=quiet, seconds=INSTALL_FOR)
    except Unstartable as error:
        raise Unstartable(f"{error} {how}") from error
    return use()


def _connect(url: str) -> psycopg.Connection[tuple[str]]:
    return psycopg.connect(url, autocommit=True, connect_timeout=5)


def _cannot_create(url: str) -> str:
    """Why databases cannot be created there; empty if they can."""
    try:
        with _connect(url) as admin:
            able = admin.execute("select rolcreatedb or rolsuper from pg_roles where rolname = current_user").fetchone()
    except psycopg.Error as error:
        return " ".join(str(error).split())
    return "" if able and able[0] else "the user may not create databases"


def _drop_database(admin: psycopg.Connection[tuple[str]], name: str) -> None:
    admin.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _no_vhosts(url: str) -> str:
    """Why vhosts cannot be created there; empty if they can."""
    address = urlsplit(url)
    try:
        with socket.create_connection((address.hostname or "", address.port or 5672), timeout=5) as probe:
            probe.sendall(b"AMQP\0\0\x09\x01")
            if probe.recv(1) != b"\x01":  # a method frame: Connection.Start
                return "something answers there that is no AMQP 0-9-1 broker"
    except OSError as error:
        return str(error)
    if address.hostname not in {"127.0.0.1", "localhost", "::1"}:
        return "vhosts can be created only where rabbitmqctl reaches the broker: on this machine"
    try:
        _control(Found(url=url), "list_vhosts")
    except Unstartable as error:
        return str(error)
    return ""


def _add_vhosts(broker: Found, names: Sequence[str]) -> None:
    user = urlsplit(broker.url).username or "guest"
    all_rights = f'rabbit_auth_backend_internal:set_permissions(<<"{user}">>, V, <<".*">>, <<".*">>, <<".*">>, <<"{user}">>)'
    _for_each(broker, names, f'rabbit_vhost:add(V, <<"{user}">>), {all_rights}')


def _delete_vhosts(broker: Found, names: Sequence[str]) -> None:
    _for_each(broker, names, 'rabbit_vhost:delete(V, <<"tests">>)')


def _for_each(broker: Found, names: Sequence[str], does: str) -> None:
    """Erlang for each name V, in one call."""
    listed = ", ".join(f'<<"{name}">>' for name in names)
    _control(broker, "eval", f"lists:foreach(fun(V) -> {does} end, [{listed}]).")


def _control(broker: Found, *words: str) -> str:
    if isinstance(broker.own, OwnRabbit):
        return broker.own.control(*words)
    return run("rabbitmqctl", "--silent", *words)


def _with_path(url: str, path: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{path}"))
