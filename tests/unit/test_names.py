"""One word per concept: names that are gone stay gone, and no class name stands for two things."""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import driftline

ROOT = Path(driftline.__file__).parent
SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}

# Words of our own that every newcomer had to learn; docs/glossary.md has what took their place.
GONE = frozenset(
    "clerk courier parcel mailroom rehearsal knowledge heft wall walls wish wishes shelf dress dressed clutter "
    "mend mended mending door told tell sight standings tellings stirred among hear hears teach teacher teaching rehearse "
    "rehearsed errand wisher nudge tended forgive timekeeper desk bury chore weigh ware ledger journal lane ramp".split()
)
# Names of stored states and of the public contract keep their words.
STORED = frozenset({"told", "would_tell", "price_told", "price_told_at", "stock_told_at"})
# A port and what satisfies it carry one name: they are one thing.
PORTS = frozenset({"DeliveryQueue", "Inbox", "Outbox", "RunStore", "Store"})


def parts_of(name: str) -> set[str]:
    """The words that an identifier is made of."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def identifiers(source: str) -> set[str]:
    return {token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.NAME}


def test_words_that_are_gone_are_no_identifiers() -> None:
    anywhere = {path: set(re.findall(r"[^\W\d]\w*", source)) - STORED for path, source in SOURCES.items()}
    gone = {name for name in set().union(*anywhere.values()) if parts_of(name) & GONE}
    suspects = {path: SOURCES[path] for path, names in anywhere.items() if names & gone}  # taking a file apart is slow
    assert suspects
    found = {
        f"{path}: {name}" for path, source in suspects.items() for name in identifiers(source) - STORED if parts_of(name) & GONE
    }
    assert found == set()


def test_no_module_is_named_by_a_word_that_is_gone() -> None:
    assert [path for path in SOURCES if parts_of(path) & GONE] == []


def test_no_class_name_stands_for_two_things() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path, source in SOURCES.items():
        for name in re.findall(r"^class ([A-Z]\w*)", source, re.MULTILINE):
            homes[name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1 and name not in PORTS} == {}


# What docstrings and comments say plainly by now; the page kind is being rebuilt.
RIDDLES = re.compile(r"\b(?:told|hears? of|looked at|(?:to|can) be had|mends?|in trouble)\b", re.IGNORECASE)


def prose(source: str) -> set[str]:
    """Comments and docstrings, without what stands in backticks."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = {token.string for token in tokens if token.type == tokenize.COMMENT or token.string.startswith('"""')}
    return {re.sub(r"`[^`]*`", "", text) for text in texts}


def test_docstrings_and_comments_are_no_riddles() -> None:
    read = {path: source for path, source in SOURCES.items() if not path.startswith(("kinds/page/", "store/db/migrations/"))}
    suspects = {path: source for path, source in read.items() if RIDDLES.search(source)}
    assert suspects
    assert [
        f"{path}: {text[:120]}" for path, source in suspects.items() for text in prose(source) if RIDDLES.search(text)
    ] == []


def test_a_gone_word_is_seen_in_any_spelling() -> None:
    assert parts_of("_LONGEST_WISH") & GONE
    assert parts_of("WishList") & GONE
    assert not parts_of("firewall") & GONE
