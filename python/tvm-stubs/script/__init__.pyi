"""Made by packaging/script_stubs.py of Tilewright's tables; do not edit."""
from typing import Any

from tvm.script import tirx as tirx

def __getattr__(name: str) -> Any: ...
