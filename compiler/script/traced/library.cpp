// The names of the traced library, `import tirx_kernels.tirx_lite as txl`: what it has beside those of `T`, and those
// of `T` that it refuses. All other names are those of `T` (Surface::find).
#include <algorithm>

#include "compiler/script/surface.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/traced/kernel.h"
#include "compiler/text/dotted.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_27;

constexpr std::string_view kInUse = "txl.in use";
constexpr std::string_view kLibrary = "tirx_kernels.tirx_lite";

// ---- the decorator ------------------------------------------------------------------------------------------------

Value decorate(Interpreter& in, const Arguments& args, Value self) {
  Function* f = args.positional.size() == 1 ? args.positional[0].as<Function>() : nullptr;
  if (!f) return in.refuse(code::kType, args.call, "@txl.kernel(...) decorates a function", {}, "TypeError");
  f->mode = FunctionMode::Traced;
  std::vector<Keyword> options;
  for (auto& [name, value] : self.as<Dict>()->items) options.push_back({name.as<Str>()->text, value, args.call});
  Arguments given;
  given.keywords = options;
  given.call = given.function = args.call;
  return in.reuse().evaluate(f, &given, false, false);
}

Value kernel(Interpreter& in, const Arguments& args, Value) {
  const bool named = std::ranges::any_of(args.keywords, [](const Keyword& k) { return k.name == "warps"; });
  const bool given = named || (!args.positional.empty() && !args.positional[0].as<Function>());
  if (!given) {
    return in.refuse(code::kArguments, args.call, "txl.kernel needs the number of warps of a CTA",
                     "write @txl.kernel(warps=4) above the function", "TypeError");
  }
  constexpr std::string_view kLibraryNames[] = {
      "warps", "arch", "min_blocks_per_sm", "grid", "host_prelude", "allowed_func_calls", "check_ir"};
  Bound a(in, args, "txl.kernel",
          {kLibraryNames[0], kLibraryNames[1], kLibraryNames[2], kLibraryNames[3], kLibraryNames[4], kLibraryNames[5],
           kLibraryNames[6]},
          1);
  if (!a) {  // no Python would run it either
    const text::Diagnostic why = in.take_pending().diagnostic;
    if (why.code.empty()) return in.fail({}, args.call, {});
    return in.refuse(why.code, why.span, why.message, why.hint, "TypeError");
  }
  Dict* options = in.make<Dict>();
  for (std::size_t i = 0; i < std::size(kLibraryNames); ++i) {
    Value value = a.given(i) ? a[i] : Value::none();
    if (i == 1 && !a.given(i)) value = in.string("sm_100a");
    if (i == 6 && !a.given(i)) value = Value::boolean(true);
    in.dict_set(options, in.string(kLibraryNames[i]), value);
  }
  return in.native("kernel", decorate, Value::object(options));
}

// ---- statements ---------------------------------------------------------------------------------------------------

bool in_trace(Interpreter& in, const Arguments& args, std::string_view what) {
  if (in.kernel() && in.kernel()->traced) return true;
  in.fail(code::kOutside, args.call, std::string(what) + " belongs into the body of a traced kernel",
          "call it from a function below @txl.kernel(...)");
  return false;
}

Value session(Interpreter& in, const Arguments& args, Value) {
  if (!in_trace(in, args, "this")) return Value::error();
  return in.kernel()->session;
}

Value assign(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "txl.assign", {"dst", "value"}, 2);
  if (!a || !in_trace(in, args, "txl.assign")) return Value::error();
  BufferValue* whole = a[0].as<BufferValue>();
  const bool one = whole && whole->buffer->is_scalar;
  const ir::Expr element = one || a[0].is_expr() ? in.as_expr(a[0], a.span(0)) : ir::Expr();
  const auto* to = element ? element.as<ir::Load>() : nullptr;
  if (!to || to->buffer->scope != ir::StorageScope::Local) {
    return in.fail(code::kType, a.span(0),
                   std::string("txl.assign stores into an element in registers") +
                       (to ? ", and " + std::string(to->buffer->name) + " is in " +
                                 std::string(ir::storage_scope_name(to->buffer->scope)) + " memory"
                           : ", not into " + std::string(type_name(a[0]))),
                   to ? "write it with txl.ptx.st" : "write txl.assign(registers[i], value)");
  }
  const ir::Expr value = in.as_expr(a[1], a.span(1), "the value");
  if (!value || !in.emit_store(to->buffer, to->indices, value, args.call)) return Value::error();
  return Value::none();
}

Value keep_alive(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "txl.keep_alive", {"value"}, 1);
  return a && in_trace(in, args, "txl.keep_alive") ? Value::none() : Value::error();
}

// Gives what the prelude made a name of the script's.
Value named(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "_named", {"value", "name"}, 2);
  auto name = a ? in.as_string(a[1], a.span(1), "name=") : std::nullopt;
  if (!name) return Value::error();
  in.name_value(a[0], *name);
  return a[0];
}

// The dtype of a run-time value, as a text.
Value dtype_text(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "_dtype", {"value"}, 1);
  const ir::Expr e = a ? in.as_expr(a[0], a.span(0)) : ir::Expr();
  return e ? in.string(ir::dtype_name(e.dtype())) : Value::error();
}

// ---- names --------------------------------------------------------------------------------------------------------

Value word(Interpreter& in, const Record& record, Value) { return in.string(record.detail); }

Value swizzle(Interpreter& in, const Record& record, Value) {
  const Value modes = in.attribute(layout_module(in), "SwizzleMode", {});
  return record.detail.empty() || modes.is_error() ? modes : in.attribute(modes, record.detail, {});
}

Value of_file(Interpreter& in, const Record& record, Value) {
  return in.modules().prelude_of("0.27/" + std::string(record.detail), record.name);
}

Value idioms(Interpreter& in, const Record&, Value) {
  return surface_space(in, "txl.idioms", "txl.idioms", lookup_surface);
}

// Values that a warp or memory gives are written to a destination, so that it is plain how often they are asked for.
struct Retired {
  std::string_view name, instead;
};
constexpr Retired kRetired[] = {
    {"_shfl_sync", "txl.ptx.shfl_sync.idx.b32(dst, v, lane, clamp, mask)"},
    {"_shfl_xor_sync", "txl.ptx.shfl_sync.bfly.b32(dst, v, xor, clamp, mask)"},
    {"_shfl_up_sync", "txl.ptx.shfl_sync.up.b32(dst, v, delta, clamp, mask)"},
    {"_shfl_down_sync", "txl.ptx.shfl_sync.down.b32(dst, v, delta, clamp, mask)"},
    {"__shfl_sync", "txl.ptx.shfl_sync.idx.b32(dst, v, lane, clamp, mask)"},
    {"__shfl_xor_sync", "txl.ptx.shfl_sync.bfly.b32(dst, v, xor, clamp, mask)"},
    {"__shfl_up_sync", "txl.ptx.shfl_sync.up.b32(dst, v, delta, clamp, mask)"},
    {"__shfl_down_sync", "txl.ptx.shfl_sync.down.b32(dst, v, delta, clamp, mask)"},
    {"ldg", "txl.ptx.ld.global_.nc.<type>(dst, address)"},
    {"any_sync", "txl.ptx.vote_sync.any.pred(dst, pred, mask)"},
    {"ballot_sync", "txl.ptx.vote_sync.ballot.b32(dst, pred, mask)"},
    {"atomic_add", "txl.ptx.atom.<space>.add.<type>(dst, ptr, value), or txl.ptx.red without a result"},
    {"atomic_cas", "txl.ptx.atom.<space>.cas.<type>(dst, ptr, compare, value)"},
    {"reduce_add_sync_u32", "txl.ptx.redux_sync.add.u32(dst, v, mask)"},
    {"reduce_min_sync_u32", "txl.ptx.redux_sync.min.u32(dst, v, mask)"},
    {"syncthreads_and", "txl.ptx.bar.red"},
    {"syncthreads_or", "txl.ptx.bar.red"},
};

Value lookup_cuda(Interpreter& in, Namespace& self, std::string_view name) {
  const auto* retired = std::ranges::find(kRetired, name, &Retired::name);
  if (retired != std::end(kRetired)) {
    return in.fail(code::kAttribute, {},
                   "txl.cuda." + std::string(name) + " gives a value, and where it is used decides how often it runs",
                   "write " + std::string(retired->instead), "AttributeError");
  }
  return lookup_surface(in, self, name);
}

Value cuda(Interpreter& in, const Record&, Value) { return surface_space(in, "T.cuda", "T.cuda", lookup_cuda); }
Value whole_cuda(Interpreter& in, const Record&, Value) {
  return surface_space(in, "T.cuda", "T.cuda", lookup_surface);
}

Value refused(Interpreter& in, const Record& record, Value) {
  return in.fail(code::kAttribute, {},
                 "txl has no '" + std::string(record.name) + "': " + std::string(record.documentation),
                 std::string(record.detail), "AttributeError");
}

consteval Record without(std::string_view name, std::string_view why, std::string_view instead) {
  return since(V0_27, {"txl", name, NameKind::Elsewhere, {}, why, nullptr, refused, instead});
}
consteval Record dtype_word(std::string_view name, std::string_view dtype) {
  return since(V0_27, {"txl", name, NameKind::Constant, {}, "A dtype, by its name.", nullptr, word, dtype});
}
consteval Record own(std::string_view name, std::string_view signature, std::string_view says,
                     NativeFunction function) {
  return since(V0_27, {"txl", name, NameKind::Function, signature, says, function});
}
consteval Record prelude(std::string_view name, NameKind kind, std::string_view signature, std::string_view says,
                         std::string_view file) {
  return since(V0_27, {"txl", name, kind, signature, says, nullptr, of_file, file});
}

consteval Record idiom(std::string_view name, std::string_view signature, std::string_view says) {
  return since(V0_27, {"txl.idioms", name, NameKind::Function, signature, says, nullptr, of_file, "traced_idioms.py"});
}

constexpr std::string_view kBindings = "a value has two spellings, a name of Python and txl.local_scalar";
constexpr std::string_view kBindingsInstead = "write x = txl.local_scalar(dtype, init=value) where it must run once";
constexpr std::string_view kBuilder = "a traced kernel is plain Python below @txl.kernel";
constexpr std::string_view kTiles = "tensors have their default layout, and tiles are made of instructions";
constexpr std::string_view kTilesInstead = "write txl.smem_pool().alloc(shape, dtype, swizzle=...)";

constexpr Record kRecords[] = {
    since(V0_27, {"txl", "kernel", NameKind::Decorator,
                  "warps, arch='sm_100a', min_blocks_per_sm=None, grid=None, host_prelude=None, allowed_func_calls=(), "
                  "check_ir=True",
                  "A kernel: the function runs once, and what it calls makes the statements.", kernel}),
    own("assign", "dst, value", "Stores into an element in registers.", assign),
    own("keep_alive", "value", "Keeps a parameter that only a tensor map leads to.", keep_alive),
    own("_session", "", "Of the prelude's own files.", session),
    own("_named", "value, name", "Of the prelude's own files.", named),
    own("_dtype", "value", "Of the prelude's own files.", dtype_text),
    dtype_word("f16", "float16"),
    dtype_word("bf16", "bfloat16"),
    dtype_word("f32", "float32"),
    dtype_word("f8e4m3", "float8_e4m3fn"),
    dtype_word("i8", "int8"),
    dtype_word("i32", "int32"),
    dtype_word("i64", "int64"),
    dtype_word("u8", "uint8"),
    dtype_word("u16", "uint16"),
    dtype_word("u32", "uint32"),
    dtype_word("u64", "uint64"),
    since(V0_27, {"txl", "SwizzleMode", NameKind::Class, {}, "The swizzles of shared memory.", nullptr, swizzle}),
    since(V0_27, {"txl", "SWNONE", NameKind::Constant, {}, "No swizzle.", nullptr, swizzle, "SWIZZLE_NONE"}),
    since(V0_27, {"txl", "SW32B", NameKind::Constant, {}, "Atoms of 32 bytes.", nullptr, swizzle, "SWIZZLE_32B_ATOM"}),
    since(V0_27, {"txl", "SW64B", NameKind::Constant, {}, "Atoms of 64 bytes.", nullptr, swizzle, "SWIZZLE_64B_ATOM"}),
    since(V0_27,
          {"txl", "SW128B", NameKind::Constant, {}, "Atoms of 128 bytes.", nullptr, swizzle, "SWIZZLE_128B_ATOM"}),
    since(V0_27, {"txl", "cuda", NameKind::Namespace, {}, "Functions of CUDA.", nullptr, cuda, "cuda", 0, "T.cuda"}),
    since(V0_27, {"txl", "_cuda", NameKind::Namespace, {}, "Of the prelude's own files.", nullptr, whole_cuda}),
    since(V0_27, {"txl",
                  "idioms",
                  NameKind::Namespace,
                  {},
                  "Sequences of instructions that kernels share.",
                  nullptr,
                  idioms,
                  {},
                  0,
                  "txl.idioms"}),
    prelude("gptr", NameKind::Class, "dtype, ndim=1, shape=None", "A tensor in global memory, as a parameter.",
            "traced_entry.py"),
    prelude("cta_id", NameKind::Function, "extents=None, preferred=None, dtype='int32'",
            "The index of the CTA in the grid, one value a dimension.", "traced_entry.py"),
    prelude("warp_id", NameKind::Function, "", "The index of the warp in its CTA, the same in all its lanes.",
            "traced_entry.py"),
    prelude("lane_id", NameKind::Function, "", "The index of the thread in its warp.", "traced_entry.py"),
    prelude("thread_id", NameKind::Function, "", "The index of the thread in its CTA.", "traced_entry.py"),
    prelude("local_scalar", NameKind::Function, "dtype='float32', init=None, *, name=None",
            "One element in a register, which txl.assign and instructions write.", "traced_entry.py"),
    prelude("uniform", NameKind::Function, "x, *, width=32, lane=0", "The value of one lane, in all of them.",
            "traced_entry.py"),
    prelude("stack_alloca", NameKind::Function, "kind, size=1", "Storage on the host's stack, for a tensor map.",
            "traced_entry.py"),
    prelude("call_packed", NameKind::Function, "*args", "Calls a function of the host by name.", "traced_entry.py"),
    prelude("cu_tensor_map_encode_tiled", NameKind::Function, "descriptor, dtype, rank, data, *operands",
            "Encodes a tensor map on the host.", "traced_entry.py"),
    prelude("specialize", NameKind::Function, "chain_dispatch=True", "The roles of the warps of this kernel.",
            "traced_roles.py"),
    prelude("tid_in_role", NameKind::Function, "", "The index of the thread in its role.", "traced_roles.py"),
    prelude("warp_id_in_role", NameKind::Function, "", "The index of the warp in its role.", "traced_roles.py"),
    prelude("smem_pool", NameKind::Function, "base=None", "The pool of shared memory of this kernel.",
            "traced_smem.py"),
    prelude("KDesc", NameKind::Class, "", "A matrix descriptor that was encoded once.", "traced_smem.py"),
    prelude("KStep", NameKind::Class, "", "From one k-tile of a descriptor to the next.", "traced_smem.py"),
    prelude("KTile", NameKind::Class, "", "A swizzled tile with stages.", "traced_smem.py"),
    prelude("KTileView", NameKind::Class, "", "A stage of a swizzled tile.", "traced_smem.py"),
    prelude("SmemDescriptor", NameKind::Class, "", "A matrix descriptor of shared memory, in registers.",
            "traced_smem.py"),
    prelude("smem_desc_add_16B_offset", NameKind::Function, "desc_val, offset",
            "A matrix descriptor moved by some units of 16 bytes.", "traced_smem.py"),
    prelude("MBarrier", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
            "Mbarriers in shared memory, with their arrivals and waits.", "traced_pipeline.py"),
    prelude("TMABar", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
            "Mbarriers that count the bytes of bulk copies.", "traced_pipeline.py"),
    prelude("TCGen05Bar", NameKind::Class, "pool, depth, phase_offset=0, leader=None",
            "Mbarriers that tcgen05.commit arrives at.", "traced_pipeline.py"),
    prelude("Pipeline", NameKind::Class,
            "pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None",
            "A ring of stages between producers and consumers.", "traced_pipeline.py"),
    prelude("PipelineState", NameKind::Class, "depth, phase=None", "Stage and phase of one side of a pipeline.",
            "traced_pipeline.py"),
    prelude("RingState", NameKind::Class, "depth, phase=0, *, stage=0, stride=1",
            "Stage and phase of a ring, without a sign.", "traced_pipeline.py"),
    prelude("ClusterPersistentScheduler2D", NameKind::Class,
            "prefix, num_m_tiles, num_n_tiles, num_clusters, l2_group_size=8, cluster_m=1, cluster_n=1",
            "Persistent clusters over a grid of tiles, in groups that share the L2 cache.", "traced_scheduler.py"),
    prelude("FlashAttentionLinearScheduler", NameKind::Class, "prefix, num_batches, num_heads, num_m_blocks, num_ctas",
            "Blocks of a head, then heads, then batches.", "traced_scheduler.py"),
    prelude("FlashAttentionLPTScheduler", NameKind::Class,
            "prefix, num_batches, num_heads, num_m_blocks, l2_swizzle, num_ctas=None",
            "The longest blocks of attention first.", "traced_scheduler.py"),
    prelude("ClusterLaunchControlScheduler", NameKind::Class,
            "pool, num_m_tiles, num_n_tiles, l2_group_size, cta_group, finish_arrivals",
            "Tiles that the hardware hands out to running clusters.", "traced_scheduler.py"),
    prelude("query_cancel_first_ctaid_x", NameKind::Function, "first_ctaid_x, handle, *, use_ld_acquire=True",
            "Reads the answer of a cluster launch control into a scalar.", "traced_scheduler.py"),
    idiom("mma_chain", "mma, d, *, a, b, idesc, pred, accumulate, guard, dol=None, k_range=None",
          "One loop over k of tcgen05.mma."),
    idiom("decode_instr_descriptor", "idesc, *, block_scaled=False", "The fields of an instruction descriptor."),
    idiom("sigmoid_tanh_approx_f32", "value=None, *, tanh_input=None", "A sigmoid by tanh.approx, in a register."),
    idiom("cast_f16x2_to_f32x2", "dst, i, word", "The two halves of a word as float32."),
    idiom("warp_scan_add", "vals, n, lane, *, width=32, chain=True", "Inclusive sums over the lanes of a warp."),
    without("Bind", kBindings, kBindingsInstead),
    without("Let", kBindings, kBindingsInstead),
    without("let", kBindings, kBindingsInstead),
    without("evaluate", "each call makes its statement itself", "write the call alone"),
    without("ir", kBuilder, "call what txl has"),
    without("parser", kBuilder, "call what txl has"),
    without("prim_func", kBuilder, "write @txl.kernel(warps=...)"),
    without("jit", kBuilder, "write @txl.kernel(warps=...)"),
    without("inline", kBuilder, "any Python function that the kernel calls adds its statements"),
    without("device_entry", kBuilder, "the decorator begins the device part"),
    without("match_buffer", kBuilder, "annotate the parameter: x: txl.gptr[txl.f32]"),
    without("meta_class", kBuilder, "any Python class serves"),
    without("meta_var", kBuilder, "any name of Python is a value of the trace"),
    without("ComposeLayout", kTiles, kTilesInstead),
    without("Layout", kTiles, kTilesInstead),
    without("S", kTiles, kTilesInstead),
    without("SMEMPool", kTiles, kTilesInstead),
    without("TCol", kTiles, kTilesInstead),
    without("TLane", kTiles, kTilesInstead),
    without("TMEMPool", kTiles, "use columns of tensor memory and txl.cuda.get_tmem_addr"),
    without("TileLayout", kTiles, kTilesInstead),
    without("alloc_cast_frag", kTiles, "write txl.alloc_local(shape, dtype)"),
    without("alloc_shared", kTiles, kTilesInstead),
    without("alloc_tcgen05_ldst_frag", kTiles, "write txl.alloc_local(shape, dtype)"),
    without("smem", kTiles, kTilesInstead),
    without("tile", kTiles, "write txl.ptx"),
    without("tmem", kTiles, "use columns of tensor memory and txl.cuda.get_tmem_addr"),
    without("wg_reg_tile", kTiles, "write txl.alloc_local(shape, dtype)"),
};

}  // namespace

std::span<const Record> traced_records() { return kRecords; }

bool is_traced_library(std::string_view dotted) { return text::is_or_below(dotted, kLibrary); }

bool uses_traced_library(Interpreter& in) { return in.builtins().find(kInUse) != nullptr; }

Value traced_module(Interpreter& in, std::string_view dotted) {
  if (in.dialect() < V0_27) {
    return in.refuse(code::kDialect, {},
                     "tirx_lite is written on the instructions of 0.27, and this script is in " +
                         std::string(text::dialect_name(in.dialect())),
                     "write # tilewright: dialect 0.27", "ImportError");
  }
  in.builtins().set(kInUse, Value::boolean(true));
  if (dotted == "tirx_kernels.tirx_lite.idioms") return surface_space(in, "txl.idioms", "txl.idioms", lookup_surface);
  return surface_space(in, "txl", "txl", lookup_surface);
}

}  // namespace tilewright::script
