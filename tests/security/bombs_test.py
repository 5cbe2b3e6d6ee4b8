"""A sample of bombs.py, of each family: each ends in time and memory by `check` and in a language server that has seen all of those
before it, and an honest text is answered at once afterwards. `long_security_bombs` runs all of them."""
import bombs
from attack import BINARY, attack, main

# Chosen for what they reach, and quick: a test has a minute on a machine with other work.
SAMPLE = """
__call__ calls itself ;; __eq__ calls itself ;; __getattr__ calls itself twice ;; __hash__ calls itself ;; __repr__ calls itself
a growing partial calls itself ;; a property calls itself ;; a metaclass calls itself ;; a generator expression calls itself
without end: x[len(x)] = x ;; without end: x = {**x, len(x): 0} ;; without end: x.update(range(2 * len(x))) ;; without end: x += x
large: list(range(10**18)) ;; large: 9**9**9 ;; large: '%1000000000d' % 1 ;; large: f'{1:{10**9}}' ;; large: int('9' * 10**6)
a chain of 300000 partials ;; a chain of 300000 partials with arguments ;; a chain of 5000 types ;; a chain of 5000 closures
text: parentheses ;; text: open strings ;; text: clauses ;; text: decorators ;; text: 150000 statements ;; text: 5000 errors
text: words of a run comment ;; text: f-strings in f-strings ;; text: specifiers of an f-string
kernel: unrolled a billion times ;; kernel: an inline calls itself twice ;; kernel: 3000 buffers, each used ;; kernel: 100000 times a sum
layout: many iters ;; imports: a chain of 3000 ;; imports: a cycle of 500 ;; imports: a cycle by stars
settings: arrays in arrays ;; settings: dotted keys ;; settings: members of a pool ;; settings: huge depth
"""
DEEP = """
deep list: == ;; deep tuple: hash ;; deep slice: == ;; deep dataclass: deepcopy ;; deep partial: truth and call ;; deep list of two: kernel prints
deep instance with __eq__: == ;; deep instance with __call__: index ;; deep exception: str ;; deep dict of two: kernel ;; deep map: iteration
deep dataclass of two: repr ;; deep lambda: attribute and drop ;; deep frozenset: in ;; deep class with an attribute: f-string
"""
# The language server has a third of them, one after the other.
SERVER = bombs.Server(BINARY)


def names(text):
    return [name for line in text.strip().splitlines() for name in line.split(" ;; ")]


def add(bomb, ways):
    @attack(bomb.name)
    def _(t):
        wrong, _, _ = bombs.attempt(BINARY, bomb, SERVER, ways, t.env)
        t.holds(not wrong, "; ".join(wrong))


ALL = {bomb.name: bomb for bomb in [*bombs.bombs(), *bombs.deep(30_000)]}
for number, name in enumerate(names(SAMPLE) + names(DEEP)):
    add(ALL[name], ("check", "lsp") if number % 3 == 0 else ("check",))

if __name__ == "__main__":
    try:
        main()
    finally:
        SERVER.stop()
