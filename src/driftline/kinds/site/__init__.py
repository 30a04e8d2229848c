"""Whole sites: their pages are found by links or in a sitemap, and watched one by one."""
