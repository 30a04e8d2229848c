"""The child process that speaks to a chat service: `python -m driftline.deliver.apprise_child`, told on standard input.

Every connection that is not to the checking proxy is refused by an audit hook, which no library can take away again.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from driftline.deliver.apprise import Errand, Verdict

_MEMORY_AT_MOST: Final = 512 * 1024 * 1024


class Refused(OSError):
    """A connection past the proxy."""


def guard(proxy: str) -> None:
    """From here on the process connects to the proxy and to nothing else, and starts no other program."""
    place = urlsplit(proxy)
    allowed = (place.hostname, place.port)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            address = args[1]
            if not isinstance(address, tuple) or tuple(address[:2]) != allowed:
                raise Refused(f"address refused: {address!r}")
        elif event == "socket.getaddrinfo" and args[0] not in {place.hostname, None}:
            raise Refused("names are resolved by the proxy")
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.bind", "socket.sendto"}:
            raise Refused(f"{event} refused")

    sys.addaudithook(hook)


def send(errand: Errand) -> Verdict:
    """Hand over by Apprise; what it logs says why it failed."""
    try:
        import apprise  # noqa: PLC0415 - 35 MB, here and nowhere else
    except ImportError:
        return Verdict(False, "the chat library is not installed: pip install 'driftline[apprise]'", final=True)
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
    guard(os.environ["HTTPS_PROXY"])
    verdict = send(errand)
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(verdict) + b"\n")


if __name__ == "__main__":
    main()
