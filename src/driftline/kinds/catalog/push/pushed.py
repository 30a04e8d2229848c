"""A product of a pushed run: a key, a fingerprint and a few values until its state is needed."""

from __future__ import annotations

from typing import Any

import msgspec

from driftline.core.identity.urls import MAX_LENGTH, clean
from driftline.core.text.safety.sanitize import sanitize
from driftline.kinds.catalog.product import Product
from driftline.model.item import Observed


class ExactNumber(str):
    """A JSON number with a point or an exponent, as text: exact, and cheaper than a Decimal."""

    __slots__ = ()


class PushedProduct(Observed[Product]):
    """Builds its state only on demand: most rows only need the fingerprint."""

    __slots__ = ("_values",)

    def __init__(self, key: str, title: str, fingerprint: bytes, values: tuple[Any, ...]) -> None:
        self.key = key
        self.url = key
        self.title = title
        self.fingerprint = fingerprint
        self._values = values  # price, currency, in_stock, extra as JSON, image as written, base of relative addresses

    def _build_state(self) -> Product:
        price, currency, in_stock, extra, image, base = self._values
        return Product(
            title=self.title,
            price=price,
            currency=currency,
            in_stock=in_stock,
            image=_image(image, base),
            extra=msgspec.json.decode(extra) if extra else {},
        )


def _image(value: object, base: str) -> str | None:
    found = clean(value, base) if isinstance(value, str) and value else None
    return sanitize(found) if found and len(found) <= MAX_LENGTH else None
