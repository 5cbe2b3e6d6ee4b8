#include "compiler/script/vocabulary.h"

#include <deque>
#include <string>
#include <vector>

#include "compiler/ir/primitive.h"

namespace tilewright::script {
namespace {

using enum WordKind;

constexpr Word kWords[] = {
    // ---- definitions
    {"T", "prim_func", Decorator, "func", "A kernel: its body is read as a script that emits statements."},
    {"T", "jit", Decorator, "func", "A kernel with compile-time parameters, made by f.specialize(NAME=value)."},
    {"T", "inline", Decorator, "func", "A function whose statements are written into the kernel where it is called."},
    {"T", "macro", Decorator, "func",
     "An inlined function; with hygienic=False its free names are those of the caller."},
    {"T", "meta_class", Decorator, "cls",
     "A class whose instances own buffers and scalars of the kernel that makes them."},
    {"T", "meta_var", Function, "value", "Binds a compile-time value to a name instead of making a scalar of it."},
    {"T", "constexpr", Type, "", "Annotation of a @T.jit parameter that is known when the kernel is specialised."},
    {"T", "let", Type, "", "Annotation of a name that is bound once: x: T.let = value, or T.let[T.int32]."},
    {"T", "Optional", Type, "", "Annotation of a parameter that may be None when the kernel is specialised."},
    // ---- parameters and buffers
    {"T", "handle", Type, "dtype=None, storage_scope='global'", "A pointer parameter."},
    {"T", "Buffer", Type,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=0, offset_factor=0, "
     "layout='default'",
     "A tensor parameter with its shape and dtype, as an annotation."},
    {"T", "TensorMap", Type, "", "A tensor map (CUtensorMap) parameter that the host encodes."},
    {"T", "Ptr", Type, "dtype, storage_scope='global'", "A typed pointer."},
    {"T", "match_buffer", Function,
     "param, shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, "
     "offset_factor=0, layout='default'",
     "Gives a handle parameter its shape and dtype; names in the shape become symbolic extents."},
    {"T", "alloc_buffer", Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, offset_factor=0, "
     "layout='default'",
     "Allocates a buffer in a memory scope, such as shared, local or tmem, under a layout."},
    {"T", "alloc_shared", Function, "shape, dtype='float32', layout='default'", "Allocates a buffer in shared memory."},
    {"T", "alloc_local", Function, "shape, dtype='float32', layout='default'",
     "Allocates a buffer in the registers of each thread."},
    {"T", "alloc_scalar", Function, "dtype, scope='local'", "Allocates one element that reads like a number."},
    {"T", "local_scalar", Function, "dtype", "A mutable scalar in a register."},
    {"T", "shared_scalar", Function, "dtype", "A mutable scalar in shared memory."},
    {"T", "decl_buffer", Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', layout='default'",
     "Declares a view of memory that exists already."},
    {"T", "decl_scalar", Function, "dtype, data, scope, elem_offset=0",
     "Declares one element of memory that exists already."},
    {"T", "wg_reg_tile", Function, "n, dtype='float32'",
     "A register tile of a warpgroup: 128 rows, one a thread, n columns."},
    {"T", "alloc_tcgen05_ldst_frag", Function, "instr_shape, tensor_shape, dtype",
     "Registers laid out as tcgen05.ld and tcgen05.st of this shape move them."},
    {"T", "alloc_cast_frag", Function, "src, dtype",
     "Registers with the layout of another fragment and another dtype."},
    {"T", "smem", Namespace, "", "Allocations in shared memory."},
    {"T", "tmem", Namespace, "", "Allocations in tensor memory."},
    // ---- launch and scopes
    {"T", "device_entry", Function, "", "Everything below runs on the device; above it the host computes."},
    {"T", "cluster_id", Function, "extents", "The index of the cluster in the grid."},
    {"T", "cta_id", Function, "extents, preferred=None", "The index of the CTA in the grid, one variable a dimension."},
    {"T", "cta_id_in_cluster", Function, "extents, preferred=None", "The index of the CTA in its cluster."},
    {"T", "cta_id_in_pair", Function, "", "0 or 1: which CTA of a pair this is."},
    {"T", "warpgroup_id", Function, "extents", "The index of the warpgroup in its CTA."},
    {"T", "warp_id", Function, "extents", "The index of the warp in its CTA."},
    {"T", "warp_id_in_wg", Function, "extents", "The index of the warp in its warpgroup."},
    {"T", "lane_id", Function, "extents", "The index of the thread in its warp."},
    {"T", "thread_id", Function, "extents", "The index of the thread in its CTA, one variable a dimension."},
    {"T", "thread_id_in_wg", Function, "extents", "The index of the thread in its warpgroup."},
    {"T", "env_thread", Function, "thread_tag", "A launch dimension whose extent T.launch_thread gives."},
    {"T", "launch_thread", Function, "thread, extent", "Binds a launch dimension such as \"threadIdx.x\"."},
    {"T", "elected", Function, "", "True in one lane of each warp."},
    {"T", "cluster", Namespace, "", "Tile primitives issued by a cluster."},
    {"T", "cta", Namespace, "", "Tile primitives issued by a CTA together."},
    {"T", "warpgroup", Namespace, "", "Tile primitives issued by a warpgroup together."},
    {"T", "wg", Namespace, "", "Tile primitives issued by a warpgroup together."},
    {"T", "warp", Namespace, "", "Tile primitives issued by a warp together."},
    {"T", "thread", Namespace, "", "Tile primitives issued by each thread for itself."},
    {"T", "tile", Namespace, "", "The tile primitives, also known as Tx."},
    // ---- loops
    {"T", "serial", Function, "start, stop=None, step=None, unroll=None", "A loop of the kernel."},
    {"T", "unroll", Function, "start, stop=None", "A loop that is written out."},
    {"T", "vectorized", Function, "start, stop=None", "A loop whose iterations are the lanes of a vector access."},
    {"T", "parallel", Function, "start, stop=None", "A loop whose iterations do not depend on each other."},
    {"T", "grid", Function, "*extents", "Nested loops: for i, j in T.grid(m, n)."},
    {"T", "thread_binding", Function, "start, stop=None, thread=None", "A loop over a launch dimension."},
    {"T", "break_loop", Function, "", "Leaves the loop around it."},
    {"T", "continue_loop", Function, "", "Goes on with the next iteration."},
    // ---- statements
    {"T", "evaluate", Function, "value", "Evaluates an expression for what it does."},
    {"T", "buffer_store", Function, "buffer, value, indices", "Stores one element; B[i] = v does the same."},
    {"T", "attr", Function, "node, key, value", "An attribute of the statements below, or of a with block."},
    {"T", "hint", Function, "message='', **attributes", "Hints for the compiler, for the statements below."},
    {"T", "func_attr", Function, "attributes", "Attributes of the kernel."},
    {"T", "func_name", Function, "name", "Names the kernel."},
    {"T", "static_assert", Function, "condition, message=''",
     "Fails while the script is evaluated if the condition is false."},
    {"T", "assume", Function, "condition", "Promises that a condition holds."},
    {"T", "thread_return", Function, "", "Ends this thread."},
    {"T", "ret", Function, "value=None", "Returns a value."},
    {"T", "bind", Function, "value, type=None", "Binds a value to a variable."},
    // ---- expressions
    {"T", "min", Function, "a, b", "The smaller of two values."},
    {"T", "max", Function, "a, b", "The larger of two values."},
    {"T", "floordiv", Function, "a, b", "Division that rounds down."},
    {"T", "floormod", Function, "a, b", "The remainder of floordiv; never negative for a positive divisor."},
    {"T", "truncdiv", Function, "a, b", "Division that rounds towards zero, as in C."},
    {"T", "truncmod", Function, "a, b", "The remainder of truncdiv."},
    {"T", "ceildiv", Function, "a, b", "Division that rounds up."},
    {"T", "shift_left", Function, "a, b", "a << b"},
    {"T", "shift_right", Function, "a, b", "a >> b"},
    {"T", "bitwise_and", Function, "a, b", "a & b"},
    {"T", "bitwise_or", Function, "a, b", "a | b"},
    {"T", "bitwise_xor", Function, "a, b", "a ^ b"},
    {"T", "bitwise_not", Function, "x", "~x"},
    {"T", "And", Function, "a, b", "Both hold; the second is evaluated only if the first does."},
    {"T", "Or", Function, "a, b", "One of them holds; the second is evaluated only if the first does not."},
    {"T", "Not", Function, "x", "The condition does not hold."},
    {"T", "filter", Function, "var, pred", "A condition that picks some of the threads that var counts."},
    {"T", "Select", Function, "condition, true_value, false_value", "One of two values; both are evaluated."},
    {"T", "if_then_else", Function, "condition, true_value, false_value",
     "One of two values; only that one is evaluated."},
    {"T", "Cast", Function, "dtype, value", "Converts a value."},
    {"T", "cast", Function, "value, dtype", "Converts a value."},
    {"T", "reinterpret", Function, "dtype, value", "The same bits as another dtype of the same size."},
    {"T", "broadcast", Function, "value, lanes", "A vector with the value in every lane."},
    {"T", "ramp", Function, "base, stride, lanes", "The vector base, base + stride, ..."},
    {"T", "address_of", Function, "x", "The address of an element or of a tensor map."},
    {"T", "ptr_byte_offset", Function, "ptr, bytes, dtype=None", "A pointer moved by some bytes."},
    {"T", "isnullptr", Function, "x", "Is the pointer null?"},
    {"T", "likely", Function, "x", "A condition that nearly always holds."},
    {"T", "tvm_access_ptr", Function, "type, data, offset, extent=None, rw_mask=None",
     "A pointer to a part of a buffer."},
    {"T", "min_value", Function, "dtype", "The smallest value of a dtype."},
    {"T", "max_value", Function, "dtype", "The largest value of a dtype."},
    {"T", "infinity", Function, "dtype", "Positive infinity."},
    {"T", "undef", Function, "", "A value that nobody may depend on."},
    {"T", "isfinite", Function, "x", "Is x neither infinite nor NaN?"},
    {"T", "isinf", Function, "x", "Is x infinite?"},
    {"T", "sigmoid", Function, "x", "1 / (1 + exp(-x))"},
    // ---- the prelude
    {"T", "SMEMPool", Class, "", "Carves buffers out of one block of shared memory."},
    {"T", "TMEMPool", Class, "", "Allocates tensor memory and carves buffers out of its columns."},
    {"T", "MBarrier", Class, "", "Mbarriers in shared memory, with their arrivals and waits."},
    {"T", "TMABar", Class, "", "Mbarriers that count the bytes of tensor copies."},
    {"T", "TCGen05Bar", Class, "", "Mbarriers that tcgen05.commit arrives at."},
    {"T", "Pipeline", Class, "", "A ring of stages between producers and consumers."},
    {"T", "PipelineState", Class, "", "Stage and phase of one side of a pipeline."},
    {"T", "WarpRole", Class, "", "A branch for some warps: with T.WarpRole(...)."},
    {"T", "WarpgroupRole", Class, "", "A branch for some warpgroups."},
    {"T", "SmemDescriptor", Class, "", "A matrix descriptor of shared memory, for wgmma and tcgen05."},
    // ---- the scopes of tile primitives
    {"Tx", "thread", Namespace, "", "Issued by each thread for itself."},
    {"Tx", "warp", Namespace, "", "Issued by a warp together."},
    {"Tx", "wg", Namespace, "", "Issued by a warpgroup together."},
    {"Tx", "warpgroup", Namespace, "", "Issued by a warpgroup together."},
    {"Tx", "cta", Namespace, "", "Issued by a CTA together."},
    {"Tx", "cluster", Namespace, "", "Issued by a cluster."},
    // ---- the layout algebra
    {"layout", "S", Constant, "", "Shard: S[extents : strides], a stride being a number or number @ axis."},
    {"layout", "R", Constant, "", "Replica: R[extents : strides], copies of the same elements."},
    {"layout", "TileLayout", Class, "spec", "Strided iters over named axes."},
    {"layout", "SwizzleLayout", Class, "per_element, swizzle_len, atom_len, swizzle_inner=True",
     "An XOR permutation of one linear address."},
    {"layout", "ComposeLayout", Class, "layout_A, layout_B", "A swizzle over a tile layout."},
    {"layout", "Iter", Class, "extent, stride, axis", "One strided loop over an axis."},
    {"layout", "Axis", Namespace, "", "The axes by name: Axis.get(\"laneid\")."},
    {"layout", "SwizzleMode", Namespace, "", "The swizzles of tensor copies."},
    {"layout", "mma_shared_layout", Function, "dtype, swizzle_mode, shape",
     "The swizzled layout that wgmma and tcgen05 read from shared memory."},
    {"layout", "mma_atom_layout", Function, "dtype, swizzle_mode", "The atom of mma_shared_layout."},
    {"layout", "mma_atom_shape", Function, "dtype, swizzle_mode, shape=None", "The shape of that atom."},
    {"layout", "tma_shared_layout", Function, "dtype, swizzle_mode, shape",
     "The same layout under its name for tensor copies."},
    {"layout", "wg_local_layout", Function, "cols, rows=128", "Registers of a warpgroup, one row a thread."},
    {"layout", "tmem_datapath_layout", Function, "datapath, rows, cols",
     "Tensor memory as a datapath of tcgen05 sees it."},
    {"layout", "tcgen05_atom_layout", Function, "instr_shape, tensor_shape, dtype",
     "Registers as tcgen05.ld and tcgen05.st move them."},
    {"layout", "sf_tmem_layout", Function, "rows, sf_k, sf_per_mma, sf_reuse=1, pipe_depth=None",
     "Scale factors in tensor memory."},
    {"layout", "laneid", Constant, "", "Axis: the lane in its warp."},
    {"layout", "warpid", Constant, "", "Axis: the warp in its CTA."},
    {"layout", "wgid", Constant, "", "Axis: the warpgroup in its CTA."},
    {"layout", "tid_in_wg", Constant, "", "Axis: the thread in its warpgroup."},
    {"layout", "wid_in_wg", Constant, "", "Axis: the warp in its warpgroup."},
    {"layout", "tx", Constant, "", "Axis: the thread in its CTA."},
    {"layout", "TLane", Constant, "", "Axis: the lane of tensor memory."},
    {"layout", "TCol", Constant, "", "Axis: the column of tensor memory."},
    {"layout", "m", Constant, "", "Axis: linear memory."},
};

// The words above, and the tile primitives from their own table.
struct Vocabulary {
  Vocabulary() {
    for (const ir::Primitive& row : ir::primitives()) {
      words.push_back({"Tx", row.name, Primitive, signatures.emplace_back(row.signature()), row.words});
    }
    words.insert(words.end(), std::begin(kWords), std::end(kWords));
  }
  std::deque<std::string> signatures;
  std::vector<Word> words;
};

}  // namespace

std::span<const Word> vocabulary() {
  static const Vocabulary all;
  return all.words;
}

const Word* find_word(std::string_view space, std::string_view name) {
  for (const Word& w : vocabulary()) {
    if (w.space == space && w.name == name) return &w;
  }
  return nullptr;
}

}  // namespace tilewright::script
