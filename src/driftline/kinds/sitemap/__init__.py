"""Articles of sitemaps, sitemap indexes and feeds."""
