"""Where the treasury is, and the agent that a program acts for: from the environment, or from the files of this machine."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
import re
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
class FarTreasury:
    """A treasury on another machine, behind its owner's tunnel."""

    url: str
    owner: str


@dataclass(frozen=True)
class Identity:
    agent_id: str
    api_key: str
    treasury: FarTreasury | None = None
    """Where this machine is linked to, if that is elsewhere."""


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
    # Secret stores and files often end a key with a line break, which is no part of it.
    api_key = (options.api_key or os.environ.get("TREASURY_API_KEY") or _key_in_file() or "").strip() or None
    if agent_id and api_key:
        return Identity(agent_id, api_key)
    half = agent_id or api_key
    file = config_folder() / "agent.json"
    linked = _fields_in(file)
    agent_id, api_key = linked.get("agentId"), linked.get("apiKey")
    if isinstance(agent_id, str) and isinstance(api_key, str) and half in (None, agent_id, api_key):
        _refuse_open("agent.json", str(file))
        return Identity(agent_id, api_key, _far(linked.get("treasury")))
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


def locate(options: Options, linked: FarTreasury | None = None) -> str:
    """The treasury's address, which may change when it restarts. Raises TreasuryError `halted` without one."""
    given = options.url or os.environ.get("TREASURY_URL")
    if options.url is not None:
        return _address(options.url)
    named = given if given is not None else linked.url if linked is not None else None
    url = None if named is None else _address(named)
    folder = os.environ.get("TREASURY_DATA")
    found = _fields_in(Path(folder or "~/.agent-treasury").expanduser() / "runtime" / "endpoint.json")
    if url is None:
        is_here = True
    elif is_far(url):
        owner = os.environ.get("TREASURY_OWNER") or (linked.owner if linked is not None else None)
        is_here = owner is not None and found.get("owner") == owner
    else:
        is_here = folder is not None
    if is_here and isinstance(found.get("url"), str):
        return _address(found["url"])
    if url is None:
        raise TreasuryError("halted", "The treasury is not running; ask its owner to start it.")
    return url


def is_far(url: str) -> bool:
    """Behind a tunnel."""
    return url.startswith("https:")


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
        f"The program at {url} does not know this agent's API key. The key is wrong or was revoked, "
        + (
            "the tunnel does not pass the Host header on, or it leads to another treasury"
            if is_far(url)
            else "or another program has taken the port"
        )
        + ". The key was not sent.",
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _address(text: str) -> str:
    """The origin of a treasury's address. In the clear, the API key never leaves this machine."""
    try:
        parts = urlsplit(text)
        port, host = parts.port, _host(parts.hostname or "")
    except ValueError:
        parts, port, host = urlsplit(""), None, ""
    is_whole = parts.netloc.lower() in (parts.hostname, host, f"{parts.hostname}:{port}", f"{host}:{port}")
    is_origin = is_whole and parts.path in ("", "/") and not (parts.query or parts.fragment)
    if parts.scheme == "https" and host and is_origin:
        return f"https://{host}" + (f":{port}" if port not in (None, 443) else "")
    if parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost") and port is not None:
        return f"http://127.0.0.1:{port}"
    raise TreasuryError(
        "bad_request",
        "TREASURY_URL: must be http://127.0.0.1:PORT on the treasury's machine, or the https://NAME of its owner's tunnel.",
    )


def _host(name: str) -> str:
    """As it stands in a URL, and in the treasury's proof. Raises ValueError for one that another program may read otherwise:
    an international name has to be written in Punycode."""
    if ":" in name:
        return f"[{ipaddress.IPv6Address(name)}]"
    if not re.fullmatch(r"[a-z0-9.-]*", name):
        raise ValueError(name)
    if re.fullmatch(r"[0-9]+|0x.*", name.split(".")[-1]):
        return str(ipaddress.IPv4Address(name))
    return name


def _far(value: Any) -> FarTreasury | None:
    if not isinstance(value, dict) or not isinstance(value.get("url"), str) or not isinstance(value.get("owner"), str):
        return None
    return FarTreasury(value["url"], value["owner"])


def _key_in_file() -> str | None:
    file = os.environ.get("TREASURY_API_KEY_FILE")
    if file is None:
        return None
    file = os.path.expanduser(file)
    try:
        _refuse_open("TREASURY_API_KEY_FILE", file)
        return Path(file).read_text("utf-8")
    except OSError:
        raise TreasuryError("unauthorized", f"TREASURY_API_KEY_FILE: {file} cannot be read.") from None


def _refuse_open(name: str, file: str) -> None:
    """An API key is for its user alone; a link counts as what it leads to."""
    if sys.platform != "win32" and os.stat(file).st_mode & 0o077:
        raise TreasuryError("unauthorized", f"{name}: {file} can be read by others: chmod 600 {file}")


def _fields_in(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
