#include "compiler/ir/primitive.h"

#include <algorithm>
#include <iterator>

namespace tilewright::ir {
namespace {

using Operands = std::vector<PrimitiveOperand>;
using Keywords = std::vector<PrimitiveKeyword>;

// ---- operands ------------------------------------------------------------------------------------------------------

constexpr PrimitiveOperand written(std::string_view name) { return {.name = name, .role = OperandRole::Written}; }
// Read, too, if the operand or keyword `given` is.
constexpr PrimitiveOperand accumulated(std::string_view name, std::string_view given) {
  return {.name = name, .role = OperandRole::Written, .read_with = given};
}
// Read, too, if the source is missing.
constexpr PrimitiveOperand in_place(std::string_view name, std::string_view source) {
  return {.name = name, .role = OperandRole::Written, .read_without = source};
}
constexpr PrimitiveOperand read(std::string_view name, std::string_view fallback = {}) {
  return {.name = name, .fallback = fallback};
}
constexpr PrimitiveOperand value(std::string_view name, std::string_view fallback = {}) {
  return {.name = name, .kind = OperandKind::Value, .fallback = fallback};
}
constexpr PrimitiveOperand scalar(std::string_view name, std::string_view fallback) {
  return {.name = name, .kind = OperandKind::Scalar, .fallback = fallback};
}
constexpr PrimitiveOperand axes(std::string_view name) {
  return {.name = name, .kind = OperandKind::Axes, .fallback = "-1"};
}
constexpr PrimitiveOperand operation(std::string_view name) { return {.name = name, .kind = OperandKind::Operation}; }

// ---- what the primitives of a family have in common
// ------------------------------------------------------------------

Operands tile_to_tile() { return {written("dst"), read("src")}; }
Operands binary() { return {written("dst"), value("src1"), value("src2")}; }
Operands scaled() {
  return {in_place("dst", "src"), read("src", "None"), value("bias", "None"), value("scale", "None")};
}
Operands reduction() { return {accumulated("dst", "accum"), read("src"), axes("axes"), scalar("accum", "False")}; }

constexpr bool kClips = true;
constexpr PrimitiveKeyword kGroup = {"cta_group", "1", "CTAs that work together: 1, or 2 for a pair."};
constexpr PrimitiveKeyword kRounding = {"rounding_mode", "\"rz\"",
                                        "How packed float32 arithmetic rounds: \"rz\", \"rn\", \"rm\" or \"rp\"."};
constexpr PrimitiveKeyword kThreadReduce = {
    "thread_reduce", "False", "At warp scope: the lanes combine their parts by shuffles, and each holds the result."};

constexpr PrimitiveKeyword kPrefetchSize = {
    "prefetch_size", "None", "Bytes that the load brings into L2: \"L2::64B\", \"L2::128B\" or \"L2::256B\"."};

Keywords copy_keywords() {
  return {
      {"cache", "None", "\"nc\": the load passes the read-only cache; nothing writes there while the kernel runs."},
      {"l1_evict", "None",
       "What L1 keeps of the load: \"L1::evict_first\", \"L1::evict_last\", \"L1::no_allocate\" and others."},
      {"l2_evict", "None",
       "What L2 keeps of the load: \"L2::evict_first\", \"L2::evict_last\" or \"L2::evict_normal\"."},
      kPrefetchSize,
  };
}

Keywords copy_async_keywords() {
  return {
      {"mbar", "None", "The mbarrier in shared memory that counts the bytes as they arrive.", OperandRole::Both},
      {"remote_cta_id", "None", "The CTA of the cluster that is copied to, by its rank."},
      kGroup,
      {"cta_mask", "0", "A bit for each CTA of the cluster that receives the tile; 0: the own one."},
      {"cache_hint", "\"\"", "\"evict_normal\", \"evict_first\", \"evict_last\" or a cache policy."},
      {"oob", "None", "What elements outside of the tensor read as: \"zero\" or \"nan\"."},
      {"use_tma_reduce", "None",
       "Combines with what is there: \"add\", \"min\", \"max\", \"inc\", \"dec\", \"and\", "
       "\"or\" or \"xor\"."},
      {"prefetch_tensormap", "False", "Brings the tensor map into its cache at the start of the kernel."},
      {"mbarrier_addr", "False", "The barrier goes to the instruction as a 32-bit shared address."},
      {"tensormap_l2_promotion", "\"L2::128B\"",
       "What the L2 cache fetches at once: \"none\", \"L2::64B\", \"L2::128B\" or \"L2::256B\"."},
      {"tma_dtype", "None", "\"tf32\": elements of float32 are rounded to TF32 on the way."},
      {"gather4", "None", "The numbers of the four rows of a matrix that are loaded."},
      {"src_selector", "None",
       "[(condition, tensor), ...]: the first tensor whose condition holds is loaded from in place of the source."},
      {"direct", "False", "One cp.async of 4, 8 or 16 bytes, from the region's first element on."},
      {"predicate", "-1", "The copy is made where it is not 0; -1: everywhere."},
      {"fill_mode", "\"\"",
       "\"zero\": where predicate= is 0, zeros are written; else the destination keeps its contents."},
      {"prefetch_size", "-1", "Bytes that cp.async brings into L2: 64, 128 or 256."},
      {"shape", "None", "The shape of tcgen05.cp, \"128x256b\" or another; None: the layouts tell."},
      {"multicast", "None", "Which warps get copies of the rows: \"warpx2::02_13\", \"warpx2::01_23\" or \"warpx4\"."},
  };
}

Keywords gemm_async_keywords() {
  return {
      kGroup,
      {"descI", "None", "A ready-made instruction descriptor of 32 bits."},
      {"mma_m", "None", "Rows of one instruction, of both CTAs of a pair; given together with mma_n."},
      {"mma_n", "None", "Columns of one instruction; given together with mma_m."},
      {"smem_desc", "\"hoist\"",
       "Where matrix descriptors are made: \"hoist\", \"local_hoist\", \"encode\" or \"recompute\"."},
      {"weight_stationary", "False", "tcgen05.mma.ws; the layout of C tells, too."},
      {"is_AB_tf32", "False", "A and B hold float32 (or tf32), which is multiplied as tf32."},
  };
}

Operands inputs() {
  return {written("dst"),          value("input0", "None"), value("input1", "None"), value("input2", "None"),
          value("input3", "None"), value("input4", "None"), value("input5", "None")};
}

Keywords tensor_keywords() {
  return {
      {"instruction", "None", "The instruction by its words."},
      {"pred", "None", "Where it is 0, the instruction does not take place."},
      {"cache_policy", "None", "The policy of a word with L2::cache_hint."},
      {"box", "None", "Of a tensor copy: the elements of the box, the innermost last."},
      {"coords", "None", "Of a tensor copy: where the box begins, the innermost last."},
      {"coord_steps", "None", "From one repetition to the next, a list for each dimension of threads and repetitions."},
      {"format", "None", "The element type that the tensor map says."},
      {"element_strides", "None", "Steps between the elements of the tensor that are copied."},
      {"swizzle", "0", "Atoms of shared memory: 0 none, 1 to 3 of 32, 64 and 128 bytes."},
      {"interleave", "0", "0: the tensor is not interleaved."},
      {"l2_promotion", "0", "What the L2 cache fetches at once: 1 to 3 are 64, 128 and 256 bytes."},
      {"oob_fill", "0", "1: what lies outside of the tensor is NaN."},
      {"mbar", "None", "The barrier that the bytes of a load arrive at."},
      {"cta_mask", "None", "The CTAs of the cluster that a multicast writes to."},
      {"gather4", "None", "The four rows of a gather4 or scatter4."},
  };
}

Keywords apply_keywords() {
  return {
      {"instruction", "None", "The instruction by its words, \"ld.global.v4.b32\"."},
      {"pred", "None", "Where it is 0, the instruction does not take place."},
      {"preserve_dst", "False", "Where pred= is 0, the destination keeps its value."},
      {"cache_policy", "None", "The policy of a word with L2::cache_hint."},
      {"chunk_bytes", "None", "Bytes that one cp.async copies: 4, 8 or 16; one cp.async.bulk: a multiple of 16."},
      {"src_size", "None", "Bytes that one cp.async reads; the others are zeros."},
      {"ignore_src", "None", "Where it is not 0, one cp.async writes zeros."},
      {"mbar", "None", "Of cp.async.bulk: the barrier that its bytes arrive at, named in this CTA's memory."},
      {"remote_cta_id", "None", "Of cp.async.bulk: the CTA of the cluster that is written to."},
  };
}

Keywords tensor_core_keywords() {
  return {
      {"instruction", "None", "The instruction by its words, \"tcgen05.mma.cta_group::1.kind::f16\"."},
      {"pred", "None", "Where it is 0, the instruction does not take place."},
      {"instruction_shape", "None", "Of tcgen05.mma: M, N and K of one instruction, M of both CTAs of a pair."},
      {"a_major", "\"k\"", "Of tcgen05.mma: \"k\" or \"mn\", along which A is contiguous."},
      {"b_major", "\"k\"", "Of tcgen05.mma: \"k\" or \"mn\", along which B is contiguous."},
      {"a_format", "None", "Of tcgen05.mma: what A is multiplied as; its own type."},
      {"b_format", "None", "Of tcgen05.mma: what B is multiplied as; its own type."},
      {"neg_a", "False", "Of tcgen05.mma: A is negated."},
      {"neg_b", "False", "Of tcgen05.mma: B is negated."},
      {"sat_d", "False", "Of tcgen05.mma of integers: sums saturate."},
      {"accum", "False", "Of tcgen05.mma: the first step along K adds to D, too."},
      {"disable_output_lane", "None",
       "Of tcgen05.mma: four words for each CTA, a bit for each lane that is not written."},
      {"zero_column_mask", "None", "Of tcgen05.mma.ws: the word that makes columns of B zero."},
  };
}

// A package calls it by a name of its own; printed kernels have it under one that is not offered.
constexpr text::Releases kPackageAlone = text::since(text::Dialect::V0_27);

// ---- the rows ------------------------------------------------------------------------------------------------------

// Of the package that follows 0.27.
std::vector<Primitive> package_rows() {
  return {
      {"apply",
       {written("dst"), value("src", "None"), value("src2", "None"), value("src3", "None")},
       apply_keywords(),
       "Repeats one instruction over views.",
       !kClips,
       kPackageAlone,
       {{text::Dialect::V0_27, "_apply"}}},
      {"apply_tmem",
       {written("dst"), value("src"), value("src2", "None")},
       {{"instruction", "None", "The instruction by its words, \"tcgen05.ld.sync.aligned.32x32b.x16.b32\"."},
        {"imm_half_splitoff", "None", "Of 16x32bx2: columns from the first half to the second."}},
       "Repeats one load or store of tensor memory over views.",
       !kClips,
       kPackageAlone,
       {{text::Dialect::V0_27, "_apply_tmem"}}},
      {"apply_tcgen05",
       {accumulated("dst", "accum"), read("src"), read("src2", "None"), read("src3", "None"), read("src4", "None")},
       tensor_core_keywords(),
       "Repeats one product into tensor memory, or one copy there, over views.",
       !kClips,
       kPackageAlone,
       {{text::Dialect::V0_27, "_apply_tcgen05"}}},
      {"apply_tensor",
       tile_to_tile(),
       tensor_keywords(),
       "Repeats one copy between a tensor and shared memory over views.",
       !kClips,
       kPackageAlone,
       {{text::Dialect::V0_27, "_apply_tensor"}}},
      {"ewise",
       inputs(),
       {{"function", "None", "The function, at its parameters."}, {"parameters", "None", "Its parameters."}},
       "Stores a function of scalars at each register of a view.",
       !kClips,
       kPackageAlone,
       {{text::Dialect::V0_27, "_ewise"}}},
  };
}

std::vector<Primitive> rows() {
  return {
      {"copy", tile_to_tile(), copy_keywords(),
       "Copies a tile; when it returns, the copy is done for the threads that issued it."},
      {"copy_async",
       {accumulated("dst", "use_tma_reduce"), read("src")},
       copy_async_keywords(),
       "Starts copying a tile; the script waits for it.",
       kClips},
      {"fill", {written("dst"), value("value")}, {}, "Fills a tile with a value."},
      {"memset", {written("dst"), value("value")}, {}, "Fills a tile with a value."},
      {"zero", {written("dst"), read("src", "None")}, {}, "Fills a tile with zeros."},
      {"sqrt", scaled(), {}, "The square root of each element."},
      {"exp", scaled(), {}, "The exponential of each element."},
      {"exp2", scaled(), {}, "Two to the power of each element."},
      {"log2", scaled(), {}, "The logarithm to base 2 of each element.", !kClips, text::since(text::Dialect::V0_26)},
      {"reciprocal", {in_place("dst", "src"), read("src", "None")}, {}, "One over each element."},
      {"silu", tile_to_tile(), {}, "x * sigmoid(x) of each element."},
      {"add", binary(), {kRounding}, "Adds element by element."},
      {"sub", binary(), {kRounding}, "Subtracts element by element."},
      {"mul", binary(), {kRounding}, "Multiplies element by element."},
      {"fdiv", binary(), {}, "Divides element by element."},
      {"maximum", binary(), {}, "The larger of two tiles, element by element."},
      {"minimum", binary(), {}, "The smaller of two tiles, element by element."},
      {"fma", {written("dst"), read("src"), value("scale"), value("bias")}, {kRounding}, "src * scale + bias."},
      {"cast", tile_to_tile(), {}, "Converts each element."},
      {"sum", reduction(), {kThreadReduce}, "Sums along axes."},
      {"max", reduction(), {kThreadReduce}, "The largest element along axes."},
      {"min", reduction(), {kThreadReduce}, "The smallest element along axes."},
      {"select",
       {written("dst"), value("true_value"), value("false_value"), read("pred")},
       {},
       "Chooses element by element."},
      {"gemm",
       {written("D"), read("A"), read("B"), read("C"), scalar("transpose_A", "False"), scalar("transpose_B", "False"),
        scalar("alpha", "1"), scalar("beta", "0")},
       {},
       "D = alpha * A B + beta * C"},
      {"gemm_async",
       {accumulated("C", "accum"), read("A"), read("B"), read("SFA", "None"), read("SFB", "None"),
        scalar("transA", "False"), scalar("transB", "False"), scalar("accum", "False")},
       gemm_async_keywords(),
       "Starts a matrix product; the script waits for it."},
      {"permute_layout", tile_to_tile(), {}, "Moves a tile into another layout."},
      {"binary_reduce",
       {written("binary_output"), written("reduce_output"), value("in1"), value("in2"), operation("binary_op"),
        operation("reduce_op"), axes("reduce_axes")},
       {},
       "An operation of two tiles, element by element, and the reduction of its result along axes."},
      {"unary_reduce",
       {written("unary_output"), written("reduce_output"), read("input"), operation("unary_op"), operation("reduce_op"),
        value("bias", "None"), value("scale", "None"), axes("reduce_axes")},
       {},
       "An operation on each element, and the reduction of its result along axes."},
      {"binary_chain",
       {written("output"), read("data"), value("operand0"), value("operand1"), operation("op0"), operation("op1"),
        scalar("reverse1", "False")},
       {},
       "Two operations in a row, element by element: op1(op0(data, operand0), operand1)."},
      {"reduce_negate",
       {accumulated("output", "accum"), read("input"), operation("reduce_op"), axes("reduce_axes"),
        scalar("accum", "False")},
       {},
       "The negative of a reduction along axes."},
  };
}

}  // namespace

// ---- looking up ----------------------------------------------------------------------------------------------------

std::size_t Primitive::required() const {
  return static_cast<std::size_t>(std::ranges::find_if_not(operands, &PrimitiveOperand::required) - operands.begin());
}

std::size_t Primitive::find_operand(std::string_view operand) const {
  return static_cast<std::size_t>(std::ranges::find(operands, operand, &PrimitiveOperand::name) - operands.begin());
}

const PrimitiveKeyword* Primitive::find_keyword(std::string_view keyword) const {
  auto it = std::ranges::find(keywords, keyword, &PrimitiveKeyword::name);
  return it == keywords.end() ? nullptr : &*it;
}

std::string Primitive::signature() const {
  std::string out;
  for (const PrimitiveOperand& operand : operands) {
    if (!out.empty()) out += ", ";
    out += operand.name;
    if (!operand.required()) out.append("=").append(operand.fallback);
  }
  return out;
}

std::string_view Primitive::name_in(text::Dialect release) const {
  if (!releases.has(release)) return {};
  std::string_view found = name;
  for (const Respelling& r : respelled) {
    if (r.since <= release) found = r.name;
  }
  return found;
}

std::span<const Primitive> primitives() {
  static const std::vector<Primitive> table = [] {
    std::vector<Primitive> all = rows(), package = package_rows();
    all.reserve(all.size() + package.size());
    std::ranges::move(package, std::back_inserter(all));
    return all;
  }();
  return table;
}

const Primitive* find_primitive(std::string_view name) {
  std::span<const Primitive> all = primitives();
  auto it = std::ranges::find(all, name, &Primitive::name);
  return it == all.end() ? nullptr : &*it;
}

const Primitive* find_primitive(std::string_view spelled, text::Dialect release) {
  std::span<const Primitive> all = primitives();
  auto it = std::ranges::find_if(all, [&](const Primitive& p) { return p.name_in(release) == spelled; });
  return it == all.end() || spelled.empty() ? nullptr : &*it;
}

// ---- a call beside its row -----------------------------------------------------------------------------------------

namespace {

// The operand or keyword of that name is given, and is not False.
bool holds(const TileCall& call, std::string_view name) {
  const Primitive* row = find_primitive(call.primitive);
  std::size_t i = row->find_operand(name);
  if (i < call.args.size()) return is_given(call.args[i]) && !is_constant(call.args[i].value, 0);
  for (const ConfigItem& item : call.config) {
    if (item.key == name) return is_given(item.value) && !is_constant(item.value.value, 0);
  }
  return false;
}

}  // namespace

// T.cuda.tile.apply of an instruction that combines what it copies with what is there.
static bool combines(const TileCall& call) {
  for (const ConfigItem& item : call.config) {
    const auto* text = item.key == "instruction" ? item.value.value.as<StringImm>() : nullptr;
    if (text) return text->value.starts_with("cp.reduce.");
  }
  return false;
}

bool is_given(const Operand& operand) { return operand.region.buffer || operand.value; }

const PrimitiveOperand* operand_row(const TileCall& call, std::size_t i) {
  const Primitive* row = find_primitive(call.primitive);
  return row && i < row->operands.size() ? &row->operands[i] : nullptr;
}

OperandRole operand_role(const TileCall& call, std::size_t i) {
  const PrimitiveOperand* operand = operand_row(call, i);
  if (!operand) return OperandRole::Both;
  if (!operand->read_with.empty() && holds(call, operand->read_with)) return OperandRole::Both;
  if (!operand->read_without.empty() && !holds(call, operand->read_without)) return OperandRole::Both;
  return operand->role == OperandRole::Written && combines(call) ? OperandRole::Both : operand->role;
}

OperandRole keyword_role(const TileCall& call, std::string_view keyword) {
  const Primitive* row = find_primitive(call.primitive);
  const PrimitiveKeyword* found = row ? row->find_keyword(keyword) : nullptr;
  return found ? found->role : OperandRole::Both;
}

std::string_view operand_name(const TileCall& call, std::size_t i) {
  const PrimitiveOperand* operand = operand_row(call, i);
  return operand ? operand->name : "operand";
}

}  // namespace tilewright::ir
