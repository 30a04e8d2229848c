"""An org's data by concern. The only way here is `Session.org`, so that no query forgets whose data it is."""
