from __future__ import annotations

import pytest

from driftline.web.pages.browsers import browser

_MOZILLA = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "named"),
    [
        (_MOZILLA.format("X11; Linux x86_64") + " Chrome/126.0.0.0 Safari/537.36", "Chrome on Linux"),
        (_MOZILLA.format("Windows NT 10.0; Win64; x64") + " Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0", "Edge on Windows"),
        (_MOZILLA.format("Macintosh; Intel Mac OS X 10_15_7") + " Version/17.5 Safari/605.1.15", "Safari on macOS"),
        (_MOZILLA.format("iPhone; CPU iPhone OS 17_5 like Mac OS X") + " Version/17.5 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0", "Firefox on Android"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_called_by_its_name_and_its_system(agent: str, named: str) -> None:
    assert browser(agent) == named
