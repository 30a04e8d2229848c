"""Words of the world: data by language, one module that equals it, and nowhere else."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.lexicon import FOLDER, languages, written
from tests.sources import SOURCE, nodes, parsed

from driftline.core.lexicon import any_of, is_solid, numbered, pattern_of, words
from driftline.core.lexicon.table import WORDS

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
    code = [node for path, tree in parsed().items() if SOURCE / path.parent != FOLDER for node in nodes(tree)]
    texts = {node.value for node in code if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert [concept for concept in WORDS if not texts & set(_with_those_above(concept))] == []
    known = {above for concept in WORDS for above in _with_those_above(concept)}
    assert {concept for node in code for concept in _asked(node)} - known == set()


# Signs that stand in literals: they are of no language, and code that reads or writes text has to name them.
SIGNS = {
    "spaces that look like others": "\u00a0\u2002\u200a\u202f\u205f\u3000",
    "hyphens, dashes and signs of sums": "‐‑‒–—―−±×≤≥～＋－＝",
    "quotes and apostrophes": "‘’‚‛“”„‟«»›′″´ʼ",
    "commas, stops and other punctuation, as scripts have their own": "¡·…‰°：，．、。｡！？（）」』【】＠،؟۔٫٬।॥։။።។",
    "currencies, and what stands in their place": "¢£¥€₩₪₫₡₦₱₲₴₵₸₹₺₼₽₾฿￠￥¤",
    "raised digits": "⁰¹²³⁴⁵⁶⁷⁸⁹",
    "marks of lists, stock and copyright": "•●▪◦→○◎◯△✓✔✅✕✖✗❌©",
    "bars of a chart": "▁▂▃▄▅▆▇█",
    "counters of likes and views": "★☆⭐♡♥❤💙💚💛💜🖤🧡👍👎👏👀👁💬🗨🔁🔥🎉🚀🙌😂😄😍",
    "marks that nobody sees": "\u00ad\u034f\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u2060\u2063\ufeff\ufe00\ufe0f",
    "a character that could not be read": "\ufffd",
}

# Files whose literals hold the ends of ranges of Unicode: no words.
RANGES = {
    "core/commerce/currency_symbols.py": "scripts without spaces",
    "core/commerce/number_scan.py": "kana and Han, by which yen and yuan are told apart",
    "core/commerce/price_roles.py": "scripts without spaces",
    "core/commerce/prices.py": "small letters",
    "core/diff/rows.py": "control characters",
    "core/documents/pdf.py": "what stands for a hyphen in a PDF",
    "core/select/xpath.py": "what XML may hold",
    "core/text/critical_words.py": "scripts without spaces",
    "core/text/folding.py": "what composes",
    "core/text/search_words.py": "scripts without spaces",
    "core/text/words.py": "scripts without spaces",
    "deliver/render/feed.py": "what XML may hold",
    "deliver/render/templates.py": "line ends",
    "kinds/catalog/listing/card.py": "scripts without spaces",
    "core/sitemaps/xml_repair.py": "what XML may hold",
}


def test_no_literal_outside_of_the_lexicon_has_a_value_beyond_ascii_but_signs_and_ranges() -> None:
    literals = {path.as_posix(): "".join(_literals(tree)) for path, tree in parsed().items() if SOURCE / path.parent != FOLDER}
    signs = "".join(SIGNS.values())
    assert len(set(signs)) == len(signs), "a sign has one reason"
    beyond = {name: {sign for sign in text if not sign.isascii()} for name, text in literals.items()}
    others = {name: found for name, text in beyond.items() if (found := text - set(signs))}
    words = {name: found for name, found in others.items() if name not in RANGES}
    assert words == {}, "words belong into core/lexicon, one file a language"
    assert RANGES.keys() - others.keys() == set(), "exceptions that nobody needs any more"
    assert set(signs) - set().union(*beyond.values()) == set(), "signs that nobody needs any more"


def _literals(tree: ast.Module) -> Iterator[str]:
    """All texts in the code but docstrings."""
    explained = {
        id(node.body[0].value)
        for node in nodes(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.value


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
