"""Texts for users are in plain words: a list of those that are gone, over templates, messages, help, documents and mails."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.sources import SOURCE, nodes, parsed

ROOT = Path(__file__).parents[2]
TEMPLATES = SOURCE / "web" / "templates"

# What users read is written here; what the other packages hold in strings is data of pages, SQL or code.
SPOKEN = ("cli", "web", "deliver", "engine", "fetch", "policy", "wiring", "bus", "store", "settings.py", "kinds")
RAISED_ONLY = ("store", "kinds", "fetch", "bus")  # here only what is raised, said of a rule, or warned of

SQL = re.compile(r"\b(?:SELECT|UPDATE|INSERT|DELETE|WHERE|FROM|ORDER BY|PRAGMA)\b")

# Each with what stands there instead; in words of their own, whatever the letter case.
GONE = {
    r"told|tells|to tell": "reported (a change), notified (a person)",
    r"looks? at|looked at|looking at|two looks|first look": "preview, check, fetch",
    r"hears? of|hear of": "is notified of, subscribed to",
    r"in trouble|troubled": "failing",
    r"walls?(?! clock)": "blocked by ...",
    r"(?:was|were) (?:not )?taken|not take": "sent, not sent",
    r"as it came": "HTML source",
    r"new baseline is taken|take a new baseline|taken anew": "accept the page as it is now, new baseline",
    r"masks?|masked": "ignored area",
    r"seen and left out": "ignored differences",
    r"start over, or end|with the ticked": "danger zone, selected",
    r"let somebody in|owner: all of it": "invite a user, full access",
    r"makes? no sense|words? (?:were|are) off|does not parse|do not parse|slip of the pen": "invalid, is not valid, a typo",
    r"does not fit|do not fit|no \w+ fits": "invalid, no matching ...",
    r"nothing to tell|course of": "no changes, trend",
    r"only http and https are visited": "needs https:// or http:// in front",
    r"recorded and not delivered": "not sent: ...",
    r"mends?": "correct, fix",
    r"for ever": "forever",
    r"switch(?:ed|es)? (?:it )?(?:on|off)": "turn on, turn off",
    r"places that differ|moves by itself": "changes here are not reported, changed on its own",
    r"oneself|one's own": "yourself, your own",
    r"is away|nonsense|nobody knows": "cannot be reached, is not valid, unknown",
    r"say of each difference": "show why each difference was reported or ignored",
}
# Names of the contract and of other programs, which stay: commands, fields, change types, rules as they are stored.
KEPT = re.compile(
    r"`[^`]*`|<code>.*?</code>|driftline [a-z-]+(?: [A-Z]+)?|/masks|masks/|\bmasks WATCH\b|told with|"
    r"\[.*?\]\(.*?\)|https?://\S+|--[a-z-]+",
    re.DOTALL,
)


class _Shown(HTMLParser):
    """The text of a template, with the attributes that people see."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value or "" for name, value in attrs if name in {"placeholder", "title", "aria-label", "data-sure"}]


def of_template(path: Path) -> Iterator[str]:
    """What a template shows: its text, and the strings in its expressions."""
    source = path.read_text(encoding="utf-8")
    for expression in re.findall(r"{[{%](.*?)[%}]}", source, re.DOTALL):
        yield from (one for one in re.findall(r'"([^"]*)"', expression) if " " in one)
    page = _Shown()
    page.feed(re.sub(r"{[{%#].*?[%}#]}", " ", source, flags=re.DOTALL))
    yield from page.texts


def of_code(path: Path) -> Iterator[str]:
    """Strings with words in them, and the help of commands; no docstrings else, no SQL, no lists of data."""
    tree = parsed()[path.relative_to(SOURCE)]
    package = path.relative_to(SOURCE).parts[0]
    whole: list[ast.AST] = [tree]
    if package in RAISED_ONLY:
        whole = [node for node in nodes(tree) if isinstance(node, ast.Raise) or _is_notice(node)]
    documented = {id(docstring) for node in nodes(tree) if (docstring := _docstring_of(node)) is not None}
    for node in (inner for one in whole for inner in nodes(one)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documented:
            continue
        if " " in node.value and not SQL.search(node.value):
            yield node.value
    if package == "cli":
        yield from (
            ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef) and _is_command(node)
        )


def _docstring_of(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
        return None
    first = node.body[0]
    return first.value if isinstance(first, ast.Expr) else None


def _is_command(node: ast.AST) -> bool:
    """A public function of the command line with options: its docstring is its help."""
    return isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and "Json" in ast.unparse(node.args)


def _is_notice(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"Notice", "FailureText"}


def of_document(path: Path) -> Iterator[str]:
    """A page of the documents, without its examples."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    yield from (line for line in text.splitlines() if not line.startswith(("    ", "## masks")))


def of_contract(found: object) -> Iterator[str]:
    """The summaries and descriptions of the API's contract, as its readers see them."""
    if isinstance(found, dict):
        yield from (text for name in ("summary", "description") if isinstance(text := found.get(name), str))
    for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        yield from of_contract(inner)


def everything() -> Iterator[tuple[str, str]]:
    """Where, and what users read there."""
    for path in sorted(TEMPLATES.glob("*.html")):
        yield from ((path.name, text) for text in of_template(path))
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] in SPOKEN and "migrations" not in path.parts:
            yield from ((f"{path.relative_to(SOURCE)}", text) for text in of_code(path))
    yield from (("failure_text.py", text) for text in of_code(SOURCE / "core" / "answers" / "failure_text.py"))
    for path in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"):
        yield from ((path.name, text) for text in of_document(path))
    contract = ROOT / "docs" / "openapi.json"
    yield from ((contract.name, text) for text in of_contract(json.loads(contract.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    return [(where, KEPT.sub(" ", text)) for where, text in everything()]


def gone_from(text: str) -> list[str]:
    """What to write instead of each word of a text that is gone."""
    return [now for words, now in GONE.items() if re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text)]


def test_words_that_are_gone_stay_gone(texts: list[tuple[str, str]]) -> None:
    assert [(where, text, now) for where, text in texts if (now := gone_from(text.lower()))] == []


def test_a_word_that_is_gone_is_seen() -> None:
    assert gone_from("changes here are masked") == [GONE["masks?|masked"]]
    assert gone_from("a taskmaster unmasks by-masks") == []


def test_the_texts_of_users_are_found_at_all(texts: list[tuple[str, str]]) -> None:
    shown = {text.strip() for _, text in texts}
    assert {"Preview", "Danger zone", "Just opened", "Ignored areas", "Invite a user", "Stop ignoring"} <= shown
    assert any("Show why each difference was reported or ignored" in text for text in shown)
    assert any("needs https:// or http:// in front" in text or "in front" in text for text in shown)


# Every row of the table "For users": what stands there now, and where.
NOW = {
    "add.html": ("Preview", "Preview: what will be watched"),
    "preview.html": ("Loaded twice: nothing changed on its own.", "Ignored areas"),
    "parts.html": ("Bookings",),
    "rows.html": ("not sent:", "Retry"),
    "change.html": ("Notified", "Not notified", "Not sent:"),
    "watch.html": (
        "Accept the page as it is now", "Changes here are not reported.", "Stop ignoring", "Danger zone",
    ),
    "watch_form.html": ("Adjust the frequency automatically",),
    "watches.html": ("Selected:", "Failing"),
    "run.html": ("Ignored differences", "Stop ignoring"),
    "deliveries.html": ("failed deliveries",),
    "settings.html": ("Invite a user", "Owner: full access", "New password", "Create", "Time zone"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOW)
def test_a_template_says_what_the_table_of_words_asks_for(name: str) -> None:
    source = (TEMPLATES / name).read_text(encoding="utf-8")
    assert [text for text in NOW[name] if text not in source] == []
