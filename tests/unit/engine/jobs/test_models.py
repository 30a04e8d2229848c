"""What a model is sent, and what becomes of its answers: they are data that nobody checked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.engine.check.test_to_recording import START

from driftline.core.text.language.article_labels import Label
from driftline.engine.jobs.models import LABELS, SUMMARY_AT_MOST, TEXT_AT_MOST, ChatModel, Completed
from driftline.engine.jobs.summaries import NotWritten
from driftline.model.fetch import Answer, Blocked, Failed, Fetched, Request, Unmodified


class Endpoint:
    """Answers every request with one text, or as it is told."""

    def __init__(self, content: object = "", **usage: object) -> None:
        said: dict[str, Any] = {"choices": [{"message": {"content": content}}]}
        self.body = json.dumps(said | ({"usage": usage} if usage else {})).encode()
        self.answer: Answer | None = None
        self.requests: list[tuple[Request, bool]] = []

    async def fetch(self, request: Request, *, robots: bool) -> Answer:
        self.requests.append((request, robots))
        return self.answer or Fetched(request=request, url=request.url, status=200, headers={}, body=self.body, at=START)

    def model(self, **given: Any) -> ChatModel:
        return ChatModel(self, **{"base_url": "https://models.example/v1/", "model": "small", **given})


async def test_a_request_has_the_task_the_article_and_the_operators_settings() -> None:
    endpoint = Endpoint("Tea grows.")
    assert await endpoint.model(key="secret", timeout_for=7.0).summarize(title="Tea", text="x" * 50_000) == "Tea grows."
    ((request, robots),) = endpoint.requests
    options = request.options
    assert (request.url, options.method, robots) == ("https://models.example/v1/chat/completions", "POST", False)
    assert (options.timeout_for, options.max_bytes, options.headers["Authorization"]) == (7.0, 1024 * 1024, "Bearer secret")
    sent = json.loads(options.body or "")
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("small", 0, 400)
    system, user = sent["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "Tea" not in system["content"]
    assert user["content"] == "Title: Tea\n\n" + "x" * TEXT_AT_MOST


async def test_without_a_key_none_is_sent() -> None:
    endpoint = Endpoint("Tea grows.")
    await endpoint.model().summarize(title="", text="x")
    assert "Authorization" not in endpoint.requests[0][0].options.headers


async def test_a_long_answer_is_cut_and_what_nobody_sees_is_taken_out() -> None:
    written = await Endpoint("Tea\u202e\x00 " + "x" * 5_000).model().summarize(title="", text="x")
    assert isinstance(written, str)
    assert (len(written), "\x00" in written) == (SUMMARY_AT_MOST, False)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({}, None),
        ({"total_tokens": None}, None),
        ({"total_tokens": 12}, 12),
        ({"total_tokens": 0}, 0),
        ({"total_tokens": -3}, 0),
    ],
)
async def test_what_an_answer_took_is_what_the_endpoint_says_and_never_negative(usage: Any, tokens: int | None) -> None:
    assert await Endpoint("Yes.", **usage).model().complete("task", "data", tokens=5) == Completed("Yes.", tokens)


@pytest.mark.parametrize("content", ["", "  \n", None])
async def test_an_empty_answer_is_no_summary(content: object) -> None:
    assert await Endpoint(content).model().summarize(title="", text="x") == NotWritten(reason="the model's answer is empty")


@pytest.mark.parametrize(
    ("body", "reason"), [(b"no json", "is not understood"), (b'{"choices": []}', "is empty"), (b"\xff", "is not understood")]
)
async def test_an_answer_that_is_none_is_a_failure_with_its_reason(body: bytes, reason: str) -> None:
    endpoint = Endpoint()
    endpoint.body = body
    written = await endpoint.model().summarize(title="", text="x")
    assert isinstance(written, NotWritten)
    assert reason in written.reason


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (Failed(request=Request(url="https://x/"), reason="http 500", status=500), NotWritten(reason="model: http 500")),
        (
            Blocked(request=Request(url="https://x/"), reason="http 429", status=429, retry_after=9.0),
            NotWritten(reason="model: http 429", retry_after=9.0),
        ),
        (Unmodified(request=Request(url="https://x/")), NotWritten(reason="model: http 304 without validators")),
    ],
)
async def test_an_endpoint_that_fails_is_a_value_with_its_wait(answer: Answer, failed: NotWritten) -> None:
    endpoint = Endpoint()
    endpoint.answer = answer
    assert await endpoint.model().summarize(title="", text="x") == failed
    assert await endpoint.model().classify(title="", text="x") == failed


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (f'{{"label": "{LABELS[1]}", "confidence": 0.9}}', Label(label=LABELS[1], confidence=0.9)),
        (f'Sure! {{"label": " {LABELS[0].upper()} "}} I hope that helps.', Label(label=LABELS[0], confidence=0.5)),
        (f'{{"label": "{LABELS[0]}", "confidence": 7}}', Label(label=LABELS[0], confidence=1.0)),
        (f'{{"label": "{LABELS[0]}", "confidence": -1}}', Label(label=LABELS[0], confidence=0.0)),
        ('{"label": "nothing of ours"}', NotWritten(reason="the model named a label that does not exist")),
        ("news", NotWritten(reason="the model's label is not understood")),
        ('{"confidence": 1}', NotWritten(reason="the model's label is not understood")),
    ],
)
async def test_a_label_is_one_of_ours_with_a_confidence_between_zero_and_one(content: str, label: Label | NotWritten) -> None:
    endpoint = Endpoint(content)
    assert await endpoint.model().classify(title="Tea", text="x") == label
    assert json.loads(endpoint.requests[0][0].options.body or "")["max_tokens"] == 60
