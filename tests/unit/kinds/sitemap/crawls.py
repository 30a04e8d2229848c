"""What the engine, the store and the summarizer do around the kind, in dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from driftline.core.identity.compare import compare
from driftline.core.identity.fingerprint import digest
from driftline.kinds.kind import Baseline, Part, Reading, Target, Verdict
from driftline.kinds.sitemap.article import Article
from driftline.kinds.sitemap.content import read_page
from driftline.kinds.sitemap.kind import KIND
from driftline.kinds.sitemap.rules import SitemapRules
from driftline.model.account import Features
from driftline.model.fetch import Failed, Fetched, Request
from driftline.model.item import SnapshotState, StoredItem, Verification

START = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
NOBODY = UUID(int=0)
SITEMAP = "https://a.example/sitemap.xml"
Lastmods = Mapping[str, str | None]


def urlset(lastmods: Lastmods) -> bytes:
    rows = (
        f"<url><loc>https://a.example/{slug}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod is not None else ''}</url>"
        for slug, lastmod in lastmods.items()
    )
    return f"<urlset>{''.join(rows)}</urlset>".encode()


def page(text: str) -> bytes:
    return f"<html><title>T</title><body><nav>menu {len(text)}</nav><article><p>{text}</p></article></body></html>".encode()


class Site:
    """What the engine, the store and the summarizer do around the kind, in dicts; `pages` is the web."""

    def __init__(self, rules: SitemapRules = SitemapRules(), url: str = SITEMAP) -> None:  # noqa: B008 - frozen
        KIND.check_rules(rules)
        self.rules, self.url, self.at = rules, url, START
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.baselined = False
        self.states: dict[str, bytes] = {}
        self.fingerprints: dict[str, bytes] = {}
        self.stored_at: dict[str, datetime] = {}
        self.members: set[str] = set()
        self.lost: frozenset[str] = frozenset()
        self.summaries: dict[str, str] = {}
        self.queue: dict[str, Verification] = {}
        self.writes = 0
        self.reading: Reading[Article] = Reading()

    def crawl(self, lastmods: Lastmods | None = None) -> Verdict:
        if lastmods is not None:
            self.pages[SITEMAP] = urlset(lastmods)
        self.at += timedelta(minutes=15)
        parts = self.fetch([], KIND.requests(Target(url=self.url), self.rules))
        self.reading = KIND.combine(parts, self.rules)
        assert self.reading.outcome is None, self.reading.reason
        known = {key: self._known(key) for key in self.states}
        members = [known[key] for key in sorted(self.members)] if self.reading.complete else []
        delta = compare(self.reading.items, known, members, exhaustive=False)
        moved = [entry.observed.key for entry in delta.entries if entry.stored]
        before = self._baseline(moved)
        if asked := KIND.followup_requests(before, delta, self.rules):
            self.reading = KIND.combine(self.fetch(parts, asked), self.rules)
            members = members if self.reading.complete else []
            delta = compare(self.reading.items, known, members, exhaustive=False)
            stirred = {entry.observed.key for entry in delta.entries}
            delta = msgspec.structs.replace(delta, verified=len(self.reading.verified.keys() - stirred))
            before = self._baseline([key for key in stirred if key in self.states])
        verdict = KIND.judge(before, delta, self.rules, (), at=self.at)
        for key in verdict.stale:
            self.summaries[key] = ""
        for key, validators in self.reading.verified.items():
            self.queue[key] = Verification(tried_at=self.at, etag=validators.etag, last_modified=validators.last_modified)
        for key, claim in verdict.claims.items():
            self.queue[key] = msgspec.structs.replace(self.queue.get(key, Verification()), claim=claim)
        for key in self.reading.unread:
            self.queue[key] = msgspec.structs.replace(self.queue.get(key, Verification()), tried_at=self.at)
        for entry in delta.entries:
            if entry.observed.key in verdict.unverified:
                continue
            item = verdict.settled.get(entry.observed.key, entry.observed)
            assert digest(KIND.canonical(item.state)) == item.fingerprint
            self.states[item.key] = KIND.pack(item.state, Features()).state
            self.fingerprints[item.key] = item.fingerprint
            self.stored_at[item.key] = self.at
            self.members.add(item.key)
            self.writes += 1
        self.members -= {gone.key for gone in delta.missing}
        self.lost = frozenset(self.reading.diagnostics.get("lost", ()))
        self.baselined = True
        return verdict

    def fetch(self, parts: list[Part[Article]], requests: Iterable[Request]) -> list[Part[Article]]:
        done, waiting = list(parts), list(requests)
        seen: set[tuple[str, str]] = set()
        while waiting:
            request = waiting.pop(0)
            if (request.url, request.label) in seen:
                continue
            seen.add((request.url, request.label))
            self.asked.append(request.url)
            body = self.pages.get(request.url)
            if body is None:
                done.append(Part(request=request, got=Failed(request=request, reason="http 404", status=404)))
                continue
            reading = KIND.read(
                Fetched(request=request, url=request.url, status=200, headers={}, body=body, at=self.at), self.rules, None
            )
            done.append(Part(request=request, got=reading))
            waiting.extend(reading.more)
        return done

    def _baseline(self, keys: Iterable[str]) -> Baseline[Article]:
        return Baseline(
            first=not self.baselined,
            snapshots={key: self._past(key) for key in keys},
            lost=self.lost,
            verifications={
                key: msgspec.structs.replace(row, fingerprint=self.fingerprints[key]) for key, row in self.queue.items()
            },
        )

    def summarize(self) -> None:
        """As the store does: what the page showed joins an article that is compared by its lastmod."""
        for key, summary in self.summaries.items():
            article = KIND.unpack(self.states[key], None, None)
            if not summary and article.basis == "lastmod" and key in self.pages:
                shown = read_page(self.pages[key])
                self.states[key] = KIND.pack(msgspec.structs.replace(article, content=shown.content), Features()).state
        self.summaries = {key: summary or f"about {key} at {self.at}" for key, summary in self.summaries.items()}

    def article(self, slug: str) -> Article:
        return KIND.unpack(self.states[f"https://a.example/{slug}"], None, None)

    def _known(self, key: str) -> StoredItem:
        member = key in self.members
        return StoredItem(item_id=NOBODY, key=key, fingerprint=self.fingerprints[key], version=1, member=member)

    def _past(self, key: str) -> SnapshotState[Article]:
        state = KIND.unpack(self.states[key], None, None)
        return SnapshotState(
            item_id=NOBODY,
            key=key,
            snapshot_id=NOBODY,
            version=1,
            fingerprint=self.fingerprints[key],
            state=state,
            at=self.stored_at[key],
        )


def told(verdict: Verdict) -> list[tuple[str, str]]:
    return [(finding.type, (finding.key or "").rpartition("/")[2]) for finding in verdict.findings]


def index(*urls: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()
