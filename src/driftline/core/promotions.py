"""What bars above a page shout: offers of a shop that take turns, and requests for donations. What they announce is content."""

from __future__ import annotations

from typing import Final

from driftline.core.later import later

# Names of bars that hold such a text, or an announcement that people should read.
BARS: Final = later(
    r"(?:shopify-section-|site-|header-|top-)?announcements?[-_]?(?:bar|banner|strip|slider|ticker|"
    r"message)(?:[-_]{1,2}[a-z\d]{1,20}){0,3}|"
    r"usps?(?:[-_]?(?:bar|slider|list|banner|items?|wrapper))?|(?:top|header)[-_]?(?:usps?|messages?|offers?|slogan)|(?:offer|sale|shipping|marquee|"
    r"rotating|"
    r"notification)[-_]?bar|top-?bar[-_](?:promo|message|slider|usps?|text|offer)|ann-bar|promo-?announcement|marquee"
)
# Requests for donations, as wikis and others show them above every page for some weeks.
FUNDRAISING: Final = later(
    r"cn-fundrais\S{0,40}|centralnotice|cn[-_]?banner\S{0,40}|frb-\S{0,40}|fundrais(?:er|ing)[-_](?:banner|bar|popup|notice)|"
    r"don(?:ation|ate|or)s?[-_]?(?:banner|bar|popup|appeal|modal|notice)(?:[-_][a-z]{1,20})?|(?:spenden|don)[-_](?:banner|"
    r"aufruf|leiste)"
)
# Notices of a site, which may be such a request.
NOTICES: Final = later(r"sitenotice|site-notice|mw-sitenotice|vector-sitenotice-container")

_OFFERS: Final = later(
    r"free (?:\w+ ){0,2}?(?:shipping|delivery|returns?|gift|postage)|\d\s?% (?:off|auf|de |di |en |na |rabat|korting|zniż|"
    r"ind)|-\d\d ?%|"
    r"(?<!on )(?<!for )\bsale\b|\bsave (?:up to|\d|[$€£])|discount|(?:promo|use|coupon|voucher) ?code|new (?:in\b|arrivals|"
    r"season)|"
    r"collection\b|shop (?:now|the)|sign up|subscribe|newsletter|join the|first order|gift card|buy now|black friday|"
    r"cyber monday|"
    r"easy returns|trustpilot|money[- ]back|versandkostenfrei|(?:kostenlose[rn]?|gratis) (?:versand|lieferung|rück\w*|"
    r"retoure\w*)|rabatt|"
    r"gutschein|kollektion|jetzt (?:shoppen|sparen|sichern|entdecken)|auf rechnung|livraison (?:offerte|gratuite)|"
    r"retours? (?:offerts?|gratuits?)|soldes|remise|réduction|inscrivez|env[ií]os? grat\w+|devoluci\w+ grat\w+|descuento|"
    r"rebajas|"
    r"colecci[oó]n|suscr[ií]bete|spedizione gratuita|resi? gratuit\w|sconto|saldi|collezione|iscriviti|(?:frete|envio|"
    r"portes) gr[aá]tis|"
    r"desconto|cupom|cole[cç][aã]o|coleção|gratis (?:verzending|bezorging|retour\w*)|korting|collectie|darmow\w (?:dostaw\w|"
    r"wysyłk\w|zwrot\w*)|"
    r"zniżk|kolekcj|wyprzedaż|doprava zdarma|sleva|slevov|kolekce|výprodej|fri frakt|gratis frakt|fri fragt|gratis fragt|"
    r"\brea\b|"
    r"ilmainen toimitus|alennus|ücretsiz kargo|indirim|kupon|koleksiyon|бесплатн\w+ доставк|скидк|промокод|распродаж|коллекци|"
    r"безкоштовн\w+ доставк|знижк|送料無料|セール|クーポン|割引|新作|免运费|包邮|折扣|优惠|新品|免運|무료 ?배송|할인|쿠폰|"
    r"신상품|شحن مجاني|"
    r"توصيل مجاني|خصم|تخفيضات"
)
_NEWS: Final = later(
    r"clos(?:ed|ing|ure)|strike|delay|recall|cancel|suspend|outage|unavailable|maintenance|moved|emergency|warning|notice|"
    r"geschlossen|schließ|streik|verspätung|rückruf|störung|ausfall|wartung|umzug|hinweis|achtung|ferm[eé]|fermeture|grève|"
    r"retard|rappel|"
    r"cerrad|cierre|huelga|retraso|chius|sciopero|ritard|fechad|greve|atraso|gesloten|staking|vertraging|zamkn|strajk|opóźni|"
    r"uwaga|"
    r"zavřen|uzavř|výluk|stängt|lukket|stengt|suljettu|kapal[ıi]|закрыт|перенос|внимание|закрит|休業|休館|遅延|停止|关闭|停业|"
    r"暂停|휴무|중단|مغلق"
)
_GIVING: Final = later(
    r"donat|fundrais|support us|spende|unterstütz|faire un don|vos dons|soutenez|dona\b|donaci|dona[czç]|doneer|doneren|"
    r"darowizn|wesprzyj|přispě|podpoř|bidra|donera|støt|lahjoita|bağış|пожертв|поддержите|підтрима|寄付|捐款|捐赠|기부|تبرع"
)
_JOINING: Final = later(
    r"subscri|free articles?|articles? (?:left|remaining)|sign (?:in|up)|log ?in|register|unlock|(?:continue|keep) reading|"
    r"abonn|\babo\b|anmelde|registrier|weiterlesen|freischalten|connectez|suscr|inicia sesión|assin[ae]|abbona|accedi|"
    r"registrati|inschrijv|prenumer|logga|tilmeld|zaloguj|předplat|přihla|подпис|войд|увійд|購読|会員|ログイン|订阅|訂閱|登录|登入|구독|로그인|اشترك"
)


def shouts(text: str) -> bool:
    """Whether a text is an offer of a shop, and nothing that somebody has to know."""
    low = text.lower()
    return _OFFERS.search(low) is not None and _NEWS.search(low) is None


def asks_for_money(text: str) -> bool:
    """Whether a text asks for donations."""
    return _GIVING.search(text.lower()) is not None


def tells_news(text: str) -> bool:
    """Whether a text says what somebody has to know: that something is closed, late or moved."""
    return _NEWS.search(text.lower()) is not None


def asks_to_join(text: str) -> bool:
    """Whether a text asks readers to subscribe or to log in."""
    return _JOINING.search(text.lower()) is not None
