"""Chat URLs: a library with a mind of its own, in a child that reads nothing of ours and reaches nothing but the proxy."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.attacks.loopback import reply, site
from tests.messages import change, channel, message, reported

from driftline.deliver.account_input import draft_channel
from driftline.deliver.channels.apprise import SCHEMES, AppriseTransport, ChildInput, check_url
from driftline.errors import BadRule
from driftline.fetch.egress import Egress
from driftline.fetch.proxy import CheckingProxy
from driftline.model.delivery import Undelivered

CARD = {"type": "message", "attachments": [{"content": {"password": "secret"}}], "text": "secret", "content": "secret"}


@pytest.mark.parametrize("way", ["{}", "file://{}"])
async def test_a_template_on_this_machine_is_not_sent_along(tmp_path: Path, way: str) -> None:
    inside = tmp_path / "card.json"
    inside.write_bytes(msgspec.json.encode(CARD))
    async with site(reply(b"{}"), tls=True) as evil, CheckingProxy(Egress([f"127.0.0.1:{evil.port}"])) as proxy:

        async def url() -> str:
            return proxy.url

        wanted = f"workflows://127.0.0.1:{evil.port}/wf/0123456789abcdef?verify=no&template={way.format(inside)}"
        verdict = await AppriseTransport(url)._run(ChildInput(url=wanted, title="t", body="b"), proxy.url)  # past our own check
        assert not verdict.sent
        assert not any(b"secret" in seen.body for seen in evil.seen)


async def test_a_failed_chat_does_not_tell_which_files_exist(tmp_path: Path) -> None:
    inside = tmp_path / "card.json"
    inside.write_bytes(msgspec.json.encode(CARD))
    async with site(reply(b"{}"), tls=True) as evil, CheckingProxy(Egress([f"127.0.0.1:{evil.port}"])) as proxy:

        async def url() -> str:
            return proxy.url

        verdicts = [
            await AppriseTransport(url)._run(  # past our own check
                ChildInput(url=f"workflows://127.0.0.1:{evil.port}/wf/0123456789abcdef?template={path}", title="t", body="b"),
                proxy.url,
            )
            for path in (inside, tmp_path / "missing.json", tmp_path, "/etc/passwd", "/etc/missing")
        ]
    assert len(set(map(msgspec.json.encode, verdicts))) == 1
    assert not verdicts[0].sent


@pytest.mark.parametrize(
    "query",
    ["template=/etc/passwd", "TEMPLATE=x", "%74emplate=x", "to=a;template=x", "to=a&template=x", "template",
     "to=a?template=x", "config=x", "attach=x", "file=x", "filename=x", "store=yes", ":name=x", "+X-Header=x", "-x=y",
     "never=heard", "tem+plate=x", "template%20=x"],
)  # fmt: skip
async def test_a_parameter_that_is_not_known_to_be_harmless_is_refused_when_saved_and_when_sent(query: str) -> None:
    async with site(reply(b"{}"), tls=True) as evil, CheckingProxy(Egress([f"127.0.0.1:{evil.port}"])) as proxy:

        async def url() -> str:
            return proxy.url

        target = f"workflows://127.0.0.1:{evil.port}/wf/0123456789abcdef?{query}"
        with pytest.raises(BadRule, match="is not allowed"):
            draft_channel("apprise", target, refused_literal=lambda _: None)
        outcome = await AppriseTransport(url).deliver(message(reported(change()), to=channel("apprise", target)))
        assert outcome == Undelivered(reason="this parameter of the chat URL is not allowed", final=True)
        assert evil.connections == 0


@pytest.mark.parametrize(
    "target",
    ["tgram://123:abc/456?silent=yes&format=markdown", "ntfy://host/topic?priority=high&xtags=a%2Cb", "slack://a/b/c/#alerts",
     "discord://1/2?", "matrixs://user:pass@host/#room?mode=off&verify=yes", "mmost://host/key?channel=a,b"],
)  # fmt: skip
def test_usual_parameters_are_taken(target: str) -> None:
    assert check_url(target) is None  # type: ignore[func-returns-value]  # and refuses nothing


@pytest.mark.parametrize(
    "way", ["to=a;verify=no", "%76erify=no", "verify=no", "verify=0", "VERIFY=False", "a=b&verify=", "verify=yes&verify=no"]
)
async def test_no_chat_goes_without_a_certificate(way: str) -> None:
    async with site(reply(b"{}"), tls=True) as evil, CheckingProxy(Egress([f"127.0.0.1:{evil.port}"])) as proxy:

        async def url() -> str:
            return proxy.url

        target = f"gotifys://127.0.0.1:{evil.port}/token?{way}"
        with pytest.raises(BadRule, match="always verified"):
            check_url(target)
        outcome = await AppriseTransport(url).deliver(message(reported(change()), to=channel("apprise", target)))
        assert isinstance(outcome, Undelivered)
        assert outcome.final
        assert evil.connections == 0


@pytest.mark.parametrize(
    "scheme",
    ["json", "jsons", "xml", "form", "mailto", "mailtos", "file", "syslog", "rsyslog", "mqtt", "mqtts", "dbus", "windows",
     "macosx", "gnome", "smpp", "xmpp", "irc", "fcm", "vapid", "aprs", "ses", "sns", "http", "https", "JSON", "config"],
)  # fmt: skip
def test_a_service_that_takes_any_address_or_acts_on_this_machine_is_not_offered(scheme: str) -> None:
    assert scheme.lower() not in SCHEMES
    with pytest.raises(BadRule, match="not allowed"):
        check_url(f"{scheme}://127.0.0.1/x")


GUARDED = """
import os, socket, subprocess, sys
from driftline.deliver.channels.apprise_child import ForbiddenAccess, guard

canary, secret, home = int(sys.argv[1]), sys.argv[2], sys.argv[3]
open(os.path.join(home, "own"), "w").close()
os.symlink(secret, os.path.join(home, "link"))
guard("http://127.0.0.1:9", home)

def udp(send):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return lambda: send(sock)

tries = {
    "connect": lambda: socket.create_connection(("127.0.0.1", canary)),
    "connect by name": lambda: socket.create_connection(("localhost", canary)),
    "connect_ex": lambda: socket.socket().connect_ex(("127.0.0.1", canary)),
    "sendto": udp(lambda sock: sock.sendto(b"x", ("127.0.0.1", canary))),
    "sendmsg": udp(lambda sock: sock.sendmsg([b"x"], [], 0, ("127.0.0.1", canary))),
    "unix": lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"),
    "lookup": lambda: socket.gethostbyname("localhost"),
    "listen": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "read": lambda: open(secret).read(),
    "read bytes": lambda: open(secret.encode()).read(),
    "read by os": lambda: os.open(secret, os.O_RDONLY),
    "read a link": lambda: open(os.path.join(home, "link")).read(),
    "read up": lambda: open(os.path.join(home, "..", os.path.basename(secret))).read(),
    "read the environment": lambda: open("/proc/self/environ").read(),
    "read users": lambda: open("/etc/passwd").read(),
    "read past a folder of the system": lambda: open("/usr/share/../../etc/passwd").read(),
    "read past a folder of certificates": lambda: open("/etc/ssl/../passwd").read(),
    "write": lambda: open(secret, "w"),
    "run": lambda: subprocess.run(["true"]),
    "system": lambda: os.system("true"),
    "fork": os.fork,
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
}
for name, attempt in tries.items():
    try:
        attempt()
    except ForbiddenAccess:
        pass
    except BaseException as error:
        print("refused by somebody else", name, repr(error))
    else:
        print("reached", name)
open(os.path.join(home, "own")).close()
import ssl, certifi, zoneinfo
open(certifi.where()).close()
"""


async def test_the_child_opens_and_reaches_nothing_of_ours(tmp_path: Path) -> None:
    secret, home = tmp_path / "secret.json", tmp_path / "home"
    secret.write_text("{}")
    home.mkdir()
    root = Path(__file__).parents[2]
    async with site(reply(b"secret")) as canary:
        ended = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", GUARDED, str(canary.port), str(secret), str(home)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(root / "src")},
        )
        assert (ended.stdout, ended.returncode) == ("", 0), ended.stdout + ended.stderr
        assert canary.connections == 0
