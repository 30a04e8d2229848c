"""What every worker imports, imported once in the fork server."""

import psycopg
import uvloop

from driftline import wiring
from driftline.deliver import apprise, dispatch, email, webhook
from driftline.engine import check, retention, worker
from driftline.fetch import http, post
from driftline.kinds import registry
from driftline.store import mailroom, pruning

MODULES = (
    psycopg,
    uvloop,
    wiring,
    apprise,
    dispatch,
    email,
    webhook,
    check,
    retention,
    worker,
    http,
    post,
    registry,
    mailroom,
    pruning,
)
