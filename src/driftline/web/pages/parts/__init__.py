"""What several pages share: rendering, forms, cards, times."""
