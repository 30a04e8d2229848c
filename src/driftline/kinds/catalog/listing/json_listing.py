"""Reads listings that are data: a JSON endpoint by JSONPath rules, or a feed without rules."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

from driftline.core.select.jsonpath import Work, compile_path
from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile, BadRule
from driftline.kinds.catalog.listing.feeds import reading_of, rows_of
from driftline.kinds.catalog.listing.paging import next_in_json, page_number
from driftline.kinds.catalog.product import Product
from driftline.kinds.catalog.push.rows import Rejected, RowReader, collapse
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.kind import Reading
from driftline.model.change import Notice
from driftline.model.fetch import Fetched

_ERROR_FIELDS: Final = frozenset("error errors fault exception statusCode status_code".split())  # fields of an error answer
_PLACEHOLDER: Final = re.compile(r"\{(\$[^{}]*)\}")


def read_json(got: Fetched, rules: CatalogRules) -> Reading[Product]:
    """The products of one JSON answer."""
    work = Work(len(got.body))
    try:
        data = decode_json(got.body)
        path = (rules.card or "$").strip().removeprefix("jsonpath:").removeprefix("json:").strip()
        rows = compile_path(path).elements(data, work=work)
    except (BadFile, BadRule) as fault:
        return Reading(complete=False, outcome="error", reason=str(fault)[:300])
    if rows is None:
        if page_number(got.request) > 1 and not (isinstance(data, dict) and _ERROR_FIELDS & data.keys()):
            return Reading()
        return Reading(complete=False, outcome="selector_missing", reason=f"no list at {path}")
    reader = RowReader(rules, got.url)
    items, rejected = [], 0
    for row in rows:
        read = reader.read(_row_by_rules(row, rules, work))
        if isinstance(read, Rejected):
            rejected += 1
        else:
            items.append(read)
    warnings = reader.notices()
    if rejected:
        warnings += (Notice(code="rejected_rows", message="entries without a usable URL were left out", count=rejected),)
    found, notices = collapse(items)
    if rows and not found:
        return Reading(
            complete=False, outcome="selector_missing", reason="no entry has a usable URL; set the rule `fields.url`"
        )
    more = next_in_json(data, got, rules, found=bool(rows), work=work)
    return Reading(items=found, more=more, warnings=warnings + notices, counters={"total": len(found)})


def read_data(got: Fetched, rules: CatalogRules) -> Reading[Product]:
    """The products of a data answer without rules."""
    rows = rows_of(got.body)
    if rows is None and page_number(got.request) > 1:
        return Reading(complete=False, outcome="error", reason=f"no products on page {page_number(got.request)}")
    if rows is None:
        return Reading(complete=False, outcome="selector_missing", reason="no products found; set the rule `card`")
    return reading_of(rows, got.url, rules)


def _row_by_rules(row: Any, rules: CatalogRules, work: Work) -> Any:
    """An entry as a row, by the rules; fields without a rule must already have our names."""
    fields = rules.fields
    named = {
        "title": fields.title,
        "price": fields.price,
        "currency": fields.currency,
        "in_stock": fields.stock,
        "image": fields.image,
    }
    if not isinstance(row, dict) or (fields.url is None and not any(named.values()) and not fields.extra):
        return row
    mapped = {name: _plain(compile_path(path).first(row, work=work)) for name, path in named.items() if path is not None}
    mapped["url"] = _url(row, fields.url, work) if fields.url is not None else row.get("url")
    for name in ("title", "price", "currency", "in_stock", "image"):
        mapped.setdefault(name, row.get(name))
    found = {name: compile_path(path).first(row, work=work) for name, path in fields.extra.items()}
    extra = {name: value for name, value in found.items() if value is not None}
    return {name: value for name, value in mapped.items() if value is not None} | ({"extra": extra} if extra else {})


def _plain(value: Any) -> Any:
    """The first of several values, such as images or prices."""
    return value[0] if isinstance(value, list) and value else value


def _url(row: Any, where: str, work: Work) -> Any:
    if where.startswith("$"):
        return compile_path(where).first(row, work=work)
    values = [compile_path(path).first(row, work=work) for path in _PLACEHOLDER.findall(where)]
    if not all(isinstance(value, str | int) and value != "" for value in values):
        return None
    filled = iter(values)
    return _PLACEHOLDER.sub(lambda _: quote(str(next(filled)), safe="/"), where)
