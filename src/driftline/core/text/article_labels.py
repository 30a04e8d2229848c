"""Labels of articles, by the words in their text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from math import sqrt
from typing import Final

import msgspec

MAX_TEXT: Final = 20_000  # characters that are looked at
OTHER: Final = "Article"

_IN_TITLE: Final = 4  # times that a word counts there
_DOUBT: Final = 2.0  # evidence that speaks for nothing: few words make no certainty
_WORD: Final = re.compile(r"[^\W_]+")

# Stems, matched at the start of words; entries in scripts without spaces are matched anywhere.
CUES: Final[Mapping[str, tuple[str, ...]]] = {
    "Announcement": tuple(
        "announc introduc launch unveil availab preview ankündig vorstell verfügbar eingeführt annonc lanc disponibl "
        "présent anunci lanz presentamos annunci lancia объявля представля запуск "
        "发布 推出 宣布 発表 提供開始 お知らせ 출시 발표".split()
    ),
    "Release Notes": tuple(
        "release changelog version patch upgrade deprecat hotfix bugfix versionshinweis änderungsprotokoll notes "
        "nouveautés versión versione versão релиз 更新日志 版本 リリースノート 変更履歴 릴리스".split()
    ),
    "Technical How-To": tuple(
        "how tutorial guide step walkthrough install configur deploy build creat implement setup code command anleitung "
        "einrichten installier schritt tutoriel étape configurer installer cómo guía paso instalar come guida passo como "
        "руководств установк настройк 教程 指南 如何 步骤 チュートリアル 手順 方法 가이드 방법".split()
    ),
    "Best Practices": tuple(
        "best practice practices tip tips recommend checklist lesson pitfall avoid optimiz bewährt empfehlung tipps "
        "conseil recommand bonnes mejores práctica consejo recomenda consigli migliori práticas советы рекоменд 最佳实践 建议 "
        "ベストプラクティス 推奨 모범 권장".split()
    ),
    "Customer Story": tuple(
        "customer story case study success saved migrated chose helped kunde fallstudie erfolgsgeschichte client "
        "témoignage cliente caso éxito successo клиент история 客户案例 案例 お客様事例 導入事例 고객사례".split()
    ),
    "Security": tuple(
        "security vulnerab cve exploit breach attack malware phishing ransomware advisory sicherheitslücke schwachstelle "
        "angriff faille vulnérab sécurité vulnerabilidad seguridad ataque vulnerabilità sicurezza уязвим безопасност 漏洞 "
        "安全 脆弱性 セキュリティ 취약점 보안".split()
    ),
    "Event": tuple(
        "event webinar conference summit workshop register session speaker agenda meetup veranstaltung konferenz anmelden "
        "événement conférence inscri evento conferencia regístr inscriv конференц вебинар "
        "活动 大会 イベント セミナー 행사 웨비나".split()
    ),
    "Opinion": tuple(
        "opinion why think believe argue should future perspective predict meinung warum kommentar avis pourquoi tribune "
        "opinión por qué opinione perché мнение почему 观点 为什么 意见 なぜ 의견".split()
    ),
    "Report": tuple(
        "report survey study research result percent benchmark analysis statistic bericht studie umfrage ergebnis rapport "
        "étude enquête informe estudio encuesta rapporto indagine отчёт исследован "
        "报告 研究 调查 レポート 調査 보고서 조사".split()
    ),
}


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What sort of article it is, and how sure that is."""

    label: str
    confidence: float  # 0..1; 0 where nothing speaks for any


def classify(text: str, *, title: str = "") -> Label:
    """The label that the most words speak for; the title's speak loudest."""
    words = Counter(_WORD.findall(text[:MAX_TEXT].casefold()))
    for word in _WORD.findall(title.casefold()):
        words[word] += _IN_TITLE
    evidence = {label: _evidence(stems, words) for label, stems in CUES.items()}
    label, most = max(evidence.items(), key=lambda pair: pair[1])
    if not most:
        return Label(label=OTHER, confidence=0.0)
    return Label(label=label, confidence=round(most / (sum(evidence.values()) + _DOUBT), 3))


def _evidence(stems: tuple[str, ...], words: Counter[str]) -> float:
    """A word said often says little more than a word said twice."""
    return sum(
        sqrt(min(count, 2 * _IN_TITLE))
        for word, count in words.items()
        if word.startswith(stems) or (not word.isascii() and any(stem in word for stem in stems if not stem[0].isascii()))
    )
