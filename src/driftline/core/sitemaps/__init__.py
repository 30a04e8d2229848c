"""Files that list the addresses of a site: sitemaps, indexes of them, feeds, lists of addresses, robots.txt."""
