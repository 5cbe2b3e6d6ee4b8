// What the instructions of 0.27 do that no row of the table means: to memory, to other threads, and who executes them.
#include <algorithm>

#include "compiler/intrinsics/form_parts.h"

namespace tilewright::intrinsics {
namespace {

struct FormEffects {
  std::string_view row;  // its name, or how it begins with a star
  std::string_view effects;
};

constexpr FormEffects kEffects[] = {
    // Loads, stores, atomics.
    {"ld", "reads {space=generic} addr[type] {sem}.{scope=gpu}"},
    {"ld_vec*", "reads {space=generic} addr[type*vec] {sem}.{scope=gpu}"},
    {"ld_proxy_readonly", "reads {space=generic} addr[type]"},
    {"ldu", "reads {space=generic} addr[type]"},
    {"ldu_vec", "reads {space=generic} addr[type*vec]"},
    {"st", "writes {space=generic} addr[type] {sem}.{scope=gpu}"},
    {"st_vec*", "writes {space=generic} addr[type*vec] {sem}.{scope=gpu}"},
    {"atom_f32*", "updates {space=generic} addr[4] {sem=relaxed}.{scope=gpu}"},
    {"atom_vec_f32_noftz*", "updates {space=generic} addr[4*vec] {sem=relaxed}.{scope=gpu}"},
    {"atom_vec*", "updates {space=generic} addr[type*vec] {sem=relaxed}.{scope=gpu}"},
    {"atom*", "updates {space=generic} addr[type] {sem=relaxed}.{scope=gpu}"},
    {"red_f32*", "updates {space=generic} addr[4] {sem=relaxed}.{scope=gpu}"},
    {"multimem_ld_reduce_f_vec", "reads {space=generic} addr[type*vec] {sem}.{scope=gpu}"},
    {"multimem_ld_reduce*", "reads {space=generic} addr[type] {sem}.{scope=gpu}"},
    {"multimem_st_f_vec", "writes {space=generic} addr[type*vec] {sem}.{scope=gpu}"},
    {"multimem_st", "writes {space=generic} addr[type] {sem}.{scope=gpu}"},
    {"multimem_st_f", "writes {space=generic} addr[type] {sem}.{scope=gpu}"},
    {"multimem_red_f_vec", "updates {space=generic} addr[type*vec] {sem=relaxed}.{scope=gpu}"},
    {"multimem_red", "updates {space=generic} addr[type] {sem=relaxed}.{scope=gpu}"},
    {"multimem_red_f", "updates {space=generic} addr[type] {sem=relaxed}.{scope=gpu}"},
    {"red_vec_f32_noftz*", "updates {space=generic} addr[4*vec] {sem=relaxed}.{scope=gpu}"},
    {"red_vec*", "updates {space=generic} addr[type*vec] {sem=relaxed}.{scope=gpu}"},
    {"st_async_release", "writes {space=generic} addr[type] release.{scope=gpu}"},
    {"multimem_st_async", "writes {space=generic} addr[type] release.{scope=gpu}"},
    {"red_async_release", "updates {space=generic} addr[type] release.{scope=gpu}"},
    {"multimem_red_async", "updates {space=generic} addr[type] release.{scope=gpu}"},
    {"red_async*", "unknown"},
    {"red", "updates {space=generic} addr[type] {sem=relaxed}.{scope=gpu}"},
    {"red_half*", "updates {space=generic} addr[type] {sem=relaxed}.{scope=gpu}"},
    {"prefetchu", "prefetches generic addr"},
    {"prefetch*", "prefetches {space=generic} addr"},
    {"applypriority", "prefetches {space=generic} addr"},
    {"cp_async_ca_src_size", "reads global src_mem[src_size]; writes shared dst_mem[cp_size]; until cp.async"},
    {"cp_async_cg_src_size", "reads global src_mem[src_size]; writes shared dst_mem[cp_size]; until cp.async"},
    {"ldmatrix*", "reads shared p[16]; by warp"},
    // Barriers in shared memory.
    {"mbarrier_arrive_drop_expect_tx_state",
     "expects mbarrier addr[count]; drops mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive_drop_expect_tx*",
     "expects mbarrier addr[tx_count]; drops mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive_expect_tx_state",
     "expects mbarrier addr[count]; arrives mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive_expect_tx*", "expects mbarrier addr[tx_count]; arrives mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive_drop_nocount", "drops mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive_nocount", "arrives mbarrier addr {sem=release}.{scope=cta}"},
    {"mbarrier_arrive", "arrives mbarrier addr[count] {sem=release}.{scope=cta}"},
    {"mbarrier_test_wait*", "tests mbarrier addr {sem=acquire}.{scope=cta}"},
    {"mbarrier_try_wait*", "tests mbarrier addr {sem=acquire}.{scope=cta}"},
    // Lanes and threads.
    {"shfl_sync*", "exchanges lanes; by lanes membermask"},
    {"vote_sync*", "exchanges lanes; by lanes membermask"},
    {"match_*", "exchanges lanes; by lanes membermask"},
    {"redux_sync*", "exchanges lanes; by lanes membermask"},
    {"elect_sync", "elects lanes; by lanes membermask"},
    {"activemask", "exchanges lanes"},
    {"movmatrix", "exchanges lanes; by warp"},
    {"bar_warp_sync", "meets lanes acq_rel.warp; by lanes membermask"},
    {"bar_*", "meets barrier a acq_rel.cta; by warp"},
    {"barrier_sync", "meets barrier a acq_rel.cta"},
    {"barrier_red*", "meets barrier a acq_rel.cta"},
    {"fence", "fences memory {sem=acq_rel}.{scope}"},
    // Tensor memory.
    {"tcgen05_ld*", "reads tensor taddr; until tcgen05.ld; by warp"},
    {"tcgen05_st*", "writes tensor taddr; until tcgen05.st; by warp"},
};

bool names(std::string_view pattern, std::string_view id) {
  return pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1)) : id == pattern;
}

// Does it work on registers alone?
bool only_registers(const ptx::Row& row) {
  return !row.orders_memory && row.writes() &&
         std::ranges::none_of(row.operands, [](const ptx::Operand& o) { return o.kind == ptx::OperandKind::Address; });
}

}  // namespace

std::string_view form_effects(const ptx::Row& row) {
  for (const FormEffects& e : kEffects) {
    if (names(e.row, row.id)) return e.effects;
  }
  return only_registers(row) ? "" : "unknown";
}

Meaning form_meaning(const ptx::Row& row) { return only_registers(row) ? Meaning::None : Meaning::Unmodelled; }

}  // namespace tilewright::intrinsics
