"""A transport for httpx.Client and httpx.AsyncClient that pays."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from ._errors import TreasuryError
from ._paying import Asked, Buying, Get, Options, Pause, Read, Reply, Send, Settled, Silent, pay_for

# The treasury holds a request for a minute while its owner decides, and a seller may be silent for five.
_READ_SECONDS = 330.0
# Nothing was sent.
_MISTAKES = (httpx.LocalProtocolError, httpx.UnsupportedProtocol, ValueError)
_PROOF = httpx.Timeout(4.5).as_dict()


class TreasuryTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Pays what a 402 asks for, within the agent's policy.

    `max_amount`: pays no more for one request, in USDC, as `"0.10"`; the header X-Treasury-Max-Amount wins.
    `approval_timeout`: the seconds to wait for the owner or the chain, looked at whenever the treasury answers, which it
    does each minute; None waits for ever. Then a TreasuryError `awaiting_approval` is raised, and the same request later
    goes on with the same payment. `on_waiting` is called at each turn of a wait. `folder` holds idempotency keys.
    A client follows no redirect that was paid for: it is the answer. The read timeout of the client is replaced by 330
    seconds. Raises TreasuryError as the treasury refused.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        agent_id: str | None = None,
        api_key: str | None = None,
        max_amount: str | None = None,
        approval_timeout: float | None = None,
        on_waiting: Callable[[TreasuryError], None] | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        options = Options(url, agent_id, api_key)
        self._buying = Buying(options, Path(folder) if folder else None, approval_timeout, max_amount, on_waiting)
        # Made directly, they know nothing of the proxies of the environment, which must not get the API key.
        self._sync = httpx.HTTPTransport()
        self._async = httpx.AsyncHTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        steps = pay_for(_asked(request), self._buying)
        try:
            step = next(steps)
            while True:
                try:
                    done = self._take(step, request)
                except _MISTAKES as error:
                    step = steps.throw(error)
                except httpx.TransportError as error:
                    step = steps.throw(Silent(str(error)))
                else:
                    step = steps.send(done)
        except StopIteration as end:
            return _response(end.value, _Stream)
        finally:
            steps.close()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        steps = pay_for(_asked(request), self._buying)
        try:
            step = next(steps)
            while True:
                try:
                    done = await self._take_async(step, request)
                except _MISTAKES as error:
                    step = steps.throw(error)
                except httpx.TransportError as error:
                    step = steps.throw(Silent(str(error)))
                else:
                    step = steps.send(done)
        except StopIteration as end:
            return _response(end.value, _AsyncStream)
        finally:
            steps.close()

    def _take(self, step: Get | Send | Read | Pause, request: httpx.Request) -> Any:
        match step:
            case Pause(seconds):
                return time.sleep(seconds)
            case Get(url):
                response = self._sync.handle_request(_get(url))
                return _whole(response)
            case Send(url, headers):
                return _reply(self._sync.handle_request(_sent(request, url, headers)))
            case Read(reply):
                return _whole(reply.response)

    async def _take_async(self, step: Get | Send | Read | Pause, request: httpx.Request) -> Any:
        match step:
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case Get(url):
                return await _whole_async(await self._async.handle_async_request(_get(url)))
            case Send(url, headers):
                return _reply(await self._async.handle_async_request(_sent(request, url, headers)))
            case Read(reply):
                return await _whole_async(reply.response)

    def close(self) -> None:
        self._sync.close()

    async def aclose(self) -> None:
        await self._async.aclose()


def _asked(request: httpx.Request) -> Asked:
    url = request.url
    netloc, target = url.netloc.decode("ascii"), url.raw_path.decode("ascii")
    return Asked(request.method, url.scheme, netloc, target, request.headers.multi_items(), request.content)


def _get(url: str) -> httpx.Request:
    return httpx.Request("GET", url, extensions={"timeout": _PROOF})


def _sent(request: httpx.Request, url: str, headers: list[tuple[str, str]]) -> httpx.Request:
    timeout = {**request.extensions.get("timeout", {}), "read": _READ_SECONDS}
    # Without a body there is no Content-Length, as in the request that was made.
    content = request.content or (b"" if "content-length" in request.headers else None)
    return httpx.Request(request.method, url, headers=headers, content=content, extensions={"timeout": timeout})


def _reply(response: httpx.Response) -> Reply:
    return Reply(response.status_code, response.headers.multi_items(), response)


def _whole(response: httpx.Response) -> bytes:
    try:
        return response.read()
    finally:
        response.close()


async def _whole_async(response: httpx.Response) -> bytes:
    try:
        return await response.aread()
    finally:
        await response.aclose()


class _Stream(httpx.SyncByteStream):
    def __init__(self, stream: Any, settled: Settled) -> None:
        self._stream, self._settled = stream, settled

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream
        self._settled.over()

    def close(self) -> None:
        self._stream.close()


class _AsyncStream(httpx.AsyncByteStream):
    def __init__(self, stream: Any, settled: Settled) -> None:
        self._stream, self._settled = stream, settled

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece
        self._settled.over()

    async def aclose(self) -> None:
        await self._stream.aclose()


def _response(settled: Settled, stream: type[_Stream] | type[_AsyncStream]) -> httpx.Response:
    response = settled.reply.response
    return httpx.Response(
        settled.reply.status,
        headers=settled.headers,
        stream=stream(response.stream, settled),
        extensions=response.extensions,
    )
