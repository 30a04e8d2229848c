"""Phrases about stock, by what they say. `_` stands for a space."""

from __future__ import annotations

from typing import Final

OUT: Final = """
    sold_out soldout out_of_stock out-of-stock no_longer_available currently_unavailable temporarily_unavailable
    unavailable not_available no_stock
    out_of_print temporarily_out_of_stock discontinued item_sold sold_out! notify_me_when_available notify_me_when_in_stock
    notify_me_when_back_in_stock email_me_when_back_in_stock email_me_when_available email_when_available
    no_longer_in_stock awaiting_stock restocking_soon all_gone fully_booked no_tickets_available
    sold-out not_currently_available not_yet_available no_longer_for_sale this_listing_has_ended listing_ended
    bidding_has_ended pre-orders_closed
    ausverkauft vergriffen nicht_lieferbar nicht_auf_lager nicht_vorrätig nicht_verfügbar nicht_mehr_verfügbar
    nicht_mehr_lieferbar
    derzeit_nicht_verfügbar zurzeit_nicht_lieferbar leider_ausverkauft restlos_ausverkauft nicht_bestellbar nicht_lagernd
    nicht_erhältlich keine_lieferung_möglich nicht_vorhanden
    nicht_mehr_erhältlich nicht_mehr_im_sortiment artikel_steht_derzeit_nicht_zur_verfügung
    produkt_steht_derzeit_nicht_zur_verfügung artikel_steht_nicht_mehr_zur_verfügung
    épuisé épuisée épuisés épuisées rupture_de_stock en_rupture indisponible pas_disponible plus_disponible
    plus_en_stock victime_de_son_succès non_disponible hors_stock en_cours_de_réapprovisionnement réappro_en_cours
    agotado agotada agotados agotadas sin_stock sin_existencias no_disponible fuera_de_stock no_hay_existencias
    no_quedan_unidades
    no_hay_stock no_quedan_existencias no_está_disponible sin_unidades publicación_pausada
    esaurito esaurita esauriti esaurite non_disponibile non_più_disponibile terminato fuori_produzione
    fuori_catalogo fuori_stock non_è_disponibile non_è_più_disponibile non_ordinabile
    esgotado esgotada esgotados indisponível sem_estoque sem_stock fora_de_estoque produto_indisponível fora_de_stock
    não_disponível não_está_disponível fora_de_linha
    uitverkocht niet_op_voorraad niet_leverbaar niet_beschikbaar niet_meer_leverbaar tijdelijk_uitverkocht
    niet_verkrijgbaar niet_meer_verkrijgbaar niet_meer_beschikbaar
    slutsåld slutsålt slutsålda slut_i_lager ej_i_lager finns_ej_i_lager tillfälligt_slut slut_på_lager utgått
    tillfälligt_slut_i_lager slut_online ej_i_webblager ej_tillgänglig ej_tillgängligt utgått_ur_sortimentet
    udsolgt ikke_på_lager ikke_tilgængelig utsolgt ikke_tilgjengelig midlertidig_utsolgt
    ikke_på_nettlager udgået
    loppuunmyyty loppu_varastosta ei_varastossa ei_saatavilla tilapäisesti_loppu
    loppunut poistunut_valikoimasta
    uppselt ekki_til_á_lager
    wyprzedane wyprzedany wyprzedana niedostępny niedostępna niedostępne brak_w_magazynie brak_towaru produkt_niedostępny
    brak_na_stanie wyczerpany wyczerpane chwilowo_brak
    chwilowy_brak brak_na_magazynie brak_produktu produkt_wycofany wycofany_z_oferty
    vyprodáno vyprodané není_skladem nedostupné nedostupný vypredané nie_je_skladom
    prodej_ukončen prodej_skončil ukončena_výroba ukončený_predaj
    elfogyott nincs_raktáron nincs_készleten nem_rendelhető nem_elérhető kifogyott
    kifutott_termék készlethiány
    stoc_epuizat epuizat indisponibil nu_este_în_stoc fără_stoc stoc_0
    nu_este_disponibil nu_mai_este_disponibil lipsă_stoc lipsa_stoc
    изчерпан изчерпано няма_наличност няма_в_наличност не_е_в_наличност неналичен
    не_е_наличен не_е_налично
    rasprodano nema_na_zalihi nema_na_stanju ni_na_zalogi razprodano nedostupno
    nije_dostupno nije_na_zalihi nije_na_stanju ni_na_voljo
    nema_na_skladištu nije_na_skladištu nema_na_lageru rasprodato нема_на_залиха nuk_ka_në_stok jashtë_stokut
    εξαντλήθηκε εξαντλημένο μη_διαθέσιμο εκτός_αποθέματος δεν_είναι_διαθέσιμο
    распродано нет_в_наличии нет_на_складе закончился закончилось товар_закончился недоступен снят_с_продажи
    распродан раскупили временно_отсутствует нет_в_продаже закончились
    ожидается_поступление немає_в_наявності немає_на_складі нема_в_наявності нема_на_складі знято_з_виробництва недоступний
    розпродано закінчився немає_у_наявності відсутній_на_складі
    tükendi stokta_yok stok_yok stokta_bulunmamaktadır satışta_değil mevcut_değil
    stoklarda_yok stokta_bulunmuyor stokta_kalmadı stokta_mevcut_değil temin_edilemiyor temin_edilememektedir satışa_kapalı
    išparduota nėra_sandėlyje izpārdots nav_noliktavā nav_pieejams välja_müüdud läbi_müüdud laost_otsas
    neturime išpirkta prekės_nėra nėra_prekyboje pole_saadaval ei_ole_laos
    売り切れ 売切れ 売切 完売 在庫切れ 在庫なし 在庫無し 在庫がありません 品切れ 品切 販売終了 入荷待ち 取り扱い終了
    再入荷待ち 在庫：なし 在庫:なし 入荷通知 再入荷通知 入荷お知らせ 再入荷お知らせ
    お取り扱いできません 販売しておりません 販売を終了 次回入荷未定 予約受付終了 予約終了 欠品
    售罄 已售罄 售完 已售完 售光 缺货 缺貨 无货 無貨 暂时缺货 暫時缺貨 卖光 賣光 賣完 已下架 暂无库存 無庫存 补货中
    補貨中 已售出 抢光 已抢光 完售 库存不足 到货通知 到貨通知 补货通知 補貨通知
    貨到通知 货到通知 銷售一空 销售一空 無法供貨 无法供货 暂无货 停售 停產 停产
    품절 일시품절 매진 재고없음 재고_없음 판매완료 판매종료 재입고_알림 재입고알림 입고알림 출시예정
    판매중지 판매_중지 구매할_수_없습니다 입고예정 입고_예정
    نفدت_الكمية نفذت_الكمية نفد_من_المخزون غير_متوفر غير_متاح نفذ_المخزون ناموجود موجود_نیست تمام_شد
    نفذ_من_المخزون نفد_المخزون انتهت_الكمية تم_البيع اتمام_موجودی
    אזל אזל_מהמלאי אזל_המלאי לא_במלאי לא_זמין חסר_במלאי
    สินค้าหมด หมดแล้ว ของหมด hết_hàng tạm_hết_hàng cháy_hàng stok_habis habis_terjual kehabisan_stok स्टॉक_में_नहीं बिक_गया
    หมดชั่วคราว ไม่มีสินค้า ngừng_kinh_doanh tidak_tersedia produk_habis barang_habis naubos_na उपलब्ध_नहीं
"""

IN: Final = """
    in_stock in-stock back_in_stock ready_to_ship ships_today ships_within available_now available_on_backorder
    available_for_backorder
    available_for_pre-order available_for_preorder pre-order_now preorder_now
    available_for_immediate_delivery in_stock_now left_in_stock
    low_stock limited_stock few_left available_to_order limited_availability last_items_in_stock
    usually_ships_within available_to_ship ready_for_dispatch dispatched_within
    auf_lager an_lager sofort_lieferbar lieferbar vorrätig sofort_verfügbar am_lager lagernd wieder_da wieder_verfügbar
    kurzfristig_lieferbar vorbestellbar letzte_exemplare
    sofort_versandfertig versandfertig_in online_verfügbar geringer_lagerbestand nur_noch_wenige_verfügbar
    en_stock disponible_immédiatement disponible_en_ligne expédié_sous disponible_en_précommande disponible_sous
    stock_limité dernières_pièces_disponibles
    en_existencias hay_existencias disponible_ahora entrega_inmediata
    hay_stock stock_disponible última_disponible con_stock pocas_unidades disponible_en_24h
    disponibilità_immediata disponibile_subito pronta_consegna in_magazzino
    disponibile_online spedito_in_24
    em_estoque em_stock pronta_entrega disponível_para_entrega
    estoque_disponível disponível_online produto_disponível
    op_voorraad direct_leverbaar leverbaar uit_voorraad_leverbaar
    i_lager finns_i_lager på_lager varastossa heti_saatavilla til_á_lager
    i_webblager på_nettlager skickas_inom tilattavissa
    na_stanie w_magazynie dostępny_od_ręki wysyłka_w_24h skladem skladom na_sklade raktáron készleten în_stoc in_stoc
    stoc_limitat
    produkt_dostępny ihned_k_odeslání ihneď_k_odoslaniu ihned_k_dodání azonnal_szállítható stoc_suficient
    duża_ilość średnia_ilość mała_ilość na_wyczerpaniu
    в_наличност на_склад na_zalihi na_stanju na_zalogi σε_απόθεμα άμεσα_διαθέσιμο
    na_skladištu na_lageru διαθέσιμο_σε λίγα_τεμάχια
    в_наличии есть_в_наличии есть_на_складе на_складе в_наявності є_в_наявності
    є_на_складі последний_экземпляр готовий_до_відправлення
    stokta stokta_var turime_sandėlyje yra_sandėlyje noliktavā laos_olemas
    tükenmek_üzere
    在庫あり 在庫有り 在庫有 在庫：あり 在庫:あり 即納 残りわずか 残り僅か 在庫わずか 在庫残少 予約受付中 予約販売中
    即日発送
    有货 有貨 现货 現貨 有库存 有庫存 库存充足 即刻发货 現貨供應 预售中 預購中
    庫存充足 即將售完 即将售完 即将售罄
    재고있음 재고_있음 바로배송 متوفر_الآن متوفر_حاليا متوفر_حالياً متوفر_في_المخزون في_المخزون موجود_در_انبار במלאי זמין_במלאי
    มีสินค้า พร้อมส่ง còn_hàng sẵn_hàng tersedia stok_tersedia ready_stock स्टॉक_में
"""

# In stock only where a whole line says nothing else: the words mean too much inside a sentence.
ALONE_IN: Final = """
    available verfügbar disponible disponibile disponível beschikbaar tillgänglig tilgængelig tilgjengelig saatavilla
    dostępny dostępna dostępne
    dostupné dostupný elérhető disponibil налично наличен доступно доступен mevcut διαθέσιμο متوفر متاح موجود זמין
    販売中 있음 판매중 laos pieejams dostupno raspoloživo turime закінчується rendelhető
    pre-order preorder pre_order vorbestellen précommander précommande preordina preordine preventa pré-venda pré-encomenda
    przedsprzedaż předobjednat предзаказ передзамовлення ön_sipariş 予約 予約する 予約注文 预售 预订 預購 预购 예약판매 예약구매
    last_one last_piece last_item last_items letzter_artikel letztes_stück dernier_article derniers_articles
    dernières_pièces dernière_pièce últimas_unidades última_unidad últimos_artículos ultimi_pezzi ultimo_pezzo
    ultimi_articoli última_unidade últimas_peças laatste_stuks laatste_exemplaren laatste_stuk ostatnie_sztuki ostatnia_sztuka
    sista_exemplaret få_kvar få_på_lager få_igjen poslední_kus poslední_kusy posledný_kus posledné_kusy utolsó_darab
    utolsó_darabok ultimele_bucăți последние_экземпляры son_ürünler son_ürün
"""
ALONE_OUT: Final = """
    sold rupture loppu vendu vendido venduto verkocht såld solgt verkauft sprzedane prodáno продано satıldı 已售 完了 خلص habis
    หมด slut brak coming_soon demnächst_verfügbar bientôt_disponible próximamente prossimamente em_breve binnenkort
    binnenkort_leverbaar kommer_snart wkrótce již_brzy скоро_в_продаже yakında 近日発売 即将上市
    notify_me notify join_waitlist join_the_waitlist join_waiting_list get_notified benachrichtigen benachrichtige_mich
    prévenez-moi prévenir alertez-moi avísame avísenme avisadme avvisami notificami avise-me avisem-me bevaka bevaka_produkt
    meld_mig hlídat_dostupnost strážiť_dostupnosť értesítést_kérek powiadom powiadom_mnie уведомить gelince_haber_ver
    haber_ver stok_kosong kosong restock_notification request_stock_alert get_restock_alerts sign_up_for_restock_alerts
    join_the_waiting_list dostępne_wkrótce próximamente_disponible bientôt_de_retour me_avise meddela_mig utgången myyty otsas
    очаквана_доставка ожидается отсутствует відсутній очікується i_shitur 受付終了 به_زودی
"""

# Whoever promises to tell when a thing can be bought says that it cannot be now: one of these words, then one of the others.
SAID_OF_OTHERS: Final = """
    notify notified alert email e-mail mail_me message_me text_me remind let_me_know waitlist waiting_list
    benachrichtig erinner informier avert alert préven
    avís avis notific avvis waarschuw verwittig mail_mij op_de_hoogte bevaka meddela besked beskjed varsle ilmoita powiadom hlíd
    upozorn stráž értesít anunță уведом сообщ повідом thông_báo beri_tahu kabari أخبرني أعلمني הודיע עדכנו ενημέρωσ ειδοποίησ
"""
WHEN_BACK: Final = """
    saatavilla varastossa
    available back_in_stock in_stock restock back_soon verfügbar lieferbar auf_lager wieder_da disponib disponí dispo
    de_retour retour_en_stock chegar esté_disponible op_voorraad beschikbaar leverbaar weer_ tillbaka i_lager på_lager tilbage
    tilbake dostępn dostupn skladem készlet stoc наличи поступлен наявн stok có_hàng tersedia
    يتوفر التوفر توفره במלאי למלאי it's_back it’s_back з'явиться з’явиться διαθέσιμο
"""

# Before a phrase, within its sentence: what follows is not so, or only may be so.
NEGATIONS: Final = frozenset(
    """not never isn't isnt no n't nicht kein keine nie pas plus jamais aucun no nunca non mai não nunca niet geen inte
    ej ikke ei eivät nie není nejsou
    nincs nem nu ne ni nav nėra pole nema nije не нет ні немає няма нема değil δεν μη لا ليس غير ไม่ 不 没 沒
    tidak belum không chưa nuk""".split()
)
HEDGES: Final = frozenset(
    """if when whether due expected once until till before unless almost nearly soon going may might could usually often sell
    selling wenn falls sobald bevor bis bald fast
    beinahe ob wann si quand lorsque dès bientôt presque avant cuando pronto casi hasta se quando quasi presto appena antes logo
    als zodra bijna binnenkort wanneer om när snart
    nästan innan hvis når næsten snart før jos kun pian jeśli gdy kiedy prawie wkrótce pokud až téměř brzy ha amikor
    hamarosan dacă când если когда пока
    почти скоро якщо коли майже eğer""".split()
)

# What is said to be missing beside a product, right before the phrase: Image not available, Click & Collect: nicht verfügbar.
OTHERS: Final = frozenset(
    """image images picture pictures photo photos video videos preview trailer thumbnail review reviews rating ratings chat
    service services delivery pickup pick-up collect collection shipping returns wrapping wrap translation description
    information details options financing installation demo audio manual page feature
    bild bilder foto fotos vorschau bewertung bewertungen lieferung abholung versand filiale filialen markt beschreibung
    photo aperçu vidéo avis livraison retrait magasin magasins description traduction
    imagen imágenes vídeo reseñas entrega recogida tienda tiendas descripción envío
    immagine immagini video recensioni consegna ritiro negozio descrizione
    imagem imagens avaliações loja lojas descrição frete retirada
    afbeelding beoordelingen bezorging levering winkel winkels
    bild bilder leverans butik butiker butikk butikker billede billeder kuva kuvaa myymälässä
    zdjęcie zdjęcia opinie dostawa opis obrázek popis kép obraz
    изображение фото видео описание отзывы доставка самовывоз зображення опис
    画像 写真 動画 图片 圖片 이미지""".split()
)
PLACES: Final = frozenset(  # of these also what is sold out there
    """pickup pick-up collect abholung filiale filialen markt retrait magasin magasins recogida tienda tiendas ritiro negozio
    loja lojas retirada winkel winkels butik butiker butikk butikker myymälässä самовывоз""".split()
)
BETWEEN: Final = frozenset(
    """is are was were currently temporarily now yet the ist sind derzeit zurzeit momentan aktuell leider noch est sont
    actuellement momentanément temporairement encore está están actualmente è sono attualmente al momento não is zijn momenteel
    är er för närvarande jest obecnie chwilowo je momentálně сейчас временно""".split()
)
