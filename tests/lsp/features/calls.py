# Who calls whom. The files at the end are not open.
from tvm.script import tirx as T
from helpers import offset, Counter
import helpers


@T.inline
def step(A, lane):
    # @5 incomingCalls:
#| step kind 12 (calls.py) at 8:5 step
#|   kernel kind 12 (kernel · make · calls.py) at 18:9 kernel: 27:9 step, 28:9 step
    A[lane] = A[lane] + offset(lane)


# tilewright: entry make(32)
def make(n):
    # @5 incomingCalls:
#| make kind 12 (calls.py) at 14:5 make
#|   calls.py kind 2 at 1:1: 13:21 make
#|   use kind 12 (helpers.py) at helpers.py 13:5: helpers.py 15:12, helpers.py 15:22
    # @5 outgoingCalls: make kind 12 (calls.py) at 14:5 make
    @T.prim_func
    def kernel(a: T.handle):
        # @9 outgoingCalls:
#| kernel kind 12 (kernel · make · calls.py) at 18:9 kernel
#|   MBarrier kind 5 (barriers.py) at barriers.py 13:7: 25:17 MBarrier
#|   step kind 12 (calls.py) at 8:5 step: 27:9 step, 28:9 step
#|   offset kind 12 (helpers.py) at helpers.py 1:5: 30:17 offset, 30:24 offset
#|   wait kind 6 (MBarrier · barriers.py) at barriers.py 36:9: 32:13 wait
        # @9 incomingCalls: kernel kind 12 (kernel · make · calls.py) at 18:9 kernel
        A = T.match_buffer(a, (n,), "int32")
        T.device_entry()
        T.cta_id([1])
        lane = T.lane_id([32])
        bar = T.MBarrier(1)
        #       ^ incomingCalls:
#| MBarrier kind 5 (barriers.py) at barriers.py 13:7
#|   kernel kind 12 (kernel · make · calls.py) at 18:9 kernel: 25:17 MBarrier
        step(A, lane)
        step(A, lane)
        #^ outgoingCalls:
#| step kind 12 (calls.py) at 8:5 step
#|   offset kind 12 (helpers.py) at helpers.py 1:5: 10:25 offset
        helpers.offset(offset(1))
        #       ^ incomingCalls:
#| offset kind 12 (helpers.py) at helpers.py 1:5
#|   next kind 6 (Counter · helpers.py) at helpers.py 6:9: helpers.py 7:16
#|   step kind 12 (calls.py) at 8:5 step: 10:25 offset
#|   kernel kind 12 (kernel · make · calls.py) at 18:9 kernel: 30:17 offset, 30:24 offset
        bar.wait(0, 0)
        #   ^ incomingCalls:
#| wait kind 6 (MBarrier · barriers.py) at barriers.py 36:9
#|   kernel kind 12 (kernel · make · calls.py) at 18:9 kernel: 32:13 wait
    return kernel


def count():
    c = Counter()
    c.next()
    # ^ incomingCalls:
#| next kind 6 (Counter · helpers.py) at helpers.py 6:9
#|   twice kind 6 (Counter · helpers.py) at helpers.py 9:9: helpers.py 10:21, helpers.py 10:35
#|   count kind 12 (calls.py) at 37:5 count: 39:7 next
    return c.twice()
    #        ^ outgoingCalls:
#| twice kind 6 (Counter · helpers.py) at helpers.py 9:9
#|   next kind 6 (Counter · helpers.py) at helpers.py 6:9: helpers.py 10:21, helpers.py 10:35


total = 1
# @1 incomingCalls: nothing
#--- file helpers.py
def offset(x):
    return x + 1


class Counter:
    def next(self):
        return offset(1)

    def twice(self):
        return self.next() + self.next()


def use():
    from calls import make as build
    return build(4), build(n=8)
