"""Words of the world: data by language, one module that equals it, and nowhere else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.lexicon import FOLDER, languages, written
from tests.sources import SOURCE

from driftline.core.lexicon import any_of, is_solid, numbered, pattern_of, words


def test_the_module_equals_the_data() -> None:
    assert (FOLDER / "table.py").read_text(encoding="utf-8") == written(), "make lexicon"


def test_every_entry_has_a_language_and_stands_in_it_once() -> None:
    for language, entries in languages().items():
        assert re.fullmatch(r"any|[a-z]{2,3}", language)
        for concept, found in entries.items():
            where = f"{language}.toml {concept}"
            assert found, where
            assert len(set(found)) == len(found), where
            assert all(isinstance(word, str) and word.strip() and "\n" not in word for word in found), where
            assert all("*" not in word[:-1] for word in found), where


def test_longer_phrases_win_over_shorter_ones() -> None:
    assert re.match(pattern_of(["sold", "sold out"]), "sold out")[0] == "sold out"  # type: ignore[index]


def test_a_star_stands_for_further_letters_and_an_apostrophe_for_both() -> None:
    found = re.compile(pattern_of(["versand*", "it's back"]))
    assert found.fullmatch("versandkosten")
    assert found.fullmatch("it’s back")


def test_scripts_without_spaces_are_known() -> None:
    assert is_solid("売り切れ")
    assert not is_solid("hết hàng")


def test_words_of_a_concept_are_of_many_languages() -> None:
    assert {"sold out", "ausverkauft", "售罄"} <= set(words("stock.out"))
    assert re.search(any_of("stock.out"), "heute ausverkauft")
    assert len(languages()) > 30


def test_a_month_that_two_languages_count_differently_is_none() -> None:
    known = numbered("months", "months_short")
    assert (known["września"], known["září"], known["sept"], known["марта"]) == (9, 9, 9, 3)
    assert "listopada" not in known  # October in Croatia, November in Poland


def test_a_language_is_one_file(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "driftline", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "driftline" / "core" / "lexicon"
    (folder / "eo.toml").write_text('[stock]\nout = ["elĉerpita"]\n\n[price]\nold = ["antaŭe"]\n', encoding="utf-8")
    (folder / "table.py").write_text(written(folder), encoding="utf-8")
    asked = (
        "from driftline.core.commerce.stock import stock_from_text as stock;"
        "from driftline.core.commerce.prices import find_prices as prices;"
        "from driftline.core.identity.timestamps import instant;"
        "print(stock('Elĉerpita'), prices('antaŭe 20 €')[0].role, instant('5 januaro 2026'))"
    )
    told = subprocess.run(
        [sys.executable, "-c", asked],
        env={"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["False", "old", "2026-01-05", "00:00:00+00:00"]
