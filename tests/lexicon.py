"""Write `core/lexicon/table.py` anew from its TOML files: `make lexicon`.

Names of months and weekdays come from CLDR, for every language that has a file; the file says what people write besides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import driftline

FOLDER: Final = Path(driftline.__file__).parent / "core" / "lexicon"
HEAD: Final = '''"""All words by concept. Written by `make lexicon` from the TOML files beside it: edit those."""

from typing import Final

# fmt: off
WORDS: Final[dict[str, str]] = {
'''

Entries = Mapping[str, tuple[str, ...]]  # of one language, by concept


def of_language(file: Path) -> Entries:
    """What one file says, by concept."""
    return dict(_leaves(tomllib.loads(file.read_text(encoding="utf-8")), ""))


def _leaves(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in table.items():
        concept = f"{above}{name}"
        if isinstance(value, dict):
            yield from _leaves(value, f"{concept}.")
        else:
            yield concept, tuple(value)


def languages(folder: Path = FOLDER) -> dict[str, Entries]:
    """The files of a folder by language; what belongs to none (`any`) comes first."""
    files = sorted(folder.glob("*.toml"), key=lambda file: (file.stem != "any", file.stem))
    return {file.stem: of_language(file) for file in files}


def concepts(folder: Path = FOLDER) -> dict[str, tuple[str, ...]]:
    """All words of all languages by concept, each once."""
    found: dict[str, dict[str, None]] = {}
    for entries in languages(folder).values():
        for concept, words in entries.items():
            found.setdefault(concept, {}).update(dict.fromkeys(words))
    return {concept: tuple(found[concept]) for concept in sorted(found)}


def written(folder: Path = FOLDER) -> str:
    """The module that holds the words of a folder."""
    rows = "".join(f"    {concept!r}: {chr(10).join(words)!r},\n" for concept, words in concepts(folder).items())
    return f"{HEAD}{rows}}}\n"


if __name__ == "__main__":
    (FOLDER / "table.py").write_text(written(), encoding="utf-8")
