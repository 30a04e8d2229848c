"""Fields of a page by a JSON schema, from a model: each value has to stand in the page's text, or it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from driftline.core.answers.schema_fields import fields_in_text
from driftline.engine.jobs.summaries import NotWritten
from driftline.engine.models import prompts
from driftline.engine.models.client import ModelClient, ModelCost
from driftline.model.change import Change
from driftline.model.delivery import Judgement, Reported

TEXT_AT_MOST: Final = 24_000  # characters of a page that are sent
ANSWER_TOKENS: Final = 800
CHANGES_AT_MOST: Final = 5  # of one report whose versions are read

_OBJECT: Final = msgspec.json.Decoder(dict[str, Any])


class ExtractedFields(msgspec.Struct, frozen=True, kw_only=True):
    """What a model read, as far as it stands in the page; or why there is nothing."""

    fields: dict[str, Any] = {}
    refused: tuple[str, ...] = ()  # fields whose value does not stand in the page, or has another type
    reason: str = ""


class FieldReader:
    """Reads the fields of a page, or of both sides of a report's changes, within the client's grace."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    async def read(
        self, org_id: UUID, schema: Mapping[str, Any], text: str, *, cost: ModelCost | None = None
    ) -> ExtractedFields:
        """The fields of one text; the same text and schema are asked for once."""
        try:
            async with asyncio.timeout(self._client.grace_for):
                return await self._read(org_id, schema, text[:TEXT_AT_MOST], cost if cost is not None else ModelCost())
        except TimeoutError:
            return ExtractedFields(reason="the model did not answer in time")

    async def _read(self, org_id: UUID, schema: Mapping[str, Any], text: str, cost: ModelCost) -> ExtractedFields:
        if prompts.addresses_a_model(text):  # what it says of itself would be the page's own choice
            return ExtractedFields(reason="the page gives orders to its reader, so no model is asked")
        task = prompts.FIELDS.format(schema=msgspec.json.encode(schema, order="deterministic").decode())
        data = msgspec.json.encode({"page": text}).decode()
        answer = await self._client.ask(org_id, task, data, cost, tokens=ANSWER_TOKENS)
        if isinstance(answer, NotWritten):
            return ExtractedFields(reason=f"the model could not be asked: {answer.reason}")
        try:
            values = _OBJECT.decode(answer[answer.find("{") : answer.rfind("}") + 1])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return ExtractedFields(reason="the model's answer is not understood")
        fields, refused = fields_in_text(schema, values, text)
        return ExtractedFields(fields=fields, refused=refused)

    async def of_report(self, report: Reported) -> dict[UUID, tuple[dict[str, Any], dict[str, Any]]]:
        """By change: the fields before and after, where they were read in time."""
        asked = [(change, texts) for change in report.changes[:CHANGES_AT_MOST] if (texts := _texts(report, change))]
        both = [self.read(change.org_id, report.extract, text) for change, texts in asked for text in texts]
        found = await asyncio.gather(*both)
        return {
            change.id: (found[2 * place].fields, found[2 * place + 1].fields)
            for place, (change, _) in enumerate(asked)
            if found[2 * place + 1].fields
        }


def _texts(report: Reported, change: Change) -> tuple[str, str] | None:
    """What the page said before and after the change, where both were kept."""
    evidence = report.evidence.get(change.id)
    kept = [version.text for version in evidence.versions[-2:]] if evidence is not None else []
    return (kept[0], kept[1]) if len(kept) == 2 and kept[0] is not None and kept[1] is not None else None


def with_fields(judgement: Judgement, fields: tuple[dict[str, Any], dict[str, Any]]) -> Judgement:
    """What was said of a change, with the fields of both sides."""
    before, after = fields
    return msgspec.structs.replace(judgement, fields_before=before, fields=after)
