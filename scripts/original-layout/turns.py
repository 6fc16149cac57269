"""Lets measurements on the same machine go first."""

import contextlib
import fcntl
import os
from collections.abc import Iterator


@contextlib.contextmanager
def in_turn() -> Iterator[None]:
    turn, quiet = os.environ.get("TURN_LOCK"), os.environ.get("QUIET_LOCK")
    if not turn or not quiet:
        yield
        return
    with open(turn) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    with open(quiet) as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
