// A call of an instruction of 0.27, as far as its compilation needs it.
#pragma once
#include "compiler/ptx/operands.h"
#include "compiler/simulate/machine/compile.h"

namespace tilewright::simulate {

struct Compiler::Instruction27 {
  const intrinsics::Form& form;
  const ir::Call* call;
  intrinsics::WrittenForm written;

  std::string_view id() const { return form.row->id; }
  bool begins(std::string_view with) const { return id().starts_with(with); }
  // The word in a slot; empty where it is left out or not there.
  std::string_view word(std::string_view slot) const {
    const auto at = form.row->slot_named(slot);
    return at ? form.row->token(written.resolved.instruction.filled, *at) : std::string_view();
  }
  const ptx::Bound* bound(std::string_view name) const {
    for (const ptx::Bound& b : written.resolved.operands)
      if (b.operand->name == name) return &b;
    return nullptr;
  }
  ir::Expr operand(std::string_view name, int lane = 0) const {
    const ptx::Bound* b = bound(name);
    return b && lane < b->lanes ? written.arguments[b->first + static_cast<std::size_t>(lane)] : ir::Expr();
  }
  // A generic address may lead to a barrier of another CTA, unless a state comes back (PTX ISA 9.7.13.15.13).
  bool arrives_anywhere() const { return begins("mbarrier_arrive") && word("space").empty() && !operand("state"); }
};

// ---- rows of calls.h that instructions of 0.27 alone lead to ----

// mbarriers: arrivals and bytes in all words of PTX. Slots: the barrier, how many arrivals, how many bytes, the mask.
struct BarrierCount : CallForm {
  enum class What : std::uint8_t { Arrive, Drop, Expect, Complete } what = What::Arrive;
  bool expects = false;     // bytes, before it arrives
  bool incomplete = false;  // .noComplete: the phase must not end by it
  bool multicast = false;   // to the same place in each CTA of the mask
};
const CallRow& barrier_count_call();
// Is it in the layout that Site::flag asks for? Slots: the barrier.
const CallRow& barrier_layout_call();

// An atomic on several numbers of one word. Slots: the address, the word. Site::type is that of a number, Site::count
// how many there are, Site::code the operation.
const CallRow& packed_atomic_call();
// Values of 128 bits, as two registers of 64. Slots: the address, then low and high halves of what is compared and of
// what is stored.
const CallRow& wide_load_call();
const CallRow& wide_store_call();
const CallRow& wide_exchange_call();
const CallRow& wide_swap_call();
// discard: 128 bytes hold nothing from now on. Slots: the address.
const CallRow& discard_call();

// movmatrix: the warp transposes an 8x8 matrix of 16-bit elements. Slots: the register.
const CallRow& transpose_call();
// One register of an ldmatrix whose matrices hold bytes. Slots: the address of the lane's row.
struct MatrixBytes : CallForm {
  int which = 0;            // of the registers of the instruction
  bool transposed = false;  // matrices of 16 rows; else of 8
  int bits = 8;             // of an element in memory
  bool is_signed = false;   // its sign fills the byte
};
const CallRow& matrix_bytes_call();
// isspacep: is the address one of the state space in Site::text? Slots: the address.
const CallRow& space_call();

}  // namespace tilewright::simulate
