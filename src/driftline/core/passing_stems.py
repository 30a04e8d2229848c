"""How headings above lists of other pages begin or what they hold, for those that name a site, a section or an author too.

Lower case. They count beside the content or below an article only: elsewhere they may head what the page is for.
"""

from __future__ import annotations

from typing import Final

from driftline.core.later import later

LONGEST: Final = 60  # characters of such a heading

# How they begin; every line says it in more ways.
_BEGINNINGS: Final = r"""
(?:the |our |today['’]?s )?most (?:read|viewed|popular|discussed|commented|shared|watched|emailed|clicked|listened)
(?:related|similar|recommended|suggested|trending|popular|further|more|other) (?:articles?|stories|posts?|news|reads?|content)\b
(?:related|similar|recommended|suggested|trending|popular|more|other) (?:reading|videos?|headlines|coverage|blogs?)\b
(?:related|similar|recommended|suggested|trending|popular|more|other) (?:features|products|searches|podcasts|episodes)\b
(?:related|similar|recommended|suggested|trending|popular|more|other) (?:recipes|books|questions)\b
more (?:from|by|in|like|to (?:explore|read|discover|watch))(?! the (?:act|law|code))\s
more to (?:explore|read|discover|watch)$
(?:popular|trending|most read|most popular|recommended|hot) (?:in|on|from|at|this week|today|now|right now)\b
(?:explore|discover|read|watch) more$|continue reading$|keep reading$|must[- ]reads?$|what to (?:read|watch)\b
(?:our |editors?['’]? |top )?top picks$|what['’]s (?:hot|trending)|best ?sellers$|linked questions$
today['’]?s top stories
(?:readers|viewers|people|others|users|visitors|shoppers|customers|fans) (?:also|who (?:view|read|watch|like|b))
suggested for you
(?:sponsored|promoted|partner|paid) (?:stories|posts|content|articles|links|by)\b|elsewhere (?:on|in)\s
(?:die )?meist ?(?:gelesen|kommentiert|geklickt|geteilt|gesehen|diskutiert)|(?:die )?beliebteste
beliebt (?:auf|bei|in)\b
(?:weitere|mehr|ähnliche|verwandte|empfohlene|beliebte) (?:artikel|news|beiträge|nachrichten|meldungen)\b
(?:weitere|mehr|ähnliche|verwandte|empfohlene|beliebte) (?:videos|themen|top-themen|rezepte|stories)\b
mehr (?:aus|von|vom)\s|mehr zum thema\b|passend zum thema|zum thema$|lesetipps?$|unsere empfehlung
lesen sie (?:mehr|auch)|auch (?:interessant|lesenswert)|top[- ]artikel$
meest (?:gelezen|bekeken|besproken|populair)|lees (?:meer|ook|verder)|meer (?:van|uit|nieuws|artikelen)\b
net binnen$
(?:aanbevolen|populaire|gerelateerde|vergelijkbare|andere) (?:artikelen|berichten|producten|video['’]?s|onderwerpen)
(?:les )?(?:articles |sujets )?(?:\+|plus) (?:lus?|lues|commentés|populaires|partagés|consultés|vus)\b|les \+ lus
plus d['’](?:articles|infos|actualités)|dans la même (?:catégorie|rubrique)|sur le même (?:sujet|thème)
(?:à|a) (?:lire|voir|découvrir) (?:aussi|également|ensuite)|lire la suite$|lire aussi|nos recommandations
vous (?:devriez|aimerez|pourriez)|contenus? sponsorisés?|(?:la )?sélection de la rédaction|la rédaction vous conseille
(?:nos )?articles (?:liés|similaires|associés|recommandés|populaires)
(?:lo|las?|los?|noticias|notas|artículos) más (?:leíd|vist|comentad|popular|compartid|noticias)\w*
más (?:leíd|vist|comentad)\w*|te (?:recomendamos|puede|podría)|más (?:sobre este tema|en|de)\s
no te (?:lo )?pierdas|contenido (?:patrocinado|relacionado)
(?:notas|noticias|artículos|entradas|temas|productos|contenidos?|videos) (?:relacionad|similar|recomendad|destacad)\w+
relacionad[oa]s$|le(?:a|e|er) (?:también|más)$|otras noticias$
(?:le|i|gli|articoli|notizie)? ?più (?:lett|vist|commentat|popolar|condivis)\w+|da non perdere$|leggi (?:anche|altro)
altri articoli|(?:articoli|notizie|prodotti|contenuti|video|post) (?:correlat|simil|consigliat|sponsorizzat)\w+
consigliati|potrebbe(?:ro)? (?:anche )?(?:interessart|piacert)i|ti potrebbe
(?:as |os |notícias )?mais (?:lid|vist|comentad|popular|acessad)\w+|mais (?:em|de|notícias)\b
veja (?:também|mais)$|leia (?:também|mais)|recomendad[oa]s
(?:notícias|artigos|conteúdos?|matérias|produtos|posts|vídeos) (?:relacionad|semelhant|recomendad)\w+
cele mai (?:citite|populare|vizualizate|comentate)|cite[sș]te (?:[sș]i|mai)|articole (?:similare|recomandate|populare)
vezi [sș]i$
naj(?:chętniej|częściej) czytane|najpopularniejsze|popularne (?:teraz|artykuły|tematy)
(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej)
(?:polecane|powiązane|podobne|inne) (?:artykuły|wpisy|tematy|materiały)|warto (?:przeczytać|wiedzieć)
nej(?:čtenější|diskutovanější|sledovanější)|související$|(?:související|další|podobné|doporučené) články
(?:čtěte|přečtěte si)\s|mohlo by|naj(?:čítanejšie|čitanije|branije|populárnejšie)|súvisiace
(?:prečítajte|pročitajte) (?:si|još|i)\b|(?:povezan|slične|ostale) (?:vijesti|vesti|članci|novice)
leg(?:olvasottabb|népszerűbb|frissebb)|kapcsolódó (?:cikkek|tartalm|hírek)\w*|ajánlott|olvasta már
(?:populiariausi|skaitomiausi|susij)\w*|loetumad|lasītākie|seotud (?:uudised|artiklid)|saistītie
mest (?:läst|lest|læst|sett|set|populär|populær)\w*|(?:läs|les|læs) (?:också|også|även|mer|mere)
(?:fler|flere|mer|mere|relaterade|relaterte|relaterede) (?:artiklar|artikler|saker|nyheter|nyheder|från|fra|om)\b
senaste nytt$|luetuimmat|lue (?:myös|lisää)|lisää aiheesta|suosituimmat|suositellut|muita artikkeleita
сам(?:ые|ое|ая) (?:читаем|популярн|обсуждаем|интересн|комментируем)\w+
(?:читайте|смотрите|читать) (?:также|ещё|еще|далее|по теме)|(?:новости|материалы|статьи) (?:партн[её]ров|по теме|сми2|24сми)
(?:ещё |также |материалы )?по теме$
(?:популярн|похож|другие|рекомендуем|интересн)\w* (?:новости|статьи|материалы|записи|публикации|посты|видео)
популярное|лучшие материалы|интересное$|вам (?:может|будет)\s|рекоменду
популярн[іе]|читайте (?:також|ще)|найпопулярніш|новини (?:партнерів|за темою)
(?:схожі|інші) (?:новини|статті|матеріали)|най-(?:четени|нови|коментирани|гледани)|прочетете още
още (?:по темата|новини)|најчитаније|повезане вести|најновије
(?:en )?çok (?:okunan|yorumlanan|izlenen)\w*
(?:ilgili|benzer|önerilen|diğer|popüler) (?:haber|yazı|konu|içerik|ürün|video)\w*|son dakika(?: haberleri)?$
διαβάστε (?:επίσης|ακόμη|ακόμα|περισσότερα)|δημοφιλ|σχετικ(?:ά|ές) (?:άρθρα|ειδήσεις|θέματα|προϊόντα)
περισσότερα (?:νέα|άρθρα)|δείτε (?:επίσης|ακόμη|ακόμα)
baca (?:juga|selengkapnya|lainnya)|(?:berita|artikel|produk|konten) (?:terkait|terpopuler|populer|lainnya|pilihan)
terpopuler|(?:tin|bài|bài viết|sản phẩm) (?:liên quan|đọc nhiều|cùng chuyên mục|xem nhiều|tương tự|mới nhất)
đọc (?:nhiều|thêm)|xem (?:thêm|nhiều)|có thể bạn
"""
# What they hold, in languages that write without spaces or put such words last.
_ANYWHERE: Final = r"""
ランキング|人気(?:の|記事)|(?:お|オ)(?:すすめ|ススメ)|読まれて|注目(?:の)?記事
関連(?:記事|ニュース|コンテンツ|する記事|商品|トピック)|合わせて読|あわせて読
[热熱][门門點点](?:[新资資文推標标话話排帖]|$)|(?:精彩|相[关關]|[图圖]文|[编編][辑輯]|小[编編]|[为為][你您])推[荐薦]
推[荐薦](?:[阅閱][读讀]|文章|新[闻聞])|(?:[阅閱][读讀]|[点點][击擊]|人[气氣]|[热熱][门門])排行|猜[你您]
[你您]可能(?:[还還也])?(?:喜|[会會]|感|想)|大家(?:都|[还還])?在|今日[热熱][点點門门]|[热熱]文|本周[热熱]
相[关關](?:[阅閱][读讀]|文章|新[闻聞]|[资資][讯訊]|[内內]容|[报報][道導]|[话話][题題]|帖子|[视視][频頻])
延伸[阅閱][读讀]
많이 ?(?:본|읽은)|인기 ?(?:기사|뉴스|글|검색어|상품)|추천 ?(?:기사|뉴스|글|상품)|관련 ?(?:기사|뉴스|글|상품|영상)
랭킹 ?뉴스|(?:이 시각 )?주요 ?뉴스|댓글 많은|오늘의 추천
الأكثر (?:قراءة|مشاهدة|تعليقا|شعبية|تداولا)|اقرأ (?:أيضا|المزيد)
(?:مقالات|أخبار|مواضيع|موضوعات) (?:ذات صلة|متعلقة|مشابهة|مرتبطة)|قد (?:يعجبك|يهمك|تعجبك)
پر(?:بیننده|بازدید|بحث)|(?:مطالب|اخبار) (?:مرتبط|پیشنهادی)|הנצפות|נצפות ביותר|כתבות (?:נוספות|קשורות)|עוד (?:ב|כתבות)
אולי (?:יעניין|תאהב)
ข่าวที่เกี่ยวข้อง|บทความที่เกี่ยวข้อง|ยอดนิยม|यह भी पढ़ें|ये भी पढ़ें|संबंधित (?:खबर|लेख|समाचार)
(?:सबसे ज्यादा|ज्यादा) पढ़
"""
# How lists of the newest begin, beside the content alone.
_NEWEST: Final = r"""
(?:our |the )?(?:latest|newest|recent|new|top|featured|hot|other) (?:news|posts?|articles?|stories|headlines|topics|updates)\b
recently added$|latest (?:in|on|from|at|this week|today|now|right now)\b
(?:our |the )?(?:latest|newest|recent|new|featured) (?:videos?|threads|entries|blogs?|publications|press releases|comments)\b
headlines$|in the news$|news (?:&|and) (?:events|updates|views)$|from (?:the|our) blog|(?:the )?\w{2,20} blog$
(?:our |the )?blog(?: archive)?$|spotlight$|news ?feed$|breaking
(?:topics|tags|labels|sections|themes|blogroll|archive|by (?:topic|category|month))$
(?:aktuelles?|schlagzeilen|nachrichten|im fokus|kurz notiert|blog-archiv|themen|schlagwörter|rubriken)$
(?:die )?(?:neueste|aktuelle|letzte|top)n? (?:beiträge|artikel|meldungen|nachrichten|news|themen|kommentare|posts|einträge)
neu (?:im|auf|bei)\s
(?:nieuwste|laatste|recente|top) (?:artikelen|berichten|nieuws|reacties|blogs)|(?:nieuws|onderwerpen|archief|laatste nieuws)$
(?:les |nos )?(?:derni[eè]re?s?|récente?s?|nouve(?:aux|lles)) (?:publications|actualités|articles|billets|infos|brèves|vidéos)
en ce moment$|à la une$|(?:les )?actualités$|l['’]actu(?:alité)?$|en bref$|le fil (?:info|actu)|fil info|thèmes$
rubriques$|mots-clés$
(?:las |los |lo )?(?:últim[oa]s?|más reciente)s?(?: (?:noticias|entradas|artículos|publicaciones|posts|hora|comentarios))?$
destacad[oa]s$|noticias$|temas$|etiquetas$|actualidad$|archivo$
(?:le |gli )?ultim[eio] (?:notizie|articoli|news|post|ore|ora|commenti)|(?:articoli|notizie|contenuti|video|post) recent\w+
in evidenza$|primo piano$|in primo piano$
notizie$|argomenti$|archivio$
(?:as |os )?últim[oa]s?(?: (?:notícias|posts|artigos|publicações))?$|em (?:destaque|alta)$|destaques?$|notícias$
tópicos$|arquivo$
(?:naj|ostatnie |nowe )(?:nowsze|świeższe|wpisy|artykuły|wiadomości)|aktualności$|wiadomości$|tematy$|archiwum$|najnowsze\b
(?:aktuality|novinky|zprávy|rubriky|štítky|archiv|najnovije|vijesti|vesti|novice)$
(?:nejnovější|poslední|nové) (?:články|zprávy|příspěvky)
(?:leg)?friss(?:ebb|ek)?\b|(?:hírek|címkék|archívum|rovatok)$|ultimele (?:știri|articole|noutăți)|(?:știri|noutăți|etichete)$
(?:senaste|siste|seneste|nyeste|nyaste)(?: (?:nytt|nyt|nyheter|nyheder|inlägg|innlegg|indlæg|artiklar|artikler))?$
(?:nyheter|nyheder|ämnen|emner|arkiv)$|uusimmat|viimeisimmät|(?:uutiset|aiheet|arkisto)$
(?:последние|свежие|новые|главные) (?:новости|статьи|записи|материалы|публикации|посты|видео|комментарии)
(?:лента новостей|новости|главное|рубрики|теги|архив|темы дня)$
(?:останні|свіжі|нові|головні) (?:новини|статті|записи|публікації|матеріали)
(?:новини|головне|рубрики|теги|архів|стрічка новин)$|последни новини|новини$
son (?:haberler|yazılar|dakika|eklenenler|yorumlar)|(?:haberler|güncel|etiketler|kategoriler|arşiv)$|τελευταία νέα
(?:νέα|ειδήσεις|επικαιρότητα)$
(?:artikel|berita|pos|posting) ter(?:baru|kini)|(?:terbaru|terkini|kategori|arsip)$|tin (?:mới|tức)|bài (?:viết )?mới
新着|最新|(?:ニュース|トピックス|タグ|カテゴリー|アーカイブ)$
(?:新闻|新聞|资讯|資訊|标签|標籤|分类|分類|归档)(?:动态|動態|中心|资讯|列表)?$
최신|(?:뉴스|새 ?글|태그|카테고리)$|(?:أحدث|آخر) (?:الأخبار|المقالات|المواضيع|التعليقات)
(?:أخبار|الأخبار|وسوم|تصنيفات)$|آخرین (?:اخبار|مطالب)|חדשות$
"""


def _ways(lines: str) -> str:
    return "|".join(lines.strip().splitlines())


IS_NEWEST: Final = later(rf"^(?:{_ways(_NEWEST)})")
ANNOUNCES: Final = later(rf"^(?:{_ways(_BEGINNINGS)})|{_ways(_ANYWHERE)}")
