"""Chats by Apprise, in a child process that can reach nothing but the checking proxy."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from driftline.deliver import templates, wording
from driftline.deliver.plain import plain
from driftline.errors import BadRule
from driftline.model.delivery import Letter, Outcome, Sent, Undelivered

# Services that Apprise reaches by HTTP and nothing else: what opens sockets of its own, or acts on this machine, is not here.
SCHEMES: Final = frozenset(
    """bark discord fluxer gchat gotify gotifys guilded ifttt lametric line matrix matrixs mmost mmosts ncloud nctalk nctalks
    ntfy ntfys onesignal opsgenie pagerduty pbul pjet pover prowl pushdeer pushed pushy reddit revolt rocket rockets ryver
    sendgrid signal signals simplepush slack spike tgram twilio whatsapp workflows wxteams zulip""".split()
)
_LONGEST: Final = 2_048
_YES: Final = frozenset({"yes", "true", "1", "on", "y", "t"})


class Verdict(msgspec.Struct, frozen=True):
    """What the child says at its end."""

    sent: bool
    reason: str = ""
    final: bool = False


class Errand(msgspec.Struct, frozen=True):
    """What the child is told."""

    url: str
    title: str
    body: str


def check_url(url: str, schemes: Collection[str] = SCHEMES) -> None:
    """Raise BadRule for a URL of another scheme, or one that could forge a header."""
    scheme, found, rest = url.partition("://")
    if not found or not rest or scheme.lower() not in schemes:
        raise BadRule("chat service is not allowed", scheme=scheme[:40], hint=f"use one of: {', '.join(sorted(schemes))}")
    if len(url) > _LONGEST or any(ord(letter) < 33 or letter in "\\\x7f" for letter in url):
        raise BadRule("chat URL holds a forbidden character", hint="no spaces or line breaks; 2,048 characters at most")
    for name, value in parse_qsl(url.partition("?")[2], keep_blank_values=True):
        if name.strip().lower() == "verify" and value.strip().lower() not in _YES:
            raise BadRule("certificates are always verified", option=name, hint="leave it out")


class AppriseCourier:
    """One child process a letter: nothing of Apprise is loaded here."""

    def __init__(
        self,
        proxy_url: Callable[[], Awaitable[str]],  # of the checking proxy, started when it is first asked for
        *,
        schemes: Collection[str] = SCHEMES,
        timeout_for: float = 30.0,
        refused: Callable[[], int] = lambda: 0,  # how many private addresses the proxy has refused
    ) -> None:
        self._proxy_url = proxy_url
        self._refused = refused
        self._schemes = schemes
        self._timeout_for = timeout_for

    def prepare(self, letter: Letter) -> None:
        """Nothing that would be worth it."""

    async def deliver(self, letter: Letter) -> Outcome:
        """What the service answered; a child that does not end is ended."""
        try:
            check_url(letter.channel.target, self._schemes)
        except BadRule as error:
            return Undelivered(reason=error.message, final=True)
        options, filled = letter.channel.options, templates.values(letter)
        errand = Errand(
            url=letter.channel.target,
            title=wording.one_line(templates.fill(options.subject, filled) if options.subject else wording.subject(letter)),
            body=templates.fill(options.text, filled) if options.text else plain(letter),
        )
        proxy, refused = await self._proxy_url(), self._refused()
        verdict = await self._run(errand, proxy)
        if verdict.sent:
            return Sent()
        if self._refused() > refused:  # the service itself was never asked
            return Undelivered(reason="address is private; DRIFTLINE_ALLOW_HOSTS may allow it", endpoint_down=True)
        return Undelivered(reason=verdict.reason, final=verdict.final, endpoint_down=not verdict.final)

    async def close(self) -> None:
        """Children end with their letters."""

    async def _run(self, errand: Errand, proxy: str) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="driftline-chat-") as home:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "driftline.deliver.apprise_child",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=home,
                env=_environment(proxy, home),
            )
            try:
                async with asyncio.timeout(self._timeout_for):
                    told, _ = await child.communicate(msgspec.json.encode(errand))
            except TimeoutError:
                return Verdict(False, "timeout")
            finally:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        try:
            return msgspec.json.decode(told.splitlines()[-1] if told else b"", type=Verdict)
        except (msgspec.MsgspecError, IndexError):
            return Verdict(False, "the chat library ended without an answer")


def _environment(proxy: str, home: str) -> dict[str, str]:
    """Nothing of ours goes along, but what Python needs and the way out."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "SYSTEMROOT", "SSL_CERT_FILE") if name in os.environ}
    proxies = {name: proxy for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (upper, upper.lower())}
    return kept | proxies | {"NO_PROXY": "", "no_proxy": "", "HOME": home, "PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
