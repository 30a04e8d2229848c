"""The words that make a date or a number noise, in the web's main languages. Lower case."""

from __future__ import annotations

from typing import Final


def _phrases(text: str) -> frozenset[str]:
    return frozenset(
        " ".join(phrase.split()) for line in text.strip().splitlines() for phrase in line.split("|") if phrase.strip()
    )


# Behind these a date says when the page was made or touched, not what it is about. Compared with the one to four last words.
UPDATED: Final = _phrases("""
updated | last update | latest update | last modified | page modified | modified on | last changed | last edited | edited on
last refreshed | refreshed | refreshed at | last checked | checked on | checked at | synced | last synced | last sync
last crawled | last reviewed | last revised | data as of | as of | as at | as on | generated | auto-generated | generated on
generated at | rendered | rendered on | rendered at | retrieved | retrieved on | cached | cached on | cached at
current time | server time | local time | time now | current date | current date and time | is now | now is | time is
date is | printed on | printed | accessed on | snapshot taken | last build | built at | built on | last deploy | timestamp
today is | today's date | page created at | report created | last seen | last active | last visit | last login | page loaded
loaded at | fetched at | fetched | last fetched | aktualisiert | zuletzt aktualisiert | letzte aktualisierung
letztes update | zuletzt geändert | letzte änderung | stand | datenstand | abgerufen am | abgerufen | abruf | serverzeit
uhrzeit | aktuelle uhrzeit | generiert | generiert am | erstellt um | seite erstellt am | zuletzt bearbeitet
letzte bearbeitung | heute ist | mise à jour | mis à jour | mise à jour le | mis à jour le | actualisé | actualisé le
actualisée | dernière modification | modifié le | dernière modification le | généré le | généré à | heure du serveur
actualización | actualizado | actualizada | actualizado el | última modificación | modificado | generado | generado el
hora actual | fecha de actualización | hora del servidor | aggiornamento | ultimo aggiornamento | aggiornato | aggiornata
aggiornato il | aggiornato al | ultima modifica | generato | ora attuale | data aggiornamento | atualização
última atualização | atualizado | atualizada | atualizado em | última modificação | gerado | gerado em | hora atual
modificado em | bijgewerkt | laatst bijgewerkt | laatste update | laatst gewijzigd | gewijzigd op | bijgewerkt op
bijgewerkt om | gegenereerd | aktualizacja | ostatnia aktualizacja | zaktualizowano | ostatnia modyfikacja | stan na
stan na dzień | wygenerowano | data aktualizacji | uppdaterad | senast uppdaterad | uppdaterades | senast ändrad
uppdaterat | opdateret | sidst opdateret | senest opdateret | oppdatert | sist oppdatert | sist endret | päivitetty
viimeksi päivitetty | muokattu viimeksi | aktualizováno | poslední aktualizace | naposledy upraveno | aktualizované
posledná aktualizácia | frissítve | utoljára frissítve | utolsó frissítés | frissítés | actualizat | actualizat la
ultima actualizare | actualizare | обновление | последнее обновление | обновлено | обновлена | обновлён | дата обновления
последнее изменение | изменено | данные на | по состоянию на | текущее время | оновлено | останнє оновлення | актуализирано
последна актуализация | ажурирано | ενημέρωση | τελευταία ενημέρωση | ενημερώθηκε | güncelleme | son güncelleme
güncellendi | güncellenme tarihi | آخر تحديث | تحديث | تم التحديث | עודכן | עודכן לאחרונה | עדכון אחרון | अंतिम अपडेट
अपडेट | 마지막 업데이트 | 최종 업데이트 | 업데이트 | 최종 수정 | 갱신
cập nhật | cập nhật lần cuối | cập nhật lúc | diperbarui | terakhir diperbarui | it is currently
aktuelle zeit | ostatniej aktualizacji | последнего обновления | last built | es ist derzeit | letzter besuch
dernière visite | última visita | fecha actual | date du jour | datum vandaag
naposledy aktualizováno | datum aktualizace | poslední změna | poslední úprava | datum poslední změny | naposledy aktualizované
posledná zmena | zadnja posodobitev | zadnje ažuriranje | dátum aktualizácie | uuendatud | viimati uuendatud | atnaujinta
atjaunots | atjaunināts | дата последнего обновления | останні зміни | востаннє оновлено | تاريخ التحديث | تاريخ آخر تحديث
آخر تعديل | تم التعديل | آخرین به‌روزرسانی | بروزرسانی | última revisión | ultima revisione | última revisão | laatste wijziging
""")
# Scripts without spaces: these end the text before the date.
UPDATED_CJK: Final = (
    "最終更新", "最終更新日", "最終更新日時", "更新日", "更新日時", "現在時刻", "最后更新", "最後更新", "最后更新时间",
    "最後更新時間", "更新时间", "更新時間", "更新于", "更新於", "当前时间", "目前時間", "更新日期", "最近更新",
    "最后修改", "最後修改", "修改时间", "修改日期", "最終改訂日", "อัปเดตล่าสุด", "อัพเดทล่าสุด",
)  # fmt: skip

# What a ticking number counts. Not "left", "items", "points", "votes", "sold", "jobs", "results": those are content.
COUNTED: Final = _phrases("""
fans online | players online | gamers online | listeners online | readers | users here now | users here
views | view | pageviews | page views | visits | visit | visitors | visitor | hits | hit | reads | unique visitors
total views | profile views | times viewed | people viewed | visitors today | likes | like | dislikes | shares | share
retweets | reposts | upvotes | comments | comment | replies | reply | reactions | followers | subscribers | downloads
online | users online | members online | guests online | people online | online now | people viewing | people watching
viewers | listeners | watching | watching now | viewing now | viewing this | bookmarks | favorites | favourites
favoritos | favoris | claps | impressions | plays | reviews | ratings | customer reviews | global ratings | users browsing
browsing this
aufrufe | ansichten | besucher | besuche | zugriffe | klicks | gefällt mir | kommentare | kommentar | mal gelesen
mal angesehen | mal aufgerufen | leser | benutzer online | bewertungen | abonnenten | vues | vue | visites | visiteurs
lectures | partages | commentaires | commentaire | abonnés | téléchargements | personnes en ligne | en ligne | avis
visitas | vistas | visualizaciones | lecturas | me gusta | comentarios | comentario | compartidos | seguidores | descargas
usuarios en línea | en línea | reseñas | valoraciones | visualizzazioni | visite | visitatori | letture | mi piace
commenti | condivisioni | utenti online | recensioni | visualizações | visualização | acessos | curtidas | comentários
comentário | leitores | avaliações | weergaven | keer bekeken | bezoekers | reacties | volgers | beoordelingen | wyświetleń
wyświetlenia | odsłon | odsłony | komentarzy | komentarze | polubień | visningar | visninger | kommentarer | besökare
katselukertaa | näyttökertaa | kommenttia | zobrazení | komentářů | zhlédnutí | megtekintés | hozzászólás | vizualizări
seitenaufrufe | seitenabrufe | abrufe | odwiedzin | wejść | opinii | opinie | wyświetlenie | j'aime | j’aime | me gustas
gäste online | besucher online | visiteurs en ligne | visitatori online | gości online | hostů online | responses
bezoekers online | utilizadores online | personnes aiment | personas les gusta | leute mögen das | lajków | lájk
počet zobrazení | bekeken | gelesen | загрузок | скачиваний | нравится | сейчас на сайте | онлайн | عدد المشاهدات | المشاهدات
discuss | comentarii | просмотров | просмотра | просмотры | просмотр | просмотрено | комментариев | комментария | комментарии
комментарий | лайков | подписчиков | отзывов | отзыва | посетителей | переглядів | перегляди | görüntülenme | görüntüleme
yorum | beğeni | مشاهدة | مشاهدات | تعليق | تعليقات | צפיות | תגובות | lượt xem | bình luận | kali dilihat
thoughts on | thought on | gedanken zu | gedanke zu | réflexions sur | réflexion sur | pensamientos en | pensamiento en
gedachten over | gedachte over | myśli na temat | προβολές | προβολή | σχόλια | σχόλιο | αναγνώσεις
megtekintések | hozzászólások | komment | zobrazeno | přečteno | komentárov | komentáre | prečítané | dilihat | dibaca
kali dibaca | komentar | lượt đọc | เข้าชม | ครั้งที่อ่าน | ความคิดเห็น
टिप्पणियाँ | lukukertaa | kommentit | afișări | vizualizari | comentariu
прегледа | прегледи | коментара | коментари | коментарів | коментарі | вподобань | pregleda | pregledi | komentara | komentari
návštěv | návštěvy | počet návštěv | посещений | посещения | pessoas visualizaram | mal aufgerufen
peržiūros | komentarai | peržiūrų | skatījumi | vaatamist | بازدید | دیدگاه | leituras | partilhas | läsare | læsere
""")
# Scripts without spaces: these follow the number, or end the text before it.
COUNTED_CJK: Final = (
    "回視聴", "回閲覧", "閲覧数", "アクセス", "いいね", "コメント", "件のコメント", "次浏览", "浏览量", "浏览次数", "阅读量",
    "次阅读", "次播放", "播放量", "点赞", "条评论", "人气", "點閱", "瀏覽數", "次瀏覽", "人浏览", "人看过",
    "조회수", "조회", "댓글", "좋아요", "回表示", "阅读", "閱讀", "浏览", "瀏覽", "评论", "評論", "回复", "点击",
    "件の評価", "件のレビュー", "件の口コミ", "条评价", "則評論", "개의 평가", "개의 리뷰",
    "點擊", "次观看", "いいね！", "赞", "讚", "人赞过", "人が参考", "공감",
)  # fmt: skip
# What stands there while nothing was counted yet.
NOTHING_COUNTED: Final = _phrases("""
no comments | no comments yet | leave a comment | leave a reply | add a comment | post a comment | be the first to comment
be the first to like this | no likes yet | be the first | no replies | no replies yet | no reviews | no reviews yet
be the first to review | keine kommentare | noch keine kommentare | kommentar schreiben | keine bewertungen
noch keine bewertungen | aucun commentaire | laisser un commentaire | aucun avis | sin comentarios | no hay comentarios
deja un comentario | nessun commento | lascia un commento | nessuna recensione | sem comentários | nenhum comentário
deixe um comentário | geen reacties | nog geen reacties | laat een reactie achter | brak komentarzy | dodaj komentarz
нет комментариев | комментариев нет | добавить комментарий | yorum yok | yorum yap | henüz yorum yok | コメントなし
コメントする | コメントを残す | 暂无评论 | 发表评论 | 댓글 없음 | لا تعليقات | لا توجد تعليقات
""")
