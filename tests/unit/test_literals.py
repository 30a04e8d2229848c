"""Words of the world stand in the lexicon and nowhere else, read off the code itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.lexicon import FOLDER
from tests.sources import SOURCE, nodes, parsed

from driftline.core.lexicon.table import WORDS

_ASKS = {"words", "word_set", "folded", "parts", "any_of", "all_of", "numbered", "by_language"}


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
    "core/text/language/critical_words.py": "scripts without spaces",
    "core/text/folding.py": "what composes",
    "core/text/search_words.py": "scripts without spaces",
    "core/text/language/words.py": "scripts without spaces",
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
