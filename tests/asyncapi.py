"""docs/asyncapi.yaml, made from the message types and the settings: `make docs` writes it with the other reference pages."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import yaml

from driftline.bus.messages import MAX_BYTES, PageCheck, PageChecked
from driftline.bus.ports import DEAD_LETTER, RETRIES
from driftline.settings import OWN_NAMES, Settings
from driftline.wiring import RABBIT_URL

VERSION: Final = "1.0.0"  # of the contract
OUTPUTS: Final = {
    "storage_queue": "Every page that was dealt with; `diff` and `changes` only where it changed.",
    "notify_queue": "Pages that changed.",
    "price_update_queue": "Products that changed and have price candidates; with `prices`.",
}


def asyncapi_page() -> str:
    """The whole document."""
    head = "# Made from the code by `make docs`; a test says when it is out of date.\n"
    return head + yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=120)


def document() -> dict[str, Any]:
    """Queues, operations, messages and their schemas."""
    _, components = msgspec.json.schema_components((PageCheck, PageChecked), ref_template="#/components/schemas/{name}")
    defaults = Settings()
    queues = {"input_queue": "Parsed pages, each with its version.", **OUTPUTS}
    channels = {
        name: {
            "address": getattr(defaults, name),
            "description": f"{reported} Another name: {OWN_NAMES[name]} in the environment.",
            "messages": {_message(name): {"$ref": f"#/components/messages/{_message(name)}"}},
            "bindings": {"amqp": {"is": "queue", "queue": {"name": getattr(defaults, name), "durable": True}}},
        }
        for name, reported in queues.items()
    }
    channels["dead_letter"] = {
        "address": DEAD_LETTER,
        "description": f"Inputs that could not be read, or failed {RETRIES + 1} times, as they came.",
        "messages": {"dead": {"$ref": "#/components/messages/dead"}},
        "bindings": {"amqp": {"is": "queue", "queue": {"name": DEAD_LETTER, "durable": True}}},
    }
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "driftline agent", "version": VERSION, "description": "Parsed pages in, what changed out."},
        "defaultContentType": "application/json",
        "servers": {"rabbit": {"host": RABBIT_URL.rpartition("@")[2], "protocol": "amqp", "description": "RABBIT_URL"}},
        "channels": channels,
        "operations": {
            name: {"action": "receive" if name == "input_queue" else "send", "channel": {"$ref": f"#/channels/{name}"}}
            for name in channels
        },
        "components": {
            "messages": {
                "PageCheck": {
                    "payload": {"$ref": "#/components/schemas/PageCheck"},
                    "description": f"At most {MAX_BYTES} bytes. Fields beside these are passed on to the outputs.",
                },
                "PageChecked": {
                    "payload": {"$ref": "#/components/schemas/PageChecked"},
                    "description": "Its AMQP message id is the same however often it is sent.",
                },
                "dead": {
                    "headers": {
                        "type": "object",
                        "description": "Where the broker itself gave up on a message, `x-death` stands instead.",
                        "properties": {
                            "reason": {"type": "string"},
                            "attempts": {"type": "integer"},
                            "queue": {"type": "string"},
                        },
                    },
                    "payload": {"description": "Whatever was sent."},
                },
            },
            "schemas": components,
        },
    }


def _message(queue: str) -> str:
    return "PageCheck" if queue == "input_queue" else "PageChecked"
