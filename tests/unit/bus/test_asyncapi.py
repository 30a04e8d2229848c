"""The AsyncAPI document and the messages themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from jsonschema_rs import Draft202012Validator

from driftline.bus.messages import Diff, PageCheck, PageChecked, ParsedPrice, VersionPair

DOCUMENT: dict[str, Any] = yaml.safe_load((Path(__file__).parents[3] / "docs" / "asyncapi.yaml").read_text(encoding="utf-8"))
EXAMPLE: dict[str, Any] = {
    "jobId": "abc123",
    "url": "https://example.com/p/12",
    "parsed": {"title": "iPhone 13", "text": "Latest...", "images": [], "metadata": {}, "priceCandidates": ["₹79999"]},
    "classification": {"type": "product", "confidence": 0.92},
    "snapshotHash": "1be6fa09",
    "version": 3,
}


def problems(name: str, value: object) -> list[str]:
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    return [error.message for error in Draft202012Validator(schema).iter_errors(value)]


def test_the_queues_are_those_of_the_pipeline() -> None:
    addresses = [channel["address"] for channel in DOCUMENT["channels"].values()]
    assert addresses == ["change.check", "storage-agent", "notify", "price.update", "dead_letter"]


def test_every_reference_leads_somewhere() -> None:
    def references(value: Any) -> Iterator[str]:
        match value:
            case {"$ref": str(ref)}:
                yield ref
            case dict():
                for inner in value.values():
                    yield from references(inner)
            case list():
                for inner in value:
                    yield from references(inner)

    def leads_somewhere(ref: str) -> bool:
        found: Any = DOCUMENT
        for part in ref.removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, dict) else None
        return found is not None

    found = list(references(DOCUMENT))
    assert len(found) > 5
    assert [ref for ref in found if not leads_somewhere(ref)] == []


def test_the_example_is_a_valid_input() -> None:
    assert problems("PageCheck", EXAMPLE) == []
    assert msgspec.json.decode(msgspec.json.encode(EXAMPLE), type=PageCheck).job_id == "abc123"


@pytest.mark.parametrize("change", [{"version": "3"}, {"jobId": 1}, {"parsed": None}, {"url": ""}, {"version": -1}])
def test_what_the_document_refuses_the_agent_refuses(change: dict[str, Any]) -> None:
    wrong = EXAMPLE | change
    assert problems("PageCheck", wrong)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(wrong), type=PageCheck)


def test_outputs_fit_the_document() -> None:
    diff = Diff(title_changed=True, text_diff="[+ a - b]", metadata_changes={}, image_changes={}, price_changed=False)
    whole = PageChecked(
        job_id="j",
        url="u",
        has_changes=True,
        diff=diff,
        changes={"title": {}},
        previous_version=None,
        current_version=1,
        version=VersionPair(previous=None, current=1),
        snapshot_hash="h",
        parsed=msgspec.Raw(b"{}"),
        classification=msgspec.Raw(b"null"),
        is_new=True,
        prices=[ParsedPrice(candidate="x", amount=None, currency=None)],
    )
    assert problems("PageChecked", msgspec.json.decode(msgspec.json.encode(whole))) == []
    assert set(DOCUMENT["components"]["schemas"]["PageChecked"]["properties"]) == set(
        msgspec.json.decode(msgspec.json.encode(whole))
    )
