"""Prices as the world writes them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import is_in_proportion

from driftline.core.commerce.amounts import bounded, canonical, from_plain, from_to
from driftline.core.commerce.currencies import CODES
from driftline.core.commerce.currency_symbols import currency_code
from driftline.core.commerce.prices import Price, find_prices, parse_price
from driftline.core.lexicon import parts

# text | amount currency ("-": none said)
WRITTEN = """
$19.99 | 19.99 USD
$ 19.99 | 19.99 USD
$19 | 19 USD
$.75 | 0.75 USD
$0.00 | 0.00 USD
$1,299 | 1299 USD
$1,299.00 | 1299.00 USD
$1,234,567.89 | 1234567.89 USD
19.99 $ | 19.99 USD
19.99$ | 19.99 USD
US$ 5 | 5 USD
US$5.25 | 5.25 USD
US $1,050.00 | 1050.00 USD
USD 19.99 | 19.99 USD
19.99 USD | 19.99 USD
usd 5 | 5 USD
$19.99 USD | 19.99 USD
U$S 250 | 250 USD
£1.2m | 1200000 GBP
-.95 | 0.95 -
CHF -.95 | 0.95 CHF
Fr. –.95 | 0.95 CHF
CAD $19.99 | 19.99 CAD
CA$19.99 | 19.99 CAD
C$ 19.99 | 19.99 CAD
19,99 $ CAD | 19.99 CAD
AU$ 1,049 | 1049 AUD
AUD 1,049.00 | 1049.00 AUD
SGD$ 88 | 88 SGD
HK$1,234 | 1234 HKD
HK$ 1,234.50 | 1234.50 HKD
NT$1,299元 | 1299 TWD
MX$ 399.00 | 399.00 MXN
R$ 1.234,56 | 1234.56 BRL
R$19,90 | 19.90 BRL
R$ 1.000 | 1000 BRL
$ 1.299,00 ARS | 1299 ARS
129 руб. 90 коп. | 129.90 RUB
12 Euro 50 Cent | 12.50 EUR
⃁ 1,299 | 1299 SAR
1.279,- Adviesprijs 1.599,- | 1279 -
J$500 | 500 JMD
€5 | 5 EUR
€ 5 | 5 EUR
5 € | 5 EUR
5€ | 5 EUR
19,99 € | 19.99 EUR
19,99€ | 19.99 EUR
€ 19,99 | 19.99 EUR
1.299,00 € | 1299.00 EUR
1.299,00 EUR | 1299.00 EUR
EUR 1.299,00 | 1299.00 EUR
EUR1.299 | 1299 EUR
19,99EUR | 19.99 EUR
19,99 eur | 19.99 EUR
19,99 Euro | 19.99 EUR
1 299,00 € | 1299.00 EUR
1\u00a0299,00\u00a0€ | 1299.00 EUR
1\u202f299,00\u202f€ | 1299.00 EUR
1\u2009299,00 € | 1299.00 EUR
1 299.00 € | 1299.00 EUR
1.234.567,89 € | 1234567.89 EUR
12 345 678,90 € | 12345678.90 EUR
1.299.00 € | 1299.00 EUR
1,299,00 € | 1299.00 EUR
1.299 € | 1299 EUR
0,99 € | 0.99 EUR
0,999 € | 0.999 EUR
,99 € | 0.99 EUR
2€50 | 2.50 EUR
12€99 | 12.99 EUR
35€ 99 | 35.99 EUR
1 299€00 | 1299.00 EUR
19,- € | 19 EUR
19,-- € | 19 EUR
19,– € | 19 EUR
19.- EUR | 19 EUR
€ 19,- | 19 EUR
€ 1.299,- | 1299 EUR
19⁹⁹ € | 19.99 EUR
50 ct | 0.50 EUR
99 Cent | 0.99 EUR
15 ευρώ | 15 EUR
15欧元 | 15 EUR
£ 1 299.00 | 1299.00 GBP
£19·99 | 19.99 GBP
99p | 0.99 GBP
￡25 | 25 GBP
99¢ | 0.99 USD
CHF 12.– | 12 CHF
CHF 12.- | 12 CHF
CHF 12'500.– | 12500 CHF
CHF 12’500.50 | 12500.50 CHF
1'299.00 CHF | 1299.00 CHF
SFr. 19.90 | 19.90 CHF
CHF 1 299.00 | 1299.00 CHF
12'500.– | 12500 -
199 kr | 199 -
kr 199 | 199 -
kr. 199,00 | 199.00 -
kr 1.299,- | 1299 -
1 299 kr | 1299 -
1 299:- | 1299 -
199:- | 199 -
199,- kr. | 199 -
199 kr SEK | 199 SEK
SEK 1 299,50 | 1299.50 SEK
499,00 NOK | 499.00 NOK
12.990 ISK | 12990 ISK
1 299,00 zł | 1299.00 PLN
1 299,- Kč | 1299 CZK
HUF 12,990 | 12990 HUF
1 299 ₽ | 1299 RUB
990р | 990 RUB
₴1299 | 1299 UAH
₺1.299,90 | 1299.90 TRY
199.90 ₪ | 199.90 ILS
199 ש"ח | 199 ILS
₹ 79,999.00 | 79999.00 INR
₹12,34,56,789 | 123456789 INR
Rs.500/- | 500 INR
₹१,२३४ | 1234 INR
₹1.5 lakh | 150000 INR
₹2 crore | 20000000 INR
৳১,২৩৪ | 1234 BDT
৳ 1,234 | 1234 BDT
1,290 บาท | 1290 THB
๑๒๓ บาท | 123 THB
1,290.00บาท | 1290.00 THB
1.290.000 ₫ | 1290000 VND
1.290.000đ | 1290000 VND
₫290.000 | 290000 VND
Rp 19.000 | 19000 IDR
Rp1.250.000 | 1250000 IDR
RM19.90 | 19.90 MYR
12,000원 | 12000 KRW
12만원 | 120000 KRW
1만 5천원 | 15000 KRW
￥１２，８００ | 12800 JPY
12,800円(税込) | 12800 JPY
税込 1,980 円 | 1980 JPY
¥ 170,000 (税抜) | 170000 JPY
12万円 | 120000 JPY
1億2000万円 | 120000000 JPY
¥199.00 | 199.00 CNY
¥199 包邮 | 199 CNY
199.50 元 | 199.50 CNY
1.5万元 | 15000 CNY
100日元 | 100 JPY
100美元 | 100 USD
د.إ 1,234.50 | 1234.50 AED
١٢٣٫٥٠ ر.س | 123.50 SAR
١٬٢٩٩٫٠٠ ر.س. | 1299.00 SAR
۱۲۳٬۰۰۰ تومان | 123000 -
KWD 1.250 | 1.250 KWD
1.250 د.ك | 1.250 KWD
KWD 1,250 | 1250 KWD
KWD 1,250.500 | 1250.500 KWD
12,500 TND | 12.500 TND
45,000 IQD | 45000 IQD
GH₵ 45.00 | 45.00 GHS
R 1 299.00 | 1299.00 ZAR
R199.99 | 199.99 ZAR
ZAR 199.99 | 199.99 ZAR
S/ 199.90 | 199.90 PEN
S/. 1,299.00 | 1299.00 PEN
₲ 150.000 | 150000 PYG
$5k | 5000 USD
€1.5 Mio. | 1500000 EUR
1.299 | 1299 -
1,299 | 1299 -
1,299.00 | 1299.00 -
1.299,00 | 1299.00 -
2879.2 | 2879.2 -
2879.20 | 2879.20 -
1299 | 1299 -
0.999 | 0.999 -
1234.567 | 1234.567 -
12,34,567.00 | 1234567.00 -
.99 | 0.99 -
19,- | 19 -
5.- | 5 -
Price: 19.99 | 19.99 -
Unser Preis: 1.299 | 1299 -
Nur 19,99 | 19.99 -
Prix : 1 299,00 | 1299.00 -
$119. 95 | 119.95 USD
$ 1,299 . 99 | 1299.99 USD
118, 99 TL | 118.99 TRY
1.837, 32 € | 1837.32 EUR
19 99 € | 19.99 EUR
€ 19 99 | 19.99 EUR
1.299 99 Lei | 1299.99 RON
19 .99 € | 19.99 EUR
&pound;19.99 | 19.99 GBP
19,99&nbsp;&euro; | 19.99 EUR
₹85.5 L | 8550000.0 INR
B/. 12.50 | 12.50 PAB
$1,180.00 (CAD) | 1180.00 CAD
MX $310 | 310 MXN
BR$ 42,00 | 42.00 BRL
$. 41.000 | 41000 USD
$b 75 | 75 BOB
Bs.D 1.050,00 | 1050.00 VES
FCFA 4 500 | 4500 XOF
4 500 F\u202fCFA | 4500 XOF
N8,400 | 8400 NGN
K 215.50 | 215.50 -
14'50 € | 14.50 EUR
14’50€ | 14.50 EUR
890,-Kč | 890 CZK
45 cents | 0.45 USD
- $31.50 | 31.50 USD
640 ₽890 ₽ | 640 RUB
418. 00 | 418.00 -
2.37000000000000014210 | 2.37000000000000014210 -
74 US dollars | 74 USD
74,50 US-Dollar | 74.50 USD
74 dollars canadiens | 74 CAD
29,90 Schweizer Franken | 29.90 CHF
350 norske kroner | 350 NOK
9,50 euros | 9.50 EUR
1.250 دينار كويتي | 1.250 KWD
14,30 €¹ | 14.30 EUR
2,150/= | 2150 -
KSh 2,150/= | 2150 KES
$2.4B | 2400000000 USD
7 млн рублей | 7000000 RUB
"""

# What stands around the price of a thing does not confuse it.
IN_CONTEXT = """
£1.55 £1.20 Clubcard Price | 1.55 GBP
£1.55 Nectar price £1.20 | 1.55 GBP
Members £8.00 Non-members £10.00 | 10.00 GBP
会員価格 2,500円 3,000円 | 3000 JPY
3/$10 or $3.99 each | 3.99 USD
Precio sin impuestos nacionales: $ 825,62 $ 999,00 | 999.00 USD
19 €99 TTC | 19.99 EUR
je 1,99 | 1.99 -
99,99 EUR (-30,00%) 69,99 EUR | 69.99 EUR
1.499 TL Sepette %10 İndirim 1.349,10 TL | 1349.10 TRY
35€ 99 dont 0,02 € d'éco-part | 35.99 EUR
25:90 kr | 25.90 -
Earn $2 cashback! Price: $20 | 20 USD
$30$20 | 30 USD
Najniższa cena z 30 dni przed obniżką: 199,99 zł; 1 149,99 zł | 1149.99 PLN
Niedrigster Preis der letzten 30 Tage: 49,99 € 79,99 € | 79.99 EUR
Prix le plus bas des 30 derniers jours : 19,99 € 24,99 € | 24.99 EUR
30-Tage-Bestpreis*: 29,95 € 39,95 € | 39.95 EUR
30 day money back $49.99 was $59.99 | 49.99 USD
ab 19,99 € | 19.99 EUR
od 49,99 zł | 49.99 PLN
1,980円から | 1980 JPY
was $30 now $20 | 20 USD
RRP £30.00 £24.99 | 24.99 GBP
statt 29,99 € nur 19,99 € | 19.99 EUR
19,99 € statt 29,99 € | 19.99 EUR
原价 ¥299 ¥199 起 | 199 CNY
UVP 29,99 € | 29.99 EUR
$10 - $20 | 10 USD
$10-20 | 10 USD
10-20 € | 10 EUR
10,00 – 20,00 € | 10.00 EUR
19,99 bis 29,99 € | 19.99 EUR
3,500 - 12,000 руб | 3500 RUB
¥1,980～¥2,980 | 1980 JPY
1,99 €/100 g | 1.99 EUR
4,99 € (1 kg = 12,34 €) | 4.99 EUR
4,99 € (12,34 €/kg) | 4.99 EUR
12,34 €/kg 4,99 € | 4.99 EUR
£2.50 (£5.00 per kg) | 2.50 GBP
£2.50 per 100ml £7.50 | 7.50 GBP
Grundpreis: 12,34 € 4,99 € | 4.99 EUR
$25.00 $4.99 shipping | 25.00 USD
$25.00 + $4.99 shipping | 25.00 USD
Free shipping over $50 - $12.99 | 12.99 USD
20% off $80.00 | 80.00 USD
Save $10 $40.00 | 40.00 USD
$40.00 (save $10) | 40.00 USD
-20 € 79,00 € | 79.00 EUR
12x R$ 99,90 ou R$ 1.099,00 | 1099.00 BRL
4 payments of $12.50 or $50.00 | 50.00 USD
$9.99/month | 9.99 USD
2 for £5 £2.75 | 2.75 GBP
2 for £5 | 5 GBP
iPhone 15 128 GB 799 € | 799 EUR
Model 15 $799 | 799 USD
Galaxy 24 EUR 799.00 | 799.00 EUR
19,99 € 24,99 € | 19.99 EUR
€19.99 $25 | 19.99 EUR
19.99 USD 18.00 EUR | 19.99 USD
Coffee - 5 € | 5 EUR
SALE! $14.50* | 14.50 USD
19,99 € inkl. MwSt. | 19.99 EUR
(19,99 €) | 19.99 EUR
Tagespreis am 12.05.2024: 5,49 € | 5.49 EUR
Öffnet 12:30, Eintritt 5 € | 5 EUR
4.5$10.99 | 10.99 USD
Nå 199,- Før 299,- | 199 -
Prix public : 29,99 € Notre prix : 19,99 € | 19.99 EUR
List Price: $29.99 Price: $19.99 You Save: $10.00 (33%) | 19.99 USD
R$ 1.299,00 em 12x de R$ 108,25 | 1299.00 BRL
1,99 € 1 kg = 3,98 € | 1.99 EUR
19,99€In den Warenkorb | 19.99 EUR
iPhone 15 99 € | 99 EUR
€5 L | 5 EUR
$49.99 Original price was: $49.99. $39.99 Current price is: $39.99. | 39.99 USD
49,99 € Ursprünglicher Preis war: 49,99 € 39,99 € Aktueller Preis ist: 39,99 €. | 39.99 EUR
Le prix initial était : 49,99 €. Le prix actuel est : 39,99 €. | 39.99 EUR
El precio original era: 49,99 €. El precio actual es: 39,99 €. | 39.99 EUR
Pierwotna cena wynosiła: 49,99 zł. Aktualna cena wynosi: 39,99 zł. | 39.99 PLN
₹849 M.R.P: ₹1,099 (23% off) | 849 INR
$18.40 M L XL | 18.40 USD
$18.40 250 ml | 18.40 USD
20 - $3.00 100 - $4.25 500 - $9.50 | 3.00 USD
De: R$ 89,90 Por: R$ 64,90 | 64.90 BRL
Price range: $8.00 through $14.00 | 8.00 USD
Reduced from £12.40 to £8.60 | 8.60 GBP
-25% 32,00 € 24,00 € | 24.00 EUR
32,00 € 24,00 € -25% | 24.00 EUR
32,00 € 24,00 € Sie sparen 8,00 € | 24.00 EUR
32,00 € 24,00 € -10% ab zwei | 32.00 EUR
定価：3,200円 特価：2,400円 | 2400 JPY
£50.00 ex VAT £60.00 inc VAT | 60.00 GBP
£60.00 inc VAT (£50.00 ex VAT) | 60.00 GBP
£50.00 + VAT | 50.00 GBP
本体価格2,000円（税込2,200円） | 2200 JPY
2,000円（税込2,200円） | 2200 JPY
税込 ¥2,200 (税抜 ¥2,000) | 2200 JPY
Vitamin C $19.99 | 19.99 USD
15,00 € -20% 12,00 € | 12.00 EUR
%20 indirim 1.450 TL | 1450 TRY
Was: $84.50 Now: $0.00 | 84.50 USD
通常3,200円 → 2,400円 | 2400 JPY
Kettle 1.5 L $39.00 | 39.00 USD
19,99 €30-Tage-Bestpreis: 17,99 € | 19.99 EUR
39,99€1.234 verkauft | 39.99 EUR
12,800円128ポイント | 12800 JPY
Save $5 with coupon $19.99 | 19.99 USD
Get $5 back $39.99 | 39.99 USD
Earn $5 Kohl's Cash $39.99 | 39.99 USD
$39.99 back in stock | 39.99 USD
Prix précédent : 25 € 19,99 € | 19.99 EUR
元の価格は ¥5,990 でした。現在の価格は ¥3,990 です。 | 3990 JPY
inkl. 0,25 € Pfand 3,99 € | 3.99 EUR
3,99 € zzgl. 0,25 € Pfand | 3.99 EUR
was 99p now 75p | 0.75 GBP
Now 75p | 0.75 GBP
Free shipping, 50 € | 50 EUR
Kabel 2m €5 | 5 EUR
"""

NO_PRICE = [
    "", " ", "sold out", "Call for price", "Preis auf Anfrage", "N/A", "TBA", "-", "€", "$",
    "NaN", "nan €", "Infinity", "-inf", "None",
    "1e999", "1e999 €", "$1e999", "1E5 USD", "-5 €", "−5 €", "–5 €", "- 5 €", "$-5", "-$5", "€ -5,00", "-19.99", "- 19.99",
    "1234567890123", "1234567890123 €", "$9,999,999,999,999.00", "99999999999999999999999 €",
    "20% off", "50%", "-20 %", "20 % Rabatt", "٢٠٪", "save 15 percent", "3 for 2", "2+1", "buy 2 get 1",
    "+49 170 1234567", "(555) 123-4567", "555-123-4567", "2024-05-12", "12.05.2024", "12/05/2024", "12:30", "10:00-18:00",
    "iPhone 15", "Size 42", "4.5 out of 5", "12 reviews", "4,7 (123)",
    "SKU 12345", "0123456", "#1234", "500 g", "1.5 l", "128GB", "4K",
    "1080p", "EAN 4006381333931", "192.168.1.1", "v1.2.3", "10,20,30", "1.2.3.4 €",
    "Save $10", "Sie sparen 10,00 €", "$5 off", "5 € Rabatt", "Free shipping", "Free shipping over $50", "+ $4.99 shipping",
    "25-09", "14.1\"", "6+", "N95", "4K UHD", "E27", "Free Shipping on Orders $60+.",
    "Versandkosten: 4,95 €", "Kostenloser Versand ab 50 €", "free gift", "gratis Versand",
    "FREE delivery on $35 of items shipped by us", "Envío gratis en pedidos superiores a 50 €", "Free shipping $35+",
    "Ships free with $35+", "Earn 10 points per $1", "You save\n$5.00", "720p display",
]  # fmt: skip


def _rows(table: str) -> list[tuple[str, Price]]:
    rows = []
    for line in table.strip().split("\n"):
        text, expected = line.rsplit(" | ", 1)
        amount, currency = expected.split()
        rows.append((text, Price(Decimal(amount), None if currency == "-" else currency)))
    return rows


@pytest.mark.parametrize(
    "text",
    [
        "zlib.crc32(data)",
        "install bs4 first",
        "/man/fr_FR.88591",
        "gentoo.1 dh_auto_build",
        "DEP0101: --with-lttng",
        "k47br.onion",
        "Mo-Fr 9-18 Uhr",
        "Option K 12.50",
        "3 corona cases, 12 libraries and 5 real problems",
        "40 den",
        "Kettle 1.5 L",
        "125.000 KM",
        "15 км",
        "January 25, 2016 EurasiaNet",
        "20 European countries",
        "925 Sterling silver",
        "2 LPs",
        "iPhone 5S/5",
        "CVE-2019-7164",
        "© 2014 Ars",
        "G: 0.71",
        "Kr3",
        "Fr 9.00 Uhr",
        "Fr. 3.4., 4.8 von 5",
        "Kettle BD2268, 17 pcs",
        "img-cad43736ac8349-79976528/66914414.jpg",
        "img-a19982d7b899a199aed-80782534.jpg",
        "Altrincham, Cheshire WA14 2DT",
        "Herengracht 433, 1017 BR Amsterdam",
        "Postbus 12, 1017 KR Utrecht",
        "10.- Protection of personal data",
        "Stay 2 metres (6ft) away",
        "Extension cord 100 ft",
    ],
)
def test_a_name_with_digits_is_no_price(text: str) -> None:
    assert find_prices(text) == []


def misread(table: str) -> list[tuple[str, Price | None]]:
    rows = _rows(table)
    assert len(rows) > 100
    return [(text, parse_price(text)) for text, price in rows if parse_price(text) != price]


def test_a_written_price_is_read_exactly() -> None:
    assert misread(WRITTEN) == []


def test_the_price_of_the_thing_is_found_among_other_amounts() -> None:
    assert misread(IN_CONTEXT) == []


def test_every_mark_of_a_currency_in_the_lexicon_is_read_beside_an_amount() -> None:
    marks = [(word, code) for code, found in parts("currency.mark").items() for word in found]
    assert len(marks) > 100
    assert [(word, code) for word, code in marks if parse_price(f"125 {word}") != Price(Decimal(125), code)] == []


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("00.99", "0.99", None),
        ("12 €50", "12.50", "EUR"),
        ("Pack of 12 €50", "50", "EUR"),
        ("12 € 50 g", "12", "EUR"),
        ("5.99 / piece $", "5.99", "USD"),
        ("5.99/kg €", "5.99", "EUR"),
        ("5.99 / piece $4", "4", "USD"),
        ("nad 2500 Kč", "2500", "CZK"),
        ("Price 10 €\n4.5 / 5", "10", "EUR"),
        ("1299 KR", "1299", None),
        ("4199 ft", "4199", "HUF"),
        ("Ab 19.- inkl. MwSt.", "19", None),
    ],
)
def test_odd_places_of_the_mark_are_read(text: str, amount: str, currency: str | None) -> None:
    assert parse_price(text) == Price(Decimal(amount), currency)


@pytest.mark.parametrize("text", ["007", "00", "+00.99", "#0.99"])
def test_numbers_that_count_something_else_are_no_price(text: str) -> None:
    assert parse_price(text) is None


def test_what_is_no_price_reads_as_none() -> None:
    assert [text for text in NO_PRICE if parse_price(text) is not None] == []


@pytest.mark.parametrize("text", ["Free", "FREE!", "gratis", "Kostenlos", "gratuit", "無料", "бесплатно"])
def test_a_field_that_says_only_free_is_zero(text: str) -> None:
    assert parse_price(text, currency="EUR") == Price(Decimal(0), "EUR")


@pytest.mark.parametrize(
    ("text", "hint", "currency"),
    [
        ("$19.99", "CAD", "CAD"),
        ("$19.99", "EUR", "USD"),  # a hint cannot make a dollar sign a euro
        ("19,99 €", "USD", "EUR"),  # what is written wins
        ("199 kr", "SEK", "SEK"),
        ("199 kr", "DKK", "DKK"),
        ("199,00", "NOK", "NOK"),
        ("¥199", "CNY", "CNY"),
        ("¥199.00", "JPY", "JPY"),
        ("Rs. 500", "PKR", "PKR"),
        ("£5", "EGP", "EGP"),
        ("$1.290.000", "CLP", "CLP"),
        ("Beans 85p", "GBP", "GBP"),
    ],
)
def test_a_hint_decides_only_what_the_text_leaves_open(text: str, hint: str, currency: str) -> None:
    found = parse_price(text, currency=hint)
    assert found is not None
    assert found.currency == currency


def test_pence_are_read_where_people_pay_with_them() -> None:
    assert [str(span.price.amount) for span in find_prices("85p 21.3p/100g in 1080p", currency="GBP")] == ["0.85", "0.213"]
    assert find_prices("85p") == []


@pytest.mark.parametrize(
    "text", ["12\u200b,99 €", "12,\u200b99 €", "12,99\u00ad€", "  \n 12,99\n  €  ", "12,\n99 €", "12\n,\n99\n€", "12.99\n\nEUR"]
)
def test_breaks_and_what_nobody_sees_do_not_take_a_price_apart(text: str) -> None:
    assert parse_price(text) == Price(Decimal("12.99"), "EUR")


def test_a_hint_with_three_decimals_reads_bare_numbers_so() -> None:
    assert parse_price("1.250", currency="KWD") == Price(Decimal("1.250"), "KWD")
    assert parse_price("1.250", currency="EUR") == Price(Decimal(1250), "EUR")


def test_every_amount_of_a_text_is_found_with_its_place_and_role() -> None:
    text = "Was $30.00, now $20.00 ($4.00/kg). Save $10.00! Ships from $5.00 shipping"
    found = find_prices(text)
    assert [(text[span.start : span.end], span.role) for span in found] == [
        ("$30.00", "old"),
        ("$20.00", "price"),
        ("$4.00", "unit"),
        ("$10.00", "saving"),
        ("$5.00", "extra"),
    ]


def test_a_symbol_on_a_line_of_its_own_still_marks_the_number() -> None:
    assert parse_price("Price\n$\n19.99") == Price(Decimal("19.99"), "USD")


def test_a_range_is_a_low_and_a_high_end() -> None:
    assert [(str(span.price.amount), span.price.currency, span.role) for span in find_prices("Sizes: 10,00 - 20,00 €")] == [
        ("10.00", "EUR", "price"),
        ("20.00", "EUR", "high"),
    ]


@pytest.mark.parametrize(
    "text", ["TOP 10 laptops", "TRY 30 days", "ALL 50 states", "AMD 5600", "R 12", "Page 3 of 20", "R2 D2", "iPhone 15 Pro 256"]
)
def test_ordinary_text_holds_no_prices(text: str) -> None:
    assert find_prices(text) == []


@pytest.mark.parametrize("pumped", ["1", "1.", "1 ", "€", "$1", "- ", "1,000 "])
def test_hostile_text_takes_linear_time(pumped: str) -> None:
    def read(size: int) -> None:
        text = pumped * (size // len(pumped)) + "€"
        find_prices(text)
        parse_price(text)

    assert is_in_proportion(read, 2_000)


def test_an_amount_is_finite_positive_and_at_most_twelve_digits_long() -> None:
    assert bounded(Decimal("999999999999.99")) == Decimal("999999999999.99")
    assert [bounded(Decimal(bad)) for bad in ("1e12", "-0.01", "NaN", "Infinity", "-Infinity", "1e-31", "sNaN")] == [None] * 7
    assert [from_plain(bad) for bad in ("1e999", "nan", "", "abc", "1,5", "--5")] == [None] * 6
    assert from_plain("1e3") == 1000


def test_two_prices_beside_each_other_are_written_alike() -> None:
    assert from_to("7", "7.2", "EUR") == "from 7.00 to 7.20 EUR"
    assert from_to("1299.5", "1300", None) == "from 1,299.50 to 1,300.00"
    assert from_to("38", "35", "SEK") == "from 38.00 to 35.00 SEK"
    assert from_to("380", "350", "JPY") == "from 380 to 350 JPY"


def test_one_value_has_one_canonical_text() -> None:
    same = ["2879.2", "2879.20", "2879.200000", "28792e-1"]
    assert {canonical(Decimal(text)) for text in same} == {"2879.2"}
    assert [canonical(Decimal(text)) for text in ("1E+3", "100", "0.00", "0.10")] == ["1000", "100", "0", "0.1"]


def test_a_currency_field_names_its_code() -> None:
    assert [currency_code(text) for text in ("eur", " EUR ", "€", "US$", "kr", "", None, "???", "Kč")] == [
        "EUR", "EUR", "EUR", "USD", None, None, None, None, "CZK",
    ]  # fmt: skip


amounts = st.integers(min_value=0, max_value=10**12 - 1).flatmap(
    lambda whole: st.integers(min_value=0, max_value=99).map(lambda cents: Decimal(f"{whole}.{cents:02d}"))
)
# thousands, decimal, and the currencies that are written so
LOCALES = [
    (",", "."),
    (".", ","),
    (" ", ","),
    ("\u00a0", ","),
    ("\u202f", ","),
    ("'", "."),
    ("’", "."),
    ("", "."),
    ("", ","),
    ("٬", "٫"),
]
DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "๐๑๒๓๔๕๖๗๘๙", "０１２３４５６７８９"]
PLACES = [
    "{} €",
    "€{}",
    "EUR {}",
    "{} EUR",
    "$ {}",
    "{}$",
    "USD {}",
    "{} zł",
    "R$ {}",
    "CHF {}",
    "₹{}",
    "{} руб.",
    "Now: {} €",
    "from £{}",
]


@given(amounts, st.sampled_from(LOCALES), st.sampled_from(DIGITS), st.sampled_from(PLACES))
def test_whatever_a_locale_writes_is_read_back(amount: Decimal, locale: tuple[str, str], digits: str, place: str) -> None:
    thousands, decimal = locale
    text = f"{amount:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
    text = place.format(text.translate(str.maketrans("0123456789", digits)))
    found = parse_price(text)
    assert found is not None
    assert found.amount == amount
    assert found.currency in CODES


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader_and_every_find_is_bounded(text: str) -> None:
    parse_price(text)
    for span in find_prices(text):
        assert 0 <= span.price.amount < 10**12
        assert 0 <= span.start < span.end <= len(text)


@given(st.text(alphabet="0123456789.,' €$£-–/%xkM万円 \n", max_size=60))
def test_no_string_of_money_signs_breaks_the_reader(text: str) -> None:
    for span in find_prices(text):
        assert bounded(span.price.amount) == span.price.amount


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("125 румынских леев", "RON"),
        ("125 Nieuw-Zeelandse dollar", "NZD"),
        ("125 indonesiske rupier", "IDR"),
        ("125 nouveaux shekels israéliens", "ILS"),
        ("125 dollars canadiens, livraison comprise", "CAD"),
    ],
)
def test_a_currency_is_known_by_its_whole_name(text: str, currency: str) -> None:
    assert parse_price(text) == Price(Decimal(125), currency)


def test_a_price_that_a_script_wrote_twice_is_one() -> None:
    assert parse_price("559. 99 undefined 559.99 inkl. MwSt. zzgl. Versand") == Price(Decimal("559.99"), None)
