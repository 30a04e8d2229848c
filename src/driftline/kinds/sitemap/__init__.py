"""Articles by lastmod: sitemaps, indexes of them, and feeds."""
