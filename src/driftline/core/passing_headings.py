"""Headings above lists of other things, as shops, job boards, brokers and newspapers word them. Lower case.

Most are made of two words, one for "similar" and one for what is listed; the languages decline them, so each has its own table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final


def _phrases(text: str) -> Iterator[str]:
    return (" ".join(phrase.split()) for line in text.splitlines() for phrase in line.split("|") if phrase.strip())


def _joined(text: str) -> Iterator[str]:
    """`similar, related + jobs, homes`: each with each."""
    for line in filter(None, map(str.strip, text.splitlines())):
        before, _, behind = line.partition("+")
        for one in before.split(","):
            for other in behind.split(","):
                yield f"{one.strip()} {other.strip()}"


_PAIRS: Final = """
similar + properties, homes, houses, apartments, flats, rentals, listings
similar + ads, offers, vehicles, cars, jobs, vacancies, job offers
similar + roles, positions, events, recipes, courses, hotels, rooms, books
similar + movies, games, apps, questions, topics, threads, auctions
similar + lots, tours, brands, videos, podcasts, episodes, searches, deals
related, recommended, suggested + properties, homes, apartments, listings, ads, vehicles
related, recommended, suggested + cars, jobs, vacancies, job offers, searches
related, recommended, suggested + auctions, deals, videos, threads, reads
ähnliche, vergleichbare + immobilien, objekte, wohnungen, häuser, angebote, anzeigen
ähnliche, vergleichbare + inserate, fahrzeuge, autos, jobs, stellen
ähnliche, vergleichbare + stellenangebote, stellenanzeigen, veranstaltungen, rezepte, kurse
ähnliche, vergleichbare + hotels, bücher, meldungen, fragen
ähnliche, vergleichbare + auktionen, suchanfragen, treffer, nachrichten, videos, artikel, produkte
passende, empfohlene + immobilien, objekte, wohnungen, anzeigen, inserate, fahrzeuge, jobs, stellenangebote, angebote
annonces, biens, offres, appartements, maisons, logements, véhicules, voitures, offres d'emploi + similaires, comparables
offres d’emploi, emplois, événements, recettes, livres, sujets, contenus, actualités, vidéos, questions, hôtels + similaires
anuncios, inmuebles, viviendas, pisos, casas, propiedades, ofertas, vehículos, coches, empleos, trabajos + similares
anuncios, inmuebles, viviendas, pisos, casas + relacionados, relacionadas, parecidos, parecidas
propiedades, ofertas, empleos, trabajos + relacionados, relacionadas, parecidos, parecidas
ofertas de empleo, eventos, recetas, libros, contenidos, cursos, hoteles, vídeos, videos, productos, artículos + similares
annunci, immobili, case, appartamenti, offerte, veicoli, auto + simili
lavori, offerte di lavoro, eventi, ricette, libri, notizie + simili
annunci, immobili, case, appartamenti, offerte, notizie, video + correlati, correlate, consigliati, consigliate
imóveis, anúncios, casas, apartamentos, ofertas + semelhantes, similares, relacionados, relacionadas
vagas, empregos, veículos, carros + semelhantes, similares, relacionados, relacionadas
eventos, receitas, livros, cursos, hotéis, vídeos, produtos, artigos + semelhantes, similares
vergelijkbare, soortgelijke + woningen, huizen, appartementen, advertenties, objecten
vergelijkbare, soortgelijke + aanbiedingen, auto's, auto’s, vacatures, banen
vergelijkbare, soortgelijke + evenementen, recepten, boeken, berichten, video's, artikelen, hotels, cursussen
gerelateerde, aanbevolen + woningen, advertenties, vacatures, aanbiedingen, berichten, video's
podobne + oferty, ogłoszenia, nieruchomości, mieszkania, domy, oferty pracy
podobne + samochody, wydarzenia, przepisy, książki, tematy, aukcje
podobne + wiadomości, filmy, wpisy, kursy
polecane, powiązane, sugerowane + oferty, ogłoszenia, nieruchomości, mieszkania, oferty pracy, wiadomości, wpisy, aukcje
podobné + nabídky, nemovitosti, byty, domy, inzeráty, pracovní nabídky, pozice
podobné + vozy, akce, recepty, knihy, články, zboží, zprávy
související, doporučené + nabídky, nemovitosti, inzeráty, zprávy, zboží, pracovní nabídky
liknande + bostäder, annonser, objekt, lägenheter, hus, jobb, tjänster
liknande + bilar, evenemang, recept, böcker, produkter, nyheter, varor
relaterade, rekommenderade + annonser, jobb, produkter, nyheter
lignende + boliger, annoncer, annonser, ejendomme, eiendommer, lejligheder, leiligheter, job, jobs, jobber, stillinger, biler
lignende + begivenheder, arrangementer, opskrifter, oppskrifter, bøger, bøker, produkter, varer, artikler, nyheder, nyheter
relaterede, relaterte, anbefalede, anbefalte + annoncer, annonser, job, jobber, produkter, varer, artikler
samankaltaisia, vastaavia, samanlaisia + kohteita, asuntoja, ilmoituksia, työpaikkoja
samankaltaisia, vastaavia, samanlaisia + tuotteita, autoja, artikkeleita, tapahtumia
benzer + ilanlar, emlaklar, daireler, konutlar, evler, iş ilanları, araçlar
benzer + etkinlikler, tarifler, kitaplar, ürünler, içerikler, yazılar
ilgili, önerilen + ilanlar, iş ilanları, ürünler, içerikler
похожие, аналогичные + объявления, предложения, объекты, квартиры, дома, вакансии
похожие, аналогичные + автомобили, авто, события, рецепты, книги, темы
похожие, рекомендуемые + новости, публикации, видео, вопросы, лоты, вакансии, объявления, товары
схожі, подібні + оголошення, пропозиції, об'єкти, квартири, будинки, вакансії, автомобілі
схожі, подібні + події, рецепти, книги, новини, товари, статті
рекомендовані, пов'язані, пов’язані + оголошення, вакансії, новини, товари, статті
وظائف, عقارات, إعلانات, منتجات, أخبار, مقالات, عروض, سيارات + مشابهة, مماثلة, ذات صلة
"""

_WHOLE: Final = """
more from this seller | more from the seller | more from this shop | more from this store | more from this brand
more from this agent | more from this agency | more from this company | more from this employer | more from this artist
more from this category | more from this collection | more from this section | more from this publisher | more by this author
more by this artist | more by this seller | more from the author | other items from this seller | see other items
sellers other items | seller's other items | seller’s other items | other jobs you may like | jobs you may be interested in
jobs you might like | more jobs like this | more jobs for you | people also searched for | people also search for
people also ask | people also bought | people also like | people who viewed this also viewed | others also viewed
others you may like | homes you may like | properties you may like | nearby properties | nearby listings | you may like
you might like | you'll love these | you’ll love these | we think you'll love | we think you’ll love | our picks for you
picked for you | selected for you | just for you | inspired by your views | based on your browsing
based on your recent views | continue shopping | customers who bought this also bought
customers who viewed this also viewed | customers also considered | customers also purchased | shoppers also viewed
compare with similar items | compare similar items | compare similar products | frequently viewed together
often viewed together | sponsored products | top picks for you | related coverage | ebenfalls interessant
weitere angebote dieses verkäufers | mehr von diesem verkäufer | weitere artikel des verkäufers
weitere artikel dieses verkäufers | andere artikel des verkäufers | weitere anzeigen des anbieters
weitere objekte des anbieters | weitere inserate des anbieters | weitere immobilien des anbieters
weitere angebote des anbieters | weitere objekte in der nähe | andere kunden kauften auch | kunden kauften dazu
kunden suchten auch nach | kunden haben auch gekauft | kunden haben auch angesehen | kunden haben sich ebenfalls angesehen
andere suchten auch nach | wird häufig zusammen gekauft | häufig zusammen gekauft | das passt dazu | passend dazu
dazu passt | passt gut dazu | ihre zuletzt angesehenen artikel | zuletzt angesehene artikel | zuletzt angesehene produkte
das könnte dich interessieren | das könnte sie interessieren | das könnte ihnen gefallen | das könnte dir gefallen
diese jobs könnten sie interessieren | jobs, die sie interessieren könnten | weitere jobs für sie
unsere empfehlungen für sie | für sie empfohlen | für dich empfohlen | empfohlen für sie | empfohlen für dich
auch lesenswert | meistgesucht | beliebte suchanfragen | am meisten gesucht | weitere top-artikel
ces annonces peuvent vous intéresser | ces offres peuvent vous intéresser | ceci pourrait vous intéresser
cela pourrait vous intéresser | cela peut vous intéresser | vous pourriez être intéressé par | vous pourriez aimer
vous aimerez peut-être | vous aimerez peut-être aussi | autres annonces du vendeur | plus d'annonces de ce vendeur
les autres annonces de ce vendeur | du même vendeur | du même artiste | de la même marque | les clients ont également acheté
les clients ont aussi acheté | les clients ont également consulté | souvent achetés ensemble | fréquemment achetés ensemble
produits vus récemment | vus récemment | récemment consultés | derniers produits consultés | notre sélection pour vous
sélectionné pour vous | à voir aussi | à voir également | recommandés pour vous | produits associés | complétez votre look
también te puede interesar | te podría interesar | podría interesarte | quizá te interese | puede que te interese
otros anuncios del vendedor | más anuncios de este vendedor | más de este vendedor | otros productos del vendedor
los clientes también compraron | los clientes también vieron | otros clientes compraron | clientes también compraron
quienes vieron este producto también vieron | quienes compraron este producto también compraron
comprados juntos habitualmente | vistos recientemente | productos vistos recientemente | recomendado para ti
recomendados para ti | recomendaciones para ti | también te gustará | te puede gustar | potrebbero interessarti
potrebbero interessarti anche | potrebbe interessarti anche questo | ti potrebbe piacere | ti potrebbero piacere
potrebbero piacerti anche | altri annunci del venditore | altri annunci dell'inserzionista | altri prodotti del venditore
altri oggetti del venditore | i clienti hanno acquistato anche | chi ha comprato questo ha comprato anche
spesso comprati insieme | visti di recente | prodotti visti di recente | visti recentemente | consigliati per te
raccomandati per te | outros anúncios do vendedor | mais anúncios deste vendedor | mais deste vendedor
outros produtos do vendedor | também pode gostar | também lhe pode interessar | pode interessar-lhe | pode também gostar
talvez também goste | quem viu este produto também viu | quem comprou também comprou | quem viu também viu
clientes também compraram | frequentemente comprados juntos | vistos recentemente | produtos vistos recentemente
recomendado para você | recomendados para si | recomendado para si | recomendações para você | veja mais imóveis | bekijk ook
meer van deze verkoper | andere advertenties van deze verkoper | meer van deze adverteerder | anderen kochten ook
anderen bekeken | klanten kochten ook | klanten bekeken ook | vaak samen gekocht | dit vind je misschien ook leuk
misschien vind je dit ook leuk | misschien ook interessant voor jou | dit is misschien ook iets voor jou | ook interessant
recent bekeken | laatst bekeken | onlangs bekeken | aanbevolen voor jou | voor jou geselecteerd
inne ogłoszenia sprzedającego | więcej od tego sprzedawcy | inne oferty sprzedawcy | inne oferty tego sprzedawcy
inne oferty ogłoszeniodawcy | klienci kupili także | klienci kupili również | klienci oglądali także | inni klienci kupili
inni oglądali również | często kupowane razem | ostatnio oglądane | ostatnio przeglądane | polecane dla ciebie
polecamy także | mogą cię zainteresować | może ci się spodobać | może cię zainteresować również | zobacz również
przeczytaj także | przeczytaj również | czytaj również | warto przeczytać | najczęściej wyszukiwane | další inzeráty prodejce
další nabídky prodejce | další od tohoto prodejce | zákazníci kupují také | zákazníci také kupují | ostatní zákazníci koupili
často kupováno společně | naposledy prohlížené | naposledy navštívené | doporučujeme také | mohlo by se vám líbit
mohlo by vás také zajímat | mohlo by vás zajímat | čtěte také | čtěte dále | přečtěte si | fler annonser från säljaren
fler från säljaren | mer från säljaren | andra köpte också | andra kunder köpte också | andra tittade också på
kunder köpte också | köps ofta tillsammans | senast visade | senast sedda | nyligen visade | rekommenderas för dig
rekommenderat för dig | du kanske också gillar | du kanske gillar | du kanske är intresserad av | läs även | mest läst
mest läst just nu | flere annoncer fra sælger | mere fra sælgeren | andre købte også | andre kiggede også på
kunder købte også | ofte købt sammen | senest sete | sidst sete | nyligt sete | anbefalet til dig
måske er du også interesseret i | du vil måske også kunne lide | du kunne også være interesseret i | mest læst
mest læste lige nu | flere annonser fra selger | mer fra selgeren | andre kjøpte også | andre har også sett på
andre så også på | kunder kjøpte også | ofte kjøpt sammen | sist sett | nylig sett | anbefalt for deg | du liker kanske også
du liker kanskje også | kanskje liker du også | mest lest akkurat nå | muut ostivat myös | asiakkaat ostivat myös
asiakkaat katsoivat myös | usein ostettu yhdessä | viimeksi katsotut | äskettäin katsotut | suosittelemme sinulle
sinua saattaisi kiinnostaa | saatat pitää myös | myyjän muut ilmoitukset | muita myyjän kohteita | luetuimmat juuri nyt
satıcının diğer ilanları | bu satıcının diğer ilanları | satıcının diğer ürünleri | bunu alanlar bunu da aldı
bu ürünü alanlar bunları da aldı | bu ürüne bakanlar | bu ürüne bakanlar bunlara da baktı | birlikte al
sıkça birlikte alınanlar | son gezdiklerim | son görüntülenenler | son baktığınız ürünler | sizin için önerilenler
size özel öneriler | önerilenler | sizin için seçtiklerimiz | bunlar da ilginizi çekebilir | ilginizi çekebilecek ürünler
bunları da sevebilirsiniz | другие объявления продавца | другие объявления автора | ещё от этого продавца
другие товары продавца | ещё от продавца | с этим покупают | с этим товаром также покупают | вместе с этим покупают
покупатели также смотрели | с этим товаром смотрят | покупают вместе | вы недавно смотрели | недавно просмотренные
вы смотрели раньше | ранее вы смотрели | просмотренные товары | рекомендуем вам | рекомендации для вас
вам может быть интересно | вам также может понравиться | возможно, вас заинтересует | может быть интересно | также читают
другие вакансии компании | інші оголошення автора | інші оголошення продавця | інші товари продавця | з цим товаром купують
разом з цим купують | нещодавно переглянуті | ви переглядали | рекомендуємо | рекомендуємо також | вам може сподобатися
вас може зацікавити | вам також може сподобатися | читайте також | дивіться також | популярне | найпопулярніше
この商品を見た人はこんな商品も見ています | この商品を見た人はこちらの商品も見ています | この商品を見ている人におすすめ
この商品を買った人はこんな商品も買っています | この商品を購入した人はこんな商品も購入しています
この商品を買った人は | こんな商品も見ています | よく一緒に購入されている商品 | 一緒に購入されている商品 | 最近見た商品
最近閲覧した商品 | 閲覧履歴 | あなたへのおすすめ | あなたにおすすめ | あなたにおすすめの商品
あなたにおすすめの記事 | おすすめアイテム | おすすめの記事 | 似ている商品 | 類似商品 | 類似物件 | 似た物件 | おすすめ物件
この物件を見た人はこんな物件も見ています | 近くの物件 | 類似の求人 | 似ている求人
関連する求人 | おすすめ求人 | おすすめの求人 | こちらの求人もおすすめ | この求人を見た人はこちらも見ています
この出品者の他の商品 | 出品者の他の商品 | この著者の他の記事 | 関連する記事 | 関連キーワード | 関連動画
こちらもチェック | こちらの記事も読まれています | よく読まれている記事 | 合わせて読みたい | 人気の記事 | 急上昇 | 看了又看
买了又买 | 浏览了该商品的用户还浏览了 | 购买了该商品的用户还购买了 | 看过此商品的人还看了
买过此商品的人还买了 | 猜您喜欢 | 您可能感兴趣 | 您可能还喜欢 | 您可能喜欢 | 您可能也喜欢 | 你可能也喜欢 | 为您推荐 | 相似商品
同类商品 | 相关商品 | 相关产品 | 相似房源 | 相似职位 | 推荐职位 | 相关职位
附近房源 | 推荐房源 | 该卖家的其他商品 | 卖家其他商品 | 最近浏览 | 浏览记录 | 相关视频 | 热门搜索 | 热搜榜 | 大家都在看
大家都在搜 | 大家还在看 | 相關商品 | 相關產品 | 猜你可能喜歡 | 你可能也喜歡
您可能也喜歡 | 您可能會喜歡 | 為你推薦 | 為您推薦 | 同類商品 | 最近瀏覽 | 大家也看了 | 看過此商品的人也看了 | 熱門搜尋
熱門排行 | 이 상품을 본 고객이 함께 본 상품
이 상품을 구매한 고객이 함께 구매한 상품 | 다른 고객이 함께 본 상품 | 함께 구매한 상품 | 함께 보면 좋은 상품 | 같이 본 상품
최근 본 상품 | 비슷한 상품 | 유사 상품 | 유사한 상품 | 비슷한 매물
추천 매물 | 추천 공고 | 비슷한 채용 공고 | 유사한 채용 공고 | 추천 채용 공고 | 이 판매자의 다른 상품 | 판매자의 다른 상품
회원님을 위한 추천 | 당신을 위한 추천 | 추천 콘텐츠 | 추천 글 | 인기 글
실시간 인기 | 실시간 검색어 | 연관 기사 | 연관 검색어 | 관련 글 | 관련글 | 관련 영상 | 관련 뉴스 | 많이 본 글
가장 많이 본 뉴스 | إعلانات أخرى من نفس البائع
المزيد من هذا البائع | إعلانات أخرى للمعلن | قد يهمك أيضا | قد يهمك أيضاً | قد يهمك | قد يعجبك | قد يعجبك أيضاً
منتجات قد تعجبك | العملاء اشتروا أيضا | اشترى العملاء أيضا | شاهد أيضا | شاهد أيضاً | شوهد مؤخرا | شوهدت مؤخرا | موصى به لك
مقترحات لك | اخترنا لك | أخبار متعلقة | الأكثر شعبية | الأكثر تداولا
"""
_BELOW: Final = """
more on this topic | more on this | more on this story | read more on this story | mehr zu diesem thema
meer over dit onderwerp | mer om ämnet | les mer om | läs mer om | lue lisää aiheesta | ещё по теме | читайте по теме
more in this section | mehr aus dieser rubrik | mehr aus diesem ressort | más de esta sección | également dans cette rubrique
polecamy | suosittelemme | lees verder | рекомендуем также | также рекомендуем | اقرأ المزيد | 推荐产品 | 推荐商品 | 推薦商品
"""

# Below an article only: elsewhere they may head what the page is for.
MORE_BELOW: Final = frozenset(_phrases(_BELOW))
# What heads a list of other things, wherever it stands.
MORE_HEADINGS: Final = frozenset((*_phrases(_WHOLE), *_joined(_PAIRS))) | MORE_BELOW
