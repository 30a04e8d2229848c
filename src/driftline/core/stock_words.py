"""Phrases about stock, by what they say. `_` stands for a space."""

from __future__ import annotations

from typing import Final

OUT: Final = """
    sold_out soldout out_of_stock out-of-stock no_longer_available currently_unavailable temporarily_unavailable
    unavailable not_available no_stock
    out_of_print temporarily_out_of_stock discontinued item_sold sold_out! notify_me_when_available notify_me_when_in_stock
    notify_me_when_back_in_stock email_me_when_back_in_stock email_me_when_available email_when_available
    ausverkauft vergriffen nicht_lieferbar nicht_auf_lager nicht_vorrätig nicht_verfügbar nicht_mehr_verfügbar
    nicht_mehr_lieferbar
    derzeit_nicht_verfügbar zurzeit_nicht_lieferbar leider_ausverkauft restlos_ausverkauft nicht_bestellbar
    épuisé épuisée épuisés épuisées rupture_de_stock en_rupture indisponible pas_disponible plus_disponible
    plus_en_stock victime_de_son_succès
    agotado agotada agotados agotadas sin_stock sin_existencias no_disponible fuera_de_stock no_hay_existencias
    esaurito esaurita esauriti esaurite non_disponibile non_più_disponibile terminato fuori_produzione
    esgotado esgotada esgotados indisponível sem_estoque sem_stock fora_de_estoque produto_indisponível
    uitverkocht niet_op_voorraad niet_leverbaar niet_beschikbaar niet_meer_leverbaar tijdelijk_uitverkocht
    slutsåld slutsålt slut_i_lager ej_i_lager finns_ej_i_lager tillfälligt_slut
    udsolgt ikke_på_lager ikke_tilgængelig utsolgt ikke_tilgjengelig midlertidig_utsolgt
    loppuunmyyty loppu_varastosta ei_varastossa ei_saatavilla tilapäisesti_loppu
    uppselt ekki_til_á_lager
    wyprzedane wyprzedany wyprzedana niedostępny niedostępna niedostępne brak_w_magazynie brak_towaru produkt_niedostępny
    vyprodáno vyprodané není_skladem nedostupné nedostupný vypredané nie_je_skladom
    elfogyott nincs_raktáron nincs_készleten nem_rendelhető nem_elérhető kifogyott
    stoc_epuizat epuizat indisponibil nu_este_în_stoc fără_stoc stoc_0
    изчерпан изчерпано няма_наличност не_е_в_наличност неналичен
    rasprodano nema_na_zalihi nema_na_stanju ni_na_zalogi razprodano nedostupno
    εξαντλήθηκε εξαντλημένο μη_διαθέσιμο εκτός_αποθέματος
    распродано нет_в_наличии нет_на_складе закончился закончилось товар_закончился недоступен снят_с_продажи
    немає_в_наявності немає_на_складі
    розпродано закінчився
    tükendi stokta_yok stok_yok stokta_bulunmamaktadır satışta_değil mevcut_değil
    išparduota nėra_sandėlyje izpārdots nav_noliktavā välja_müüdud läbi_müüdud laost_otsas
    売り切れ 売切れ 売切 完売 在庫切れ 在庫なし 在庫無し 在庫がありません 品切れ 品切 販売終了 入荷待ち 取り扱い終了
    再入荷待ち 在庫：なし 在庫:なし
    售罄 已售罄 售完 已售完 售光 缺货 缺貨 无货 無貨 暂时缺货 暫時缺貨 卖光 賣光 賣完 已下架 暂无库存 無庫存 补货中
    補貨中 已售出 抢光 已抢光 完售 库存不足
    품절 일시품절 매진 재고없음 재고_없음 판매완료 판매종료 재입고_알림
    نفدت_الكمية نفذت_الكمية نفد_من_المخزون غير_متوفر غير_متاح نفذ_المخزون ناموجود موجود_نیست تمام_شد
    אזל אזל_מהמלאי אזל_המלאי לא_במלאי לא_זמין חסר_במלאי
    สินค้าหมด หมดแล้ว ของหมด hết_hàng tạm_hết_hàng cháy_hàng stok_habis habis_terjual kehabisan_stok स्टॉक_में_नहीं बिक_गया
"""

IN: Final = """
    in_stock in-stock back_in_stock ready_to_ship ships_today ships_within available_now
    available_for_immediate_delivery in_stock_now left_in_stock
    low_stock limited_stock few_left available_to_order
    auf_lager an_lager sofort_lieferbar lieferbar vorrätig sofort_verfügbar am_lager lagernd wieder_da wieder_verfügbar
    kurzfristig_lieferbar
    en_stock disponible_immédiatement disponible_en_ligne expédié_sous
    en_existencias hay_existencias disponible_ahora entrega_inmediata
    disponibilità_immediata disponibile_subito pronta_consegna in_magazzino
    em_estoque em_stock pronta_entrega disponível_para_entrega
    op_voorraad direct_leverbaar leverbaar uit_voorraad_leverbaar
    i_lager finns_i_lager på_lager varastossa heti_saatavilla til_á_lager
    na_stanie w_magazynie dostępny_od_ręki wysyłka_w_24h skladem na_sklade raktáron készleten în_stoc in_stoc
    в_наличност на_склад na_zalihi na_stanju na_zalogi σε_απόθεμα άμεσα_διαθέσιμο
    в_наличии есть_в_наличии есть_на_складе на_складе в_наявності є_в_наявності
    stokta stokta_var turime_sandėlyje noliktavā laos_olemas
    在庫あり 在庫有り 在庫有 在庫：あり 在庫:あり 即納 残りわずか 残り僅か 在庫わずか 在庫残少
    有货 有貨 现货 現貨 有库存 有庫存 库存充足 即刻发货 現貨供應
    재고있음 재고_있음 바로배송 متوفر_الآن متوفر_في_المخزون في_المخزون موجود_در_انبار במלאי זמין_במלאי
    มีสินค้า พร้อมส่ง còn_hàng tersedia stok_tersedia ready_stock स्टॉक_में
"""

# In stock only where a whole line says nothing else: the words mean too much inside a sentence.
ALONE_IN: Final = """
    available verfügbar disponible disponibile disponível beschikbaar tillgänglig tilgængelig tilgjengelig saatavilla
    dostępny dostępna dostępne
    dostupné dostupný elérhető disponibil налично наличен доступно доступен mevcut διαθέσιμο متوفر متاح موجود זמין
    販売中 있음 판매중
"""
ALONE_OUT: Final = """
    sold rupture loppu vendu vendido venduto verkocht såld solgt verkauft sprzedane prodáno продано satıldı 已售 完了 خلص habis
    หมด
"""

# Before a phrase, within its sentence: what follows is not so, or only may be so.
NEGATIONS: Final = frozenset(
    """not never isn't isnt no n't nicht kein keine nie pas plus jamais aucun no nunca non mai não nunca niet geen inte
    ej ikke ei eivät nie není nejsou
    nincs nem nu не нет ні немає değil δεν μη لا ليس غير ไม่ 不 没 沒""".split()
)
HEDGES: Final = frozenset(
    """if when once until till before unless almost nearly soon going may might could usually often sell selling wenn
    falls sobald bevor bis bald fast
    beinahe si quand lorsque dès bientôt presque avant cuando pronto casi hasta se quando quasi presto appena antes logo
    als zodra bijna om när snart
    nästan innan hvis når næsten snart før jos kun pian jeśli gdy kiedy prawie wkrótce pokud až téměř brzy ha amikor
    hamarosan dacă când если когда пока
    почти скоро якщо коли майже eğer""".split()
)
