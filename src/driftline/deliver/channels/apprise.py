"""Chat through Apprise, in a child process that can reach nothing but the checking proxy."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Final
from urllib.parse import unquote

import msgspec

from driftline.deliver.render import templates, wording
from driftline.deliver.render.plain import plain
from driftline.errors import BadRule
from driftline.model.delivery import Message, Outcome, Sent, Undelivered

# Services that Apprise reaches by HTTP only; those with sockets of their own, or local effects, are not allowed.
SCHEMES: Final = frozenset(
    """bark discord fluxer gchat gotify gotifys guilded ifttt lametric line matrix matrixs mmost mmosts ncloud nctalk nctalks
    ntfy ntfys onesignal opsgenie pagerduty pbul pjet pover prowl pushdeer pushed pushy reddit revolt rocket rockets ryver
    sendgrid signal signals simplepush slack spike tgram twilio whatsapp workflows wxteams zulip""".split()
)
# Parameters that say how a service shows a message or whom it goes to. What names a file of this machine (template, attach,
# config), writes one (store), or is new in Apprise, is not here; neither are the made-up names after "+", "-" and ":".
PARAMETERS: Final = frozenset(
    """action ad album alias api-version apikey app_id app_token app_ver archive auth autoverify avatar avatar_url badge batch
    bcc blocks bot_token botname broadcast call category cc channel channels class click content contents copy critical_volume
    cto cycles dedup delay detect discovery e2ee email emojis entity expire fields flags flair_id flair_text footer footer_logo
    format from group href hsreq icon icon_type icon_url id image interval key kind lang language level links mdv method mode
    msgtype name nsfw optional overflow pa pass password path ping powerautomate preview priority redirect region replies
    resubmit retry route routeid rto secret severity shared sid sig silent sound spoiler sptag status subtitle tags team thread
    thread_name timestamp to token topic topic_auth_token ttl tts tz url url_prefix url_title user ver verify version volume
    wait webhook workspace wrap xtags""".split()
)
_BETWEEN: Final = re.compile("[?&;]")  # "?": text after a second one is checked too
_MAX_LENGTH: Final = 2_048
_CHILDREN_AT_MOST: Final = 32  # processes, for all services together
_YES: Final = frozenset({"yes", "true", "1", "on", "y", "t"})


class ChildResult(msgspec.Struct, frozen=True):
    """The result that the child process prints."""

    sent: bool
    reason: str = ""
    final: bool = False


class ChildInput(msgspec.Struct, frozen=True):
    """The input of the child process."""

    url: str
    title: str
    body: str


def check_url(url: str, schemes: Collection[str] = SCHEMES) -> None:
    """Raise BadRule for an unknown scheme or parameter, or a URL that could forge a header."""
    scheme, found, rest = url.partition("://")
    if not found or not rest or scheme.lower() not in schemes:
        raise BadRule("this chat service is not allowed", scheme=scheme[:40], hint=f"use one of: {', '.join(sorted(schemes))}")
    if len(url) > _MAX_LENGTH or any(ord(letter) < 33 or letter in "\\\x7f" for letter in url):
        raise BadRule("the chat URL holds a forbidden character", hint="no spaces or line breaks; 2,048 characters at most")
    given = [_parameter(part) for part in _BETWEEN.split(url.partition("?")[2]) if part]
    for name, value in given:
        if name == "verify" and value not in _YES:
            raise BadRule("certificates are always verified", option=name, hint="leave it out")
    for name, _ in given:
        if name not in PARAMETERS:
            raise BadRule(
                "this parameter of the chat URL is not allowed", option=name[:40], hint="leave it out; see docs/delivery.md"
            )


def _parameter(part: str) -> tuple[str, str]:
    """Name and value of a parameter, as Apprise reads them."""
    name, _, value = part.partition("=")
    return unquote(name).strip().lower(), unquote(value).strip().lower()


class AppriseTransport:
    """One child process per message: Apprise is never loaded into this process."""

    at_once = 4

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
        self._children = asyncio.Semaphore(_CHILDREN_AT_MOST)

    async def deliver(self, message: Message) -> Outcome:
        """The service's answer; a child that takes too long is killed."""
        try:
            check_url(message.channel.target, self._schemes)
        except BadRule as error:
            return Undelivered(reason=error.message, final=True)
        options, filled = message.channel.options, templates.MessageValues(message)
        child_input = ChildInput(
            url=message.channel.target,
            title=wording.one_line(templates.fill(options.subject, filled) if options.subject else wording.subject(message)),
            body=templates.fill(options.text, filled) if options.text else plain(message),
        )
        async with self._children:
            proxy, refused = await self._proxy_url(), self._refused()
            verdict = await self._run(child_input, proxy)
        if verdict.sent:
            return Sent()
        if self._refused() > refused:  # the service itself was never asked
            return Undelivered(reason="address is private; DRIFTLINE_ALLOW_HOSTS may allow it", endpoint_down=True)
        return Undelivered(reason=verdict.reason, final=verdict.final, endpoint_down=not verdict.final)

    async def close(self) -> None:
        """Nothing to close: children end with their messages."""

    async def _run(self, child_input: ChildInput, proxy: str) -> ChildResult:
        with tempfile.TemporaryDirectory(prefix="driftline-chat-") as home:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "driftline.deliver.channels.apprise_child",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=home,
                env=_environment(proxy, home),
            )
            try:
                async with asyncio.timeout(self._timeout_for):
                    output, _ = await child.communicate(msgspec.json.encode(child_input))
            except TimeoutError:
                return ChildResult(False, "timeout")
            finally:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        try:
            return msgspec.json.decode(output.splitlines()[-1] if output else b"", type=ChildResult)
        except (msgspec.MsgspecError, IndexError):
            return ChildResult(False, "the chat library ended without an answer")


def _environment(proxy: str, home: str) -> dict[str, str]:
    """The child's environment: only what Python needs, and the proxy."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "SYSTEMROOT", "SSL_CERT_FILE") if name in os.environ}
    proxies = {name: proxy for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (upper, upper.lower())}
    return kept | proxies | {"NO_PROXY": "", "no_proxy": "", "HOME": home, "PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
