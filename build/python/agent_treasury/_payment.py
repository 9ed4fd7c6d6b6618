"""The payment behind a seller's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Payment:
    payment_id: str
    amount: str
    """In USDC, as `0.01`."""
    status: str


def payment_of(answer: Any) -> Payment | None:
    """The payment for an answer of httpx or of `treasury_fetch`; None when the answer cost nothing."""
    payment_id, amount, status = (answer.headers.get(f"x-treasury-payment-{name}") for name in ("id", "amount", "status"))
    return None if payment_id is None else Payment(payment_id, amount or "", status or "")
