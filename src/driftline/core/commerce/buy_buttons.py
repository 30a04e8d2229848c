"""Buttons that sell: what they say, what they are called, and whether they can be pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from driftline.core.commerce.stock import stock_from_text
from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex
from driftline.core.text.short_cache import short_cache

# What a button says that puts a product into a cart. Where a longer text holds one of these, it still asks to buy.
BUY: Final = (
    "add to cart", "add to basket", "add to bag", "add to trolley", "add to order", "into basket", "into cart", "buy now",
    "buy it now", "order now", "pre-order", "preorder", "in den warenkorb", "in den einkaufswagen", "in den korb",
    "zum warenkorb hinzufügen", "jetzt kaufen", "jetzt bestellen", "vorbestellen", "ajouter au panier", "ajouter à mon panier",
    "acheter maintenant", "précommander", "añadir al carrito", "agregar al carrito", "añadir a la cesta", "añadir a la bolsa",
    "comprar ahora", "aggiungi al carrello", "acquista ora", "adicionar ao carrinho", "adicionar à sacola", "comprar agora",
    "in winkelwagen", "in winkelmand", "toevoegen aan winkelwagen", "in mijn winkelwagen", "do koszyka", "dodaj do koszyka",
    "kup teraz", "lägg i varukorg", "lägg till i varukorg", "lägg i kundvagn", "köp nu", "læg i kurv", "tilføj til kurv",
    "læg i indkøbskurv", "legg i handlekurv", "kjøp nå", "lisää ostoskoriin", "lisää koriin", "do košíku", "do košíka",
    "vložit do košíku", "kosárba", "adaugă în coș", "adauga in cos", "u košaricu", "u korpu", "v košarico", "в количката",
    "προσθήκη στο καλάθι", "į krepšelį", "pievienot grozam", "lisa ostukorvi", "カートに入れる", "カートに追加",
    "買い物かごに入れる", "かごに入れる", "購入手続き", "今すぐ買う", "加入购物车", "加入購物車", "放入购物车", "立即购买",
    "立即購買", "장바구니", "구매하기", "바로구매", "в корзину", "купить", "до кошика", "купити", "sepete ekle", "hemen al",
    "أضف إلى السلة", "أضف للسلة", "הוסף לסל", "הוספה לסל", "thêm vào giỏ", "mua ngay", "tambah ke keranjang",
    "masukkan keranjang", "+ keranjang", "beli sekarang", "beli langsung", "in den warenkorb legen", "zum warenkorb",
    "metti nel carrello", "colocar no carrinho", "adicionar à cesta", "poner en el carrito", "meter en la cesta", "al carrito",
    "dodaj do torby", "do torby", "lägg i kassen", "læg i kurven", "바로 구매", "장바구니 담기", "バッグに入れる", "かごに追加",
    "カゴに入れる", "注文する", "放入購物車", "加到购物车", "add to tote", "добавить в корзину", "у кошик", "додати до кошика",
    "หยิบใส่ตะกร้า", "เพิ่มลงตะกร้า",
)  # fmt: skip
_ALONE: Final = frozenset(
    "buy kaufen acheter comprar acquista kopen kup köp køb kjøp osta koupit kúpiť cumpără satın_al 購入 购买 購買 구매".replace(
        "_", " "
    ).split()
)
_SAYS: Final = lazy_regex("|".join(map(re.escape, BUY)))
# What a button says that asks for a size or a colour before it sells.
_CHOOSES: Final = lazy_regex(
    r"(?:choose|select|see|view|pick)\b.{0,24}\b(?:options?|sizes?|variants?|colou?rs?|varieties)|configure|customi[sz]e|personali[sz]e|"
    r"(?:optionen|ausführung\w{0,8}|varianten?|größe) (?:wählen|auswählen|ansehen)|konfigurieren|choix des options|"
    r"choisir|(?:elegir|seleccionar|ver|escolher|selecionar) (?:las )?(?:opciones|opções)|scegli|seleziona|"
    r"(?:opties|maat|kies) (?:selecteren|kiezen|opties|maat)|wybierz (?:opcje|wariant|rozmiar)|välj (?:alternativ|storlek)|"
    r"vælg (?:muligheder|størrelse|variant)|velg (?:alternativ|størrelse)|valitse|vybrat variantu|vybrať|zvolit variantu|"
    r"opciók választása|alegeți|selectează|выб(?:рать|ерите)|виберіть|seçenekler|"
    r"オプションを選択|選択する|选择选项|選擇|옵션 선택",
    re.IGNORECASE,
)
_CALLED: Final = lazy_regex(
    r"add[-_]?to[-_]?(?:cart|basket|bag|trolley)|(?:buy|cart|basket|atc|tocart)[-_]?(?:btn|button|submit)|(?:btn|button)[-_]?(?:buy|cart|basket|atc)|"
    r"buy[-_]?now|addtocart|warenkorb|panier|carrito|carrello|koszyk",
    re.IGNORECASE,
)
_NAMED_BY: Final = ("id", "class", "name", "data-action", "data-button-action", "data-hook", "data-testid", "data-test")
_OFF: Final = lazy_regex(r"(?:^|[\s_-])(?:disabled|inactive|sold-?_?out|out-?_?of-?_?stock)(?:$|\s)", re.IGNORECASE)
# Sent so in every answer and switched on by a script: Magento's button, and those that wait for a choice.
_WAITING: Final = lazy_regex(r"(?:^|\s)tocart(?:$|\s)|selection-needed", re.IGNORECASE)
_TO_CART: Final = lazy_regex(
    r"[/?&=_-](?:add[-_]?to[-_]?(?:cart|basket)|addtocart|cart|basket|checkout|order|buy|purchase|action=(?:add|buy)|bestell\w*|kaufen|"
    r"warenkorb|commande\w?|acheter|panier|comprar|carrito|carrello|acquista|koszyk|bestil\w*)(?:[/?&=_.-]|$)",
    re.IGNORECASE,
)
_PRESSED: Final = frozenset(("submit", "button", "image"))
CONTROLS: Final = (
    "button,input[type=submit],input[type=button],input[type=image],[role=button],a[class*=btn],a[class*=button],a[class*=cart]"
)
_LONGEST: Final = 60  # characters on a button
_MOST: Final = 200  # controls that are looked at
_ROOM: Final = 100_000  # characters in all of them: they may stand in each other


# What stands around a buy button and goes with it: how a product comes, who sends it, how many one takes.
_BESIDE: Final = lazy_regex(
    r"(?<!\w)(?:free |fast |standard )?(?:deliver(?:y|ed|s)|ships? to|deliver to|available to ship|"
    r"shipping|ships|shipped|dispatched|arrives|get it|pick-?up|sold by|"
    r"quantity|qty|add to (?:wish ?list|watch ?list|list|favou?rites|registry|compare)|secure (?:transaction|checkout|payment)|"
    r"lieferung|lieferzeit|versand\w*|lieferbar|abholung|menge|anzahl|verkauf durch|auf die (?:wunschliste|merkliste)|"
    r"livraison|expédi\w+|retrait|quantité|vendu par|ajouter à (?:ma|la) liste|"
    r"envío|entrega|llega|recogida|cantidad|vendido por|consegna|spedi\w+|ritiro|quantità|venduto (?:da|e)|"
    r"frete|quantidade|receba|bezorg\w*|levering|verzend\w*|aantal|verkocht door|leverans|antal|frakt|levering|fragt|"
    r"toimitus\w*|määrä|dostaw\w*|wysyłk\w*|ilość|liczba sztuk|doprav\w*|doruč\w*|množství|množstvo|szállítás\w*|mennyiség|"
    r"livrare|cantitate|доставк\w*|самовывоз|количество|продавец|доставка|кількість|teslimat|kargo|adet)(?!\w)|送料|お届け|数量|配送|"
    r"运费|數量|배송|수량|도착"
)


class Control(NamedTuple):
    """A button of a shop."""

    text: str
    off: bool  # it cannot be pressed
    waits: bool  # ... until something is chosen, or a script has run


@short_cache(4096)
def asks_to_buy(text: str) -> bool:
    """Whether a text is what a buy button says."""
    low = text.strip(" .!»›→").casefold()
    return len(low) <= _LONGEST and (low in _ALONE or _SAYS.search(low) is not None)


@short_cache(4096)
def asks_to_choose(text: str) -> bool:
    """Whether a text is what a button says that sells once a size or a colour was chosen."""
    return len(text) <= _LONGEST and _CHOOSES.search(text) is not None


def is_beside_buying(text: str) -> bool:
    """Whether a text is about how a product comes, who sends it, or how many one takes."""
    return _BESIDE.search(text.lower()) is not None


def is_off(given: Mapping[str, str | None]) -> bool:
    """Whether attributes say that a button cannot be pressed."""
    if "disabled" in given or (given.get("aria-disabled") or "").lower() == "true":
        return True
    return _OFF.search(given.get("class") or "") is not None


def leads_to_cart(href: str) -> bool:
    """Whether a link puts something into a cart or orders it, by where it leads."""
    return _TO_CART.search(href) is not None


def is_called_so(given: Mapping[str, str | None]) -> bool:
    """Whether attributes call a button one that puts things into a cart."""
    return any((name := given.get(key)) and _names_a_cart(name) for key in _NAMED_BY)


@short_cache(4096)
def _names_a_cart(name: str) -> bool:
    return _CALLED.search(name) is not None


def is_waiting(given: Mapping[str, str | None]) -> bool:
    """Whether attributes say that a button is off until something is chosen, or a script has run."""
    return _WAITING.search(given.get("class") or "") is not None


def said_by_value(tag: str, given: Mapping[str, str | None]) -> str:
    """What an element shows that has no text of its own: the value of a button that is an input."""
    if tag != "input" or (given.get("type") or "").lower() not in _PRESSED:
        return ""
    return fold(given.get("value") or given.get("alt") or "")


def _pictured(node: LexborNode) -> str:
    """What the picture on a button says."""
    picture = node.css_first("img[alt]")
    return fold(picture.attributes.get("alt") or "") if picture is not None else ""


def selling(root: LexborNode, selector: str = CONTROLS) -> Iterator[tuple[LexborNode, Control]]:
    """The buttons below a node that sell, or say why they do not."""
    room = _ROOM
    for node in root.css(selector)[:_MOST]:
        given = node.attributes
        said = said_by_value(node.tag or "", given) or node.text(deep=True)
        room -= len(said)
        if room < 0:
            break
        text = fold(said) or _pictured(node)
        if len(text) > _LONGEST:
            continue
        if asks_to_buy(text) or is_called_so(given) or stock_from_text(text) is not None:
            yield node, Control(text, is_off(given), is_waiting(given))
