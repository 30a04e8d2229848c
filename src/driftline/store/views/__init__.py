"""An org's data by concern; reached through `Session.org` only, so that no query forgets the org."""
