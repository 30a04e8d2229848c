"""The child process that speaks to a chat service: `python -m driftline.deliver.apprise_child`, told on standard input.

Every connection that is not to the checking proxy, and every file that is no part of Python or of the libraries, is refused by
an audit hook, which no library can take away again: a chat URL may name a template on this machine to be sent along.
"""

from __future__ import annotations

import logging
import os
import sys
import sysconfig
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from driftline.deliver.apprise import Errand, Verdict

_MEMORY_AT_MOST: Final = 512 * 1024 * 1024


# Beside the proxy's own address nothing is looked up, sent or started.
_NEVER: Final = frozenset(
    """subprocess.Popen os.system os.exec os.posix_spawn os.spawn os.fork os.forkpty pty.spawn socket.bind socket.sendto
    socket.sendmsg socket.gethostbyname socket.gethostbyaddr socket.getnameinfo
    os.rename os.link os.symlink""".split()
)
_CODE: Final = (".py", ".pyc", ".so", ".pth", ".pyd", ".dll")
# What TLS, time zones, file types and the system's libraries are read from.
_SYSTEM: Final = ("/etc/ssl/", "/etc/pki/", "/usr/share/", "/usr/lib/", "/lib/", "/etc/mime.types", "/dev/null", "/dev/urandom")


class Refused(OSError):
    """A connection past the proxy, or a file that is none of a chat's business."""


def guard(proxy: str, home: str) -> None:
    """From here on the process connects to the proxy and to nothing else, reads its own libraries, and starts no program."""
    place = urlsplit(proxy)
    allowed = (place.hostname, place.port)
    installed = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    ours = tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in (home, *installed))
    code = tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in sys.path if folder)
    authorities = os.environ.get("SSL_CERT_FILE", "")

    def readable(path: str) -> bool:
        real = os.path.realpath(path)
        if real.startswith(code) and real.endswith(_CODE):
            return True
        return real.startswith(ours) or path.startswith(_SYSTEM) or (bool(authorities) and path == authorities)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            address = args[1]
            if not isinstance(address, tuple) or tuple(address[:2]) != allowed:
                raise Refused(f"address refused: {address!r}")
        elif event == "socket.getaddrinfo" and args[0] not in {place.hostname, None}:
            raise Refused("names are resolved by the proxy")
        elif event == "open" and isinstance(args[0], str | bytes) and not readable(os.fsdecode(args[0])):
            raise Refused("file refused")
        elif event in _NEVER:
            raise Refused(f"{event} refused")

    sys.addaudithook(hook)


def send(errand: Errand) -> Verdict:
    """Hand over by Apprise; what it logs says why it failed."""
    try:
        import apprise  # noqa: PLC0415 - 35 MB, here and nowhere else
    except ImportError:
        return Verdict(False, "the chat library is not installed: pip install apprise", final=True)
    asset = apprise.AppriseAsset(app_id="driftline", app_desc="driftline", app_url="", image_url_mask="", secure_logging=True)
    service = apprise.Apprise(asset=asset)
    if not service.add(errand.url):
        return Verdict(False, "chat URL does not parse", final=True)
    with apprise.LogCapture(level=logging.WARNING, fmt="%(message)s") as told:  # type: ignore[no-untyped-call] # apprise's own
        sent = service.notify(title=errand.title, body=errand.body, body_format="text", interpret_escapes=False)
        lines = [line.strip() for line in told.getvalue().splitlines() if line.strip()]
    if sent:
        return Verdict(True)
    return Verdict(False, " ".join(lines[-1:])[:200] or "the chat service refused the message")


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_AT_MOST, _MEMORY_AT_MOST))


def main() -> None:
    """Read the errand, do it, say how it ended."""
    _limit_memory()
    errand = msgspec.json.decode(sys.stdin.buffer.read(), type=Errand)
    guard(os.environ["HTTPS_PROXY"], os.environ["HOME"])
    verdict = send(errand)
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(verdict) + b"\n")


if __name__ == "__main__":
    main()
