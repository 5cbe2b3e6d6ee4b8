// Names for the rows that the compiler itself speaks of: those that variants and lowering emit, and those that hints
// and fixes tell people to write. A name belongs to no release; spellings.h says how each release writes the row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tilewright::intrinsics {

struct RowName {
  std::string_view name;
  std::string_view id;  // of the row
};
inline constexpr RowName kRowNames[] = {
    // barriers and fences
    {"cta_sync", "C1"},
    {"warp_sync", "C2"},
    {"warpgroup_sync", "C3"},
    {"cluster_sync", "C4"},
    {"thread_fence", "C6"},
    {"elect", "P22"},
    {"special_register", "P24"},
    {"map_shared_rank", "P26"},
    {"fence_proxy_async", "P17"},
    {"fence_proxy_tensormap", "E22"},
    {"mbarrier_inval", "E10"},
    {"mbarrier_arrive", "P2"},
    {"mbarrier_arrive_remote", "E26"},
    {"shuffle_xor", "C23"},
    // copies
    {"copy_128b", "C27"},
    {"copy_64b", "C28"},
    {"copy_32b", "C29"},
    {"copy_16b", "C30"},
    {"copy_8b", "C31"},
    {"cp_async", "P29"},
    {"cp_async_commit", "P33"},
    {"cp_async_wait", "P34"},
    {"bulk_to_cluster", "P39"},
    {"bulk_commit", "P41"},
    {"bulk_wait", "P42"},
    {"tensor_load", "P44"},
    {"tensor_store", "P48"},
    {"tensor_reduce", "P49"},
    {"tensormap_prefetch", "P51"},
    {"ldmatrix", "P61.dispatch"},
    {"stmatrix", "P63.dispatch"},
    {"nvshmem_quiet", "N3"},
    // matrix products
    {"mma", "P64"},
    {"wgmma_fence", "P67"},
    {"wgmma_commit", "P68"},
    {"wgmma_wait", "P69"},
    {"wgmma_descriptor", "P71"},
    {"wgmma_shared", "P72"},
    {"wgmma_shared_integer", "P72.integer"},
    {"wgmma_registers", "P73"},
    {"wgmma_registers_integer", "P73.integer"},
    {"tmem_dealloc", "P75"},
    {"tmem_load", "P78"},
    {"tmem_store", "P79"},
    {"tmem_wait_load", "P80"},
    {"tmem_wait_store", "P81"},
    {"tmem_fence_before", "P82"},
    {"tmem_fence_after", "P83"},
    {"tmem_copy", "P84"},
    {"tmem_commit", "P85"},
    {"tmem_mma", "P86"},
    {"tmem_mma_scaled", "P88"},
    {"matrix_descriptor", "P90"},
    {"instruction_descriptor", "P91"},
    {"instruction_descriptor_scaled", "P92"},
    // arithmetic
    {"max3", "P95"},
    {"min3", "P96"},
    {"add_float2", "P102"},
    {"sub_float2", "P103"},
    {"mul_float2", "P104"},
    {"fma_float2", "P105"},
    {"make_float2", "C45"},
    // help in development
    {"printf", "C58"},
    {"trap_unless", "C59"},
    {"foreign_call", "C60"},
};

// One of those names; the compiler refuses another.
class KnownRow {
 public:
  constexpr KnownRow() = default;                                             // of no row
  consteval KnownRow(const char* name) : KnownRow(std::string_view(name)) {}  // NOLINT: written as the name alone
  consteval KnownRow(std::string_view name) : at_(index_of(name)) {           // NOLINT
    if (at_ == std::size(kRowNames)) throw "no row has this name";
  }
  constexpr std::size_t index() const { return at_; }
  constexpr explicit operator bool() const { return at_ < std::size(kRowNames); }

  // std::size(kRowNames): there is none.
  static constexpr std::size_t index_of(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kRowNames, name, &RowName::name) - std::begin(kRowNames));
  }

 private:
  std::size_t at_ = std::size(kRowNames);
};

}  // namespace tilewright::intrinsics
