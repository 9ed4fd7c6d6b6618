"""The words and rules that this package has in common with the treasury: written by its build from the same sources."""

import json
from importlib.resources import files
from typing import Any

shared: dict[str, Any] = json.loads(files(__package__).joinpath("shared.json").read_text("utf-8"))
