#!/usr/bin/env python3
"""library_test.py TILEWRIGHT: modules as libraries of traced kernels write them: registered, listed, run."""
import json

from case import Case, main

MODULE = '''\
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

KERNEL_META: dict = {"name": "doubled_rows", "category": "norm", "runtime_cuda_archs": ["sm_90a", "sm_100a"]}
CONFIGS = [{"label": "small", "rows": 16, "columns": 64}, {"label": "tall", "rows": 48, "columns": 64}]
TILE = 8


def encode(p):
    rows, columns = p["x"].shape
    m = txl.stack_alloca("tensormap", 1)
    txl.call_packed("runtime.cuTensorMapEncodeTiled", m, "float32", 2, p["x"].data, columns, rows, columns * 4,
                    64, TILE, 1, 1, 0, 0, 0, 0)
    return m


def load(rows, columns):
    @txl.kernel(warps=1, arch="sm_90a", grid=lambda p: [p["x"].shape[0] // TILE], host_prelude=encode)
    def load(x: txl.gptr[txl.f32, (rows, columns)], y: txl.gptr[txl.f32, (rows, columns)], *, host):
        tile_row, lane = txl.cta_id(), txl.lane_id()
        pool = txl.smem_pool()
        tile = pool.alloc((TILE, columns), txl.f32, align=128)
        full = txl.MBarrier(pool, 1)
        full.init(1)
        txl.ptx.fence.mbarrier_init.release.cluster()
        txl.cuda.cta_sync()
        with txl.If(lane == 0), txl.Then():
            bar = txl.cuda.cvta_generic_to_shared(full.ptr_to([0]))
            txl.ptx.mbarrier.arrive.expect_tx.shared.b64(bar, txl.uint32(TILE * columns * 4))
            txl.ptx["cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"](
                txl.cuda.cvta_generic_to_shared(tile.ptr_to([0, 0])), txl.address_of(host), 0, tile_row * TILE, bar)
        full.wait(0, 0)
        v = txl.local_scalar("float32")
        for r in range(TILE):
            for c in range(columns // 32):
                txl.ptx.ld.shared.f32(v, txl.cuda.cvta_generic_to_shared(tile.ptr_to([r, lane + 32 * c])))
                txl.ptx.st.global_.f32(y.ptr_to([tile_row * TILE + r, lane + 32 * c]), v)
    return load


def double(rows, columns, factor=2.0):
    @txl.kernel(warps=2, arch="sm_90a", grid=[rows])
    def double(y: txl.gptr[txl.f32, (rows, columns)]):
        row, column = txl.cta_id(), txl.thread_id()
        v = txl.local_scalar("float32")
        txl.ptx.ld.global_.f32(v, y.ptr_to([row, column]))
        txl.ptx.st.global_.f32(y.ptr_to([row, column]), v * factor)
    return double


def plain(rows, columns):
    @txl.kernel(warps=2, arch="sm_90a", grid=[rows])
    def plain(x: txl.gptr[txl.f32, (rows, columns)], y: txl.gptr[txl.f32, (rows, columns)]):
        row, column = txl.cta_id(), txl.thread_id()
        v = txl.local_scalar("float32")
        txl.ptx.ld.global_.f32(v, x.ptr_to([row, column]))
        txl.ptx.st.global_.f32(y.ptr_to([row, column]), v + v)
    return plain


def get_kernel(rows, columns):
    return load(rows, columns).func, double(rows, columns).func
'''
SMALL = "get_kernel(rows=16, columns=64)"


class Library(Case):
    def test_registered(self):
        path = self.file("kernels/norm/doubled.py", MODULE)
        self.file("kernels/helpers.py", MODULE.replace("KERNEL_META", "OTHER"))
        self.file("kernels/gemm/other.py", MODULE.replace('"doubled_rows", "category": "norm"', '"a", "category": "gemm"'))
        listed = self.fits(self.expect(0, "entries", path, "--json").json, "entries")
        self.assertEqual([e["kernels"] for e in listed["entries"]], [["load", "double"]] * 2)
        registered = {"name": "doubled_rows", "category": "norm", "architectures": ["sm_90a", "sm_100a"], "file": path}
        self.assertEqual(listed["registered"], [registered])
        self.assertIn("doubled_rows  norm  sm_90a sm_100a\n", self.expect(0, "entries", path).text)
        r = self.expect(0, "entries", self.path("kernels"))
        self.assertEqual([line.split()[:2] for line in r.text.splitlines()], [["a", "gemm"], ["doubled_rows", "norm"]])
        folder = self.fits(self.expect(0, "entries", self.path("kernels"), "--json").json, "entries")
        self.assertEqual(folder["registered"][1], registered)
        self.file("none/kernel.py", MODULE.replace("KERNEL_META", "OTHER"))
        self.assertIn("no registered kernels", self.expect(0, "entries", self.path("none")).errors)

    def test_kernels_of_one_entry_run_in_turn(self):
        """The map and the grid of the first are those that the host's part makes of the tensors."""
        path = self.file("doubled.py", MODULE)
        asked = ("--on", "sim", "--reference", "plain(16, 64)", "--json")
        report = self.fits(self.expect(0, "run", path, "--entry", SMALL, *asked).json, "run")
        self.assertEqual((report["verdict"], report["kernel"], report["entry"]), ("verified", "load then double", SMALL))
        self.assertIn("2 kernels, which run in this order", "".join(report["notes"]))
        wrong = self.file("wrong.py", MODULE.replace("factor=2.0", "factor=3.0"))
        self.assertEqual(self.expect(1, "run", wrong, "--entry", SMALL, *asked).json["verdict"], "failed")
        one = self.expect(0, "run", path, "--entry", SMALL + "[1]", "--on", "sim", "--json").json
        self.assertEqual(one["kernel"], "double")
        both = self.fits(self.expect(0, "run", path, "--entry", "all", "--on", "sim", "--json").json, "run")
        self.assertEqual([x["verdict"] for x in both["runs"]], ["unverified"] * 2)

    def test_the_plan_of_the_host(self):
        path = self.file("doubled.py", MODULE)
        plan = json.loads(self.expect(0, "compile", path, "--entry", SMALL + "[0]", "--emit", "plan", "--json").text)
        kernel = plan["kernels"][0]
        self.assertEqual(kernel["plan"]["launch"]["grid"], [2, 1, 1])
        self.assertEqual([(m["param"], m["dims"], m["box"]) for m in kernel["plan"]["tensor_maps"]], [("x", [64, 16], [64, 8])])


if __name__ == "__main__":
    main()
