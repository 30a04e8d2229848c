"""Articles by lastmod: sitemaps, indexes of them, and feeds."""

from driftline.kinds.sitemap.kind import SitemapKind

KIND = SitemapKind()

__all__ = ["KIND", "SitemapKind"]
