// Several processors through NVSHMEM. The header is the user's: these rows print calls of it.
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

std::string number_of(std::string_view word, std::span<const std::string_view> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return std::to_string(i);
  }
  return "0";
}
std::string signal_number(const Arguments& a) {
  constexpr std::string_view kOperations[] = {"set", "add"};
  return number_of(a.text("sig_op"), kOperations);
}
std::string compare_number(const Arguments& a) {
  constexpr std::string_view kComparisons[] = {"eq", "ne", "gt", "ge", "lt", "le"};
  return number_of(a.text("cmp"), kComparisons);
}

// "nvshmem.putmem_signal_nbi.warp" -> "nvshmemx_putmem_signal_nbi_warp"
std::string device_name(const Arguments& a) {
  std::string_view name = a.row().name.substr(std::string_view("nvshmem.").size());
  std::size_t dot = name.find('.');
  if (dot == name.npos) return "nvshmem_" + std::string(name);
  return "nvshmemx_" + std::string(name.substr(0, dot)) + "_" + std::string(name.substr(dot + 1));
}
std::string move(const Arguments& a, ir::Target) { return device_name(a) + "({dst}, {src}, {nelems}, {pe});"; }
std::string move_and_signal(const Arguments& a, ir::Target) {
  return device_name(a) + "({dst}, {src}, {nelems}, (uint64_t*){sig_addr}, {signal}, " + signal_number(a) + ", {pe});";
}

#define TILEWRIGHT_MOVE "dst: global, src: global, nelems: u64, pe: i32"
#define TILEWRIGHT_SIGNAL \
  "dst: global, src: global, nelems: u64, sig_addr: global, signal: u64, sig_op: attr(set|add), pe: i32"

consteval Row nvshmem_row(Row r, std::string_view text) { return r.needs("nvshmem").says(text); }

constexpr Intrinsic kNvshmemRows[] = {
    nvshmem_row(row<"">("N1", "nvshmem.my_pe", Meaning::Nvshmem)
                    .effects<"reads machine">()
                    .returns<ir::kInt32>()
                    .inline_cxx("nvshmem_my_pe()"),
                "The number of this processor."),
    nvshmem_row(row<"">("N2", "nvshmem.n_pes", Meaning::Nvshmem)
                    .effects<"reads machine">()
                    .returns<ir::kInt32>()
                    .inline_cxx("nvshmem_n_pes()"),
                "How many processors there are."),
    nvshmem_row(
        row<"">("N3", "nvshmem.quiet", Meaning::Nvshmem).effects<"waits processors">().inline_cxx("nvshmem_quiet()"),
        "Waits until this processor's transfers are done."),
    nvshmem_row(
        row<"">("N4", "nvshmem.fence", Meaning::Nvshmem).effects<"fences processors">().inline_cxx("nvshmem_fence()"),
        "Orders this processor's transfers to each other one."),
    nvshmem_row(row<"">("N5", "nvshmem.barrier_all", Meaning::Nvshmem)
                    .effects<"meets processors; by processors">()
                    .inline_cxx("nvshmem_barrier_all()"),
                "All processors meet."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N6", "nvshmem.getmem_nbi", Meaning::Nvshmem)
                    .effects<"reads global src[nelems] at pe; writes global dst[nelems]; until processors">()
                    .cxx("nvshmem_getmem_nbi(...)", move),
                "Starts fetching bytes from another processor."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N7", "nvshmem.getmem_nbi.warp", Meaning::Nvshmem)
                    .effects<"reads global src[nelems] at pe; writes global dst[nelems]; until processors; by warp">()
                    .cxx("nvshmemx_getmem_nbi_warp(...)", move),
                "The same by all lanes of a warp."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N8", "nvshmem.getmem_nbi.block", Meaning::Nvshmem)
                    .effects<"reads global src[nelems] at pe; writes global dst[nelems]; until processors; by cta">()
                    .cxx("nvshmemx_getmem_nbi_block(...)", move),
                "The same by all threads of a CTA."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N9", "nvshmem.putmem_nbi", Meaning::Nvshmem)
                    .effects<"reads global src[nelems]; writes global dst[nelems] at pe; until processors">()
                    .cxx("nvshmem_putmem_nbi(...)", move),
                "Starts sending bytes to another processor."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N10", "nvshmem.putmem_nbi.warp", Meaning::Nvshmem)
                    .effects<"reads global src[nelems]; writes global dst[nelems] at pe; until processors; by warp">()
                    .cxx("nvshmemx_putmem_nbi_warp(...)", move),
                "The same by all lanes of a warp."),
    nvshmem_row(row<TILEWRIGHT_MOVE>("N11", "nvshmem.putmem_nbi.block", Meaning::Nvshmem)
                    .effects<"reads global src[nelems]; writes global dst[nelems] at pe; until processors; by cta">()
                    .cxx("nvshmemx_putmem_nbi_block(...)", move),
                "The same by all threads of a CTA."),
    nvshmem_row(
        row<TILEWRIGHT_SIGNAL>("N12", "nvshmem.putmem_signal_nbi", Meaning::Nvshmem)
            .effects<"reads global src[nelems]; writes global dst[nelems] at pe; updates global sig_addr[8] at pe; "
                     "until processors">()
            .cxx("nvshmem_putmem_signal_nbi(...)", move_and_signal),
        "Starts sending bytes and then updates a signal there."),
    nvshmem_row(
        row<TILEWRIGHT_SIGNAL>("N13", "nvshmem.putmem_signal_nbi.warp", Meaning::Nvshmem)
            .effects<"reads global src[nelems]; writes global dst[nelems] at pe; updates global sig_addr[8] at pe; "
                     "until processors; by warp">()
            .cxx("nvshmemx_putmem_signal_nbi_warp(...)", move_and_signal),
        "The same by all lanes of a warp."),
    nvshmem_row(
        row<TILEWRIGHT_SIGNAL>("N14", "nvshmem.putmem_signal_nbi.block", Meaning::Nvshmem)
            .effects<"reads global src[nelems]; writes global dst[nelems] at pe; updates global sig_addr[8] at pe; "
                     "until processors; by cta">()
            .cxx("nvshmemx_putmem_signal_nbi_block(...)", move_and_signal),
        "The same by all threads of a CTA."),
    nvshmem_row(row<"sig_addr: global, signal: u64, sig_op: attr(set|add), pe: i32">("N15", "nvshmem.signal_op",
                                                                                     Meaning::Nvshmem)
                    .effects<"updates global sig_addr[8] at pe">()
                    .cxx("nvshmemx_signal_op(...)",
                         [](const Arguments& a, ir::Target) {
                           return "nvshmemx_signal_op((uint64_t*){sig_addr}, {signal}, " + signal_number(a) +
                                  ", {pe});";
                         }),
                "Updates a signal of another processor."),
    nvshmem_row(row<"ivar: global, cmp: attr(eq|ne|gt|ge|lt|le), cmp_value: u64, type: attr(uint64_t) = 'uint64_t'">(
                    "N16", "nvshmem.wait_until", Meaning::Nvshmem)
                    .effects<"reads global ivar[8]; waits processors">()
                    .cxx("nvshmem_uint64_wait_until(...)",
                         [](const Arguments& a, ir::Target) {
                           return "nvshmem_uint64_wait_until((uint64_t*){ivar}, " + compare_number(a) +
                                  ", {cmp_value});";
                         }),
                "Waits until a signal compares as asked."),
};

#undef TILEWRIGHT_MOVE
#undef TILEWRIGHT_SIGNAL

}  // namespace

std::span<const Intrinsic> nvshmem_rows() { return kNvshmemRows; }

}  // namespace tilewright::intrinsics
