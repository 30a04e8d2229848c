"""Words of the world: data by language, one module that equals it, and nowhere else."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tests.lexicon import FOLDER, languages, written

from driftline.core.lexicon import any_of, is_solid, numbered, pattern_of, words
from driftline.core.lexicon.table import WORDS

ROOT = FOLDER.parent.parent
_ASKS = {"words", "word_set", "folded", "parts", "any_of", "all_of", "numbered", "by_language"}


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


def test_every_concept_is_asked_for_and_every_concept_that_is_asked_for_is_there() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py") if path.parent != FOLDER]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert [concept for concept in WORDS if not texts & set(_with_those_above(concept))] == []
    known = {above for concept in WORDS for above in _with_those_above(concept)}
    assert {concept for node in nodes for concept in _asked(node)} - known == set()


# Literals with letters of other scripts that are no words.
NO_WORDS = {
    "core/commerce/amounts.py": "an apostrophe that Unicode counts as a letter",
    "core/commerce/currency_symbols.py": "ranges of scripts without spaces",
    "core/commerce/number_scan.py": "ranges of kana and Han, by which yen and yuan are told apart",
    "core/commerce/prices.py": "a range of small letters",
    "core/select/xpath.py": "the range of what XML may hold",
    "core/text/critical_words.py": "ranges of scripts without spaces",
    "core/text/folding.py": "ranges of what composes",
    "core/text/normal_form.py": "the sign between accents",
    "core/text/search_words.py": "ranges of scripts without spaces",
    "core/text/words.py": "ranges of scripts without spaces",
}


def test_no_word_with_other_letters_than_ascii_stands_outside_of_the_lexicon() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if path.parent != FOLDER and any(map(_has_foreign_letters, _literals(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found - NO_WORDS.keys() == set(), "words belong into core/lexicon, one file a language"
    assert NO_WORDS.keys() - found == set(), "exceptions that nobody needs any more"


def _literals(tree: ast.Module) -> Iterator[str]:
    """All texts in the code but docstrings."""
    explained = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.value


def _has_foreign_letters(text: str) -> bool:
    return any(not sign.isascii() and unicodedata.category(sign)[0] in "LM" for sign in text)


def _with_those_above(concept: str) -> Iterator[str]:
    while concept:
        yield concept
        concept = concept.rpartition(".")[0]


def _asked(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASKS:
        yield from (given.value for given in node.args if isinstance(given, ast.Constant) and isinstance(given.value, str))


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
    shutil.copytree(ROOT, tmp_path / "driftline", ignore=shutil.ignore_patterns("__pycache__"))
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
