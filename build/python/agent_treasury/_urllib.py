"""One paid request with the standard library alone."""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from ._errors import TreasuryError
from ._paying import Asked, Buying, Get, Options, Pause, Read, Reply, Send, Settled, Silent, pay_for

_READ_SECONDS = 330.0
_PROOF_SECONDS = 4.5
# The connection failed. What else http.client raises is of an answer that it does not take, such as one with more than 100 headers.
_SILENT = (OSError, http.client.BadStatusLine, http.client.IncompleteRead)
# Nothing was sent.
_MISTAKES = (http.client.InvalidURL, ValueError)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


# The API key must not go to a proxy of the environment, nor to another place.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())


class Answer:
    """A seller's answer, whatever its status; read to its end, it is received."""

    def __init__(self, settled: Settled, url: str) -> None:
        self.url = url
        self.status = settled.reply.status
        self.headers = Message()
        for name, value in settled.headers:
            self.headers[name] = value
        self._response = settled.reply.response
        self._over: Callable[[], None] | None = settled.over

    def read(self, amount: int = -1) -> bytes:
        """All of it, or at most `amount` bytes; empty at its end. Raises what http.client does when it breaks off."""
        # After a failure, nothing makes it whole.
        over, self._over = self._over, None
        piece = self._response.read() if amount < 0 else self._response.read(amount)
        is_over = amount < 0 or (not piece and amount > 0)
        # Read in pieces, http.client takes a broken connection for the end.
        if is_over and self._response.length:
            raise http.client.IncompleteRead(piece, self._response.length)
        if not is_over:
            self._over = over
        elif over is not None:
            over()
        return piece

    def close(self) -> None:
        self._over = None
        self._response.close()

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def treasury_fetch(
    url: str,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    max_amount: str | None = None,
    approval_timeout: float | None = None,
    on_waiting: Callable[[TreasuryError], None] | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Answer:
    """Asks a seller and pays what its 402 asks for, within the agent's policy. Follows no redirect.

    The arguments mean the same as those of TreasuryTransport. Raises TreasuryError as the treasury refused,
    ValueError for an address or a header that cannot be sent, and HTTPException for an answer that http.client does not
    take, such as one of more than 100 headers.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http") or not parts.netloc:
        raise ValueError("url: must begin with https:// and name a host")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    verb = method or ("GET" if body is None else "POST")
    asked = Asked(verb, parts.scheme, parts.netloc, target, list((headers or {}).items()), body or b"")
    buying = Buying(Options(), Path(folder) if folder else None, approval_timeout, max_amount, on_waiting)
    steps = pay_for(asked, buying)
    try:
        step = next(steps)
        while True:
            try:
                done = _take(step, verb, body)
            except _SILENT as error:
                step = steps.throw(Silent(str(error)))
            except _MISTAKES as error:
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as end:
        return Answer(end.value, url)
    finally:
        steps.close()


def _take(step: Get | Send | Read | Pause, method: str, body: bytes | None) -> Any:
    match step:
        case Pause(seconds):
            return time.sleep(seconds)
        case Get(url):
            with _open(urllib.request.Request(url), _PROOF_SECONDS) as response:
                return response.read()
        case Send(url, headers):
            request = urllib.request.Request(url, data=body, method=method)
            for name, value in headers:
                request.add_header(name, value)
            response = _open(request, _READ_SECONDS)
            return Reply(response.status, response.headers.items(), response)
        case Read(reply):
            with reply.response as response:
                return response.read()


def _open(request: urllib.request.Request, seconds: float) -> Any:
    try:
        return _opener.open(request, timeout=seconds)
    except urllib.error.HTTPError as answer:
        return answer
