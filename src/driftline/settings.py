"""The only reader of the environment and of `driftline.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from driftline import __version__, extensions
from driftline.core.answers.invalid_value import did_you_mean, invalid_value
from driftline.errors import BadSetting
from driftline.model.operator_source import OperatorSource

_SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
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
RETIRED = frozenset({"journal"})  # former settings: ignored, so that no installation fails to start
_LISTS = frozenset(
    {"allow_hosts", "chat_services", "discovery_party_sizes", "web_hosts", "web_proxies"}
)  # separated by commas in the environment


def _data_folder(environ: Mapping[str, str]) -> Path:
    """The user's data folder."""
    return Path(environ.get("XDG_DATA_HOME") or Path(environ.get("HOME") or Path.home(), ".local/share")) / "driftline"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting, with its default. In the environment it is `DRIFTLINE_` + the upper-case name; in the file, the name."""

    db: Annotated[str, msgspec.Meta(description="`sqlite:///path/to.db` or `postgresql://user:password@host/name`")] = ""
    org: Annotated[
        str,
        msgspec.Meta(description="the org that commands work on, by name or id; empty: the first one"),
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
    user_agent: Annotated[str, msgspec.Meta(description="the User-Agent that driftline sends")] = (
        f"driftline/{__version__} (+https://pypi.org/project/driftline/)"
    )
    timeout_for: Annotated[
        float, msgspec.Meta(description="seconds for one whole answer, redirects included", gt=0, le=600)
    ] = 30.0
    max_bytes: Annotated[int, msgspec.Meta(description="largest body that is read, after decompression", ge=1024)] = (
        10 * 1024 * 1024
    )
    browser: Annotated[
        bool,
        msgspec.Meta(description="whether pages may be loaded in a browser (Chromium) where the plain answer is not enough"),
    ] = True
    chromium: Annotated[str, msgspec.Meta(description="path of the Chromium to use; empty: looked for by its usual names")] = ""
    browser_pages: Annotated[
        int, msgspec.Meta(description="pages that the browser of one process loads at once", ge=1, le=64)
    ] = 4
    pictures: Annotated[
        Literal["browser", "all", "none"],
        msgspec.Meta(
            description="pictures of versions: images, scans, pages in the `browser`; `all` (one more load a change), or `none`"
        ),
    ] = "browser"
    browser_scripts: Annotated[
        bool, msgspec.Meta(description="whether steps of watches may run scripts of their own on a page (`evaluate`)")
    ] = False
    secret_key: Annotated[
        str,
        msgspec.Meta(description="key that encrypts secrets and browser sessions; `driftline secret key` makes one"),
    ] = ""
    secret_key_old: Annotated[str, msgspec.Meta(description="the key before it, until `driftline secret rotate` has run")] = ""
    concurrency: Annotated[int, msgspec.Meta(description="answers in flight at once in one process", ge=1, le=5000)] = 200
    compute_processes: Annotated[
        int,
        msgspec.Meta(
            description="child processes that read large or costly answers, for checks, previews and the agent",
            ge=1,
            le=64,
        ),
    ] = 2
    per_host: Annotated[
        int,
        msgspec.Meta(description="answers in flight at once for one host", ge=1),
    ] = 4
    per_own_host: Annotated[
        int,
        msgspec.Meta(description="the same for hosts in `allow_hosts`; lower it for a server that takes fewer", ge=1, le=5000),
    ] = 32
    host_interval_for: Annotated[
        float,
        msgspec.Meta(description="seconds between two requests to one host; hosts in `allow_hosts` are not limited", ge=0),
    ] = 0.0
    lease_for: Annotated[
        float, msgspec.Meta(description="seconds of a lease on a watch, before other workers may take over", ge=5)
    ] = 300.0
    calibrate_after: Annotated[
        float,
        msgspec.Meta(
            description="seconds between two fetches of a page, at first and before a change is reported, to find noise",
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
        str, msgspec.Meta(description="the mail server that messages go through; without it no mail is sent")
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
        msgspec.Meta(description="host names of `driftline serve`, besides loopback and the host of `public_url`"),
    ] = ()
    web_proxies: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="reverse proxies, as addresses or networks, whose `X-Forwarded-For` is trusted; default: none"
        ),
    ] = ()
    chat_services: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="Apprise schemes that channels may use, e.g. `slack,discord`; empty: all that use HTTP"),
    ] = ()
    delivery_lease_for: Annotated[
        float, msgspec.Meta(description="seconds of a lease on a delivery, before other senders may take over", ge=1, le=3600)
    ] = 30.0
    keep_snapshots_for: Annotated[
        float, msgspec.Meta(description="seconds that versions are kept at most; 0: as long as their plan says", ge=0)
    ] = 0.0
    keep_versions: Annotated[int, msgspec.Meta(description="versions of one item that are kept at most; 0: all", ge=0)] = 0
    keep_bytes: Annotated[
        int,
        msgspec.Meta(
            description="bytes of versions and bodies in the database at most; the oldest are removed first; 0: no limit", ge=0
        ),
    ] = 0
    discovery_party_sizes: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=1, le=1000)], ...],
        msgspec.Meta(description="party sizes of booking pages, unless the watch has its own", min_length=1),
    ] = (2, 4)
    notified_dedupe_minutes: Annotated[
        float,
        msgspec.Meta(
            description="minutes in which a slot that opens again is reported once, unless the watch has its own",
            ge=0,
            le=43_200,
        ),
    ] = 30.0
    summarizer: Annotated[
        str,
        msgspec.Meta(
            description="who summarizes articles: `local` (their own best sentences), `openai` (the endpoint below), or "
            "the name of an extension"
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
    model_grace_for: Annotated[
        float, msgspec.Meta(description="seconds that a report waits for a model at most, before it is sent", gt=0, le=600)
    ] = 20.0
    model_tokens_per_day: Annotated[
        int, msgspec.Meta(description="tokens that changes of one org may cost on one day (UTC); beyond, all are sent", ge=0)
    ] = 200_000
    change_summaries: Annotated[
        bool, msgspec.Meta(description="whether the model also summarizes each change in a sentence, beside its headline")
    ] = False
    summary_language: Annotated[
        str,
        msgspec.Meta(
            description="the language in which it summarizes changes, that of your readers: `German`; empty: the page's own",
            pattern=r"^[^\W\d_]*(?:[ -][^\W\d_]+){0,3}$",
            max_length=40,
        ),
    ] = ""
    summaries_at_once: Annotated[
        int, msgspec.Meta(description="articles that are summarized at once; 0: the worker makes no summaries", ge=0, le=64)
    ] = 4
    rabbit_url: Annotated[
        str,
        msgspec.Meta(
            description="the broker of `bus` channels and of the agent (it takes `amqp://guest:guest@rabbitmq:5672` if empty)"
        ),
    ] = ""
    input_queue: Annotated[str, msgspec.Meta(description="queue of the agent's parsed pages", min_length=1)] = "change.check"
    price_update_queue: Annotated[
        str, msgspec.Meta(description="queue for changed products with price candidates", min_length=1)
    ] = "price.update"
    notify_queue: Annotated[str, msgspec.Meta(description="queue for changed pages", min_length=1)] = "notify"
    storage_queue: Annotated[str, msgspec.Meta(description="queue for every page", min_length=1)] = "storage-agent"
    text_diff_threshold: Annotated[
        float, msgspec.Meta(description="the agent: text counts as changed below this similarity", ge=0, le=1)
    ] = 0.90
    crash_at: Annotated[
        str,
        msgspec.Meta(
            description="for fault tests only: the named step at which the process kills itself; see `engine/fault_points.py`"
        ),
    ] = ""
    proxies: Annotated[
        dict[str, str], msgspec.Meta(description="proxies that watches may use: `name = http://host:port`; in the file only")
    ] = {}
    sources: Annotated[
        dict[str, OperatorSource],
        msgspec.Meta(
            description="files, folders, commands, mailboxes and git refs that orgs may watch: [sources](howto-sources.md); "
            "in the file only"
        ),
    ] = {}


def load(environ: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Settings:
    """Settings from the environment, then `driftline.toml` (DRIFTLINE_CONFIG, else the working folder), then defaults."""
    environ = os.environ if environ is None else environ
    values = _from_file(environ, folder or Path.cwd()) | _from_environment(environ)
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        message, hint = invalid_value(error, Settings, called="setting", hint="see docs/settings.md")
        raise BadSetting(message, hint=hint) from None
    if not settings.db:
        settings = msgspec.structs.replace(settings, db=f"sqlite:///{_data_folder(environ) / 'driftline.db'}")
    if not settings.db.startswith(("sqlite:///", "postgresql://", "postgres://")):
        scheme = settings.db.partition(":")[0]  # the rest may contain a password
        raise BadSetting(
            "unknown type of database", scheme=scheme[:40], hint="use sqlite:///path/to.db or postgresql://host/name"
        )
    if settings.log not in ("debug", "info", "warning", "error"):
        raise BadSetting("unknown log level", log=settings.log, hint="use debug, info, warning or error")
    for name, source in settings.sources.items():
        if len(source.forms) != 1 or _SOURCE_NAME.fullmatch(name) is None:
            hint = "a name of small letters, digits and dashes, and one of file, folder, command, imap and git"
            raise BadSetting("invalid source", source=name, hint=hint)
    own = settings.summarizer in ("local", "openai")
    if not own and settings.summarizer not in extensions.usable(extensions.SUMMARIZERS):
        hint = "use local, openai, or the name of an extension that driftline doctor lists as ok"
        raise BadSetting("unknown summarizer", summarizer=settings.summarizer, hint=hint)
    if "openai" in (settings.summarizer, settings.classifier) and not (settings.model_url and settings.model_name):
        raise BadSetting("the model has no name", hint="set model_url and model_name, or summarizer and classifier to local")
    return settings


def in_ci(environ: Mapping[str, str] | None = None) -> bool:
    """Whether it runs on a build machine, which sets CI."""
    return (os.environ if environ is None else environ).get("CI", "").lower() not in ("", "0", "false")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The DRIFTLINE_* variables; a misspelt one is an error."""
    values: dict[str, Any] = {field: _read(field, environ[name]) for field, name in OWN_NAMES.items() if environ.get(name)}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name == f"{PREFIX}CONFIG" or name.startswith(f"{PREFIX}TEST_"):
            continue
        field = name.removeprefix(PREFIX).lower()
        if field in RETIRED:
            continue
        if field not in Settings.__struct_fields__ or field in ("proxies", "sources"):
            guess = did_you_mean(name, (f"{PREFIX}{known.upper()}" for known in Settings.__struct_fields__))
            raise BadSetting(f'unknown setting "{name}"', name=name, hint=guess or "see docs/settings.md")
        values[field] = _read(field, text)
    return values


def _read(field: str, text: str) -> str | tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if field in _LISTS else text


def _from_file(environ: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """The entries of driftline.toml; none if there is no such file."""
    named = environ.get(f"{PREFIX}CONFIG")
    path = Path(named) if named else folder / "driftline.toml"
    try:
        text = path.read_text(encoding="utf-8")
        import tomllib  # noqa: PLC0415 - most have no such file

        found = tomllib.loads(text)
    except FileNotFoundError:
        if named:
            raise BadSetting("no such file", DRIFTLINE_CONFIG=named, hint="correct the path, or unset it") from None
        return {}
    except (OSError, ValueError) as error:  # also where it is no UTF-8 or no TOML
        raise BadSetting("the file cannot be read", file=str(path), problem=str(error), hint="correct the file") from None
    return {name: value for name, value in found.items() if name not in RETIRED}
