"""A product of a pushed run: until somebody asks it is a key, a fingerprint and a few bytes."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from driftline.core.sanitize import sanitize
from driftline.core.urls import MAX_LENGTH, clean
from driftline.kinds.catalog.product import Product
from driftline.model.item import Observed

_encoder: Final = msgspec.msgpack.Encoder()
_extra_encoder: Final = msgspec.json.Encoder(order="deterministic")


class Written(str):
    """A JSON number with a point or an exponent, as its text: exact, and cheaper than a Decimal that nobody asks for."""

    __slots__ = ()


class Pushed(Observed[Product]):
    """Most rows end at their fingerprint, so that nothing is built before somebody asks."""

    __slots__ = ("_values",)

    def __init__(self, key: str, title: str, fingerprint: bytes, values: tuple[Any, ...]) -> None:
        self.key = key
        self.url = key
        self.title = title
        self.fingerprint = fingerprint
        self._values = values  # price, currency, in_stock, extra as JSON, image as written, base of relative addresses

    def _build(self) -> Product:
        price, currency, in_stock, extra, image, base = self._values
        return Product(
            title=self.title,
            price=price,
            currency=currency,
            in_stock=in_stock,
            image=_image(image, base),
            extra=msgspec.json.decode(extra) if extra else {},
        )

    def packed(self) -> bytes:
        """All but the fingerprint, for a spool."""
        price, currency, in_stock, extra, image, _ = self._values
        return _encoder.encode((self.key, self.title, price, currency, in_stock, extra, image if type(image) is str else None))


class _Packed(msgspec.Struct, array_like=True, gc=False):
    key: str
    title: str
    price: str | None
    currency: str | None
    in_stock: bool | None
    extra: str
    image: str | None


_decoder: Final = msgspec.msgpack.Decoder(_Packed)


def unpacked(fingerprint: bytes, packed: bytes, base: str) -> Pushed:
    """What `packed` wrote."""
    row = _decoder.decode(packed)
    return Pushed(row.key, row.title, fingerprint, (row.price, row.currency, row.in_stock, row.extra, row.image, base))


def packed_product(key: str, product: Product) -> bytes:
    """The same for a product that is built already."""
    extra = _extra_encoder.encode(product.extra).decode() if product.extra else ""
    return _encoder.encode((key, product.title, product.price, product.currency, product.in_stock, extra, product.image))


def _image(value: object, base: str) -> str | None:
    found = clean(value, base) if isinstance(value, str) and value else None
    return sanitize(found) if found and len(found) <= MAX_LENGTH else None
