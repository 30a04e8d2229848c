"""From text to what is compared: by its format, bounded, never a silent cut."""

from __future__ import annotations

from typing import Final

from driftline.core.identity.fingerprint import digest, fingerprint
from driftline.core.markup.depth import too_deep
from driftline.core.markup.protected_addresses import hides_addresses, with_addresses
from driftline.core.text.folding import composed
from driftline.kinds.page.documents.non_html import Document, read_document, sniff
from driftline.kinds.page.extract.html import Extraction, extract
from driftline.kinds.page.parsed import Format, ParsedPage
from driftline.kinds.page.rules import PageRules

_FORMS: Final[dict[str, Format]] = {"text": "text", "json": "json", "table": "table"}  # what a watch may say that an answer is


def extracted(
    source: str, url: str, content_type: str, rules: PageRules, *, utf8: bytes | None = None
) -> Extraction | Document | None:
    """The quick look at an answer of any format, whose bytes may be at hand; None where it nests too deep to be read whole."""
    raw = source.encode("utf-8", "replace") if utf8 is None else utf8
    if hides_addresses(raw):
        source = with_addresses(source)
        raw = source.encode("utf-8", "replace")
    composed_source = composed(source, raw)
    if composed_source is not source:
        source = composed_source
        raw = source.encode("utf-8", "replace")
    form = _FORMS.get(rules.read_as) or sniff(source, content_type)
    if form != "html":
        document = read_document(source, form, rules.select, rules.table_key)
        if document is not None:
            return None if document.truncated else document
    return None if too_deep(raw) else extract(raw, url, rules)


def signature_of(document: Document) -> bytes:
    """What is fingerprinted of an answer that is no HTML."""
    if document.whole:
        return digest(document.whole)
    return fingerprint(text.encode("utf-8", "replace") for text in document.lines.texts)


def built(found: Extraction | Document, url: str, rules: PageRules) -> ParsedPage:
    """The page of an extraction."""
    from driftline.kinds.page.extract.build import build, build_document  # noqa: PLC0415 - slow to load, not for what is unchanged

    if isinstance(found, Document):
        return build_document(found, url, rules, signature_of(found))
    return build(found, rules)


def read(source: str, url: str, content_type: str, rules: PageRules) -> ParsedPage:
    """The whole page at once."""
    found = extracted(source, url, content_type, rules)
    return ParsedPage(url=url, truncated=True) if found is None else built(found, url, rules)
