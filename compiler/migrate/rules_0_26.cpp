// What of release 0.25 is spelt otherwise in 0.26: layouts, pools, barriers, instructions, modules.
#include <algorithm>
#include <utility>

#include "compiler/migrate/rules.h"

namespace tilewright::migrate {
namespace {

constexpr Rule kRules[] = {
    // layouts
    {"layout.ComposeLayout(layout.SwizzleLayout(per_element, swizzle_len, atom_len), layout_B)",
     "layout.ComposeLayout(per_element, swizzle_len, atom_len, layout_B)"},
    {"layout.ComposeLayout(layout.SwizzleLayout(per_element, swizzle_len, atom_len, swizzle_inner), layout_B)",
     "layout.ComposeLayout(per_element, swizzle_len, atom_len, layout_B, swizzle_inner)"},
    {"layout.ComposeLayout(swizzle, tile)",
     "!0.26 has one class for both: ComposeLayout(per_element, length, atom, tile); write the numbers of the swizzle"},
    {"layout.SwizzleLayout(...)",
     "!0.26 has no swizzle by itself: it is a ComposeLayout over a tile, which is not known here"},
    // pools and barriers
    {"o.alloc_mma(shape, dtype, \"none\", ...)",
     "!without a swizzle 0.26 packs units of 16 bytes where 0.25 keeps rows: use alloc with the layout that is meant"},
    {"o.alloc_mma(..., swizzle_mode=\"none\")",
     "!without a swizzle 0.26 packs units of 16 bytes where 0.25 keeps rows: use alloc with the layout that is meant"},
    {"o.alloc_mma(...)", "o.alloc_tcgen05_mma_AB(...)"},
    {"o.alloc(..., datapath=\"D\")", "o.alloc(...)"},
    {"o.alloc((rows, cols), dtype, ..., datapath=d)",
     "!0.26 is given the layout: layout=tmem_datapath_layout(letter, rows, columns)"},
    {"o.arrive(..., cta_id=rank)", "o.arrive(..., remote=rank)"},
    {"T.TMEMStages(...)", "!0.26 has no TMEMStages: slice a wider buffer, or .tile it"},
    {"o.local()", "&o.local(layout=o.layout.storage())"},
    {"o.local(n)", "&o.local(n, layout=o.layout.storage())"},
    {"o.local(n, m)", "&o.local(n, m, layout=o.layout.storage())"},
    {"o.local(n, m, k)", "&o.local(n, m, k, layout=o.layout.storage())"},
    {"o.local(...)", "?.local() of 0.26 has the elements in the order of the registers, of 0.25 in that of the layout"},
    // names of T
    {"T.ret(...)", "T.Return(...)"},
    {"T.SizeVar(...)", "!0.26 has no SizeVar: an extent is a variable, n = T.int32()"},
    {"f(..., is_size_var=False)", "f(...)"},
    {"f(..., is_size_var=True)", "f(...)"},
    {"f(..., buffer_type=\"\")", "f(...)"},
    {"f(..., buffer_type=\"default\")", "f(...)"},
    {"f(..., axis_separators=None)", "f(...)"},
    {"f(..., axis_separators=[])", "f(...)"},
    {"f(..., buffer_type=t)", "!0.26 has no buffer_type="},
    {"f(..., axis_separators=t)", "!0.26 has no axis_separators="},
    {"T.cast(..., src=value)", "T.cast(..., value=value)"},
    {"T.Call(...)", "!the operands of T.Call are others: op, args, attrs, ty_args, ret_ty"},
    // variants of copies
    {"f(..., dispatch=\"tma\")", "f(..., dispatch=\"tma_auto\")"},
    {"f(..., dispatch=\"gmem_smem\")", "f(..., dispatch=\"vec_auto\")"},
    {"Tx.copy(..., dispatch=\"reg\")", "Tx.copy(..., dispatch=\"vec_auto\")"},
    {"Tx.gemm_async(..., descI=d)", "!0.26 makes the descriptor of instructions itself: descI= is refused"},
    // instructions
    {"T.ptx.cp_async.bulk.tensor.g2c(...)", "T.ptx.cp_async.bulk.tensor.g2s_cluster(...)"},
    {"T.ptx.cp_async.bulk.tensor.g2c_bar_addr(...)",
     "T.ptx.cp_async.bulk.tensor.g2s_cluster(..., mbar_is_shared_addr=True)"},
    {"T.ptx.cp_async.bulk.tensor.g2c_tile_gather4(...)",
     "T.ptx.cp_async.bulk.tensor.g2s_cluster(..., load_mode=\"tile_gather4\")"},
    {"T.ptx.cp_async.bulk.tensor.g2c_tile_gather4_bar_addr(...)",
     "T.ptx.cp_async.bulk.tensor.g2s_cluster(..., load_mode=\"tile_gather4\", mbar_is_shared_addr=True)"},
    {"T.ptx.cp_async.bulk.tensor.g2c_prefetch(...)", "T.ptx.cp_async.bulk.tensor.prefetch(...)"},
    {"T.ptx.mbarrier.arrive(..., cta_id=rank)", "T.ptx.mbarrier.arrive(..., remote=rank)"},
    {"T.ptx.mbarrier.arrive.expect_tx(..., cta_id=rank)", "T.ptx.mbarrier.arrive.expect_tx(..., remote=rank)"},
    {"T.ptx.mbarrier.arrive.cluster_count(bar, cta_id, count)",
     "T.ptx.mbarrier.arrive(bar, count=count, remote=cta_id)"},
    {"T.ptx.cp_async.mbarrier.arrive(..., noinc=True)", "T.ptx.cp_async.mbarrier.arrive.noinc(...)"},
    {"T.cuda.sm100_tma_2sm_mbarrier_addr(...)", "T.cuda.sm100_2sm_leader_smem_addr(...)"},
};

constexpr ModuleRule kModules[] = {
    {"tvm.tirx.cuda.operator.tile_primitive", "tvm.backend.cuda.tile_primitive"},
    {"tvm.backend.cuda.operator.tile_primitive", "tvm.backend.cuda.tile_primitive"},
};

// Copies between generic addresses: 0.27 has them again, as instructions without a space.
constexpr std::pair<std::string_view, std::string_view> kByHand[] = {
    {"T.cuda.copy_128b",
     "0.26 loads and stores in a named space: words = T.alloc_local([4], \"uint32\"); T.ptx.ld(src, \"uint32\", "
     "\"b32\", dst=[words.ptr_to([i]) for i in range(4)], vec=\"v4\", space=\"global\"); T.ptx.st(dst, words[0], "
     "words[1], words[2], words[3], vec=\"v4\", ptx_type=\"b32\", space=\"shared\"), each space that of its pointer"},
    {"T.cuda.copy_64b",
     "0.26 loads and stores in a named space: words = T.alloc_local([2], \"uint32\"); T.ptx.ld(src, \"uint32\", "
     "\"b32\", dst=[words.ptr_to([0]), words.ptr_to([1])], vec=\"v2\", space=\"global\"); T.ptx.st(dst, words[0], "
     "words[1], vec=\"v2\", ptx_type=\"b32\", space=\"shared\"), each space that of its pointer"},
    {"T.cuda.copy_32b",
     "0.26 loads and stores in a named space: word: T.uint32 = T.ptx.ld(src, \"uint32\", \"b32\", space=\"global\"); "
     "T.ptx.st(dst, word, ptx_type=\"b32\", space=\"shared\"), each space that of its pointer"},
    {"T.cuda.copy_16b", "0.26 has no copy of 16 bits by pointers: store the element, dst[i] = src[j]"},
    {"T.cuda.copy_8b", "0.26 has no copy of 8 bits by pointers: store the element, dst[i] = src[j]"},
    {"T.cuda.copy_bytes",
     "0.26 has no copy by generic pointers: store the elements, dst[i] = src[j], or load and store 4 bytes by "
     "T.ptx.ld(src, \"uint32\", \"b32\", space=\"global\") and T.ptx.st(dst, word, ptx_type=\"b32\", "
     "space=\"shared\"), each space that of its pointer"},
};

}  // namespace

std::string_view words_by_hand(std::string_view path, text::Dialect release) {
  const auto* known = std::ranges::find(kByHand, path, &std::pair<std::string_view, std::string_view>::first);
  return release == text::Dialect::V0_26 && known != std::end(kByHand) ? known->second : std::string_view();
}

std::span<const Rule> rules_to_0_26() { return kRules; }
std::span<const ModuleRule> modules_to_0_26() { return kModules; }

}  // namespace tilewright::migrate
