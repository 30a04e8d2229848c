"""The form of a watch, at adding and at editing: texts that are read into a watch, and a sentence for each that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from driftline.core.text.step_texts import read_steps
from driftline.engine.editing.watch_fields import FIELDS, rule_types, with_field
from driftline.engine.editing.watch_input import WatchInput, read_rules, watch_address
from driftline.engine.editing.watch_texts import texts_of, type_name
from driftline.engine.history.trial import Trial
from driftline.engine.imports.watch_list import input_of
from driftline.errors import BadRule, UsageError
from driftline.kinds.registry import KINDS
from driftline.model.tag import Tag
from driftline.model.watch import Watch
from driftline.policy.conditions.checking import checked_condition
from driftline.policy.schedule.cadence import check_schedule
from driftline.policy.tag_settings import combined
from driftline.web.pages.parts.form import FormValues
from driftline.wiring import App

ADVANCED: Final = "advanced"  # the field with the rules that have none of their own
_UNSHOWN: Final = frozenset({"timeout", "robots"})  # set by the command line and the API; a form leaves them as they are


class RuleField(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that has a field of its own."""

    rule: str
    label: str
    hint: str = ""
    shape: Literal["lines", "text", "choice"] = "lines"
    choices: Sequence[tuple[str, str]] = ()


_KINDS: Final[Mapping[str, str]] = {
    "page": "One page: text, price, images, links",
    "catalog": "A product list: products and prices",
    "availability": "A booking page: free slots",
    "sitemap": "A sitemap or feed: new articles",
    "site": "A whole site: all its pages",
}
RULE_FIELDS: Final[Mapping[str, Sequence[RuleField]]] = {
    "page": (
        RuleField(
            rule="compare",
            label="Compare",
            shape="choice",
            choices=(("", "What it says: text, prices, images, links"), ("visual", "How it looks: pictures of it")),
            hint="Pictures are taken in the browser. What changes on its own is ignored.",
        ),
        RuleField(
            rule="visual_threshold",
            label="Report a look that differs by at least",
            shape="text",
            hint="Percent of the picture, where it is compared by how it looks. Empty: any difference.",
        ),
        RuleField(
            rule="select",
            label="Watch only this part of the page",
            hint="A CSS selector, XPath or JSONPath; one per line. Empty: the whole page.",
        ),
        RuleField(rule="remove", label="Leave out these parts", hint="A CSS selector or XPath; one per line."),
        RuleField(
            rule="ignore_text", label="Ignore lines with", hint="Text, or a pattern such as /\\d+ people/; one per line."
        ),
        RuleField(
            rule="trigger_text",
            label="Report only if a changed line has",
            hint="Text, or a pattern such as /sold out/; one per line. Empty: every change.",
        ),
        RuleField(
            rule="detailed_snapshots",
            label="Snapshots",
            shape="choice",
            choices=(("", "As the plan says"), ("yes", "Keep text and HTML of every version"), ("no", "Keep no text or HTML")),
        ),
    ),
    "catalog": (
        RuleField(
            rule="card", label="One product", shape="text", hint="CSS of a product's element. Empty: found automatically."
        ),
        RuleField(rule="currency", label="Currency", shape="text", hint="For example EUR, where the page has only $ or kr."),
        RuleField(rule="price_below", label="Report prices only below", shape="text", hint="For example 99.90."),
        RuleField(rule="min_price_change", label="Smallest price change", shape="text", hint="For example 0.50 or 5%."),
    ),
    "availability": (
        RuleField(rule="dates", label="Dates", hint="next 14 days, or dates such as 2026-02-28, one per line."),
        RuleField(rule="time_slots", label="Times", hint="For example 20:30; one per line. Empty: the whole day."),
        RuleField(rule="party_sizes", label="Party sizes", shape="text", hint="For example 2, 4."),
        RuleField(rule="timezone", label="Time zone of the place", shape="text", hint="For example Europe/Berlin."),
    ),
    "sitemap": (
        RuleField(
            rule="include", label="Only articles whose URL has", hint="Text or a /pattern/; one per line. Empty: all of them."
        ),
        RuleField(rule="exclude", label="Leave out articles whose URL has", hint="Text or a /pattern/; one per line."),
        RuleField(
            rule="compare",
            label="Compare by",
            shape="choice",
            choices=(("", "The date in the sitemap"), ("content", "The text of each article")),
        ),
        RuleField(
            rule="removed",
            label="Removed articles",
            shape="choice",
            choices=(("", "Do not report"), ("yes", "Report")),
        ),
    ),
    "site": (
        RuleField(
            rule="include", label="Only pages whose URL has", hint="Text or a /pattern/; one per line. Empty: all of them."
        ),
        RuleField(rule="exclude", label="Leave out pages whose URL has", hint="Text or a /pattern/; one per line."),
        RuleField(rule="pages", label="Pages at most", shape="text", hint="500, unless set otherwise."),
        RuleField(rule="depth", label="Links from the start", shape="text", hint="10, unless set otherwise."),
    ),
}


class WatchForm(msgspec.Struct, frozen=True, kw_only=True):
    """What the form holds, and the sentences beside its fields."""

    values: Mapping[str, str]
    errors: Mapping[str, str] = {}
    subscribe: bool = True
    proxies: Sequence[str] = ()
    try_place: str = ""  # where the condition is tried on history; empty: there is none yet
    trial: Trial | None = None
    tag_conditions: Mapping[str, str] = {}  # by tag, of those that the watch has
    origins: Mapping[str, tuple[str, str]] = {}  # by field, where a tag sets it: the tag, and its value

    def __getitem__(self, name: str) -> str:
        """The text of a field."""
        return self.values.get(name, "")

    def origin(self, name: str) -> str:
        """`15m, from the tag shops`; empty where no tag sets the field."""
        tag, value = self.origins.get(name, ("", ""))
        return f"{value}, from the tag {tag}" if tag else ""

    @property
    def request_from_tag(self) -> bool:
        """Whether a tag sets how the source is requested."""
        return not self.origins.keys().isdisjoint(
            ("header", "cookie", "method", "body", "proxy", "browser", "wait_for", "step", "session")
        )

    @property
    def kinds(self) -> Sequence[tuple[str, str]]:
        """Every kind with what it is for."""
        return kind_choices()

    @property
    def step_rows(self) -> str:
        """The steps as JSON, for a row each; empty where a line is no step, which is then shown as it was typed."""
        try:
            return msgspec.json.encode(read_steps(self["step"].splitlines())).decode()
        except UsageError:
            return ""

    @property
    def rule_fields(self) -> Mapping[str, Sequence[RuleField]]:
        """By kind."""
        return RULE_FIELDS

    @property
    def rule_names(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """By kind: every rule with its type, for whoever writes JSON."""
        return {kind: [(name, type_name(of)) for name, of in rule_types(KINDS[kind]).items()] for kind in KINDS}


def kind_choices() -> list[tuple[str, str]]:
    """Every kind with what it is for; an extension says it in its docstring."""
    others = [name for name in KINDS if name not in _KINDS]
    return [*_KINDS.items(), *((name, (type(KINDS[name]).__doc__ or name).partition("\n")[0]) for name in others)]


def form_of(watch_input: WatchInput) -> dict[str, str]:
    """A watch as the form shows it."""
    values = {name: "\n".join(texts_of(watch_input, name)) for name in FIELDS}
    values |= {name: values[name].replace("\n", separator) for name, separator in (("tag", ", "), ("window", "; "))}
    shown = {field.rule for field in RULE_FIELDS.get(watch_input.kind, ())}
    for name in shown:
        values[f"{watch_input.kind}.{name}"] = "\n".join(texts_of(watch_input, f"rules.{name}"))
    rest = {name: value for name, value in watch_input.rules.items() if name not in shown}
    values[ADVANCED] = msgspec.json.format(msgspec.json.encode(rest), indent=2).decode() if rest else ""
    return values


def origins_of(watch: Watch, tags: Sequence[Tag]) -> dict[str, tuple[str, str]]:
    """What the watch's tags set on it, by the field of the form that shows it."""
    if watch.own is None:
        return {}
    both = combined(watch.own, watch.kind, tags)
    shown = msgspec.structs.replace(input_of(watch), schedule=both.schedule, fetch=both.fetch, rules=both.rules)
    found = {}
    for name, tag in both.origins.items():
        field = "cron" if name == "every" and both.schedule.cron else name
        words = "; ".join(texts_of(shown, field))
        found[field.replace("rules.", f"{watch.kind}.", 1)] = (tag, words)
    return found


def read_form(app: App, stored: WatchInput, values: Mapping[str, str]) -> tuple[WatchInput, dict[str, str]]:
    """The watch that the form asks for, and what is wrong with its fields: nothing, or it is not to be stored."""
    errors: dict[str, str] = {}
    wanted = msgspec.structs.replace(stored, kind=values.get("kind", "") or stored.kind, rules={})
    kind = KINDS.get(wanted.kind)
    if kind is None:
        return wanted, {"kind": "Choose one of these kinds."}
    for name in FIELDS:
        if name in _UNSHOWN or (name in ("every", "cron") and name not in values):
            continue
        try:
            wanted = with_field(wanted, name, _texts(name, values.get(name, "")), KINDS)
        except UsageError as error:
            errors[name] = sentence(error)
    rules, wrong = _rules(wanted.kind, values)
    wanted = msgspec.structs.replace(wanted, rules=rules)
    errors |= wrong | _flaws(app, wanted)
    if not errors:
        try:
            app.draft(wanted)
        except UsageError as error:
            errors[""] = sentence(error)
    return wanted, errors


def _texts(name: str, text: str) -> list[str]:
    """The values of a field: a line each, the body as a whole."""
    return [text] if name == "body" else text.splitlines()


def _rules(kind: str, values: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The rules of the kind's own fields, over those in JSON; each is tried alone, so that it is known which is wrong."""
    errors: dict[str, str] = {}
    rules: dict[str, Any] = {}
    try:
        rules = json_rules(values.get(ADVANCED, ""))
        read_rules(KINDS[kind], rules)
    except UsageError as error:
        errors[ADVANCED] = sentence(error)
    for field in RULE_FIELDS.get(kind, ()):
        name = f"{kind}.{field.rule}"
        if not (text := values.get(name, "")):
            continue
        try:
            one = with_field(WatchInput(url="", kind=kind), f"rules.{field.rule}", text.splitlines(), KINDS).rules
            read_rules(KINDS[kind], one)
            rules |= one
        except UsageError as error:
            errors[name] = sentence(error)
    return rules, errors


def _flaws(app: App, wanted: WatchInput) -> dict[str, str]:
    """What is wrong with the address, the schedule and the proxy."""
    errors: dict[str, str] = {}
    try:
        watch_address(wanted.url)
    except UsageError as error:
        errors["url"] = sentence(error) if wanted.url else "Enter an address, for example example.com/prices."
    for name, change in (("timezone", {"cron": None, "windows": ()}), ("window", {"cron": None}), ("cron", {})):
        try:
            check_schedule(msgspec.structs.replace(wanted.schedule, **change), at=app.clock.now())
        except UsageError as error:
            errors[name] = sentence(error)
            break
    if wanted.fetch.proxy and wanted.fetch.proxy not in app.settings.proxies:
        errors["proxy"] = "There is no proxy of this name."
    if wanted.fetch.body and wanted.fetch.method != "POST":
        errors["body"] = "Only POST can send a body."
    try:
        checked_condition(wanted.when, (KINDS[wanted.kind].traits.subject,))
    except UsageError as error:
        errors["when"] = sentence(error)
    return errors


def json_rules(text: str) -> dict[str, Any]:
    """A JSON object; none for no text."""
    if not text.strip():
        return {}
    try:
        rules: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        raise BadRule("the rules are not a JSON object", problem=str(error), hint='write {"name": value, ...}') from None
    return rules


def sentence(error: UsageError) -> str:
    """What is wrong and what to do, to stand beside the field that has the value."""
    problem = error.context.get("problem")
    text = f"{error.message}: {problem}" if problem else error.message
    hint = f" {error.hint[:1].upper()}{error.hint[1:]}" if error.hint else ""
    whole = f"{text[:1].upper()}{text[1:]}.{hint}"
    return whole if whole.endswith((".", "?")) else f"{whole}."


async def posted(values: FormValues, app: App) -> WatchForm:
    """The form as it was sent; a part that was picked from the preview is its selector."""
    given = dict(values)
    if values["part"]:
        given["page.select"] = values["part"]
    return WatchForm(values=given, subscribe=values["subscribe"] == "yes", proxies=tuple(app.settings.proxies))
