"""What passing parts of a page are called: in their class or id, and in the heading above them. Lower case."""

from __future__ import annotations

from typing import Final

from driftline.core.later import later
from driftline.core.passing_headings import MORE_BELOW, MORE_HEADINGS

# Lists of other pages that are chosen anew for every answer or day. Named so wherever they stand; the name alone is not enough,
# they must be lists of links too.
LISTS: Final = later(
    r"(?:[a-z\d]+[-_])?(?:related|recommended|recommendations?|recommend|similar|suggested|trending|popular|recirc\w*)"
    r"(?:[-_]?(?:posts?|articles?|stories|story|news|products?|items?|links|videos?|content|reads?|reading|searches|topics|"
    r"jobs|"
    r"listings?|list|section|block|box|widget|module|container|wrapper|wrap|grid|carousel|slider|rail|now|today|by[-_][a-z\d]+|"
    r"for[-_]you|[a-z\d]+[-_]list))"
    r"|(?:jp-)?relatedposts|yarpp(?:-related)?|crp_related|most[-_]?(?:read|popular|viewed|commented|shared|watched|emailed|"
    r"recent)"
    r"(?:[-_][a-z\d]+)?|(?:you[-_])?(?:may|might)[-_](?:also[-_])?like|also[-_](?:like|bought|viewed|read)|"
    r"(?:customers|people|others)[-_]also[-_][a-z\d]+|"
    r"more[-_](?:stories|news|articles|posts|from[-_][a-z\d]+)|read[-_](?:next|also|more[-_]list)|up[-_]next|next[-_]up|"
    r"recently[-_]viewed(?:[-_][a-z\d]+)?|cross[-_]?sells?|up[-_]?sells?|frequently[-_]bought(?:[-_][a-z\d]+)?|"
    r"editors?[-_]?(?:s[-_])?(?:picks?|choice)|"
    r"hot[-_](?:network[-_]questions|topics?|news|posts)|meistgelesen|mehr[-_]zum[-_]thema|"
    r"(?:articles?|posts?|story|stories|news|products?|content|c|l|o|m|block|views|block[-_]views|widget|tags?|topics?)[-_]{1,2}"
    r"(?:related|recommended|recommendations?|similar|trending|popular|suggested)|"
    r"(?:related|recommended|recommendations?|trending|similar|popular)(?:[-_]?[a-z]+)?__[a-z\d_-]+|recommendations|verwandte[-_][a-z]+|"
    r"(?:articles|produits|articulos|noticias|productos|prodotti|articoli|artigos)[-_](?:similaires|lies|relacionad[oa]s|correlati)"
)
# The same beside the content only: in a column or at the foot of a page. In the middle they may be what the page is for.
LISTS_ASIDE: Final = later(
    r"related|recommended|recommendations?|similar|suggested|trending|popular|"
    r"(?:recent|latest)[-_]?(?:posts?|articles?|news|comments?|entries|stories|tweets)|widget_recent_(?:entries|comments)|"
    r"(?:news|activity|twitter|instagram|facebook|social|tiktok)[-_]?(?:feed|ticker|stream|timeline|wall)|tweets|widget_(?:archive|categories|tag_cloud|recent_\w+|rss)|top[-_]?stories|tag[-_]?cloud|archives?[-_]?widget"
)
# Beside the content: what the day brings.
OF_THE_DAY: Final = later(
    r"(?:[a-z\d]+[-_])?(?:weather|wetter|meteo|météo|forecast)(?:[-_][a-z\d]+)*|(?:current[-_])?temp(?:erature)?|"
    r"(?:[a-z\d]+[-_])?ticker(?:[-_][a-z\d]+)*|"
    r"(?:stock|market|currency|exchange|crypto|quotes?)[-_]?(?:data|rates?|quotes?|bar|summary|prices?|overview|widget|box|strip)|"
    r"currency|currencies|wx|fortune|(?:quotes?|testimonials?)[-_](?:rotator|slider|carousel)|"
    r"quote[-_]of[-_]the[-_]day|qotd|tip[-_]of[-_]the[-_]day|daily[-_]?(?:tip|quote|fact)|random[-_][a-z\d]+|did[-_]you[-_]know|"
    r"prayer[-_]?times?(?:[-_][a-z\d]+)*|namaz[-_]?vakit\w*|salah?[-_]?times?|divisas|doviz(?:[-_]kurlari)?|kursy?[-_]?walut|"
    r"(?:quote|word|joke|tip|fact|verse|photo)[-_]?of[-_]?the[-_]?day|"
    r"testimonials?(?:[-_](?:rotator|slider|carousel|random|widget))?|who[-_]?is[-_]?online|online[-_]users|users[-_]online|"
    r"(?:[a-z\d]+[-_])?(?:poll|umfrage|sondage|sondaggio|encuesta|enquete|ankieta|anket)(?:[-_][a-z\d]+)*|"
    r"breaking(?:[-_]?news)?(?:[-_](?:bar|ticker|banner|strip|box|line))?|news[-_]?flash|eilmeldung"
)
# Anywhere: advertising, tools and layers around the content.
AROUND: Final = later(
    r"onetrust\S*|taboola\S*|outbrain\S*|ob-widget|trc_related_container|zergnet\S*|revcontent\S*|mgid\S*|"
    r"promoted|ezoic[-_]ad\S*|mv-ad-box\S*|adthrive\S*|advads\S*|td-a-rec\S*|native[-_]ads?\S*|partner[-_]content|"
    r"paid[-_](?:content|post)|affiliate[-_](?:box|links?)|"
    r"cc-(?:window|banner|revoke)|usercentrics\S*|sp_message_container\S*|qc-cmp\S*|fc-consent\S*|didomi\S*|cmplz\S*|"
    r"gdpr[-_]?(?:popup|banner|bar|modal|overlay|cookie|notice)\S*|"
    r"klaro\S*|tarteaucitron\S*|axeptio\S*|trust(?:e|arc)[-_]\S*|termly\S*|iubenda\S*|cookiefirst\S*|borlabs\S*|cky-\S*|"
    r"osano\S*|"
    r"moove_gdpr\S*|evidon\S*|ot-sdk\S*|cmp[-_](?:container|banner|root|wrapper|modal)|"
    r"(?:[a-z\d]+[-_])?cookies?[-_]\S*(?:banner|bar|notice|consent|popup|modal|overlay|dialog|settings)\S*|"
    r"(?:share|sharing|social[-_]shar(?:e|ing))(?:[-_](?:buttons?|bar|links|icons|tools|count|widget)(?:[-_][a-z\d]+)*)?|"
    r"sharedaddy|addtoany\w*|"
    r"addthis\w*|"
    r"a2a_kit|shariff|jp-sharing\w*|heateor\w*|ssba\w*|"
    r"newsletter[-_]?(?:popup|modal|overlay)(?:[-_][a-z\d]+)*|exit[-_]?(?:intent|popup)(?:[-_][a-z\d]+)*|popmake\S*|pum(?:-[a-z\d]+)*|"
    r"publicidade?|pubblicita|publicite|reklam[aey]?|werbung|dfp(?:[-_]\S*)?|gpt[-_]?(?:slot|ad)\S*|banner[-_]?ads?(?:[-_]\S*)?|"
    r"ads?[-_]\d+x\d+|[a-z]{1,2}-ads?(?:__\S+)?|ad-?box(?:[-_]\S*)?|affiliate[-_]banner|bannergroup|banneritem|"
    r"printfooter|(?:g-re|h-|frc-|math|simple)?[-_]?captcha(?:[-_][a-z\d]+)*|grecaptcha\S*|cf-turnstile"
)
# Small layers that no page's own text holds: chats, invitations, requests.
LAYERS: Final = later(
    r"intercom[-_]\S+|tawk(?:chat|to)?[-_]\S+|drift[-_](?:widget|frame|chat)\S*|(?:zendesk|zopim)[-_]\S+|crisp-client|olark\S*|"
    r"tidio[-_]\S+|live-?chat(?:[-_]\S+)?|chat[-_]?(?:widget|bubble|launcher|box|popup|button)(?:[-_]\S+)?|hubspot-messages\S*|"
    r"fb[-_]customerchat|whatsapp[-_](?:float|button|widget|chat)\S*|smart-?banner\S*|app[-_](?:banner|promo|install)(?:[-_]\S+)?|"
    r"survey[-_](?:invite|popup|prompt|banner)\S*|push[-_](?:prompt|banner|popup)\S*|leadin\S*|klaviyo\S*|privy\S*|optinmonster\S*|"
    r"toasts?(?:[-_](?:container|message|wrapper))?|snackbar|(?:subscribe|signup|sign-up|email|promo|welcome|offer|lead|optin|privacy|gdpr)[-_]?(?:popup|modal|overlay)\S*|eupopup\S*|mfp-hide"
)
# The same, as long as they announce nothing that somebody has to know.
PROMOS: Final = later(r"(?:top|header|site)[-_]promo|promo[-_](?:bar|ribbon|strip|line|ticker|banner)(?:[-_]\S+)?")
# Anywhere, as long as no date is in them: the end that a clock runs to is content.
CLOCKS: Final = later(
    r"countdown(?:[-_][a-z\d]+)*|count-down|flipclock\S*|live[-_]?clock|clock|current[-_]?time|time[-_]now|server[-_]time"
)
# Anywhere, as long as they are small: who visited a site, who is there, and what readers are asked for.
VISITS: Final = later(
    r"(?:mod_?)?v?visit(?:or)?s?[-_]?counter\S{0,30}|hit[-_]?counter\S{0,30}|besucherz(?:ae|ä)hler\S{0,20}|"
    r"(?:[a-z\d]+[-_])?newsletter[-_]?(?:sign-?up|form|box|subscribe|subscription|widget|block|cta|promo)(?:[-_][a-z\d]+)*|disqus_thread|"
    r"inline[-_]promo|house[-_]ad|subscription[-_](?:promo|banner|cta|offer)|meter(?:ed)?[-_](?:banner|message)|"
    r"licznik(?:[-_](?:odwiedzin|wejsc))?|compteur[-_]?(?:de[-_])?visites?|contador[-_]?(?:de[-_])?visitas|"
    r"contatore[-_]?visite|ziyaretci[-_]?sayaci|histats\S{0,30}|"
    r"(?:forum[-_]?)?(?:whos?[-_]?(?:is[-_]?)?online|online[-_]?list|onlinelist|birthday[-_]?list|mod-whosonline)(?:[-_][a-z\d]{1,20})?"
)
# What asks readers to pay; some sites name what is paid for after it.
WALLS: Final = later(r"paywall(?:[-_][a-z\d]+)*|regwall")
# Elements whose whole text is a number that visitors move.
COUNTS: Final = later(
    r"(?:[a-z\d]+[-_])*(?:views?|likes?|shares?|comments?|repl(?:y|ies)|followers?|reactions?|claps?|favou?rites?|bookmarks?)"
    r"[-_]?(?:counts?|counter|numbers?|num|totals?|link|button|btn)?(?:[-_][a-z\d]+)*|"
    r"(?:[a-z\d]+[-_])*(?:votes?|upvotes?|downvotes?|downloads?|stars?|forks?|plays?|reads?|hits?|social|subscribers?|watchers?|"
    r"visits?|visitors?|karma|(?:mini)?[-_]?carts?|baskets?|bag|wish-?list|compare|notifications?|items-in-cart|applicants?|badges?)[-_]?(?:counts?|counter|"
    r"number|num|qty|quantity|badge)(?:[-_][a-z\d]+)*|counter|reputation(?:[-_]score)?|karma|"
    r"(?:count|num|number)[-_]?(?:of[-_])?(?:views?|likes?|shares?|comments?)"
)
# Elements whose whole text is the present day or time.
TODAY: Final = later(
    r"(?:current|todays?|header|site|top|topbar|page|live|local|server|now)[-_]?(?:date|day|time|datetime|clock)s?|"
    r"date[-_]?(?:today|now|time)|"
    r"today|clock|datetime|liveclock|date[-_]container"
)

# Elements whose whole text is the part of the last days on which something ran.
UPTIMES: Final = later(r"(?:[a-z\d]+[-_])*uptime[-_]?(?:value|percent(?:age)?|number|ratio)(?:[-_][a-z\d]+)*")
# The articles before and after this one: the next one comes by itself.
TURNS: Final = later(
    r"(?:[a-z\d]+[-_])*(?:post|posts|article|articles|entry|single|story|news|blog)[-_]?(?:nav|navigation|pager|pagination|next[-_]prev|"
    r"prev[-_]next)(?:[-_][a-z\d]+)*|nav[-_]?(?:previous|prev|next)|(?:prev|previous|next|older|newer)(?:[-_]?(?:post|article|story|entry|"
    r"link|page)s?)?|(?:post|article|entry|story)[-_](?:prev|previous|next)(?:[-_][a-z\d]+)*|adjacent[-_]posts?"
)
# Elements whose whole text is the time since something.
AGES: Final = later(
    r"(?:[a-z\d]+[-_])*(?:timestamp|time[-_]?ago|ago|relative[-_]?time|posted[-_]?(?:on|at|date|time)|published[-_]?(?:on|at|date|time)|"
    r"(?:post|pub|meta|comment)[-_]?(?:time|date))"
)

_HEADINGS: Final = """
similar properties | other properties | nearby homes
related posts | related articles | related stories | related news | related content | related products | related items
related topics | related videos | related reading | related jobs | recommended for you | recommended
recommended articles | recommended products | recommended reading | recommended stories | recommendations
you may also like | you might also like | you may be interested in | you might be interested in | you may also enjoy
more like this | trending | trending now | trending topics | trending stories | trending articles | trending news
most read | most popular | most viewed | most commented | most shared | most watched | popular posts | popular articles
popular stories | popular now | popular news | popular products | popular searches | read next | up next
what to read next | more stories | more articles | more news | more posts | more from this author | more from author
keep reading | recently viewed | recently viewed products | recently viewed items | similar products | similar items
similar jobs | similar listings | similar articles | similar homes | customers also bought | customers also viewed
customers who viewed this item also viewed | people also viewed | customers who bought this item also bought
frequently bought together | goes well with | inspired by your browsing history | products related to this item
sponsored products related to this item | editors' picks | editor's picks | editors picks | editor's pick
hot network questions | from around the web | around the web | paid content | sponsored content | promoted
promoted stories | from our partners | partner content | sponsored | advertisement | anzeige | publicité | publicidad
meistgelesen | am meisten gelesen | beliebte artikel | beliebteste artikel | das könnte sie auch interessieren
das könnte dich auch interessieren | das könnte ihnen auch gefallen | das könnte dir auch gefallen | mehr zum thema
auch interessant | ähnliche artikel | ähnliche produkte | verwandte artikel | empfohlene artikel | weitere artikel
empfehlungen | kunden kauften auch | kunden interessierten sich auch für | zuletzt angesehen | lesen sie auch
lies auch | à lire aussi | lire aussi | à lire également | sur le même sujet | articles similaires | articles liés
les plus lus | les plus populaires | vous aimerez aussi | vous pourriez aussi aimer | produits similaires
produits apparentés | à ne pas manquer | recommandé pour vous | te puede interesar | también te puede interesar
le puede interesar | lo más leído | lo más visto | más leídas | más leídos | artículos relacionados
noticias relacionadas | productos relacionados | también te puede gustar | lee también | leer más | leggi anche
potrebbe interessarti | potrebbe interessarti anche | ti potrebbe interessare | i più letti | più letti
articoli correlati | prodotti correlati | articoli più letti | mais lidas | mais lidos | leia também | leia mais
veja também | artigos relacionados | notícias relacionadas | produtos relacionados | você também pode gostar | lees ook
meest gelezen | gerelateerde artikelen | gerelateerde producten | misschien ook interessant | aanbevolen | czytaj także
czytaj też | zobacz także | zobacz też | najczęściej czytane | najpopularniejsze | podobne produkty | powiązane artykuły
читайте также | читать также | самое читаемое | популярное | похожие товары | похожие статьи | рекомендуем
вам может понравиться | смотрите также | материалы по теме | läs också | mest lästa | relaterade artiklar | les også
mest lest | læs også | mest læste | lue myös | luetuimmat | přečtěte si také | nejčtenější | podobné produkty
olvasta már | legolvasottabb | citește și | cele mai citite | ilgili haberler | ilgili yazılar | benzer ürünler
çok okunanlar | en çok okunanlar | bunlar da ilginizi çekebilir | مقالات ذات صلة | اقرأ أيضا | اقرأ أيضاً | الأكثر قراءة
مواضيع ذات صلة | כתבות נוספות | עוד בנושא | 関連記事 | おすすめ記事 | 人気記事 | アクセスランキング | 人気ランキング
あわせて読みたい | こちらもおすすめ | 関連商品 | おすすめ商品 | 相关阅读 | 相关文章 | 相关推荐 | 相关新闻 | 热门文章
热门推荐 | 推荐阅读 | 猜你喜欢 | 为你推荐 | 排行榜 | 相關文章 | 熱門文章 | 推薦閱讀 | 延伸閱讀 | 관련 기사 | 관련기사
추천 기사 | 인기 기사 | 많이 본 뉴스 | 많이 본 기사
people also read | what others are reading | other readers liked | others also read | popular this week
trending this week | readers also liked | you may have missed | in case you missed it | don't miss | don’t miss
also on this site | complete the look | often bought with | customers also liked | pairs well with | shop similar
sponsored links | top searches | similar posts | ähnliche beiträge | ähnliche themen | passende produkte
wird oft zusammen gekauft | beliebte beiträge | beliebte themen | meistgeklickt | les articles les plus lus
articles les plus lus | les plus consultés | vous aimerez également | dans la même rubrique | à découvrir aussi
articles recommandés | artículos recomendados | más populares | lo más popular | más vistos | artículos populares
quizás te interese | los más leídos | podría interesarte | artigos recomendados | mais vistos | mais populares
você pode gostar | talvez te interesse | prodotti simili | articoli consigliati | ti potrebbero interessare
potrebbe piacerti | populaire artikelen | populair | vergelijkbare producten | anderen bekeken ook | polecane
polecane artykuły | popularne artykuły | popularne | inni kupili również | może cię zainteresować | podobne artykuły
mohlo by vás zajímat | doporučujeme | související články | zákazníci také koupili | popularní články
nejčtenější články | популярные статьи | похожие материалы | похожие записи | с этим товаром покупают | вы смотрели
вас может заинтересовать | ilginizi çekebilir | benzer haberler | popüler haberler | bunları da beğenebilirsiniz
人気記事ランキング | 関連リンク | 関連ニュース | 最近チェックした商品 | 你可能感兴趣 | 你可能喜欢 | 热门排行 | 热点推荐
相似推荐 | 相關新聞 | 인기 뉴스 | 추천 상품 | 관련 상품 | 함께 본 상품 | قد يعجبك أيضا
منتجات ذات صلة | الأكثر مشاهدة | אולי יעניין אותך
"""
_HEADINGS_ASIDE: Final = """
instagram | follow us on instagram | our instagram | tweets | latest tweets | recent tweets
related | more | latest news | latest posts | latest articles | latest stories | latest | recent posts | recent articles
recent comments | recent news | recent entries | news | top stories | popular | featured | weather | tip of the day
did you know | did you know? | random article | quote of the day | word of the day | who's online | who is online
users online | neueste beiträge | aktuelle nachrichten | letzte kommentare | neueste kommentare | derniers articles
dernières actualités | commentaires récents | entradas recientes | últimas noticias | comentarios recientes
articoli recenti | ultime notizie | commenti recenti | posts recentes | últimas notícias | recente berichten
laatste nieuws | ostatnie wpisy | najnowsze wpisy | свежие записи | последние новости | son yazılar | son haberler
más noticias | más leído | otras noticias | altre notizie | mais notícias | plus d'actualités | articles récents
hot topics | top 5 | top 10 | najnowsze | aktuality | novinky | weitere themen | weitere meldungen | meer nieuws
diğer haberler | categories | archives | archiv | kategorien | catégories | categorías | categorie | categorias
kategorie | рубрики | архивы | tags | tag cloud
最近の投稿 | 最新記事 | 新着記事 | 最近のコメント | 最新文章 | 近期文章 | 最新新闻 | 最新消息 | 최근 글 | 최신 뉴스
"""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for line in text.splitlines() for phrase in line.split("|") if phrase.strip())


# A short text of its own that marks what it stands in as paid for.
PAID_FOR: Final = frozenset(
    "advertisement advertisements advertising sponsored ad ads anzeige anzeigen werbung publicité publicidad "
    "pubblicità publicidade advertentie reklama reklam реклама annons annonse annonce mainos 広告 广告 廣告 광고 إعلان".split()
)
HEADINGS: Final = _phrases(_HEADINGS) | MORE_HEADINGS
# Below an article only: elsewhere they may head what the page is for.
HEADINGS_BELOW: Final = frozenset(
    (
        "more stories",
        "more articles",
        "more news",
        "more posts",
        "keep reading",
        "recommended",
        "recommendations",
        "empfehlungen",
        "weitere artikel",
        *MORE_BELOW,
    )
)
HEADINGS_ASIDE: Final = _phrases(_HEADINGS_ASIDE) | HEADINGS
