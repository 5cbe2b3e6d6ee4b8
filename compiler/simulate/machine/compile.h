// Lowered statements to register code. Vector expressions are written out lane by lane here, so that the interpreter
// knows scalars only.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/lower/lower.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/machine/program.h"

namespace tilewright::simulate {

using Register = std::uint32_t;
using Registers = std::vector<Register>;

// Temporaries are numbered apart while compiling and placed behind the variables at the end.
inline constexpr Register kTemporary = 0x80000000;

inline bool is_double(ir::DataType d) { return d.is_float() && d.bits == 64; }
// The registers of a value: 128 bits fill two, the lower half first.
inline int words(ir::DataType d) { return d.bits > 64 ? d.lanes * 2 : d.lanes; }
inline bool is_narrow_float(ir::DataType d) { return d.is_floating() && d.bits < 32; }

class Compiler {
  friend class PtxCompiler;

 public:
  explicit Compiler(const lower::LoweredKernel& kernel) : kernel_(kernel) {}

  Program compile();

 private:
  // ---- compile.cpp: registers, storage, statements
  Register fresh() { return variables_++; }
  Register temporary();
  Register constant_register(std::uint64_t value);
  Register variable(const ir::Var* var);
  void place_temporaries();
  std::size_t emit(Instruction i);
  Register make(Op op, ir::DataType type, Register a, Register b = 0, Register c = 0);
  void land(std::size_t jump) { program_.code[jump].dst = static_cast<Register>(program_.code.size()); }
  void storage();
  // Scalars whose address is taken, or that a view looks at, need memory; all others are registers.
  void survey();
  bool is_register(const ir::Buffer* buffer) const;
  std::uint32_t access(const ir::Buffer* buffer);
  void allocate(const ir::Buffer* buffer);
  void statement(const ir::Stmt* s);
  void enter_loop();
  void leave_loop();
  void loop(const ir::For* s);
  void store(const ir::Store* s);

  // ---- compile_expressions.cpp
  Register scalar(ir::Expr e) { return e.dtype().bits > 64 ? too_wide(e.dtype())[0] : values(e)[0]; }
  Registers values(ir::Expr e);
  Registers narrow_values(ir::Expr e);
  // compile_wide.cpp: values of 128 bits.
  Registers wide_values(ir::Expr e);
  Registers wide_cast(const ir::Cast* e);
  Registers wide_shift(const ir::Binary* e);
  Register wide_equal(const ir::Binary* e);
  static std::uint64_t float_bits(ir::DataType d, double value);
  Registers variable_value(const ir::Var* var);
  Register binary(ir::ExprKind kind, ir::DataType d, Register a, Register b);
  static bool has_effects_or_reads(ir::Expr e);
  Registers shortcut(const ir::Binary* e);
  Registers lazily(const ir::Select* e);
  Registers cast(const ir::Cast* e);
  Register convert(ir::DataType to, ir::DataType from, Register r);
  Registers load(const ir::Load* e);
  Register scaled(Register index, int unit);
  Register element_index(ir::Expr index, int unit) { return scaled(scalar(index), unit); }
  Register address(const ir::Load* e);
  Registers reinterpret(const ir::Call* e);
  template <class F>
  static Registers each(const Registers& in, F&& f) {
    Registers out;
    for (Register r : in) out.push_back(f(r));
    return out;
  }

  // ---- compile_calls.cpp
  // `what`: a part of the call that has a name of its own; empty: the call.
  Registers unmodelled(const ir::Call* e, std::string_view what = {});
  // What is not done with values of 128 bits.
  Registers too_wide(ir::DataType d);
  std::string unmodelled_text(const ir::Call* e, std::string_view what = {}) const;
  Registers meet(Site site, ir::DataType result);
  // A call of a row of calls.h.
  Registers device_call(const CallRow& row, const intrinsics::Intrinsic& intrinsic, const ir::Call* e);
  // An operand by its name; 0 where the call has none.
  Register named(const intrinsics::Arguments& a, std::string_view name);
  void mark_fragment(ir::Expr item);
  // A Reference stands for its element's address.
  Register element_or_value(ir::Expr e, const intrinsics::Operand& o);
  Registers call(const ir::Call* e);
  // (point, loops, their values, addresses or a number)
  Registers look(const ir::Call* e);
  // compile_foreign.cpp
  Registers foreign(const intrinsics::Intrinsic& row, const ir::Call* e);
  Registers extern_function(const intrinsics::Intrinsic& row, const ir::Call* e);
  Registers math(std::string_view name, const ir::Call* e);
  Registers intrinsic(const intrinsics::Intrinsic& row, const ir::Call* e);
  Registers of_row(const intrinsics::Intrinsic& row, const ir::Call* e);
  // compile_instructions.cpp: the instructions of 0.27. False: of another kind.
  struct Instruction27;
  Registers instruction(const intrinsics::Form& form, const ir::Call* e);
  Registers unpredicated(const intrinsics::Form& form, const ir::Call* e);
  // What the call writes, where its predicate is false: nothing that has a value, or what it was.
  void not_executed(const intrinsics::Form& form, const ir::Call* e);
  ir::Expr with_own_registers(const intrinsics::WrittenForm& written);
  bool compute_registers(const Instruction27& in);
  bool approximate(const Instruction27& in, const std::vector<Register>& read);
  Site site_as(const Instruction27& in, std::string_view id);
  bool move_address(const Instruction27& in);
  Register same_bits(ir::DataType from, ir::DataType to, Register value);
  void store_element(ir::Expr to, Register value);
  void store_element(ir::Expr to, const Registers& values);
  // compile_memory_instructions.cpp
  bool move_memory(const Instruction27& in);
  bool move_atomically(const Instruction27& in, Register at);
  bool move_wide(const Instruction27& in);
  bool copy_part(const Instruction27& in);
  void read_answer(const Instruction27& in);
  // compile_lane_instructions.cpp
  void store_mask(ir::Expr to, Register mask);
  bool vote(const Instruction27& in);
  bool shuffle(const Instruction27& in);
  bool match(const Instruction27& in);
  bool reduce_lanes(const Instruction27& in);
  bool exchange_lanes(const Instruction27& in);
  bool meet_barrier(const Instruction27& in);
  bool count_barrier(const Instruction27& in);
  bool wait_with_report(const Instruction27& in);
  bool ask_layout(const Instruction27& in);
  bool allocate_alone(const Instruction27& in);
  bool commit_reads(const Instruction27& in);
  bool load_bytes(const Instruction27& in);
  // The parts of intrinsic(): barriers of threads, values that threads exchange, matrices, text. False: of another
  // kind.
  bool synchronise(const intrinsics::Intrinsic& row, const ir::Call* e, Registers& out);
  bool exchange(const intrinsics::Intrinsic& row, const ir::Call* e, Registers& out);
  Registers move_matrix(const intrinsics::Intrinsic& row, const intrinsics::Arguments& a);
  Registers print(const ir::Call* e);
  Register element_of(ir::Expr pointer, Register index);
  Register number(std::int64_t value) { return constant_register(static_cast<std::uint64_t>(value)); }
  // The old ldmatrix: pointers with offsets in elements. Transposed elements of 8 bits are gathered one by one, and
  // the last argument is then the distance of rows.
  Registers load_matrix_by_offset(const intrinsics::Arguments& a);

  struct Loop {
    std::vector<std::size_t> breaks, continues;
    std::unordered_set<const ir::Var*> assigned;
  };

  const lower::LoweredKernel& kernel_;
  Program program_;
  ir::Origin origin_;
  Register variables_ = 0;
  std::uint32_t live_temporaries_ = 0, most_temporaries_ = 0;
  std::uint32_t last_address_ = Access::kNoRegister;  // the access whose address was taken last
  std::unordered_map<std::uint64_t, Register> constants_;
  std::unordered_map<const ir::Var*, std::pair<Where, std::uint32_t>> places_;
  std::unordered_map<const ir::Var*, Registers> vectors_, scalars_;
  std::unordered_map<const ir::Buffer*, std::uint32_t> accesses_;
  std::unordered_set<const ir::Var*> in_memory_;
  std::unordered_set<const ir::Var*> assigned_;  // scalars that certainly hold a value here
  std::vector<Loop> loops_;
};

}  // namespace tilewright::simulate
