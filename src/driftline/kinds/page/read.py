"""From text to a page: by its format, bounded, never a silent cut."""

from __future__ import annotations

from driftline.core.depth import too_deep
from driftline.core.fingerprint import digest
from driftline.kinds.page.documents import Document, read_document, sniff
from driftline.kinds.page.lines import line_marks
from driftline.kinds.page.memo import Memo, packed
from driftline.kinds.page.narrow import rule_lines
from driftline.kinds.page.parse import build, build_document
from driftline.kinds.page.parsed import ParsedPage
from driftline.kinds.page.rules import PageRules
from driftline.kinds.page.scan import Scan, scan
from driftline.kinds.page.stretches import recognise


def same_but(source: str, url: str, rules: PageRules, memo: Memo) -> list[bytes] | None:
    """Where the source alone shows that nothing but noise differs from the page that left the memo: that noise, else None."""
    if rules.select or rules.remove or memo.address != digest(url.encode("utf-8", "replace")):
        return None
    return recognise(source, url, memo.stretches)


def look(source: str, url: str, content_type: str, rules: PageRules, memo: Memo) -> Scan | Document | None:
    """The quick look at an answer of any format; None where it nests too deep to be read whole."""
    form = sniff(source, content_type)
    if form != "html":
        document = read_document(source, form, rules.select)
        if document is not None:
            return None if document.truncated else document
    return None if too_deep(source) else scan(source, url, rules, memo)


def signature_of(document: Document, rules: PageRules) -> bytes:
    """What is fingerprinted of an answer that is no HTML."""
    texts, _ = rule_lines(document.lines, rules)
    return digest(packed(line_marks(texts, literal=rules.literal)))


def read(source: str, url: str, content_type: str, rules: PageRules) -> ParsedPage:
    """The whole page at once."""
    found = look(source, url, content_type, rules, Memo())
    match found:
        case None:
            return ParsedPage(url=url, truncated=True)
        case Document():
            return build_document(found, url, rules, signature_of(found, rules))
        case Scan():
            return build(found, rules)
