"""The child process that speaks to a chat service: `python -m driftline.deliver.channels.apprise_child`, fed on standard input.

Every connection that is not to the checking proxy, and every file that is no part of Python or of the libraries, is refused by
an audit hook, which no library can take away again: a chat URL may name a template on this machine to be sent along.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from driftline.deliver.channels.apprise import ChildInput, ChildResult

_MEMORY_AT_MOST: Final = 512 * 1024 * 1024


# Beside the proxy's own address nothing is looked up, sent or started.
_NEVER: Final = frozenset(
    """subprocess.Popen os.system os.exec os.posix_spawn os.spawn os.fork os.forkpty pty.spawn socket.bind socket.sendto
    socket.sendmsg socket.gethostbyname socket.gethostbyaddr socket.getnameinfo
    os.rename os.link os.symlink""".split()
)
_CODE: Final = (".py", ".pyc", ".so", ".pth", ".pyd", ".dll")
# What TLS, time zones, file types and the system's libraries are read from.
_SYSTEM: Final = ("/etc/ssl", "/etc/pki", "/usr/share", "/usr/lib", "/lib")
_SYSTEM_FILES: Final = ("/etc/mime.types", "/dev/null", "/dev/urandom")
_FAILED_FROM: Final = 400  # HTTP statuses


class ForbiddenAccess(OSError):
    """A connection that bypasses the proxy, or access to a foreign file."""


def guard(proxy: str, home: str) -> None:
    """From here on the process connects only to the proxy, reads only its own libraries, and starts no program."""
    place = urlsplit(proxy)
    allowed = (place.hostname, place.port)
    installed = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    ours = tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in (home, *installed, *_SYSTEM))
    code = tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in sys.path if folder)
    files = {os.path.realpath(path) for path in (*_SYSTEM_FILES, os.environ.get("SSL_CERT_FILE", "")) if path}

    def readable(path: str) -> bool:
        real = os.path.realpath(path)
        if real.startswith(code) and real.endswith(_CODE):
            return True
        return real.startswith(ours) or real in files

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            address = args[1]
            if not isinstance(address, tuple) or tuple(address[:2]) != allowed:
                raise ForbiddenAccess(f"address refused: {address!r}")
        elif event == "socket.getaddrinfo" and args[0] not in {place.hostname, None}:
            raise ForbiddenAccess("names are resolved by the proxy")
        elif event == "open" and isinstance(args[0], str | bytes) and not readable(os.fsdecode(args[0])):
            raise ForbiddenAccess("file refused")
        elif event in _NEVER:
            raise ForbiddenAccess(f"{event} refused")

    sys.addaudithook(hook)


def send(child_input: ChildInput) -> ChildResult:
    """Send through Apprise; failures are described in our own words, since the library's reveal which files exist."""
    try:
        import apprise  # noqa: PLC0415 - 35 MB, here and nowhere else
    except ImportError:
        return ChildResult(False, "the chat library is not installed: pip install apprise", final=True)
    asset = apprise.AppriseAsset(app_id="driftline", app_desc="driftline", app_url="", image_url_mask="", secure_logging=True)
    service = apprise.Apprise(asset=asset)
    if not service.add(child_input.url):
        return ChildResult(False, "invalid chat URL", final=True)
    statuses = _record_statuses()
    if service.notify(title=child_input.title, body=child_input.body, body_format="text", interpret_escapes=False):
        return ChildResult(True)
    if statuses and statuses[-1] >= _FAILED_FROM:
        return ChildResult(False, f"the chat service answered with http {statuses[-1]}")
    return ChildResult(False, "the chat service refused the message")


def _record_statuses() -> list[int]:
    """A list that collects the statuses of all answers from now on."""
    import requests  # noqa: PLC0415 - comes with apprise

    statuses: list[int] = []
    plain_send = requests.Session.send

    def record(self: requests.Session, request: requests.PreparedRequest, **given: Any) -> requests.Response:
        answer = plain_send(self, request, **given)
        statuses.append(answer.status_code)
        return answer

    requests.Session.send = record  # type: ignore[method-assign] # in this process, which ends with the message
    return statuses


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_AT_MOST, _MEMORY_AT_MOST))


def main() -> None:
    """Read the input, send the message, print the result."""
    _limit_memory()
    child_input = msgspec.json.decode(sys.stdin.buffer.read(), type=ChildInput)
    guard(os.environ["HTTPS_PROXY"], os.environ["HOME"])
    verdict = send(child_input)
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(verdict) + b"\n")


if __name__ == "__main__":
    main()
