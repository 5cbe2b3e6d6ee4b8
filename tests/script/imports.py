# Imports: the dialect's modules are closed, what lies below the root is known, and everything else is none of ours.
#--- modules and names that the dialect lacks
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import Pipline, MBarrier
#                                  ^^^^^^^ error[TW2003]: 'tvm.tirx.lang.pipeline' has no name 'Pipline'
#   hint: did you mean Pipeline?
from tvm.tirx.layot import TileLayout, S
#             ^^^^^ error[TW2203]: there is no module 'tvm.tirx.layot'
#   hint: did you mean layout?
from tvm.scrpt import tirx as T2
#        ^^^^^ error[TW2203]: there is no module 'tvm.scrpt'
#   hint: did you mean script?
from tvm.script import tirxx as T3
#                      ^^^^^ error[TW2003]: 'tvm.script' has no name 'tirxx'
#   hint: did you mean tirx?
import tvm.tirx.transfrom
#               ^^^^^^^^^ error[TW2203]: there is no module 'tvm.tirx.transfrom'
#   hint: did you mean transform?
import tvm.runtme as rt
#          ^^^^^^ error[TW2203]: there is no module 'tvm.runtme'
#   hint: did you mean runtime?
from tvm.tirx.lang.pipeline import SMEMPool
#                                  ^^^^^^^^ error[TW2003]: 'tvm.tirx.lang.pipeline' has no name 'SMEMPool'
#   hint: it is a name of tvm.tirx.lang.alloc_pool
from tvm.tirx.stmt_functor import post_order_vist, ir_transform
#                                 ^^^^^^^^^^^^^^^ error[TW2003]: 'tvm.tirx.stmt_functor' has no name 'post_order_vist'
#   hint: did you mean post_order_visit?
from tvm.tirx import Bufer, PrimFunc, IntImm
#                    ^^^^^ error[TW2003]: 'tvm.tirx' has no name 'Bufer'
#   hint: did you mean Buffer?
from tvm.script.tirx import prim_fun, prim_func
#                           ^^^^^^^^ error[TW2003]: 'T' has no name 'prim_fun'
#   hint: did you mean T.prim_func?
from tvm.nothing_like_it import x
#        ^^^^^^^^^^^^^^^ error[TW2203]: there is no module 'tvm.nothing_like_it'

@T.prim_func
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    pipe = Pipline(4)
    s = T.alloc_shared((4, 4), "float32", layout=TileLayout(S[(4, 4):(4, 1)]))
    B[tx] = A[tx]
    with pipe.stage():
        B[tx] = pipe.x

#--- modules that it has
import tvm
import tvm.testing
import tvm.tirx.cuda
import tvm.relax.frontend.torch as frontend
from tvm import DataType, IRModule, arith, relax, target, te, tirx
from tvm.arith import Analyzer, int_set
from tvm.backend.cuda.lang.pipeline import MBarrier
from tvm.backend.cuda.operator.tile_primitive.tma_utils import SwizzleMode, get_swizzle_mode_from_layout
from tvm.contrib import nvcc
from tvm.ir import IRModule as M, PointerType, PrimType, Range
from tvm.ir.expr import PrimExpr
from tvm.ir.type import FuncType
from tvm.runtime import Device, Module, Object, tensor
from tvm.script import from_source, ir as I, relax as R, tirx as T
from tvm.script.ir_builder import IRBuilder
from tvm.script.parser import ir_module
from tvm.script.tirx import tile as Tx
from tvm.target import Target
from tvm.tirx import Buffer, PrimFunc, SBlock, Var, op
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.expr import Add, Cast
from tvm.tirx.function import PrimFunc as P
from tvm.tirx.lang.alloc_pool import SMEMPool
from tvm.tirx.op import ceildiv
from tvm.tirx.transform import LowerTIRx, _private
from tvm.tirx._ffi_api import whatever
from tvm._version import version
from tvm_ffi import register_object

x = tvm.cuda(0), tvm.runtime.device("cuda"), tvm.tirx.stmt_functor.ir_transform, tvm.ir.Op.get("x"), tirx.transform.LowerTIRx

#--- star imports
from tvm.tirx.layout import *
from math import *
from tvm.script import tirx as T

layout = TileLayout(S[(4, 4):(4, 1)])
x = sqrt(2), laneid

@T.prim_func
def kernel(A: T.Buffer((4, 4), "float32", layout=layout)):
    T.device_entry()
    tx = T.thread_id([4])
    A[tx, 0] = 1.0

#--- packages that are none of ours
import torch, numpy as np, pytest, numba, triton.language as tl
import flashinfer.utils
from deep_gemm import something
from my_company.kernels import helper
import operators, maths, strings, times, tests
import jax.numpy as jnp
from tvm.script import tirx as T

try:
    import numpyy
except ImportError:
    numpyy = None

#--- packages that are misspelt
import numpi as np
#      ^^^^^ error[TW2203]: there is no module 'numpi'
#   hint: did you mean numpy?
from dataclases import dataclass
#    ^^^^^^^^^^ error[TW2203]: there is no module 'dataclases'
#   hint: did you mean dataclasses?
import functols, itertoosl
#      ^^^^^^^^ error[TW2203]: there is no module 'functols'
#   hint: did you mean functools?
#                ^^^^^^^^^ error[TW2203]: there is no module 'itertoosl'
#   hint: did you mean itertools?
from tvmm.script import tirx as T
#    ^^^^ error[TW2203]: there is no module 'tvmm.script'
#   hint: did you mean tvm?
from math import sqroot
#                ^^^^^^ error[TW2003]: 'math' has no name 'sqroot'
#   hint: did you mean sqrt?
from functools import redce, reduce
#                     ^^^^^ error[TW2003]: 'functools' has no name 'redce'
#   hint: did you mean reduce?
from typing import Optionl, override
#                  ^^^^^^^ error[TW2003]: 'typing' has no name 'Optionl'
#   hint: did you mean Optional?

@dataclass
class Config:
    m: int = functols.reduce(max, [1])

@T.prim_func
def kernel(A: T.Buffer((np.int32(4),), "float32")):
    T.device_entry()

#--- neighbours
from tvm.script import tirx as T
import helpers
import helprs
#      ^^^^^^ error[TW2203]: there is no module 'helprs'
#   hint: did you mean helpers?
from helpers import rows, cols, rws
#                               ^^^ error[TW2003]: 'helpers' has no name 'rws'
#   hint: did you mean rows?
from helprs import rows as other
#    ^^^^^^ error[TW2203]: there is no module 'helprs'
#   hint: did you mean helpers?
from package import inner, iner
#                          ^^^^ error[TW2003]: 'package' has no name 'iner'
#   hint: did you mean inner?
from package.inner import WIDTH, WIDHT
#                                ^^^^^ error[TW2003]: 'package.inner' has no name 'WIDHT'
#   hint: did you mean WIDTH?
from package.innr import WIDTH as W2
#            ^^^^ error[TW2203]: there is no module 'package.innr'
#   hint: did you mean inner?
from folder import script
from .helpers import rows as again
from .helper import rows as nothing
#     ^^^^^^ error[TW2203]: there is no module '.helper'
#   hint: did you mean helpers?
from . import helpers as h2, nothing_here
#                            ^^^^^^^^^^^^ error[TW2203]: there is no module '.nothing_here'
x = helpers.rws, helpers.rows
#           ^^^ error[TW2003]: 'helpers' has no attribute 'rws'
#   hint: did you mean rows?

@T.prim_func
def kernel(A: T.Buffer((rows, rws), "float32"), B: T.Buffer((W2, WIDTH), "float32")):
    T.device_entry()
    tx = T.thread_id([4])
    A[tx, 0] = other + 1.0
#--- file helpers.py
rows = 4
_hidden = 4
def cols():
    return 4
#--- file package/__init__.py
#--- file package/inner.py
WIDTH = 64
#--- file folder/script.py

#--- a neighbour with names that it does not list
from tvm.script import tirx as T
from lazy import anything
from starred import something, own
from looped import maybe
#--- file lazy.py
def __getattr__(name):
    return name
#--- file starred.py
from torch import *
own = 4
#--- file looped.py
import torch
for maybe in torch.names():
    pass

#--- an error in a neighbour is said there
from tvm.script import tirx as T
from helpers import width

@T.prim_func
def kernel(A: T.Buffer((width,), "float32")):
    T.device_entry()
    tx = T.thread_id([4])
    A[tx] = 1.0
# @helpers.py error[TW2002]: name 'BAES' is not defined
#   hint: did you mean BASE?
#--- file helpers.py
BASE = 4
width = BAES * 4

#--- instructions under one name  [print]
import tvm
from tvm.script import tirx as T
from tvm.tirx.cuda.op import cuda_cta_sync

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    tvm.tirx.cuda.op.ptx_bar_sync(1, 128)
    tvm.tirx.cuda.op.ptx_bar_arrive(2, 128)
    cuda_cta_sync()
    A[tx] = 1.0
#| @T.prim_func
#| def kernel(A: T.Buffer((128,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([128])
#|     T.ptx.bar.sync(T.uint32(1), T.uint32(128))
#|     T.ptx.bar.arrive(T.uint32(2), T.uint32(128))
#|     T.cuda.cta_sync()
#|     A[tx] = T.float32(1.0)

#--- the dialect by nearly its name, and memory by nearly its
from vtm.script import tirx as T
#    ^^^ error[TW2203]: there is no module 'vtm.script'
#   hint: did you mean tvm?
from tvm.script import tirx as T
from xvm.other.things import something

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    s = T.alloc_buffer((128,), "float32", scope="shaared")
#                                               ^^^^^^^^^ error[TW2005]: there is no storage scope "shaared"
#   hint: did you mean "shared"?
    s[tx] = A[tx]

#--- what an import that failed would have bound is silent, wherever it goes
# tilewright: entry make(64)
# tilewright: entry make(128)
from tvm.script import tirx as T
from tvm.script import tirx_tile as Tx
#                      ^^^^^^^^^ error[TW2003]: 'tvm.script' has no name 'tirx_tile'
from tvm.tirx.layout import TielLayout, S
#                           ^^^^^^^^^^ error[TW2003]: 'tvm.tirx.layout' has no name 'TielLayout'
#   hint: did you mean TileLayout?
from tvm.tirx.lang.warp_rle import WarpRole
#                  ^^^^^^^^ error[TW2203]: there is no module 'tvm.tirx.lang.warp_rle'
#   hint: did you mean warp_role?

ROWS = TielLayout(S[64, 64])
FIRST = TielLayout(S[64, 64])

def make(n):
    if Tx is None:
        return None
    return Tx.kernel(n)

@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32")):
    T.device_entry()
    warp = T.warp_id([4])
    T.lane_id([32])
    tile = T.alloc_buffer((64, 64), "float32", scope="shared", layout=ROWS)
    other = T.alloc_buffer((64, 64), "float32", scope="shared", layout=FIRST)
    with WarpRole(warp, 2):
        T.tile.copy_async(tile[:, :], A[:, :], dispatch="tma")

#--- entries of a script whose dialect is misspelt
# tilewright: entry make(64)
from tvm.script import tiirx as T
#                      ^^^^^ error[TW2003]: 'tvm.script' has no name 'tiirx'
#   hint: did you mean tirx?

def make(n):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32")):
        T.device_entry()
        tx = T.thread_id([n])
        A[tx] = 1.0
    return kernel

#--- a slip in a path is one that the rest of the path follows
from tvm.irx.layout import S
#        ^^^ error[TW2203]: there is no module 'tvm.irx.layout'
#   hint: did you mean tirx?
from tvm.tirx.ayout import TileLayout
#             ^^^^^ error[TW2203]: there is no module 'tvm.tirx.ayout'
#   hint: did you mean layout?
from tvm.tirx.cuda.operator.til_primitive.tma_utils import mma_shared_layout
#                           ^^^^^^^^^^^^^ error[TW2203]: there is no module 'tvm.tirx.cuda.operator.til_primitive.tma_utils'
#   hint: did you mean tile_primitive?
from tvm.tirx.cuda.operator.tile_primitive.tma_util import tma_shared_layout
#                                          ^^^^^^^^ error[TW2203]: there is no module 'tvm.tirx.cuda.operator.tile_primitive.tma_util'
#   hint: did you mean tma_utils?
from tvm.tirx.cuda.operator.tile_primitive.something_else import anything
from tvm.script import tir as T
#                      ^^^ error[TW2003]: 'tvm.script' has no name 'tir'
#   hint: did you mean tirx?
from tvm.script.tirx import ile as Tx
#                           ^^^ error[TW2003]: 'T' has no name 'ile'
#   hint: did you mean T.tile?

#--- the name of an imported module
from tvm.script import tirx as T
from pkg.sizes import ROWS
assert __name__ != "__main__"

@T.prim_func
def k(A: T.Buffer((ROWS,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = 1.0
#--- file pkg/sizes.py
if __name__ != "pkg.sizes":
    raise ImportError(__name__)
ROWS = 64

#--- a package that takes names from its own module has the module
import bag
from tvm.script import tirx as T
kept = bag.core.wide, bag.rows
lost = bag.cor
#          ^^^ error[TW2003]: 'bag' has no attribute 'cor'
#--- file bag/__init__.py
try:
    from .core import rows
except ImportError:
    rows = 1
#--- file bag/core.py
rows, wide = 4, 8

#--- what Python gives each module is none of its own names
from helpers import SIZE, __doc__ as about
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((SIZE,), "float32")):
    T.device_entry()
    t = T.thread_id([SIZE])
    A[t] = 1.0
#--- file helpers.py
"""Sizes."""
SIZE = 32
