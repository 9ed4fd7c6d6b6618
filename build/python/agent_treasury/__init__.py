"""Pays HTTP 402 through the Agent Treasury of this machine."""

from ._errors import TreasuryError
from ._payment import Payment, payment_of
from ._urllib import Answer, treasury_fetch
from ._version import __version__

__all__ = ["Answer", "Payment", "TreasuryError", "TreasuryTransport", "__version__", "payment_of", "treasury_fetch"]


def __getattr__(name: str) -> object:
    # httpx is needed by the transport alone.
    if name == "TreasuryTransport":
        from ._httpx import TreasuryTransport

        return TreasuryTransport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
