"""Words around prices: what makes an amount the old price, a saving, a unit price, an instalment, or nothing of the kind."""

from __future__ import annotations

import re
from typing import Final, Literal

Role = Literal["price", "from", "high", "old", "unit", "installment", "bundle", "saving", "extra"]

# The whole text of a price field that gives the thing away.
FREE: Final = frozenset(
    """free gratis kostenlos umsonst gratuit gratuite gratuito gratuita grátis gratuitement ilmainen maksuton bezpłatnie
    bezpłatny darmowy zdarma
    zadarmo ingyenes бесплатно безкоштовно безплатно δωρεάν ücretsiz bedava 免费 免費 無料 무료 مجاني مجانا मुफ़्त फ्री ฟรี
    חינם""".split()
) | {"for free", "free of charge", "miễn phí"}

# All that may stand beside a number without a currency for it to be a price still.
PRICE_WORDS: Final = frozenset(
    """price prices our sale sales now only just from starting at as low special offer deal today was regular reg list
    retail msrp rrp total
    subtotal amount cost costs incl including inc excl excluding ex vat tax taxes gst net gross each ea approx about
    around pricing current final
    preis preise unser nur jetzt ab angebot angebotspreis aktionspreis aktion sonderpreis statt uvp inkl exkl zzgl mwst
    ust einschl netto brutto
    gesamt gesamtpreis ca von bis stück neuer neu alter verkaufspreis endpreis kaufpreis zum
    prix à partir de dès seulement promo ttc ht maintenant notre soldes tarif environ au lieu entre et
    precio desde a solo ahora oferta antes iva incluido incluida pvp por unidad total hasta rebajado
    prezzo da soltanto adesso ora offerta inclusa compreso prima
    preço por apenas agora oferta incluído partir
    prijs vanaf nu voor slechts aanbieding incl excl btw van
    pris nu nå kun bare från fra endast rea tilbud moms inkl förr ord ordinarie spar hinta alkaen nyt vain sis alv
    cena od tylko teraz brutto netto vat promocja już cena jen nyní včetně dph s bez ár csak most akció áfa bruttó
    цена от только сейчас всего до стоимость ціна від цена само сега
    τιμή μόνο από fiyat fiyatı sadece şimdi kdv dahil
    価格 税込 税抜 込 税 円 販売価格 特価 定価 约 价格 售价 现价 价 促销价 原价 起 到手价 가격 판매가 할인가
    السعر سعر فقط الآن من מחיר רק החל harga cuma mulai giá chỉ từ ราคา""".split()
)


# Phrases that end right before an amount, by what they make of it. `_` stands for a space.
_PHRASES: Final[dict[Role, str]] = {
    "old": """
        was were rrp msrp srp uvp list list_price retail_price regular regular_price reg. reg original
        original_price orig. originally before previously compare_at old_price statt bisher früher vorher
        alter_preis alt ursprünglich streichpreis unverb._preisempf. au_lieu_de ancien_prix avant prix_barré
        prix_conseillé prix_public pvp pvpr antes precio_anterior precio_normal prima invece_di anziché prezzo_di_listino
        prezzo_precedente voorheen adviesprijs van tidligere før førpris normalpris ord. ord ord.pris ord._pris
        ordinarie_pris tidigare rek._pris veil. ovh aiemmin cena_regularna stara_cena poprzednia_cena
        původní_cena běžná_cena eredeti_ár eredetileg старая_цена было eski_fiyat 定価 通常価格 原价 原價 市场价 参考価格
        希望小売価格
        정가 기존가 كان lowest_price_in_30_days lowest_price_last_30_days 30-tage-bestpreis najniższa_cena
        uvp_des_herstellers mrp m.r.p m.r.p. preis_war prix_initial_était prix_d'origine_était precio_original_era
        prezzo_originale_era preço_original_era cena_wynosiła cena_byla цена_составляла prijs_was priset_var pris_var
        hinta_oli orijinal_fiyat
    """,
    "from": """
        from ab à_partir_de a_partir_de dès desde a_partire_da vanaf fra från alk. alkaen od от від starting_at
        starts_at starting_from as_low_as već_od već_za mulai_dari từ من החל_מ από bereits_ab schon_ab
    """,
    "saving": """
        save saving savings you_save save_up_to sparen sparst sie_sparen spare spar ersparnis rabatt discount
        économisez économie remise réduction ahorra ahorras ahorro descuento risparmi risparmia sconto bespaar
        korting spara säästä oszczędzasz oszczędź rabat poupe desconto скидка экономия выгода indirim 割引 立减 满减
        优惠 省 할인 coupon voucher gutschein cashback ušetříte sleva kedvezmény megtakarítás sparen_sie_bis_zu
        jusqu'à savings_of discount_of saving_of remise_de réduction_de descuento_de sconto_di rabatt_von
        save_an_extra
    """,
    "unit": """
        grundpreis unit_price prix_au_kilo prix_au_litre prix_au_kg prezzo_al_kg jämförpris jmf.pris jmfpris
        jmf._pris price_per_kg preis_pro_kg je_100_g je_kg per_kg pro_kg price_per_unit
    """,
    "installment": """
        payments_of installments_of instalments_of payment_of raten_à raten_von raten_zu mensualités_de
        cuotas_de cuotas_sin_interés_de rate_da rate_di parcelas_de monthly monatlich monatlich_ab mtl. mtl
        pay_in_4 月々 installments_from
    """,
    "extra": """
        shipping delivery postage p&p versand versandkosten lieferung lieferkosten porto livraison frais_de_port
        envío gastos_de_envío spedizione consegna verzendkosten verzending bezorging frakt fragt toimitus
        dostawa wysyłka doprava доставка kargo 送料 运费 배송비 pfand deposit consigne mindestbestellwert minimum_order
        frete shipping_fee shipping_costs shipping_cost delivery_fee zzgl._versand orders_over orders_above
        orders_of order_over spend spend_over eco_fee recycling_fee éco-participation écoparticipation
    """,
}
_FILLERS: Final = (" price", " preis", " only", " nur", " prix", " up to", " bis zu")


def _table() -> dict[str, Role]:
    return {phrase.replace("_", " ").casefold(): role for role, phrases in _PHRASES.items() for phrase in phrases.split()}


_ROLES: Final = _table()
_LENGTHS: Final = {last: sorted({len(p) for p in _ROLES if p[-1] == last}, reverse=True) for last in {p[-1] for p in _ROLES}}

_MEASURE = (
    r"(?:kg|kilo|kilogramm?|gramm?|gr?|mg|lit(?:er|re|ro|r)|ltr|l|ml|cl|dl|m²|m2|m³|m3|qm|lfm|mm|cm|m|lbs?|pound|fl\.?\s?oz|oz|sq\.?\s?ft|ft|yd|gal|"
    r"st(?:ü|u)?c?k|stk|st|pcs?|pieces?|unit[éà]?s?|unidad|wl|wash|tabs?|capsules?|dose|sheets?|rolls?|count|ct|szt|ks|db|кг|г|л|мл|шт|100)"
)
_PERIOD = (
    r"(?:month|mo|monat|mois|mes|mese|maand|mnd|månad|mån|md|week|wk|woche|"
    r"year|yr|jahr|an|année|año|anno|day|tag|night|nacht|nuit|noche|месяц|мес)"
)
_UNIT_LED = re.compile(rf"(?:\d\s?|[^\W\d_]\s|(?<![^\W\d_])){_MEASURE}\s?=\Z", re.IGNORECASE)
_INSTALLMENT_LED = re.compile(r"(?<!\d)\d{1,3}\s?[x×]\s?(?:de|of|à|a)?\Z", re.IGNORECASE)
_BUNDLE_LED = re.compile(
    r"(?<![\w.,])\d{1,2}\s?(?:for|für|pour|por|per|voor|för|til|za|stück|stk|st|kpl|pcs)(?: only| nur)?\Z", re.IGNORECASE
)
# Free shipping over 50 €: a threshold. Free shipping, 50 €: a price.
_FREE_LED = re.compile(
    r"(?:free|gratis|gratuite?|gratuit[ao]|kosten(?:los|frei)\w*|offerte?|fri|ilmainen|darmowa|бесплатная)\s\S+\Z|\S+(?:frei|fritt)\Z",
    re.IGNORECASE,
)
_FLOOR_LED = re.compile(
    r"(?:shipping|delivery|postage|versand\w*|liefer\w*|livraison|envío|spedizione|verzending|bezorging|frakt\w*|fragt|toimitus|dostawa|doprava|доставка)\s"
    r"(?:\w+\s){0,4}(?:over|above|from|ab|von|über|dès|de|desde|da|vanaf|boven|från|fra|od|от)\Z",
    re.IGNORECASE,
)
_POR = re.compile(r"\s*(?:por|para)\s", re.IGNORECASE)
# The lowest price of the 30 days before a reduction, which shops in the EU have to show.
_LOWEST_LED = re.compile(
    r"(?:lowest|niedrigst|tiefst|günstigst|bester|bestpreis|plus bas|más bajo|più basso|mais baixo|laagste|lägsta|laveste|alin|"
    r"najniższ|nejnižší|najnižš|najniž|legalacsonyabb|mai mic|най-ниск|χαμηλότερ|žemiausi|zemāk|madalaim)"
    r"[^\n]{0,30}(?<!\d)30(?!\d)[^\n\d]{0,40}\Z"
    r"|(?<!\d)30[ -]?(?:tage|day|dagars?|dages|dagers)[ -]?(?:best|tief|low|lägsta|laveste)[\w* -]{0,24}\Z",
    re.IGNORECASE,
)
_AFTER: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    (
        "unit",
        re.compile(
            rf"\s{{0,2}}(?:/\s?|(?:per|pro|je|par|por|al|le|la|el|za|na|il)\s)(?:\d{{1,4}}(?:[.,]\d+)?\s?)?{_MEASURE}(?![^\W\d_])",
            re.IGNORECASE,
        ),
    ),
    (
        "saving",
        re.compile(
            r"\s{0,2}(?:off(?![^\W\d_])|discount|rabatt|savings?|saved|de remise|de réduction|de descuento|"
            r"descuento|di sconto|korting|günstiger|gespart|"
            r"sparen|cashback|coupon|voucher|gutschein|引き|割引|할인|скидк|indirim|cheaper|taniej)",
            re.IGNORECASE,
        ),
    ),
    (
        "installment",
        re.compile(
            rf"\s{{0,2}}(?:(?:/|per|pro|par|al|por|an?|im|each)\s?{_PERIOD}(?![^\W\d_])|/月|monthly|monatlich|mtl|[x×]\s?\d{{1,2}}(?!\d))",
            re.IGNORECASE,
        ),
    ),
    (
        "extra",
        re.compile(
            r"\s{0,2}(?:shipping|delivery|postage|p&p|versand|lieferung|pfand|deposit|livraison|envío|consigne|spedizione|frakt|送料)"
            r"(?:\s(?:fee|costs?|charge))?(?=\s*(?:\Z|[\n.,;)|]))",
            re.IGNORECASE,
        ),
    ),
    ("from", re.compile(r"\s?(?:起|から|부터|[~～](?!\s?\S?\d)|-tól|-től|'den başlayan)")),
)
_PUNCTUATION = " \t\n\u00a0:*("


def role_of(text: str, start: int, end: int, *, after: int) -> Role:
    """What the amount at `start:end` is, by the words beside it and behind `after`, where the amount before ends."""
    said, _ = said_after(text, end)
    if said:
        return said
    lead = text[max(after, start - 64) : start].rstrip(_PUNCTUATION)
    return _led(lead, text[end : end + 12]) if lead else "price"


def said_after(text: str, end: int) -> tuple[Role | None, int]:
    """What the words right behind an amount make of it, and where they end: they say nothing of the next one."""
    trail = text[end : end + 28]
    if trail and not trail[0].isdigit():
        for role, pattern in _AFTER:
            if found := pattern.match(trail):
                return role, end + found.end()
    return None, end


def _led(lead: str, trail: str) -> Role:
    if _LOWEST_LED.search(lead):
        return "old"
    if lead[-1] == "=":
        return "unit" if _UNIT_LED.search(lead) else "price"
    if _FLOOR_LED.search(lead):
        return "extra"
    role = _phrase(lead.casefold())
    if role == "extra" and _FREE_LED.search(lead):
        return "price"
    if role:
        return role
    if _INSTALLMENT_LED.search(lead):
        return "installment"
    if _BUNDLE_LED.search(lead):
        return "bundle"
    return "old" if lead[-3:].casefold() in (" de", "de", "\nde") and _POR.match(trail) else "price"  # de R$ 100 por R$ 80


def _phrase(lead: str) -> Role | None:
    """The longest known phrase that the lead ends with, as whole words."""
    for filler in _FILLERS:
        lead = lead.removesuffix(filler)
    for length in _LENGTHS.get(lead[-1:], ()):
        role = _ROLES.get(lead[-length:])
        if role and not (
            length < len(lead) and lead[-length].isalpha() and lead[-length - 1].isalpha() and lead[-length] < "\u3040"
        ):
            return role
    return None
