"""Language models behind the operator's endpoint: judgements and summaries of changes, within a budget and a deadline."""
