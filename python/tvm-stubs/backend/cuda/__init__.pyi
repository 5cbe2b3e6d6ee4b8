"""Made by packaging/script_stubs.py of Tilewright's tables; do not edit."""
from typing import Any

def __getattr__(name: str) -> Any: ...
