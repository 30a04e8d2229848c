"""Stock: explicit evidence only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.commerce.stock import stock_from_schema, stock_from_text

IN_STOCK = [
    "Mehr als 10 Stück an Lager", "5 Stk. auf Lager",
    "In stock", "In Stock.", "12 in stock", "only 3 left in stock", "Only 2 left",
    "Auf Lager", "Sofort lieferbar", "Lieferbar in 2 Tagen", "lagernd", "En stock",
    "Disponible", "Op voorraad", "I lager", "På lager", "Varastossa", "Skladem",
    "Raktáron", "În stoc", "В наличии", "Stokta", "在庫あり", "残りわずか", "有货", "现货", "재고 있음",
    "متوفر", "במלאי", "not sold out", "nicht ausverkauft", "Nur noch 2 Stück auf Lager",
    "残り3点", "Available", "Verfügbar", "Stock: 5", "In stock, ships within 24h",
    "Na stanie", "Σε απόθεμα", "Còn hàng", "พร้อมส่ง", "5+ in stock",
    "Available on backorder", "Pre-order now", "Vorbestellbar",
    "Il ne reste plus que 2 en stock", "Il n'en reste que 3", "Restam apenas 2", "Solo 1 pezzi disponibili",
    "Ne restano solo 3",
    "Bara 3 kvar", "Vain 3 jäljellä", "Zostało 3 szt.", "Son 3 ürün", "Últimas unidades", "¡Últimas unidades!",
    "Ultimi pezzi",
    "Ostatnie sztuki", "Derniers articles en stock", "Last one!", "3 available",
    "3 available / 12 sold", "More than 10 available",
    "Usually ships within 2 to 3 days", "Sofort versandfertig, Lieferzeit 1-3 Werktage", "Stock disponible",
    "¡Última disponible!",
    "+50 disponíveis", "Dostępnych 12 sztuk", "Ihned k odeslání", "Готовий до відправлення", "Tükenmek üzere",
    "På nettlager (20+)",
    "Skladem > 5 ks", "庫存充足", "即將售完", "剩余3件", "남은 수량 3개", "5개 남음", "Sẵn hàng", "Ultimele 3 produse",
    "在庫: ○", "予約受付中", "预售", "Skladom", "Stoc limitat", "Dostępność: duża ilość", "Yra sandėlyje",
]  # fmt: skip
SOLD_OUT = [
    "RUPTURE", "Loppu", "Email me when back in stock", "0 Stück auf Lager",
    "Sold out", "SOLD OUT", "Sold Out!", "Out of stock", "out-of-stock",
    "Currently unavailable. We don't know when or if this item will be back in stock.",
    "Ausverkauft", "Nicht mehr verfügbar", "Derzeit nicht verfügbar", "nicht lieferbar",
    "Nicht auf Lager", "Épuisé", "Rupture de stock", "Actuellement indisponible",
    "Agotado", "Sin existencias", "No disponible", "Esaurito", "Non disponibile",
    "Esgotado", "Indisponível", "Uitverkocht", "Niet op voorraad", "Slutsåld",
    "Udsolgt", "Utsolgt", "Ikke på lager", "Loppuunmyyty", "Ei varastossa",
    "Wyprzedane", "Niedostępny", "Vyprodáno", "Není skladem", "Elfogyott",
    "Nincs raktáron", "Stoc epuizat", "Изчерпан", "Распродано", "Нет в наличии",
    "Tükendi", "Stokta yok", "売り切れ", "在庫切れ", "在庫なし", "完売しました", "品切れ中", "售罄", "缺货",
    "已售完", "無貨", "품절", "일시품절", "نفدت الكمية", "غير متوفر", "אזל מהמלאי", "Hết hàng",
    "Stok habis", "สินค้าหมด", "not in stock", "Not currently in stock",
    "isn't in stock", "0 in stock", "Stock: 0", "n'est plus en stock",
    "n’est pas disponible", "Notify me when available", "temporarily out of stock",
    "Product is no longer available", "Εξαντλήθηκε", "Sold", "Notify me", "Join the waitlist", "Coming soon",
    "Benachrichtigen, wenn verfügbar", "M'avertir du retour en stock", "Prévenez-moi", "Avísame cuando esté disponible",
    "Avvisami quando disponibile", "Avise-me quando chegar", "Powiadom o dostępności", "Hlídat dostupnost",
    "Сообщить о поступлении", "Gelince haber ver", "再入荷通知を受け取る", "到货通知", "재입고 알림", "Няма в наличност",
    "Temporarily out of stock. We are working hard to be back in stock as soon as possible.",
    "Derzeit nicht verfügbar. Ob und wann dieser Artikel wieder vorrätig sein wird, ist unbekannt.",
    "Momenteel niet verkrijgbaar. We weten niet of en wanneer dit item weer op voorraad is.",
    "This product is no longer available for purchase", "Not currently available", "Notify me when it's back", "Skladem 0 ks",
    "In stock: 0", "Tillfälligt slut i lager", "Tidak tersedia", "ไม่มีสินค้า", "Stokta bulunmuyor", "Temin edilemiyor",
    "Indisponible en ligne", "Este producto ya no está disponible", "Publicación pausada", "Non è più disponibile",
    "Fuori catalogo",
    "Dit product is niet meer beschikbaar", "Voorraad: 0", "Ej i webblager", "Poistunut valikoimasta", "Brak na magazynie",
    "Prodej ukončen", "Kifutott termék", "Nu este disponibil", "Не е наличен", "Временно отсутствует", "Товар распродан",
    "Відсутній",
    "Ενημέρωσέ με όταν είναι διαθέσιμο", "Rasprodato", "Prekės nėra", "Otsas", "この商品は現在お取り扱いできません。",
    "在庫数 0",
    "販売を終了しました", "貨到通知我", "현재 구매할 수 없습니다", "انتهت الكمية", "Ngừng kinh doanh", "Produk habis",
    "Video - sold out", "Bild ausverkauft", "User manual: out of stock", "The collection is sold out",
    "Get in-stock alert", "Back in stock notification", "Ilmoita kun saatavilla",
    "Нема в наявності", "Nije dostupno", "Nav pieejams", "En cours de réapprovisionnement", "在庫: ×", "Brak na stanie",
]  # fmt: skip
UNKNOWN = [
    "", "Add to cart", "In den Warenkorb", "Great product",
    "Out of stock? Get notified", "Sold out? Sign up for restock alerts",
    "almost sold out", "fast ausverkauft", "available in 3 colours",
    "Not available in your country", "Selling out fast", "if sold out, check back",
    "The stock market is up", "Wird bald ausverkauft sein", "Sold by Acme", "stockings",
    "Stockholm", "Livestock feed", "Available on iOS", "Free shipping",
    "Back in stock soon", "Sold out twice this year already", "If an item is out of stock we will email you",
    "Due back in stock 12 March", "Binnenkort weer op voorraad", "In-stock items ship the same day",
    "Items in stock ship today",
    "Is Discontinued By Manufacturer : No",
    "Image not available", "Bild nicht verfügbar", "Video unavailable", "Reviews are currently unavailable",
    "Gift wrapping not available",
    "Click & Collect: nicht verfügbar", "In der Filiale nicht verfügbar", "Livraison indisponible",
    "Ikke tilgjengelig i butikk",
    "Click & Collect: out of stock", "Filiale: ausverkauft",
    "在庫切れの場合がございます", "品切れの際はご容赦ください", "완판 임박", "품절임박", "库存不足时",
]  # fmt: skip


def test_a_text_that_says_in_stock_is_evidence() -> None:
    assert [text for text in IN_STOCK if stock_from_text(text) is not True] == []


def test_a_text_that_says_sold_out_is_evidence() -> None:
    assert [text for text in SOLD_OUT if stock_from_text(text) is not False] == []


def test_no_explicit_word_about_stock_is_unknown() -> None:
    assert [text for text in UNKNOWN if stock_from_text(text) is not None] == []


def test_a_text_that_says_both_is_unknown() -> None:
    assert stock_from_text("In stock\nSold out") is None


def test_evidence_is_found_inside_the_text_of_a_card() -> None:
    assert stock_from_text("Acme Kettle 1.7 l\n€ 29,99\nSold out\nNotify me") is False
    assert stock_from_text("Acme Kettle 1.7 l\n€ 29,99\nIn stock - delivered tomorrow") is True


def test_the_phrases_of_a_watch_are_believed_first() -> None:
    assert stock_from_text("Gone fishing", sold_out=["gone FISHING"]) is False
    assert stock_from_text("Sold out", in_stock=["sold out"]) is True
    assert stock_from_text("Anything", sold_out=["", "  "]) is None


ORDERABLE = "InStock InStoreOnly OnlineOnly LimitedAvailability PreOrder PreSale BackOrder MadeToOrder".split()
NOT_ORDERABLE = "OutOfStock SoldOut Discontinued Reserved".split()


SPELLINGS = [
    "{}",
    "http://schema.org/{}",
    "https://schema.org/{}/",
    "http://www.schema.org/{}",
    "schema:{}",
    " {} ",
    "//schema.org/{}",
]


@pytest.mark.parametrize("name", ORDERABLE + NOT_ORDERABLE)
def test_every_spelling_of_schema_availability_is_understood(name: str) -> None:
    for written in (spelling.format(cased) for spelling in SPELLINGS for cased in (name, name.lower(), name.upper())):
        assert stock_from_schema(written) is (name in ORDERABLE), written


@pytest.mark.parametrize(
    ("value", "stock"),
    [
        ("in stock", True), ("In_Stock", True), ("in-stock", True), ("out of stock", False), ("out_of_stock", False),
        ("Sold Out", False),
        (True, True), (False, False), ({"@id": "https://schema.org/InStock"}, True),
        (["https://schema.org/OutOfStock", "InStock"], True),
        (["OutOfStock"], False), ([], None), ("", None), (None, None), ("SomethingElse", None), ({}, None), (3.5, None),
    ],
)  # fmt: skip
def test_other_forms_of_availability(value: object, stock: bool | None) -> None:
    assert stock_from_schema(value) is stock


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert stock_from_text(text) in (True, False, None)
    assert stock_from_schema(text) in (True, False, None)


def test_a_count_of_thousands_of_digits_is_a_count() -> None:
    assert stock_from_text("stock: " + "1" * 5_000) is True
    assert stock_from_text("stock: " + "0" * 5_000) is False
