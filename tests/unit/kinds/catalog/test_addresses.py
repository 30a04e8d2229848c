"""Addresses of products: one for each, however a visitor came there, and never one for two."""

from __future__ import annotations

import pytest

from driftline.kinds.catalog.product import product_key

# Two links to one product, as listings write them from one visit to the next.
SAME = [
    ("/listing/123/mug?click_key=aa01:123&ref=search_grid-1-1", "/listing/123/mug?click_key=bb02:123&ref=search_grid-1-2"),
    ("/itm/123?hash=item1e:g:abcAAOSwA1&amdata=enc%3AAQAJ1", "/itm/123?hash=item1e:g:defAAOSwB2&amdata=enc%3AAQAJ2"),
    ("/item/1005.html?pdp_npi=4%40dis%21USD%2112.00&curPageLogUid=xYz1", "/item/1005.html?pdp_npi=4%40dis%21USD%2111.00"),
    ("/product/acme-1/?at=46tRgDoAbHkq&avts=1700000000", "/product/acme-1/?at=99tRgDoAbHkq&avts=1700001111"),
    ("/Kettle/dp/B01/ref=sr_1_3?keywords=kettle&qid=17&sr=8-3", "/Kettle/dp/B01/ref=sr_1_5?keywords=teapot&qid=18&sr=8-5"),
    ("/kettle/p/itm1?pid=K1&srno=s_1_1&qH=78e3e6a7f6a39b0b", "/kettle/p/itm1?pid=K1&srno=s_1_2&qH=98e3e6a7f6a39b0b"),
    ("/Kettle-i.1.2?sp_atk=a1b2c3d4-e5f6-4a5b-8c7d-112233445566", "/Kettle-i.1.2?xptdk=b1b2c3d4-e5f6-4a5b-8c7d-112233445566"),
    ("/kettle-7?position=1", "/kettle-7?position=12"),
    ("/kettle-7?price=12&review=40", "/kettle-7?price=11&review=41"),
    ("/sspa/click?spc=MTox&url=%2FKettle%2Fdp%2FB01%2Fref%3Dsr_1_1_sspa%3Fkeywords%3Dkettle", "/Kettle/dp/B01"),
    ("/events/clicks?redirect=https%3A%2F%2Fshop.example%2Foferta%2Fczajnik-1&sig=abc", "/oferta/czajnik-1"),
]  # fmt: skip
DIFFERENT = [
    ("/product.php?index=3", "/product.php?index=4"),
    ("/product-detail?pos=3", "/product-detail?pos=4"),
    ("/shop-online/item?index=1", "/shop-online/item?index=2"),
    ("/p/tee-1?variant=39", "/p/tee-1?variant=40"),
    ("/p/tee-1?color=red", "/p/tee-1?color=blue"),
    ("/p/tee-1?skuId=A1b2C3d4E5f6", "/p/tee-1?skuId=B1b2C3d4E5f6"),
    ("/tee-1?variantId=1a2b3c4d5e6f7a8b", "/tee-1?variantId=2a2b3c4d5e6f7a8b"),
    ("/item.htm?id=1234567890", "/item.htm?id=1234567891"),
    ("/?p=123", "/?p=124"),
    ("/shop?product=kettle", "/shop?product=cup"),
    ("/x/1?attribute_pa_size=m", "/x/1?attribute_pa_size=l"),
]


def key(path: str) -> str | None:
    return product_key(path, "https://shop.example/list")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_product_has_one_address_however_it_is_linked(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_products_keep_two_addresses(one: str, other: str) -> None:
    assert key(one) != key(other)
