"""What runs of an org found: changes, items, prices, slots and articles, and the search over them."""
