"""What every worker imports, imported once in the fork server."""

import psycopg
import uvloop

from driftline import wiring
from driftline.deliver.channels import apprise, smtp, webhook
from driftline.deliver.dispatch import dispatcher
from driftline.engine import worker
from driftline.engine.check import checker
from driftline.engine.jobs import retention
from driftline.fetch import http, post
from driftline.kinds import registry
from driftline.store.queues import delivery_queue
from driftline.store.runs import pruning

MODULES = (
    psycopg,
    uvloop,
    wiring,
    apprise,
    dispatcher,
    smtp,
    webhook,
    checker,
    retention,
    worker,
    http,
    post,
    registry,
    delivery_queue,
    pruning,
)
