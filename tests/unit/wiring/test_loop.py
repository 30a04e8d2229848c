"""What a process that stays sets up for itself."""

from __future__ import annotations

import subprocess
import sys
from ctypes import CDLL

import pytest

ALLOCATING = """
from ctypes import CDLL, c_void_p
from threading import Barrier, Thread
from driftline.wiring.loop import limit_heaps

limit_heaps()
all_there = Barrier(12)

def allocate():
    held = [bytes(50_000) for _ in range(20)]
    all_there.wait()

threads = [Thread(target=allocate) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = CDLL(None)
libc.malloc_info(0, c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.skipif(not hasattr(CDLL(None), "mallopt"), reason="only glibc has a heap per thread")
def test_many_threads_share_two_heaps() -> None:
    told = subprocess.run([sys.executable, "-c", ALLOCATING], capture_output=True, text=True, check=True).stdout
    assert told.count("<heap nr=") == 2
