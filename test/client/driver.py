"""A program that buys with the Python package: each line of input is a request, each line of output says what came of
one. Its argument is the way in which it buys."""

import asyncio
import json
import sys
import threading
from datetime import datetime

from agent_treasury import TreasuryError, payment_of, treasury_fetch

lock = threading.Lock()


def tell(**line):
    with lock:
        print(json.dumps(line, default=datetime.isoformat), flush=True)


def on_waiting(error):
    tell(waiting=error.code, approvalId=error.approval_id, paymentId=error.payment_id)


def how(within):
    return {"on_waiting": on_waiting, "approval_timeout": None if within is None else within / 1000}


def answered(answer, text):
    payment = payment_of(answer)
    paid = None if payment is None else payment.payment_id
    status = getattr(answer, "status_code", None) or answer.status
    tell(status=status, url=str(answer.url), payment=paid, text=text)


def with_urllib(url, method, headers, body, within, reads):
    with treasury_fetch(url, method=method, headers=headers, body=body.encode(), **how(within)) as answer:
        if not reads:
            tell(begun=answer.status)
        answered(answer, answer.read().decode())


def with_httpx(url, method, headers, body, within, reads):
    import httpx
    from agent_treasury import TreasuryTransport

    with httpx.Client(transport=TreasuryTransport(**how(within))) as client:
        with client.stream(method, url, headers=headers, content=body) as answer:
            if not reads:
                tell(begun=answer.status_code)
            answered(answer, answer.read().decode())


def with_async_httpx(*asked):
    asyncio.run(later(*asked))


async def later(url, method, headers, body, within, reads):
    import httpx
    from agent_treasury import TreasuryTransport

    async with httpx.AsyncClient(transport=TreasuryTransport(**how(within))) as client:
        async with client.stream(method, url, headers=headers, content=body) as answer:
            if not reads:
                tell(begun=answer.status_code)
            answered(answer, (await answer.aread()).decode())


way = {"urllib": with_urllib, "httpx": with_httpx, "httpx, async": with_async_httpx}[sys.argv[1]]


def call(request):
    try:
        within, reads = request.get("withinMs"), request.get("reads", True)
        way(request["url"], request["method"], request["headers"], request.get("body", ""), within, reads)
    except TreasuryError as error:
        tell(
            failed="TreasuryError",
            code=error.code,
            status=error.status,
            retryAt=error.retry_at,
            paymentId=error.payment_id,
            nextStep=error.next_step,
            message=str(error),
        )
    except Exception as error:
        tell(failed=type(error).__name__, message=repr(error))


tell(ready=True)
for line in sys.stdin:
    threading.Thread(target=call, args=(json.loads(line),), daemon=True).start()
