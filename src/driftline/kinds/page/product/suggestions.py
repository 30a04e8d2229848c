"""What on a product page is about other products: suggestions below it, the head, the foot and the columns."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from driftline.core.text.folding import fold
from driftline.core.text.lazy_regex import lazy_regex

_HEADS: Final = "h2,h3,h4,strong,[role=heading]"
_FRAME: Final = "header,footer,nav,aside"
_LONGEST: Final = 70  # characters of a heading
_SUGGESTS: Final = lazy_regex(
    r"related|similar|also (?:like|liked|bought|viewed|purchased|consider)|(?:may|might) (?:also )?(?:like|love|need)|"
    r"recommend|frequently bought|bought together|pairs? (?:well|nicely|with)|complete the|shop the look|recently viewed|"
    r"more from|customers who|best ?sellers|compare with|ähnlich|"
    r"passend|zubehör|kunden|empfehl|zuletzt angesehen|dazu passt|das könnte|similaires|aussi aim|vous aimerez|"
    r"complétez|relacionados|también|similares|correlat|potrebbe|simili|gerelateerd|"
    r"vergelijkbaar|vaak samen|anderen kochten|podobne|polecane|inni kupili|klienci|liknande|andra köpte|lignende|samankaltai|"
    r"podobné|hasonló|asemănătoare|похожие|с этим товаром|схожі|benzer|関連|おすすめ|この商品を買った|相关|推荐|相關|推薦|"
    r"함께|추천|연관|"
    r"suggested|(?:you['’]ll|you will) love|(?:just|picked|selected|picks) for you|goes well|bought with|viewed together|"
    r"(?:by|from) this (?:seller|artist)|your (?:browsing|recent|views)|vergleichbare|empfohlen|zusammen gekauft|"
    r"passt gut|des verkäufers|anderen bekeken|(?:laatst|recent|onlangs) bekeken|soortgelijke|vergelijkbare|aanbevolen|"
    r"achetés ensemble|(?:vus|consultés) récemment|récemment consultés|vous (?:aimer|intéresser)|apparentés|recommandé|parecid|"
    r"relacionad|vistos rec|recomendad|te pued|consigliat|comprati insieme|visti (?:di )?recente|semelhantes|também|"
    r"comprados juntos|anbefal|rekommend|relater[ate]d?e|(?:også|också) (?:k|g|t|s)|(?:kjøpt|købt) sammen|samanlais|vastaavia|"
    r"suosittel|ostivat myös|powiązan|sugerowan|oglądan|przeglądan|kupowane razem|doporuč|souvisej|zákazníci|prohlížen|"
    r"аналогичн|рекоменд|подібні|пов['’]язан|(?:купують|покупают)|вы (?:недавно )?смотрели|вам (?:може|также)|önerilen|ilgili|"
    r"bakanlar|birlikte al|مشابهة|مماثلة|ذات صلة|قد (?:يعجبك|يهمك)|類似|似ている|一緒に|を見た人|相似|同类|同類|猜[你您]|"
    r"可能(?:也|会|會|还)?[喜感]|"
    r"看了又看|[还還也][买看]了|购买了|最近(?:見|閲覧|チェック|浏览|瀏覽)|비슷한|유사|관련|최근 본|같이 본|"
    r"kunder k|klanten|les clients ont|clienti hanno|köps ofta|kupují|otros clientes|comprato anche|alanlar|"
    r"more like this|popular products|other items|auch interess|interessieren könnten|être intéress|podría interesar|"
    r"te interes|"
    r"zainteresow|vás (?:také )?zajímat|заинтерес|зацікав|понрав|сподоб|ilginizi|"
    # of the same seller
    r"(?:weitere|andere|mehr|meer|plus|autres|más|mais|altri|otros|outros|inne|więcej|další|другие|інші|ещё)\s.{0,30}"
    r"(?:verkäuf|anbieter|vend|verkoper|sprzeda|prodej|продав)"
)


def announces(said: str) -> bool:
    """Whether a heading announces other products or pages."""
    low = said.lower().strip(" :…")
    return len(low) <= _LONGEST and _SUGGESTS.search(low) is not None


def of_others(root: LexborNode, heading: LexborNode) -> frozenset[int]:
    """The parts of a page, by memory id, that are not about the product that its heading names."""
    frame = {node.mem_id for node in root.css(_FRAME) if not _holds(node, heading)}
    return frozenset(frame | suggested(root, heading))


def suggested(root: LexborNode, heading: LexborNode) -> set[int]:
    """What holds a heading that announces other products, or follows it."""
    found: set[int] = set()
    for announcing in root.css(_HEADS):
        if announcing.mem_id in found or not announces(fold(announcing.text()[: 4 * _LONGEST])):
            continue
        head, holder = announcing, announcing.parent
        alone = holder is not None and len(fold(head.text())) == len(fold(holder.text()))
        if head.tag == "strong" and not alone:
            continue  # a word in a text
        if alone and holder is not None and holder.tag == "div" and holder.parent is not None:
            head, holder = holder, holder.parent  # <div class="title"><strong>Related</strong></div>
        if holder is not None and not _holds(holder, heading):
            found.add(holder.mem_id)
        following = head.next
        while following is not None and following.mem_id not in found:
            found.add(following.mem_id)
            following = following.next
    return found


def _holds(node: LexborNode, inner: LexborNode) -> bool:
    parent = inner.parent
    while parent is not None:
        if parent.mem_id == node.mem_id:
            return True
        parent = parent.parent
    return False
