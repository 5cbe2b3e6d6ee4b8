# Marks for NVIDIA's kernel timeline: IketProfiler. A kernel that is not built for a profile has none of them.
from tvm.script import tirx as T


class IketProfiler:
    """Marks points and ranges of a kernel. Nothing here builds for a profile, so that they leave nothing behind."""

    def mark(self, name, payload=None):
        """A point in time."""

    def range_start(self, name, payload=None):
        """Begins a range and gives the token that ends it."""
        return T.uint32(0)

    def range_end(self, token, payload=None):
        """Ends the range of the token."""

    def range_push(self, name, payload=None):
        """Begins a range inside the one that was pushed before."""

    def range_pop(self):
        """Ends the range that was pushed last."""

    def sentinel_token(self, name):
        """A token of no range."""
        return T.uint32(0)
