"""One request to a seller, paid once: the steps alone, which a sync and an async caller take in their own ways."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ._errors import TreasuryError, error_in, is_refusal
from ._keys import KeptKey, take
from ._place import Identity, Options, check_proof, config_folder, fingerprint, identify, is_far, locate
from ._shared import shared

_HEADERS_COMPARED = re.compile(shared["headersCompared"])
_KEY_HEADERS = ("x-treasury-idempotency-key", "idempotency-key")
# The most that a request may cost.
_MAXIMUM = "x-treasury-max-amount"
_PRINTABLE = re.compile(r"[!-~]+")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NO_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")
# Of the connection to the treasury, which has its own.
_NOT_SENT = ("host", "content-length", "transfer-encoding", "connection")
# A host that was never reached does not run; one that was reached may be restarting.
_PATIENCE = {False: 1.6, True: 15.0}
_PROXIED = re.compile(r"/v1/agents/[^/]+/proxy/(https?)/(.*)", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """A request for a seller, read whole: it may have to be sent again, also by a program that was started again."""

    method: str
    scheme: str
    netloc: str
    target: str
    """Path and query."""
    headers: list[tuple[str, str]]
    body: bytes

    def has_own_key(self) -> bool:
        """The caller named an idempotency key, and keeps it."""
        return any(name.lower() in _KEY_HEADERS for name, _ in self.headers)

    def values(self, header: str) -> list[str]:
        return [value for name, value in self.headers if name.lower() == header]

    def check(self) -> None:
        """Raises ValueError, which names the field, for what cannot be sent as it is."""
        if not _PRINTABLE.fullmatch(self.netloc + self.target):
            raise ValueError("url: must have no space and no letter beyond ASCII; quote it, as urllib.parse.quote does")
        for name, value in self.headers:
            if not _NAME.fullmatch(name):
                raise ValueError(f"headers: {name!r} is no name of a header")
            if _NO_VALUE.search(value):
                raise ValueError(f"headers: {name} must have no line break, no control character and no letter beyond Latin-1")

    def refuse_multipart(self) -> None:
        """Raises ValueError for what could not be recognized when it is sent again."""
        if any(value.lower().startswith("multipart/") for value in self.values("content-type")):
            raise ValueError(
                "files: multipart/form-data has another boundary each time, so a repetition would pay again. "
                "Name an Idempotency-Key in the headers."
            )

    def digest(self, agent_id: str) -> str:
        """Equal for requests that are one purchase."""
        compared = sorted(
            [name.lower(), value]
            for name, value in self.headers
            if _HEADERS_COMPARED.match(name.lower())
        )
        place = [agent_id, self.method, f"{self.scheme}://{self.netloc}{self.target}", compared]
        return hashlib.sha256(json.dumps(place).encode() + self.body).hexdigest()


@dataclass(frozen=True)
class Buying:
    """How a caller buys."""

    options: Options
    folder: Path | None
    approval_timeout: float | None
    max_amount: str | None
    on_waiting: Callable[[TreasuryError], None] | None


# The steps. Each is answered with its result; a connection that fails, with Silent; a Send that was a mistake, and not sent,
# with the error that says so.
@dataclass(frozen=True)
class Get:
    """Answered with the body."""

    url: str


@dataclass(frozen=True)
class Send:
    """Answered with a Reply, whose body is still to come."""

    url: str
    headers: list[tuple[str, str]]


@dataclass(frozen=True)
class Read:
    """Answered with the body of a reply, which is over then."""

    reply: Reply


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Reply:
    status: int
    headers: list[tuple[str, str]]
    response: Any

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


class Silent(Exception):
    """The treasury did not answer."""


@dataclass(frozen=True)
class Settled:
    reply: Reply
    headers: list[tuple[str, str]]
    """With a redirect's own address."""
    key: KeptKey | None
    """Of an answer that was paid for."""

    def over(self) -> None:
        """The answer was read whole. A redirect or an error delivers nothing."""
        if self.key is None:
            return
        if shared["deliveries"]["first"] <= self.reply.status <= shared["deliveries"]["last"]:
            self.key.forget()
        else:
            self.key.forget_later()


Steps = Generator[Get | Send | Read | Pause, Any, Settled]


def pay_for(asked: Asked, buying: Buying) -> Steps:
    """Raises TreasuryError as the treasury refused it, and `awaiting_approval` when the wait for the owner is over.

    Raises ValueError for what cannot be sent, and for a multipart form without a key.
    """
    asked.check()
    folder = buying.folder or config_folder() / "requests"
    asked = _at_most(asked, buying.max_amount)
    agent_id = identify(buying.options).agent_id
    key = None
    if not asked.has_own_key():
        asked.refuse_multipart()
        key = take(folder, asked.digest(agent_id), ", ".join(asked.values(_MAXIMUM)))
    try:
        reply = yield from _settled(asked, buying, key)
    except BaseException as error:
        if key is not None:
            _leave(key, error)
        raise
    is_paid = reply.header("x-treasury-payment-id") is not None
    if key is not None:
        # An equal request goes on with an answer that nobody reads.
        key.release() if is_paid else key.forget()
    headers = [(name, _own_address(name, value)) for name, value in reply.headers]
    return Settled(reply, headers, key if is_paid else None)


def _at_most(asked: Asked, amount: str | None) -> Asked:
    if amount is None or asked.values(_MAXIMUM):
        return asked
    return replace(asked, headers=[*asked.headers, ("X-Treasury-Max-Amount", amount)])


def _settled(asked: Asked, buying: Buying, key: KeptKey | None) -> Generator[Any, Any, Reply]:
    """Repeats the request under its key until the payment is settled."""
    began = time.monotonic()
    while True:
        try:
            return (yield from _answered(asked, buying, key))
        except TreasuryError as error:
            if not error.is_unsettled:
                raise
            if key is not None:
                key.may_be_used = True
            if buying.on_waiting is not None:
                buying.on_waiting(error)
            seconds = float(error.details.get("retryAfterSeconds", 1))
            limit = buying.approval_timeout
            if limit is not None and time.monotonic() + seconds > began + limit:
                raise
            yield Pause(seconds)


def _answered(asked: Asked, buying: Buying, key: KeptKey | None) -> Generator[Any, Any, Reply]:
    """Finds the treasury again for each try: a host that restarts may be on another port."""
    deadline: float | None = None
    is_reached = False
    url = ""
    pause = 0.04
    while True:
        try:
            identity = identify(buying.options)
            url = locate(buying.options, identity.treasury)
            nonce = secrets.token_hex(16)
            health = _json((yield Get(f"{url}/v1/health?nonce={nonce}&key={fingerprint(identity.api_key)}")))
            if is_far(url) and not (isinstance(health, dict) and "ok" in health) and not is_refusal(health):
                raise Silent("the tunnel answered, and the treasury did not")
            check_proof(health, identity.api_key, nonce, url)
            is_reached = True
            send = Send(url + _through_proxy(asked, identity), _headers(asked, identity, key))
            was_used = key is not None and key.may_be_used
            if key is not None:
                # Until it is known, however this ends.
                key.may_be_used = True
            try:
                reply = yield send
            except Exception as error:
                if key is not None and not isinstance(error, Silent):
                    key.may_be_used = was_used
                raise
            # The treasury marks a seller's answer; everything else is its own word.
            if reply.header("x-treasury-from") == "seller":
                return reply
            said = _json((yield Read(reply)))
            if is_far(url) and not is_refusal(said):
                raise Silent("the tunnel answered, and the treasury did not")
            refusal = error_in(reply.status, said)
            # A treasury that halts may have paid before.
            if key is not None and refusal.code != "halted":
                key.may_be_used = was_used
            raise refusal
        except (Silent, TreasuryError) as error:
            if isinstance(error, TreasuryError) and error.code != "halted":
                raise
            deadline = deadline or time.monotonic() + _PATIENCE[is_reached]
            if time.monotonic() > deadline:
                raise _silent(is_reached, url, error) from None
        yield Pause(pause)
        pause = min(2 * pause, 0.64)


def _through_proxy(asked: Asked, identity: Identity) -> str:
    agent = quote(identity.agent_id, safe="")
    return f"/v1/agents/{agent}/proxy/{asked.scheme}/{asked.netloc}{asked.target}"


def _headers(asked: Asked, identity: Identity, key: KeptKey | None) -> list[tuple[str, str]]:
    sent = [(name, value) for name, value in asked.headers if name.lower() not in _NOT_SENT]
    if key is not None:
        sent = [(name, value) for name, value in sent if name.lower() != _MAXIMUM]
        sent.append(("X-Treasury-Idempotency-Key", key.idempotency_key))
        if key.max_amount:
            sent.append(("X-Treasury-Max-Amount", key.max_amount))
    return [*sent, ("X-Treasury-Key", identity.api_key)]


def _own_address(name: str, value: str) -> str:
    if name.lower() not in ("location", "x-treasury-location"):
        return value
    found = _PROXIED.fullmatch(value)
    return value if found is None else f"{found[1]}://{found[2]}"


def _leave(key: KeptKey, error: BaseException) -> None:
    """Of a new key, nothing is left where no request was sent, or it was refused before there was a payment.

    `internal` tells nothing.
    """
    refusal = error if isinstance(error, TreasuryError) else None
    is_told = refusal is None or (refusal.code != "internal" and refusal.payment_id is None)
    is_ended = refusal is not None and refusal.status is not None and refusal.ends_key
    if is_ended or (is_told and not key.may_be_used):
        key.forget()
    else:
        key.release()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _silent(is_reached: bool, url: str, error: Exception) -> TreasuryError:
    if not is_reached and is_far(url) and isinstance(error, Silent):
        why = f"{url} does not answer ({error}). Ask the owner whether the treasury and its tunnel are running."
        return TreasuryError("halted", why)
    if not is_reached:
        return TreasuryError("halted", "The treasury is not running; ask its owner to start it.")
    message = "The treasury did not answer. It may or may not have taken this request."
    return TreasuryError("halted", message, {"lost": True})
