"""The API and the dashboard. Imported only by `driftline serve` and its tests."""
