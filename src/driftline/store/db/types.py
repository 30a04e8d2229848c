"""Column types for both databases; `codec` converts their values."""

from __future__ import annotations

from sqlalchemy import BigInteger, LargeBinary, Text
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP, TSVECTOR, UUID

Id = LargeBinary().with_variant(UUID(), "postgresql")  # UUIDv7; its 16 bytes on SQLite, where they sort the same
Instant = BigInteger().with_variant(TIMESTAMP(timezone=True), "postgresql")  # microseconds since 1970, UTC, on SQLite
Json = Text().with_variant(JSONB(), "postgresql")
Hash = LargeBinary()
Words = Text().with_variant(TSVECTOR(), "postgresql")  # what a search finds a document by
