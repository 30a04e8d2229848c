"""Words of notices that people have to read: closed, late, moved."""

from __future__ import annotations

from typing import Final

from driftline.core.text.lazy_regex import lazy_regex

_NEWS: Final = lazy_regex(
    r"clos(?:ed|ing|ure)|strike|delay|recall|cancel|suspend|outage|unavailable|maintenance|moved|emergency|warning|notice|"
    r"geschlossen|schließ|streik|verspätung|rückruf|störung|ausfall|wartung|umzug|hinweis|achtung|ferm[eé]|fermeture|grève|"
    r"retard|rappel|"
    r"cerrad|cierre|huelga|retraso|chius|sciopero|ritard|fechad|greve|atraso|gesloten|staking|vertraging|zamkn|strajk|opóźni|"
    r"uwaga|"
    r"zavřen|uzavř|výluk|stängt|lukket|stengt|suljettu|kapal[ıi]|закрыт|перенос|внимание|закрит|休業|休館|遅延|停止|关闭|停业|"
    r"暂停|휴무|중단|مغلق"
)


def announces(text: str) -> bool:
    """Whether a text announces something that readers have to know: closed, late, moved."""
    return _NEWS.search(text.lower()) is not None
