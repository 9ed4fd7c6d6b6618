"""Where the treasury is, and the agent that a program acts for: from the environment, or from the files of this machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ._errors import TreasuryError
from ._shared import shared


@dataclass(frozen=True)
class Options:
    """Each is taken from the environment, or from the file of a linked machine, where it is None."""

    url: str | None = None
    agent_id: str | None = None
    api_key: str | None = None


@dataclass(frozen=True)
class Identity:
    agent_id: str
    api_key: str


def config_folder() -> Path:
    """The platform's folder for per-user settings."""
    name = "agent-treasury"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / name
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / name
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / name


def identify(options: Options) -> Identity:
    """Raises TreasuryError `unauthorized` without an agent's key, and for an agent or a key alone, unless this machine is
    linked to that agent."""
    agent_id = options.agent_id or os.environ.get("TREASURY_AGENT_ID") or None
    api_key = options.api_key or os.environ.get("TREASURY_API_KEY") or _key_in_file() or None
    if agent_id and api_key:
        return Identity(agent_id, api_key)
    half = agent_id or api_key
    linked = _fields_in(config_folder() / "agent.json")
    agent_id, api_key = linked.get("agentId"), linked.get("apiKey")
    if isinstance(agent_id, str) and isinstance(api_key, str) and half in (None, agent_id, api_key):
        return Identity(agent_id, api_key)
    if half is not None:
        raise TreasuryError(
            "unauthorized",
            "Of TREASURY_AGENT_ID and TREASURY_API_KEY (a client's agent_id and api_key), only one is set, and this "
            "machine is not linked to that agent. Set both, or neither.",
        )
    raise TreasuryError(
        "unauthorized",
        'This machine is not linked to a treasury: run "treasury link", or set TREASURY_AGENT_ID and TREASURY_API_KEY.',
    )


def locate(options: Options) -> str:
    """The treasury's address, which may change when it restarts. Raises TreasuryError `halted` without one."""
    given = options.url or os.environ.get("TREASURY_URL")
    folder = os.environ.get("TREASURY_DATA")
    if options.url is None and (folder is not None or given is None):
        found = _fields_in(Path(folder or Path.home() / ".agent-treasury") / "runtime" / "endpoint.json").get("url")
        if isinstance(found, str):
            return _loopback(found)
    if given is None:
        raise TreasuryError("halted", "The treasury is not running; ask its owner to start it.")
    return _loopback(given)


def fingerprint(api_key: str) -> str:
    """Identifies an API key without revealing anything about it."""
    return _sha256(shared["fingerprint"].replace("{hash}", _sha256(api_key)))


def check_proof(answer: Any, api_key: str, nonce: str, url: str) -> None:
    """The listener must know the API key before the key is sent to it: another program may have taken the port."""
    text = shared["proof"].replace("{nonce}", nonce).replace("{url}", url)
    expected = hmac.new(_sha256(api_key).encode(), text.encode(), hashlib.sha256).hexdigest()
    proof = answer.get("proof") if isinstance(answer, dict) else None
    if isinstance(proof, str) and hmac.compare_digest(proof.encode(), expected.encode()):
        return
    raise TreasuryError(
        "unauthorized",
        f"The program at {url} does not know this agent's API key. The key is wrong or was revoked, or another program "
        "has taken the port. The key was not sent.",
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _loopback(text: str) -> str:
    """Loopback addresses only: the API key never leaves this machine."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or port is None:
        raise TreasuryError("bad_request", "TREASURY_URL must be http://127.0.0.1:PORT: the treasury is local.")
    return f"http://127.0.0.1:{port}"


def _key_in_file() -> str | None:
    file = os.environ.get("TREASURY_API_KEY_FILE")
    if file is None:
        return None
    try:
        if sys.platform != "win32" and os.stat(file).st_mode & 0o077:
            raise TreasuryError(
                "unauthorized", f"TREASURY_API_KEY_FILE: {file} can be read by others: chmod 600 {file}"
            )
        return Path(file).read_text("utf-8").strip()
    except OSError:
        raise TreasuryError("unauthorized", f"TREASURY_API_KEY_FILE: {file} cannot be read.") from None


def _fields_in(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
