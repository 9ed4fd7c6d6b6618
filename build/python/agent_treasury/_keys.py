"""Idempotency keys of requests whose answers have not come whole.

Each is the name of a file, written before the request is sent, which holds the most that the request may cost: a
program that is started again finds it, and goes on with the same payment. Programs that share a folder and make equal
requests at the same time share a payment, since nobody can tell a restart from a neighbor.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import threading
import time
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from ._errors import TreasuryError
from ._shared import shared

# The treasury keeps answers for a day, and refuses to pay again for ever: longer than that, for clocks that are set.
_KEPT_SECONDS = 2 * 86_400
_REPEATED_SECONDS = shared["repeatedWithinSeconds"]
_MOST = 1_000
_NAMED = re.compile(r"[0-9a-f]{64}-[0-9a-f]{32}")

_lock = threading.Lock()


@dataclass(eq=False)
class KeptKey:
    idempotency_key: str
    max_amount: str
    """In USDC; empty for no maximum. The treasury refuses another than the first: a higher one is not sent."""
    may_be_used: bool
    """A request under it may have been taken: it is kept until its end is known."""
    _file: Path = field(repr=False)
    _is_under_way: bool = field(default=True, repr=False)

    def forget(self) -> None:
        """The answer came whole, or nothing was paid: an equal request is a new purchase.

        It stays for a later request that goes on with it.
        """
        with _lock:
            if _holders.get(self._file) is self:
                del _holders[self._file]
                self._file.unlink(missing_ok=True)

    def forget_later(self) -> None:
        """The answer came whole and was paid for, and delivers nothing: for a while, an equal request goes on with it.

        A repetition makes that while no longer.
        """
        self.release()
        at = time.time() - _KEPT_SECONDS + _REPEATED_SECONDS
        try:
            at = min(at, self._file.stat().st_mtime)
            os.utime(self._file, (at, at))
        except FileNotFoundError:
            pass

    def release(self) -> None:
        """The answer has begun, or the request is over without it: the next equal one goes on with it."""
        self._is_under_way = False


# By file, the last request of this process that took it.
_holders: dict[Path, KeptKey] = {}


def take(folder: Path, digest: str, max_amount: str = "") -> KeptKey:
    """`max_amount`: the most that the request may cost; empty for no maximum.

    Raises TreasuryError `keys_full`, and OSError when the folder cannot be written.
    """
    folder = folder.absolute()
    with _lock:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        left = [file for file in folder.iterdir() if _NAMED.fullmatch(file.name) and _is_fresh(file)]
        found = next((file for file in left if file.name.startswith(digest) and not _is_under_way(file)), None)
        if found is None and len(left) >= _MOST:
            raise TreasuryError(
                "keys_full",
                f"{folder} holds the keys of {_MOST} paid requests whose answers were never read to their end. "
                "Nothing was sent.",
            )
        file = found or _create(folder / f"{digest}-{secrets.token_hex(16)}", max_amount)
        most = _lower(_text_in(file), max_amount)
        key = _holders[file] = KeptKey(file.name[len(digest) + 1 :], most, found is not None, file)
        return key


def _is_under_way(file: Path) -> bool:
    """Such a request is one purchase."""
    holder = _holders.get(file)
    return holder is not None and holder._is_under_way


def _text_in(file: Path) -> str:
    """Empty when another program has just forgotten the key."""
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


def _lower(first: str, asked: str) -> str:
    try:
        return asked if first and asked and Decimal(asked) < Decimal(first) else first or asked
    except InvalidOperation:
        return asked


def _create(file: Path, text: str) -> Path:
    """On disk when it returns."""
    opened = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(opened, text.encode())
        os.fsync(opened)
    finally:
        os.close(opened)
    if sys.platform != "win32":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return file


def _is_fresh(file: Path) -> bool:
    """Removes one that is too old."""
    try:
        if _is_under_way(file) or time.time() - file.stat().st_mtime <= _KEPT_SECONDS:
            return True
        file.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    return False
