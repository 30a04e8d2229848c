"""The only reader of the environment and of `driftline.toml`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from driftline.errors import BadSetting

PREFIX = "DRIFTLINE_"
OWN_NAMES = {  # settings that are known under another name as well
    "discovery_party_sizes": "DISCOVERY_PARTY_SIZES",
    "notified_dedupe_minutes": "NOTIFIED_DEDUPE_MINUTES",
    "rabbit_url": "RABBIT_URL",
    "input_queue": "INPUT_QUEUE",
    "price_update_queue": "PRICE_UPDATE_QUEUE",
    "notify_queue": "NOTIFY_QUEUE",
    "storage_queue": "STORAGE_QUEUE",
    "text_diff_threshold": "TEXT_DIFF_THRESHOLD",
}
_LISTS = frozenset(
    {"allow_hosts", "chat_services", "discovery_party_sizes", "web_hosts", "web_proxies"}
)  # separated by commas in the environment


def _data_folder(environ: Mapping[str, str]) -> Path:
    """Where a user's own data lives."""
    return Path(environ.get("XDG_DATA_HOME") or Path(environ.get("HOME") or Path.home(), ".local/share")) / "driftline"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting, with its default. In the environment it is `DRIFTLINE_` + the upper-case name; in the file, the name."""

    db: Annotated[str, msgspec.Meta(description="`sqlite:///path/to.db` or `postgresql://user:password@host/name`")] = ""
    org: Annotated[
        str,
        msgspec.Meta(description="the org that commands speak for, by name or id; empty: the one that is there at first"),
    ] = ""
    blobs: Annotated[
        str,
        msgspec.Meta(description="where raw bodies are kept: empty (in the database), a folder, `s3://`, `gs://` or `az://`"),
    ] = ""
    allow_hosts: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="private hosts, addresses or networks that may be visited, e.g. `127.0.0.1,10.1.0.0/16`; default: none"
        ),
    ] = ()
    user_agent: Annotated[str, msgspec.Meta(description="what driftline calls itself when it visits")] = (
        "driftline/0.1 (+https://pypi.org/project/driftline/)"
    )
    timeout_for: Annotated[
        float, msgspec.Meta(description="seconds for one whole answer, redirects included", gt=0, le=600)
    ] = 30.0
    max_bytes: Annotated[int, msgspec.Meta(description="largest body that is read, after decompression", ge=1024)] = (
        10 * 1024 * 1024
    )
    concurrency: Annotated[int, msgspec.Meta(description="answers in flight at once in one process", ge=1, le=5000)] = 200
    per_host: Annotated[
        int,
        msgspec.Meta(
            description="answers in flight at once for one host; hosts in `allow_hosts` get as many as they answer well", ge=1
        ),
    ] = 4
    host_interval_for: Annotated[
        float,
        msgspec.Meta(description="seconds between two requests to one host; hosts in `allow_hosts` are not limited", ge=0),
    ] = 0.0
    lease_for: Annotated[
        float, msgspec.Meta(description="seconds that a worker owns a watch before others may take over", ge=5)
    ] = 300.0
    calibrate_after: Annotated[
        float,
        msgspec.Meta(
            description="seconds between two fetches of a page, at first and before a change is told, that teach noise",
            ge=0,
        ),
    ] = 2.0
    drain_for: Annotated[float, msgspec.Meta(description="seconds that a stopping worker waits for checks in flight", ge=0)] = (
        30.0
    )
    log: Annotated[str, msgspec.Meta(description="`debug`, `info`, `warning` or `error`; logs go to standard error")] = (
        "warning"
    )
    smtp_host: Annotated[
        str, msgspec.Meta(description="the mail server that letters go through; without it no mail is sent")
    ] = ""
    smtp_port: Annotated[int, msgspec.Meta(description="its port", ge=1, le=65535)] = 587
    smtp_tls: Annotated[
        Literal["starttls", "tls", "none"],
        msgspec.Meta(description="`starttls`, `tls` (from the first byte, usually port 465) or `none`"),
    ] = "starttls"
    smtp_user: Annotated[str, msgspec.Meta(description="name to sign in with; empty: no sign-in")] = ""
    smtp_password: Annotated[str, msgspec.Meta(description="password to sign in with")] = ""
    mail_from: Annotated[
        str, msgspec.Meta(description="the sender of mails: `alerts@example.org` or `Driftline <alerts@example.org>`")
    ] = "driftline@localhost"
    public_url: Annotated[
        str, msgspec.Meta(description="where people reach the dashboard; links in messages begin with it; empty: no links")
    ] = ""
    web_hosts: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="names under which `driftline serve` may be asked for, besides loopback and the host of `public_url`"
        ),
    ] = ()
    web_proxies: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="reverse proxies, as addresses or networks, whose `X-Forwarded-For` is believed; default: none"
        ),
    ] = ()
    chat_services: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="Apprise schemes that channels may use, e.g. `slack,discord`; empty: all that speak HTTP"),
    ] = ()
    delivery_lease_for: Annotated[
        float, msgspec.Meta(description="seconds after which others send what a dead sender had claimed", ge=1, le=3600)
    ] = 30.0
    journal: Annotated[
        str,
        msgspec.Meta(
            description="folder where senders on PostgreSQL note what was taken until it is stored; default: in the data folder"
        ),
    ] = ""
    keep_snapshots_for: Annotated[
        float, msgspec.Meta(description="seconds that snapshots are kept at most; 0: as long as their plan says", ge=0)
    ] = 0.0
    keep_versions: Annotated[int, msgspec.Meta(description="snapshots of one item that are kept at most; 0: all", ge=0)] = 0
    keep_bytes: Annotated[
        int,
        msgspec.Meta(description="bytes of snapshots and bodies in the database at most, oldest go first; 0: no limit", ge=0),
    ] = 0
    discovery_party_sizes: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=1, le=1000)], ...],
        msgspec.Meta(description="party sizes that a booking board is asked for, where its watch says none", min_length=1),
    ] = (2, 4)
    notified_dedupe_minutes: Annotated[
        float,
        msgspec.Meta(
            description="minutes in which a slot that flaps is told once, where its watch says nothing", ge=0, le=43_200
        ),
    ] = 30.0
    summarizer: Annotated[
        Literal["local", "openai"],
        msgspec.Meta(
            description="who summarizes articles: `local` (their own best sentences) or `openai` (the endpoint below)"
        ),
    ] = "local"
    classifier: Annotated[
        Literal["local", "openai"], msgspec.Meta(description="who labels articles: `local` (by words) or `openai`")
    ] = "local"
    model_url: Annotated[
        str, msgspec.Meta(description="an OpenAI-compatible endpoint, e.g. `http://127.0.0.1:11434/v1`; may be private")
    ] = ""
    model_name: Annotated[str, msgspec.Meta(description="the model to ask for there")] = ""
    model_key: Annotated[str, msgspec.Meta(description="its key, sent as a bearer token; empty: none")] = ""
    model_timeout_for: Annotated[float, msgspec.Meta(description="seconds for one answer of the model", gt=0, le=600)] = 60.0
    summaries_at_once: Annotated[
        int, msgspec.Meta(description="articles that are summarized at once; 0: the worker makes no summaries", ge=0, le=64)
    ] = 4
    rabbit_url: Annotated[
        str,
        msgspec.Meta(
            description="the broker of `bus` channels and of the agent (it takes `amqp://guest:guest@rabbitmq:5672` if empty)"
        ),
    ] = ""
    input_queue: Annotated[str, msgspec.Meta(description="where the agent's parsed pages come from", min_length=1)] = (
        "change.check"
    )
    price_update_queue: Annotated[
        str, msgspec.Meta(description="who hears of changed products with price candidates", min_length=1)
    ] = "price.update"
    notify_queue: Annotated[str, msgspec.Meta(description="who hears of changed pages", min_length=1)] = "notify"
    storage_queue: Annotated[str, msgspec.Meta(description="who hears of every page", min_length=1)] = "storage-agent"
    text_diff_threshold: Annotated[
        float, msgspec.Meta(description="the agent: text counts as changed below this similarity", ge=0, le=1)
    ] = 0.90
    crash_at: Annotated[
        str,
        msgspec.Meta(
            description="for fault tests only: the named step at which the process kills itself; see `engine/crash.py`"
        ),
    ] = ""
    proxies: Annotated[
        dict[str, str], msgspec.Meta(description="proxies that watches may name: `name = http://host:port`; in the file only")
    ] = {}


def load(environ: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Settings:
    """Settings from the environment, then `driftline.toml` (DRIFTLINE_CONFIG, else the working folder), then defaults."""
    environ = os.environ if environ is None else environ
    values = _from_file(environ, folder or Path.cwd()) | _from_environment(environ)
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise BadSetting("setting makes no sense", problem=str(error), hint="see docs/settings.md") from None
    if not settings.db:
        settings = msgspec.structs.replace(settings, db=f"sqlite:///{_data_folder(environ) / 'driftline.db'}")
    if not settings.journal:
        settings = msgspec.structs.replace(settings, journal=str(_data_folder(environ) / "journal"))
    if not settings.db.startswith(("sqlite:///", "postgresql://", "postgres://")):
        scheme = settings.db.partition(":")[0]  # the rest may hold a password
        raise BadSetting("no such database", scheme=scheme[:40], hint="use sqlite:///path/to.db or postgresql://host/name")
    if settings.log not in ("debug", "info", "warning", "error"):
        raise BadSetting("no such log level", log=settings.log, hint="use debug, info, warning or error")
    if "openai" in (settings.summarizer, settings.classifier) and not (settings.model_url and settings.model_name):
        raise BadSetting("the model is not named", hint="set model_url and model_name, or summarizer and classifier to local")
    return settings


def in_ci(environ: Mapping[str, str] | None = None) -> bool:
    """Whether nobody is looking: build machines set CI."""
    return (os.environ if environ is None else environ).get("CI", "").lower() not in ("", "0", "false")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """DRIFTLINE_* as far as they name a setting; a misspelt one is an error rather than silence."""
    values: dict[str, Any] = {field: _read(field, environ[name]) for field, name in OWN_NAMES.items() if environ.get(name)}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name == f"{PREFIX}CONFIG" or name.startswith(f"{PREFIX}TEST_"):
            continue
        field = name.removeprefix(PREFIX).lower()
        if field not in Settings.__struct_fields__ or field == "proxies":
            raise BadSetting("no such setting", name=name, hint="see docs/settings.md")
        values[field] = _read(field, text)
    return values


def _read(field: str, text: str) -> str | tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if field in _LISTS else text


def _from_file(environ: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """The entries of driftline.toml; none if there is no such file."""
    named = environ.get(f"{PREFIX}CONFIG")
    path = Path(named) if named else folder / "driftline.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named:
            raise BadSetting("no such file", DRIFTLINE_CONFIG=named, hint="mend the path or unset it") from None
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting("cannot be read", file=str(path), problem=str(error), hint="mend the file") from None
