"""A refusal by the treasury, or its silence, as the callers of this package see it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ._shared import shared


class TreasuryError(Exception):
    """`code` is for programs; the message and `next_step` are for people.

    `status` is the HTTP status, and None when the treasury did not answer. `retry_at` is the time from which the same
    request can be paid, where a limit refused it.
    """

    def __init__(
        self, code: str, message: str, details: Mapping[str, Any] | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = dict(details or {})
        retry_at = self.details.get("retryAt")
        self.retry_at = datetime.fromisoformat(retry_at) if isinstance(retry_at, str) else None
        self.payment_id: str | None = self.details.get("paymentId")
        self.approval_id: str | None = self.details.get("approvalId")
        self.next_step = _next_step(code, self.details)

    @property
    def is_unsettled(self) -> bool:
        """The payment is under way, or waits for the owner."""
        return self.code in shared["unsettled"]

    @property
    def ends_key(self) -> bool:
        """Nothing was spent under this idempotency key, and nothing can be. A stop ends what is not signed."""
        stopped = self.code in ("suspended", "frozen") and self.details.get("isSigned") is False
        return self.code in shared["nothingSpent"] or stopped


def _next_step(code: str, details: Mapping[str, Any]) -> str:
    if isinstance(details.get("retryAt"), str):
        return shared["nextStepWithTime"].replace("{retryAt}", details["retryAt"])
    if code in shared["nextStep"]:
        return shared["nextStep"][code]
    if "retryAfterSeconds" not in details:
        return shared["otherwise"]
    return shared["nextStepWithWait"].replace("{retryAfterSeconds}", str(details["retryAfterSeconds"]))


def is_refusal(answer: Any) -> bool:
    """The body of a treasury's refusal: others name codes too, and not those of the list."""
    return isinstance(answer, dict) and answer.get("code") in shared["codes"]


def error_in(status: int, answer: Any) -> TreasuryError:
    """Reads the body of a refusal; what is none becomes `internal`."""
    if not is_refusal(answer):
        return TreasuryError("internal", f"The treasury answered {status}.", None, status)
    message = answer.get("error", f"The treasury answered {status}.")
    return TreasuryError(answer["code"], message, answer.get("details"), status)
