"""The index of words: FTS5 over the documents on SQLite, a GIN index on PostgreSQL. Their words are cut by `search_words`."""

from __future__ import annotations

from typing import Final

# SQLite keeps the index up to date itself, in the statement that writes or deletes a document, also by cascade.
_WORDS: Final = (
    "CREATE VIRTUAL TABLE search_words USING fts5"
    "(words, content='search_documents', content_rowid='number', detail='none', columnsize=0)"
)
_ADDED: Final = (
    "CREATE TRIGGER search_documents_added AFTER INSERT ON search_documents BEGIN "
    "INSERT INTO search_words (rowid, words) VALUES (new.number, new.words); END"
)
_REMOVED: Final = (
    "CREATE TRIGGER search_documents_removed AFTER DELETE ON search_documents BEGIN "
    "INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', old.number, old.words); END"
)
SQLITE: Final = (_WORDS, _ADDED, _REMOVED)
POSTGRES: Final = ("CREATE INDEX ix_search_documents_words ON search_documents USING gin (words)",)
