"""Words around prices: what makes an amount the old price, a saving, a unit price, an instalment, or nothing of the kind."""

from __future__ import annotations

import re
from typing import Final, Literal

from driftline.core.commerce.tax_words import NET_AFTER
from driftline.core.text.lazy_regex import lazy_regex

Role = Literal["price", "from", "high", "net", "old", "unit", "installment", "hourly", "bundle", "saving", "extra"]

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
    gesamt gesamtpreis je ca von bis stück neuer neu alter verkaufspreis endpreis kaufpreis zum
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
        通常 정가 기존가 كان lowest_price_in_30_days lowest_price_last_30_days 30-tage-bestpreis najniższa_cena
        uvp_des_herstellers mrp m.r.p m.r.p. normal_price usual_price standard_price full_price everyday_price strike_price
        suggested_retail_price retail recommended_retail_price reduced_from marked_down_from down_from reduziert_von
        lowest_price niedrigster_preis dernier_prix_le_plus_bas último_precio_más_bajo lägsta_pris laveste_pris laagste_prijs
        normaler_preis normalpreis katalogpreis neupreis normal regulärer_preis regulär originalpreis listenpreis ladenpreis
        vorheriger_preis bisheriger_preis unser_bisheriger_preis bisheriger
        prix_normal prix_habituel prix_régulier prix_de_base prix_catalogue prix_initial prix_d'origine prix_original
        prix_public_conseillé prix_de_référence prix_conseillé_fabricant valeur
        precio_habitual precio_regular precio_original precio_de_lista precio_recomendado precio_base
        prezzo_normale prezzo_pieno prezzo_consigliato prezzo_regolare prezzo_originale prezzo_intero listino
        normale_prijs originele_prijs oude_prijs catalogusprijs winkelprijs van_voor
        vanlig_pris ordinær_pris veiledende_pris vejl._pris vejledende_pris listpris jämförelsepris rek.pris
        normaalihinta norm. ovh. suositushinta alkuperäinen_hinta
        preço_normal preço_original preço_de_tabela preço_regular pvp_recomendado
        cena_podstawowa cena_katalogowa cena_standardowa cena_sugerowana cena_przed_obniżką
        doporučená_cena katalogová_cena bežná_cena pôvodná_cena korábbi_ár listaár normál_ár preț_vechi preț_normal prp
        обычная_цена цена_без_скидки первоначальная_цена рекомендованная_цена стара_ціна звичайна_ціна стара_цена
        αρχική_τιμή κανονική_τιμή normal_fiyat liste_fiyatı eski_fiyatı piyasa_fiyatı
        正常价 正常價 原价格 划线价 市場價 建議售價 建议零售价 メーカー希望小売価格 当店通常価格 元の価格 정상가 소비자가
        السعر_الأصلي السعر_السابق מחיר_קודם מחיר_רגיל harga_normal giá_gốc ราคาปกติ
        preis_war prix_initial_était prix_d'origine_était precio_original_era
        prezzo_originale_era preço_original_era cena_wynosiła cena_byla цена_составляла prijs_was priset_var pris_var
        hinta_oli orijinal_fiyat
        previous previous_price prior_price typical_price last_price earlier_price früherer_preis vorherig vorheriger
        prix_précédent ancien_tarif prix_avant vecchio_prezzo prezzo_vecchio prezzo_prima precio_previo precio_antiguo
        precio_antes vorige_prijs eerdere_prijs tidigare_pris förpris gammalt_pris tidligere_pris gammel_pris aiempi_hinta
        vanha_hinta preço_anterior preço_antigo preço_antes dawna_cena wcześniejsza_cena stará_cena předchozí_cena
        predchádzajúca_cena régi_ár előző_ár preț_anterior preț_inițial предыдущая_цена прежняя_цена попередня_ціна
        предишна_цена παλιά_τιμή προηγούμενη_τιμή önceki_fiyat harga_asal harga_sebelumnya giá_cũ ราคาเดิม 旧价 原售价 旧価格
        以前の価格 元の価格は 通常価格は 이전_가격 이전가
    """,
    "from": """
        from ab à_partir_de a_partir_de dès desde a_partire_da vanaf fra från alk. alkaen od от від starting_at
        starts_at starting_from as_low_as već_od već_za mulai_dari từ من החל_מ από bereits_ab schon_ab
    """,
    "net": """
        netto nettopreis netto-preis preis_netto cena_netto net net_price ex_vat ex_tax ex._vat exc_vat exc._vat excl_vat
        excl._vat excl._tax excluding_vat excluding_tax ex_gst ht prix_ht hors_taxe hors_taxes sin_iva iva_esclusa excl._btw
        exclusief_btw ex_btw exkl._mwst. exkl._mwst zzgl._mwst. ohne_mwst ohne_mwst. exkl._moms ex_moms ekskl._moms eks._mva
        sin_impuestos sin_impuestos_nacionales precio_sin_impuestos precio_sin_impuestos_nacionales
        bez_dph bez_vat nettó nettó_ár fără_tva без_ндс kdv_hariç 本体価格 税抜 税抜価格 税別 未税 不含税 부가세_별도
    """,
    "saving": """
        save saving savings you_save save_up_to sparen sparst sie_sparen spare spar ersparnis rabatt discount
        économisez économie remise réduction ahorra ahorras ahorro descuento risparmi risparmia sconto bespaar
        korting spara säästä oszczędzasz oszczędź rabat poupe desconto скидка экономия выгода indirim 割引 立减 满减
        优惠 省 할인 coupon voucher gutschein cashback ušetříte sleva kedvezmény megtakarítás sparen_sie_bis_zu
        jusqu'à savings_of discount_of saving_of remise_de réduction_de descuento_de sconto_di rabatt_von
        save_an_extra earn earn_up_to
    """,
    "unit": """
        grundpreis unit_price prix_au_kilo prix_au_litre prix_au_kg prezzo_al_kg jämförpris jmf.pris jmfpris
        jmf._pris price_per_kg preis_pro_kg je_100_g je_kg per_kg pro_kg price_per_unit pro_liter pro_l je_liter je_l
        preis_je_kg au_kg au_kilo au_litre le_kg le_litre al_kg al_litro por_kg por_kilo por_litro precio_por_kg
        per_liter per_litre per_100g per_100_g per_100_ml per_100ml
        za_kg za_1_kg cena_za_kg cena_za_100_g kilohinta litrahinta kilopris literpris
    """,
    "bundle": """
        members member_price members_price members'_price member's_price club_price clubcard_price nectar_price loyalty_price
        mitgliederpreis clubpreis kundenkartenpreis mit_karte prix_adhérent prix_membre prix_club precio_socio precio_club
        prezzo_soci prezzo_socio preço_clube ledenprijs medlemspris klubpris jäsenhinta plussa-hinta cena_klubowa cena_z_kartą
        cena_s_kartou цена_по_карте цена_с_картой по_карте с_картой 会員価格 会员价 會員價 회원가
    """,
    "installment": """
        payments_of installments_of instalments_of payment_of raten_à raten_von raten_zu mensualités_de
        cuotas_de cuotas_sin_interés_de rate_da rate_di parcelas_de monthly monatlich monatlich_ab mtl. mtl
        pay_in_4 月々 installments_from monatsraten_à monatsraten_von raten_zu_je pay_in_3_of pay_in_4_of rata raty raty_od
        splátka splátky_od cuota cuotas_fijas_de mensualité parcela taksit
    """,
    "extra": """
        shipping delivery postage p&p versand versandkosten lieferung lieferkosten porto livraison frais_de_port
        envío gastos_de_envío spedizione consegna verzendkosten verzending bezorging frakt fragt toimitus
        dostawa wysyłka doprava доставка kargo 送料 运费 배송비 pfand deposit consigne mindestbestellwert minimum_order
        frete shipping_fee shipping_costs shipping_cost delivery_fee zzgl._versand zzgl. zzgl orders_over orders_above
        orders_of orders order_over spend spend_over eco_fee recycling_fee éco-participation écoparticipation
    """,
}
# What looks like one of these and is not.
_HARMLESS: Final[dict[str, Role]] = {
    **dict.fromkeys(("subscribe & save", "subscribe and save", "non-members", "non members", "nonmembers"), "price"),
}
_FILLERS: Final = (" price", " preis", " only", " nur", " prix", " up to", " bis zu", " is", " of", " de")


def _table() -> dict[str, Role]:
    roles = {phrase.replace("_", " ").casefold(): role for role, phrases in _PHRASES.items() for phrase in phrases.split()}
    return roles | _HARMLESS


_ROLES: Final = _table()
# All that texts about prices are made of.
_MORE_TALK: Final = """
    is are off with saved gespart günstiger billiger cheaper remise réduction économie descuento rebaja sconto risparmio korting
    desconto taniej sleva zľava kedvezmény reducere скидка знижка indirim sepette aktuell aktueller actuel attuale atual huidige
    obecna aktualna текущая promotion promozione promoción soldes sconti saldi
"""
_TALKED: Final = " ".join(phrase for phrase, role in _ROLES.items() if role not in ("installment", "extra"))
TALK: Final = PRICE_WORDS | frozenset(_MORE_TALK.split()) | frozenset(re.findall(r"[^\W\d_]+", _TALKED))
_LENGTHS: Final = {last: sorted({len(p) for p in _ROLES if p[-1] == last}, reverse=True) for last in {p[-1] for p in _ROLES}}

_MEASURE = (
    r"(?:kg|kilo|kilogramm?|gramm?|gr?|mg|lit(?:er|re|ro|r)|ltr|l|ml|cl|dl|m²|m2|m³|m3|qm|lfm|mm|cm|m|lbs?|pound|fl\.?\s?oz|oz|sq\.?\s?ft|ft|yd|gal|"
    r"st(?:ü|u)?c?k|stk|st|pcs?|pieces?|unit[éà]?s?|unidad|wl|wash|tabs?|capsules?|dose|sheets?|rolls?|count|ct|szt|ks|db|кг|г|л|мл|шт|100)"
)
_PERIOD = (
    r"(?:month|mo|monat|mois|mes|mês|mese|maand|mnd|månad|måned|mån|md|mth|pm|m|mies(?:iąc)?|měsíc|mesiac|hó(?:nap)?|lună|ay|kk|week|wk|woche|"
    r"semaine|semana|year|yr|jahr|an|année|año|ano|anno|jaar|år|rok|day|tag|jour|día|night|nacht|nuit|noche|месяц|мес|міс)"
)
# What is rented by the hour is paid by the month: beside such a price this one is an explanation.
_HOUR = (
    r"(?:h|hr|hour|std|stunde|heure|hora|ora|uur|timme|time|tunti|godz\w*|hodin\w*|óra|oră|час|год\w*|saat|min(?:ute)?|"
    r"sec(?:ond)?)"
)
_UNIT_LED = lazy_regex(rf"(?:\d\s?|[^\W\d_]\s|(?<![^\W\d_])){_MEASURE}\s?=\Z", re.IGNORECASE)
_INSTALLMENT_LED = lazy_regex(r"(?<!\d)\d{1,3}\s?(?:taksit\s?|mois\s?)?[x×]\s?(?:de|of|à|a)?\Z", re.IGNORECASE)
_BUNDLE_LED = lazy_regex(
    r"(?<![\w.,])\d{1,2}\s?(?:for|für|pour|por|per|voor|för|til|za|stück|stk|st|kpl|pcs|/)(?: only| nur)?\Z", re.IGNORECASE
)
_LEAD: Final = 64  # characters before an amount that may say what it is; a word in the patterns below is no longer
# Free shipping over 50 €: a threshold. Free shipping, 50 €: a price.
_FREE_LED = lazy_regex(
    r"(?:free|gratis|gratuite?|gratuit[ao]|kosten(?:los|frei)\w{0,64}|offerte?|fri|ilmainen|darmowa|бесплатная)\s\S+\Z|\S(?:frei|fritt)\Z",
    re.IGNORECASE,
)
_SENDING = (
    r"(?:shipping|ships?|shipped|delivery|delivered|postage|versand\w{0,64}|liefer\w{0,64}|livraison|livré\w{0,64}|envíos?|envios?|spedizion[ei]|"
    r"consegna|verzending|bezorging|frakt\w{0,64}|fragt|leverans|levering|toimitus|dostaw[ay]|wysyłk[ai]|doprav[ay]|frete|entrega|"
    r"доставк[аи]|szállítás|livrare|kargo)"
)
_FLOOR_LED = lazy_regex(
    rf"{_SENDING}\s(?:[\w'’-]{{1,20}}\s){{0,6}}(?:over|above|exceeding|from|more than|ab|von|über|dès|de|plus de|desde|más de|"
    r"mais de|da|oltre|vanaf|boven|från|över|fra|od|powyżej|nad|от|свыше|yli|peste|superi(?:or|eur)\w{0,3} [aà]|"
    r"mayor(?:es)? (?:a|de|que)|acima de)\Z",
    re.IGNORECASE,
)
# Free delivery on $35 of items, ships free with $35+: so, if what follows says so too.
_MAYBE_FLOOR_LED = lazy_regex(rf"{_SENDING}(?:\s[\w'’-]{{1,20}}){{0,6}}\Z", re.IGNORECASE)
_FLOOR_AFTER = lazy_regex(
    r"\s?\+|\s(?:or more|or above|and (?:up|over|above)|of (?:items|eligible|qualifying)|minimum|orders?\b|oder mehr|"
    r"ou plus|et plus|o más|o più|ou mais|of meer|eller mer)",
    re.IGNORECASE,
)
_POINTS_LED = lazy_regex(
    r"(?:points?|pts|punkte?|puntos|punti|pontos|punten|miles|coins|stamps)\s"
    r"(?:per|for (?:every|each)|for|on every|pro|je|por(?: cada)?|par|ogni|pour)\Z",
    re.IGNORECASE,
)
_EARNED_LED = lazy_regex(
    r"(?:^|\W)(?:earn|get|receive|collect|sammle|erhalte|recevez|recibe)(?: up to| bis zu)?\Z", re.IGNORECASE
)
_EARNED_AFTER = lazy_regex(
    r"\s{1,2}(?:in |en )?(?:rewards?|back|credits?|bonus|gift card|zurück|[\w'’]{2,16} (?:cash|bucks|rewards))(?![^\W\d_])",
    re.IGNORECASE,
)
_WITHIN_LED = lazy_regex(r"(?:^|\W)(?:inkl|incl|inklusive|including|enthält|zzgl|exkl|excl|plus|dont|\+)\.?\Z", re.IGNORECASE)
_DEPOSIT_AFTER = lazy_regex(
    r"\s{0,2}\w{0,12}(?:pfand|deposit|consigne|statiegeld|pant|kaucj[ai]|zálohy?|eco[ -]?(?:part|fee|tax)\w*|recycling fee)"
    r"(?![^\W\d_])",
    re.IGNORECASE,
)
_COUPON_AFTER = lazy_regex(
    r"\s{0,2}(?:with|using|mit|avec|con|com|met|med|z)\s(?:[\w'’]+\s){0,2}(?:coupons?|vouchers?|codes?|gutschein\w*|cupón|cupom|"
    r"buono|kupong?|kod\w{0,2})(?![^\W\d_])",
    re.IGNORECASE,
)
_STILL: Final[dict[Role, re.Pattern[str]]] = {"saving": _COUPON_AFTER, "extra": _DEPOSIT_AFTER}
# Badges on a line of their own say that there is a reduction, and not how much.
_BADGES = frozenset(
    """coupon voucher gutschein discount rabatt rabat korting descuento sconto remise réduction desconto скидка indirim sleva
    割引 할인 cashback""".split()
)
_SHARE_LED = lazy_regex(r"(?:\d\s?%|%\s?\d{1,2})\s?\w*(?:\s\w+){0,2}\Z")
_POR = lazy_regex(r"\s*(?:por|para)\b", re.IGNORECASE)
# The lowest price of the 30 days before a reduction, which shops in the EU have to show.
_LOWEST_LED = lazy_regex(
    r"(?:lowest|niedrigst|tiefst|günstigst|bester|bestpreis|plus bas|más bajo|più basso|mais baixo|laagste|lägsta|laveste|alin|"
    r"najniższ|nejnižší|najnižš|najniž|legalacsonyabb|mai mic|най-ниск|χαμηλότερ|žemiausi|zemāk|madalaim)"
    r"[^\n]{0,30}(?<!\d)30(?!\d)[^\n\d]{0,40}\Z"
    r"|(?<!\d)30[ -]?(?:tage|day|dagars?|dages|dagers)[ -]?(?:best|tief|low|lägsta|laveste)[\w* -]{0,24}\Z",
    re.IGNORECASE,
)
_AFTER: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    (
        "unit",
        lazy_regex(
            rf"\s{{0,2}}(?:/\s?|(?:per|pro|je|par|por|al|le|la|el|za|na|il)\s)(?:\d{{1,4}}(?:[.,]\d+)?\s?)?{_MEASURE}(?![^\W\d_])",
            re.IGNORECASE,
        ),
    ),
    ("net", NET_AFTER),
    (
        "bundle",
        lazy_regex(
            r"\s{0,2}(?:(?:clubcard|nectar|members?['’]?s?|loyalty|club) (?:price|only)|(?:for|with a?) ?(?:members|"
            r"membership)|für mitglieder|mit (?:der )?kundenkarte|pour les (?:membres|adhérents)|para socios|per i soci|"
            r"voor leden|för medlemmar|for medlemmer|z kartą|s kartou|с (?:\w+ )?картой|по карте)"
            r"(?![^\W\d_]|\s{0,2}[:：]?\s?[^\w\s]?\d)",  # before an amount the words are said of that
            re.IGNORECASE,
        ),
    ),
    (
        "saving",
        lazy_regex(
            r"\s{0,2}(?:off(?![^\W\d_])|discount|rabatt|savings?|saved|de remise|de réduction|de descuento|"
            r"descuento|di sconto|korting|günstiger|gespart|"
            r"sparen|cashback|coupon|voucher|gutschein|引き|割引|할인|скидк|indirim|cheaper|taniej)",
            re.IGNORECASE,
        ),
    ),
    (
        "installment",
        lazy_regex(
            rf"\s{{0,2}}(?:(?:/|per|pro|par|al|por|an?|im|each)\s?{_PERIOD}(?![^\W\d_])|/月|monthly|monatlich|mtl|[x×]\s?\d{{1,2}}(?!\d))",
            re.IGNORECASE,
        ),
    ),
    (
        "extra",
        lazy_regex(
            r"\s{0,2}(?:shipping|delivery|postage|p&p|versand|lieferung|pfand|deposit|livraison|envío|consigne|spedizione|frakt|送料)"
            r"(?:\s(?:fee|costs?|charge))?(?=\s*(?:\Z|[\n.,;)|]))",
            re.IGNORECASE,
        ),
    ),
    (
        "hourly",
        lazy_regex(
            rf"\s{{0,2}}(?:(?:/|per|pro|par|al|por|an?|à l['’]|l['’]|la|je|na|za|в)\s?{_HOUR}\.?(?![^\W\d_])"
            r"|hourly|stündlich|/小?时|/時間|/시간)",
            re.IGNORECASE,
        ),
    ),
    ("from", lazy_regex(r"\s?(?:起|から|부터|[~～](?!\s?\S?\d)|-tól|-től|'den başlayan)")),
)
_PUNCTUATION = " \t\n\u00a0\u202f\u3000:*(：（【[,"


def role_of(text: str, start: int, end: int, *, after: int) -> Role:
    """What the amount at `start:end` is, by the words beside it and behind `after`, where the amount before ends."""
    said, _ = said_after(text, end)
    if said:
        return said
    lead = text[max(after, start - _LEAD) : start].rstrip(_PUNCTUATION)
    if not lead:
        return "price"
    trail = text[end : end + 28]
    if (_WITHIN_LED.search(lead) and _DEPOSIT_AFTER.match(trail)) or (
        _FLOOR_AFTER.match(trail) and _MAYBE_FLOOR_LED.search(lead)
    ):
        return "extra"
    if _EARNED_AFTER.match(trail) and _EARNED_LED.search(lead):
        return "saving"
    role = _led(lead, trail)
    apart = text[:start][len(text[:start].rstrip(_PUNCTUATION)) :]
    badge = role == "saving" and "\n" in apart and ":" not in apart and lead.split()[-1].casefold() in _BADGES
    return "price" if badge else role


def said_after(text: str, end: int) -> tuple[Role | None, int]:
    """What the words right behind an amount make of it, and where they end: they say nothing of the next one."""
    trail = text[end : end + 28]
    if trail and not trail[0].isdigit():
        for role, pattern in _AFTER:
            if found := pattern.match(trail):
                return role, end + found.end()
    return None, end


def still_said(text: str, role: Role, end: int) -> int:
    """Where the words behind an amount end that go on speaking of it: Save $5 with coupon, plus 0,25 € Pfand."""
    found = _STILL[role].match(text, end) if role in _STILL else None
    return found.end() if found else end


def _led(lead: str, trail: str) -> Role:
    if _LOWEST_LED.search(lead):
        return "old"
    if lead[-1] == "=":
        return "unit" if _UNIT_LED.search(lead) else "price"
    if _FLOOR_LED.search(lead) or _POINTS_LED.search(lead):
        return "extra"
    role = _phrase(lead.casefold())
    if role == "saving" and _SHARE_LED.search(lead):  # 20% discount $80
        return "price"
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
    """What the longest known phrase makes of an amount that the lead ends with, but for words that say nothing themselves."""
    if (role := _known(lead)) is not None:
        return role
    bare = lead
    for filler in _FILLERS:
        bare = bare.removesuffix(filler)
    return _known(bare) if bare != lead else None


def _known(lead: str) -> Role | None:
    """The longest known phrase at the end of the lead, as whole words."""
    for length in _LENGTHS.get(lead[-1:], ()):
        role = _ROLES.get(lead[-length:])
        if role and not (
            length < len(lead) and lead[-length].isalpha() and lead[-length - 1].isalpha() and lead[-length] < "\u3040"
        ):
            return role
    return None
