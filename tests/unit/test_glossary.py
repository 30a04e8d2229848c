"""The glossary lists the words that the product uses, and no others."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
ROWS = re.findall(r"^\| \*\*(.+?)\*\*(?: \(`(\w+)`\))? \| (.+) \|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
WORDS = sorted({word for row in ROWS for word in row[:2] if word})


@cache
def _everything_else() -> str:
    """All code, templates and documents but the glossary itself."""
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.html"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path != GLOSSARY).lower()


def test_every_word_of_the_glossary_is_used() -> None:
    written = _everything_else()
    unused = [word for word in WORDS if not re.search(rf"(?<![a-z]){re.escape(word)}(?:s|es)?(?![a-z])", written)]
    assert unused == []


def test_every_word_has_one_sentence_and_stands_once() -> None:
    words = [word for word, _, _ in ROWS]
    assert len(words) == len(set(words)) > 40
    assert all(meaning and ". " not in meaning for _, _, meaning in ROWS)
