"""docs/agent.md, typed as it stands."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.integration.agent.conftest import QUEUES, Post

PAGE = (Path(__file__).parents[3] / "docs" / "agent.md").read_text(encoding="utf-8")


async def test_the_howto_leads_to_a_first_notify_message(rabbit_post: Post, rabbit_url: str) -> None:
    found = re.search(r"^    import asyncio.*?^    asyncio\.run\(main\(\)\)$", PAGE, re.DOTALL | re.MULTILINE)
    assert found
    script = textwrap.dedent(found[0])
    bus = await rabbit_post.connect()
    await bus.prepare(QUEUES.input, QUEUES.notify)  # as the agent does before it waits
    await bus.close()
    async with rabbit_post.running():
        ended = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", script],
            env=os.environ | {"RABBIT_URL": rabbit_url},
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr.decode()
    reported = json.loads(ended.stdout)
    assert (reported["hasChanges"], reported["previousVersion"], reported["currentVersion"]) == (True, 1, 2)
