"""Kernels that are refused, each kind beside the words of its refusal.

A kind is a function that takes a product which would be served, and spoils one thing. `Kinds` keeps them in their order, so that a
run that is long enough meets each.
"""
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Kind:
    words: str  # of the refusal: a regular expression
    fill: Callable
    arch: str | None  # None: that of the other products
    details: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"refused_{self.fill.__name__}"

    def write(self, k, rng):
        self.fill(k, rng, **self.details)
        return k


class Kinds:
    def __init__(self):
        self.all = []

    def __call__(self, words, arch=None, **details):
        """The kernel of the function below is refused in these words."""
        def add(fill):
            self.all.append(Kind(words, fill, arch, details))
            return fill
        return add

    def words(self):
        return list(dict.fromkeys(kind.words for kind in self.all))

    def archs(self):
        """The targets that some kinds want for themselves."""
        return list(dict.fromkeys(kind.arch for kind in self.all if kind.arch))

    def number(self, n, arch=None):
        """The kind of the n-th kernel that is refused."""
        of_target = [kind for kind in self.all if kind.arch == arch]
        return of_target[n % len(of_target)]
