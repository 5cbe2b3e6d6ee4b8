// What intrinsics do that is more than arithmetic on registers: one row for each meaning.
//
// A row names its slots, the operands that it needs, each by every name that rows of the table give it. The compiler
// puts their registers into Site::args in this order, kNoRegister for what a call leaves out, and the items of a list
// or variadic operand into Site::items. Attributes that are numbers come as constant registers; texts are read once, by
// `set_up`.
#pragma once
#include "compiler/intrinsics/arguments.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

using intrinsics::Meaning;

enum class Step : std::uint8_t {
  Done,
  Wait,    // the thread waits at this call; what releases it also gives it the result
  Again,   // the thread makes the call again when others have had their turn
  Polled,  // done, and nothing has changed for a while: others go on first
  Failed,
};

using ThreadCall = Step (*)(Machine& m, Thread& t, const Site& site);
// Of a whole warp, for instructions that all of its lanes execute together.
using WarpCall = Step (*)(Machine& m, std::span<Thread> lanes, const Site& site);

struct CallRow {
  Meaning meaning;
  std::string_view slots;  // "bar|barrier, count"
  ThreadCall thread = nullptr;
  WarpCall warp = nullptr;
  WarpCall warpgroup = nullptr;  // with the lanes of four warps
  // Reads attributes into the site; false: this form is not modelled.
  bool (*set_up)(Site& site, const intrinsics::Arguments& a) = nullptr;
  // What it makes is a function of its operands, undefined where one of them is (undefined.cpp).
  bool carries = false;
};

const CallRow* call_of(const intrinsics::Intrinsic& row);  // null: none

// What set_up has read of a call, in the type of its row's file.
template <class F>
const F& form_of(const Site& site) {
  return static_cast<const F&>(*site.form);
}

// The element that a pointer is to, void when it is not known; and its bytes, 1 for less than a byte.
ir::DataType pointee_of(ir::Expr pointer);
int bytes_of_pointee(ir::Expr pointer);

// By family, one file each.
std::span<const CallRow> barrier_calls();
std::span<const CallRow> cluster_calls();
std::span<const CallRow> memory_calls();
std::span<const CallRow> fence_calls();
std::span<const CallRow> copy_calls();
std::span<const CallRow> bulk_calls();
std::span<const CallRow> tensor_calls();
std::span<const CallRow> tensor_memory_calls();
std::span<const CallRow> tensor_core_calls();
std::span<const CallRow> mma_calls();
std::span<const CallRow> wgmma_calls();
std::span<const CallRow> float_calls();
std::span<const CallRow> hint_calls();
std::span<const CallRow> launch_calls();
std::span<const CallRow> nvshmem_calls();

}  // namespace tilewright::simulate
