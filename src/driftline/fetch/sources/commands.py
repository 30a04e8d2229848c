"""Programs that the operator named, run without a shell, with a deadline and a limit on what they print."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from driftline.fetch.sources.failures import SourceFailed

_CHUNK: Final = 64 * 1024
_COMMITS: Final = 50  # that a git ref is known by
_REF: Final = re.compile(r"[A-Za-z0-9_.@/][\w.@/{}~^-]{0,200}")
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "TZ", "HOME")  # of the environment: nothing that may hold a secret


async def run(command: Sequence[str], limit: int) -> bytes:
    """What a program prints; raises SourceFailed if it fails. It is killed with all that it started when it is cancelled."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {"GIT_TERMINAL_PROMPT": "0"},
            cwd="/",
            start_new_session=True,  # so that its children can be ended with it
        )
    except (OSError, ValueError):
        raise SourceFailed("the command cannot be started") from None
    printed = bytearray()
    try:
        while process.stdout is not None and len(printed) <= limit and (chunk := await process.stdout.read(_CHUNK)):
            printed += chunk
        if len(printed) > limit:
            return bytes(printed[: limit + 1])
        code = await process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())
    if code:
        raise SourceFailed(f"the command ended with {code}")
    return bytes(printed)


def git_log(repository: str, ref: str) -> tuple[str, ...]:
    """The program that lists the latest commits of a ref; raises SourceFailed for a ref that git would read as an option."""
    if not _REF.fullmatch(ref):
        raise SourceFailed("invalid git ref")
    quiet = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat")
    return ("git", "-C", repository, *quiet, "log", f"-{_COMMITS}", "--no-show-signature", "--format=%h %s (%an)", ref, "--")
