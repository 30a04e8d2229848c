"""Pages that servers send instead of the page, as if all were well: not found, under maintenance, sign in first.

Told by their title alone, part by part, and only where the title was another one before: what a site says about itself in its
title is not said in passing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from driftline.core.later import later
from driftline.kinds.page.memo import Memo, column
from driftline.kinds.page.scan import Scan
from driftline.model.run import Outcome

_PARTS: Final = later(r"\s[-–—|·•:»«›/]+\s|[|»«›:]\s?")
_LONGEST_TITLE: Final = 120  # characters
_SHORTER: Final = 0.5  # of the texts that the page had: who is closed or asks to sign in shows less
_GONE: Final = later(
    r"(?:oops!?,?\s|sorry,?\s|error\s|fehler\s|erreur\s|http\s)*(?:404(?:\s(?:error|not found|fehler|page|erreur))?|"
    r"(?:404\s)?(?:(?:the|this|your|requested|that)\s)*(?:page|file|content|document|resource|article)\s(?:(?:was|could|is|can)\s)?"
    r"(?:not\sbe\sfound|cannot\sbe\sfound|not\sfound|no\slonger\s(?:available|exists)|does\snot\sexist|doesn['’]t\sexist)|not\sfound|"
    r"page\sunavailable|seite\s(?:wurde\s)?nicht\sgefunden|nicht\sgefunden|page\s(?:non\strouvée|introuvable)|"
    r"página\sno\sencontrada|pagina\snon\strovata|página\snão\sencontrada|pagina\sniet\sgevonden|"
    r"(?:nie\sznaleziono\sstrony|strona\snie\sistnieje|strony\snie\sznaleziono)|stránka\s(?:nebyla\snalezena|nenalezena)|"
    r"sidan\s(?:hittades\sinte|kunde\sinte\shittas)|siden\sblev\sikke\sfundet|siden\sikke\sfunnet|sivua\sei\slöytynyt|"
    r"страница\sне\sнайдена|сторінку\sне\sзнайдено|sayfa\sbulunamadı|ページが見つかりません|页面不存在|页面未找到|找不到页面|"
    r"페이지를\s찾을\s수\s없습니다|الصفحة\sغير\sموجودة)[.!]*"
)
_DOWN: Final = later(
    r"(?:site\s|we\sare\s|we['’]re\s|currently\s|website\s|temporarily\s|error\s|http\s)*(?:(?:5\d\d\s)?(?:internal\sserver\serror|bad\sgateway|"
    r"service\s(?:temporarily\s)?unavailable|gateway\stime-?out|server\serror)|(?:under|down\sfor|undergoing)\s(?:\w+\s)?maintenance|"
    r"maintenance(?:\smode)?|temporarily\s(?:unavailable|down|offline)|be\sright\sback|(?:an?\s)?error\s(?:has\s)?occurred|"
    r"database\serror|error\sestablishing\sa\sdatabase\sconnection|account\ssuspended|bandwidth\slimit\sexceeded|"
    r"wartung(?:sarbeiten|smodus)?|wartungsarbeiten|site\sen\smaintenance|en\smaintenance|(?:sitio\s)?en\smantenimiento|"
    r"(?:sito\s)?in\smanutenzione|(?:site\s)?em\smanutenção|in\sonderhoud|przerwa\stechniczna|технические\sработы|bakımdayız|"
    r"メンテナンス中|系统维护|점검\s중)[.!]*"
)
_SIGN_IN: Final = later(
    r"(?:please\s)?(?:sign\s?in|log\s?in|login|signin)(?:\s(?:to\s.{1,40}|required|page))?|anmelden|anmeldung|einloggen|"
    r"se\sconnecter|connexion|identification|iniciar\ssesión|acceder|accedi|entrar|fazer\slogin|inloggen|aanmelden|zaloguj\ssię|"
    r"logowanie|přihlášení|logga\sin|logg\sinn|log\sind|kirjaudu|вход|войти|giriş\syap|giriş|ログイン|登录|登入|로그인|تسجيل\sالدخول"
)


class StandIn(NamedTuple):
    """What stands in for the page."""

    outcome: Outcome
    reason: str


def stand_in(found: Scan, memo: Memo) -> StandIn | None:
    """What was sent instead of the page that left the memo; None: the page."""
    if not memo.title or found.title_hash == memo.title or len(found.title) > _LONGEST_TITLE:
        return None
    had = len(column(memo.raw))
    if len(found.raw) >= had:
        return None  # these say less than pages do
    parts = [part.strip() for part in (found.title.lower(), *_PARTS.split(found.title.lower()))]
    if any(map(_GONE.fullmatch, parts)):
        return StandIn("error", "answered that there is no such page")
    if len(found.raw) > had * _SHORTER:
        return None
    if any(map(_DOWN.fullmatch, parts)):
        return StandIn("error", "answered that the site is down")
    if any(map(_SIGN_IN.fullmatch, parts)):
        body = found.tree.body
        if body is not None and body.css_first("input[type=password i]") is not None:
            return StandIn("blocked", "sign in: the page is shown to members only")
    return None
