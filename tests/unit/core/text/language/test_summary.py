from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.text.language.article_labels import CUES, OTHER, classify
from driftline.core.text.language.sentences import sentences
from driftline.core.text.language.summary import summarize

ARTICLE = """Share this
The harbour bridge will close for repairs in March. Engineers found cracks in two of the bridge's main cables last autumn.
Drivers must take the northern tunnel while the bridge is closed. Lunch is served at noon.
The council will pay for the bridge repairs from its reserve, and expects the bridge to open again in June.
Engineers found cracks in two main cables of the bridge last autumn. Subscribe!"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there! Three?", ["One is here.", "Two is there!", "Three?"]),
        ("Dr. Wu paid 3.50 euros, e.g. for tea. He left.", ["Dr. Wu paid 3.50 euros, e.g. for tea.", "He left."]),
        ("Am 3. Mai beginnt es. Dann z.B. hier.", ["Am 3. Mai beginnt es.", "Dann z.B. hier."]),
        ("J. Smith came. “It works.” She said so.", ["J. Smith came.", "“It works.”", "She said so."]),
        (
            "今日は晴れです。明日は雨でしょう！「はい。」終わり",
            ["今日は晴れです。", "明日は雨でしょう！", "「はい。」", "終わり"],
        ),
        ("价格上涨了。为什么？没人知道", ["价格上涨了。", "为什么？", "没人知道"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ("A headline\nA body. ", ["A headline", "A body."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_readers_see_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_summary_is_made_of_the_best_sentences_in_their_order() -> None:
    summary = summarize(ARTICLE, title="Harbour bridge closes for repairs")
    assert summary.sentences[0] == "The harbour bridge will close for repairs in March."
    assert len(summary.sentences) == 3
    assert "Lunch" not in summary.text
    assert "Subscribe" not in summary.text


def test_a_summary_does_not_say_a_thing_twice() -> None:
    assert sum("cracks" in sentence for sentence in summarize(ARTICLE).sentences) <= 1


def test_a_summary_does_not_repeat_the_title() -> None:
    assert (
        summarize("The bridge closes\nIt will open again in June.", title="The bridge closes").text
        == "It will open again in June."
    )


def test_scripts_without_spaces_are_summarized_too() -> None:
    text = (
        "橋は三月に修理のため閉鎖されます。昼食は正午です。技術者は橋のケーブルに亀裂を見つけました。橋は六月に再び開通します。"
    )
    summary = summarize(text, title="橋の閉鎖", count=2)
    assert summary.sentences[0] == "橋は三月に修理のため閉鎖されます。"
    assert "昼食は正午です。" not in summary.sentences


def test_one_endless_sentence_is_cut() -> None:
    summary = summarize("word " * 1000, limit=100)
    assert 50 < len(summary.text) <= 100


def test_no_text_no_summary() -> None:
    assert summarize("").text == ""


@given(text=st.text(max_size=400), title=st.text(max_size=30), count=st.integers(1, 5), limit=st.integers(10, 300))
def test_a_summary_is_short_deterministic_and_of_the_text(text: str, title: str, count: int, limit: int) -> None:
    summary = summarize(text, title=title, count=count, limit=limit)
    assert summary == summarize(text, title=title, count=count, limit=limit)
    assert len(summary.sentences) <= count
    assert len(summary.text) <= limit
    folded = " ".join(text.split())
    assert all(" ".join(sentence.removesuffix("…").split()) in folded for sentence in summary.sentences)


@pytest.mark.parametrize(
    ("title", "text", "label"),
    [
        ("Announcing faster queues", "Today we are launching faster queues, available in all regions.", "Announcement"),
        ("How to deploy a worker step by step", "In this tutorial you install the tool and configure it.", "Technical How-To"),
        ("Release notes 2.4", "Version 2.4 of the changelog: patch for upgrades, deprecated options.", "Release Notes"),
        ("Best practices for queues", "Tips and recommended settings to avoid pitfalls.", "Best Practices"),
        ("Critical vulnerability CVE-2026-1", "Attackers exploit the flaw; read the advisory.", "Security"),
        ("Customer story: the bakery", "The customer migrated and saved money; a case study.", "Customer Story"),
        ("Join our webinar", "Register for the conference sessions and speakers.", "Event"),
        ("Neue Sicherheitslücke", "Eine Schwachstelle erlaubt einen Angriff.", "Security"),
        ("新機能のチュートリアル", "手順と方法を説明します。", "Technical How-To"),
        ("Guía paso a paso", "Cómo instalar el programa.", "Technical How-To"),
    ],
)
def test_articles_get_their_label(title: str, text: str, label: str) -> None:
    found = classify(text, title=title)
    assert found.label == label
    assert found.confidence > 0.3


def test_a_text_without_cues_is_just_an_article() -> None:
    assert (classify("qwerty zxcvb").label, classify("").confidence) == (OTHER, 0.0)


@given(text=st.text(max_size=200), title=st.text(max_size=40))
def test_labels_are_deterministic_and_confidence_is_a_share(text: str, title: str) -> None:
    found = classify(text, title=title)
    assert found == classify(text, title=title)
    assert found.label in {*CUES, OTHER}
    assert 0.0 <= found.confidence < 1.0


@pytest.mark.parametrize("text", ["a. " * 100_000, "." * 200_000, "。" * 200_000, "x" * 1_000_000, "Mr. " * 60_000])
def test_hostile_texts_are_cut_to_a_bounded_summary(text: str) -> None:
    assert len(summarize(text).text) <= 600
    assert classify(text).label in {*CUES, OTHER}
