"""Write `core/lexicon/table.py` anew from its TOML files: `make lexicon`.

Names of months and weekdays come from CLDR, for every language that has a file; the file says what people write besides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from babel import Locale, UnknownLocaleError

import driftline
from driftline.core.lexicon import is_solid

FOLDER: Final = Path(driftline.__file__).parent / "core" / "lexicon"
# Whose names are read in full: those that shops price in, or that many people hold.
CURRENCIES: Final = """
    AED AMD ARS AUD AZN BDT BGN BHD BRL BYN CAD CHF CLP CNY COP CZK DKK DOP DZD EGP EUR GBP GEL GHS HKD HUF IDR ILS INR IQD
    IRR ISK JOD JPY KES KRW KWD KZT LKR LYD MAD MDL MKD MUR MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR
    SEK SGD THB TND TRY TWD TZS UAH UGX USD UYU UZS VND XOF ZAR
"""
HEAD: Final = '''"""All words by concept. Written by `make lexicon` from the TOML files beside it: edit those."""

from typing import Final

# fmt: off
WORDS: Final[dict[str, str]] = {
'''

BY_LANGUAGE: Final = frozenset({"ago"})  # concepts whose words go together in one language only
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


def of_cldr(language: str) -> Entries:
    """What CLDR has for a language; nothing where it does not know it."""
    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return {}
    if locale.months["format"]["wide"][1] == "M01":  # it has no more than numbers
        return {}
    names = {f"currency.full.{code}": tuple(_named(locale, code)) for code in CURRENCIES.split()}
    names |= {f"months.{month}": tuple(_full(locale.months, month)) for month in range(1, 13)}
    names |= {f"weekdays.{day + 1}": tuple(_full(locale.days, day)) for day in range(7)}
    return {concept: found for concept, found in names.items() if found}


def _full(calendar: Mapping[str, Mapping[str, Mapping[int, str]]], number: int) -> Iterator[str]:
    """The full names, alone and in a date; of abbreviations (12 pro, 12 led are dates in Czech) the files choose."""
    for form in ("format", "stand-alone"):
        name = calendar[form]["wide"][number].lower()
        if not re.search(r"[\s\d.\u2e80-\U0003ffff]", name):  # some count their months, or have them in signs
            yield name


def _named(locale: Locale, code: str) -> Iterator[str]:
    """The names of a currency, as they are counted; single words are too short to be sure of, but in scripts without spaces."""
    counted: Mapping[str, str] = locale._data["currency_names_plural"].get(code) or {}  # Babel shows one of them at a time
    for name in dict.fromkeys((locale.currencies.get(code, code), *counted.values())):
        low = name.casefold().replace("\u00a0", " ")
        if re.search(r"\w[ -]\w", low) or (is_solid(low) and len(low) > 2):
            yield low


def concepts(folder: Path = FOLDER) -> dict[str, tuple[str, ...]]:
    """All words of all languages by concept, each once."""
    found: dict[str, dict[str, None]] = {}
    for language, entries in languages(folder).items():
        for concept, words in (*of_cldr(language).items(), *entries.items()):
            top, _, rest = concept.partition(".")
            home = f"{top}.{language}.{rest}" if top in BY_LANGUAGE else concept
            found.setdefault(home, {}).update(dict.fromkeys(words))
    return {concept: tuple(found[concept]) for concept in sorted(found)}


def written(folder: Path = FOLDER) -> str:
    """The module that holds the words of a folder."""
    rows = "".join(f"    {concept!r}: {chr(10).join(words)!r},\n" for concept, words in concepts(folder).items())
    return f"{HEAD}{rows}}}\n"


if __name__ == "__main__":
    (FOLDER / "table.py").write_text(written(), encoding="utf-8")
