"""One schema, two databases. Start at `store.Store`; an org's data is behind `Session.org`."""
