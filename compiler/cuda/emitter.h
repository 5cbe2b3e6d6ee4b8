// Writes one kernel; expressions in expression.cpp, statements in statement.cpp.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/cuda/types.h"
#include "compiler/cuda/words.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/text/names.h"

namespace tilewright::cuda {

using text::identifier;

// What a translation unit's kernels share.
struct Unit {
  const text::Context& context;
  Needs needs;
  std::unordered_map<std::string, std::string> helpers;  // name -> source
  std::vector<std::string> helper_order;
  std::unordered_map<std::string, std::string> arenas;  // dynamic shared memory: name -> declaration
  bool failed = false;
};

// C operator precedence, stronger binds higher.
enum Precedence : int {
  kComma = 1,
  kConditional = 3,
  kLogicalOr,
  kLogicalAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelational,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPostfix,
};

// Two buffers with one element type, storage and start: either's name serves for both.
bool same_window(const ir::Buffer& a, const ir::Buffer& b);

class Emitter {
 public:
  Emitter(Unit& unit, const lower::LoweredKernel& kernel, std::string& out, std::vector<LineOrigin>& lines,
          std::uint32_t& line)
      : unit_(unit), kernel_(kernel), out_(out), lines_(lines), line_(line) {}

  void kernel();

 private:
  // Storage behind a data variable.
  struct Storage {
    std::string name;
    ir::DataType dtype;     // element type that the name is declared with
    bool variable = false;  // a plain scalar variable: no subscript
    bool array = false;     // decays to a pointer, is none
    bool bytes_for_bool = false;
  };
  // A call's text, found once for equal attributes.
  struct Helper {
    intrinsics::Emitted emitted;
    const intrinsics::Intrinsic* row;
  };

  void survey();
  void constant_maps();
  void signature();
  void error(std::string_view code, std::string message, std::string hint = {});

  // statement.cpp
  void statements(ir::StmtList list);
  void statement(const ir::Stmt* s);
  void body(const ir::Stmt* s);  // between braces
  void allocate(const ir::Buffer* buffer, const ir::Store* initial);
  // The declarations, without the end of the line; each gives the name that it has taken.
  std::string declare_variable(const ir::Buffer* buffer, const ir::Store* initial);
  std::string declare_shared(const ir::Buffer* buffer);
  std::string declare_arena(const ir::Buffer* buffer, std::string_view element, int align);
  std::string declare_local_array(const ir::Buffer* buffer);
  void array_declarator(std::string_view element, std::string_view name, std::int64_t count);
  void declare_view(const ir::Buffer* buffer);
  void store(const ir::Store* s);
  void branch(const ir::If* s);
  void loop(const ir::For* s);
  void bind(const ir::Bind* s);
  void begin_line() { out_.append(static_cast<std::size_t>(indent_) * 2, ' '); }
  void end_line();
  void line(std::string_view text) {
    begin_line();
    out_ += text;
    end_line();
  }

  // expression.cpp: append the text of `e`, in parentheses if it binds weaker than `at_least`.
  void expression(ir::Expr e, int at_least = kConditional);
  std::string written(ir::Expr e, int at_least);           // the text on its own
  void operand(ir::Expr e, int at_least, ir::Expr other);  // of a binary operator: constants without their suffix
  void binary(const ir::Binary* e, int at_least);
  void division(const ir::Binary* e, int at_least);
  void extremum(const ir::Binary* e, int at_least);
  void choice(const ir::Select* e, int at_least);
  void conversion(const ir::Cast* e, int at_least);
  void element(const ir::Buffer* buffer, ir::Expr index, ir::DataType dtype, int at_least);
  void address(const ir::Buffer* buffer, ir::Expr index, int at_least);
  void call(const ir::Call* e, int at_least);
  void intrinsic(const intrinsics::Intrinsic& row, const ir::Call* e, int at_least);
  const Helper& helper(const intrinsics::Intrinsic& row, const ir::Call* e);
  void variable(const ir::Var* v, int at_least);
  // The text that takes a subscript for this buffer: its own name, a view's, or a cast of its storage.
  // Writes what points to element 0 of the buffer.
  void base(const ir::Buffer* buffer);
  const Storage* storage(const ir::Var* data) const;
  std::string type(ir::DataType dtype);
  std::string storage_type(ir::DataType dtype);
  ir::DataType pointee(ir::Expr pointer) const;

  Unit& unit_;
  const lower::LoweredKernel& kernel_;
  std::string& out_;
  std::vector<LineOrigin>& lines_;
  std::uint32_t& line_;
  ir::Origin origin_;
  int indent_ = 0;
  bool launch_arithmetic_ = false;  // in the value of a scope id: launch variables stay unsigned
  text::Names names_{reserved_words()};
  std::unordered_map<const ir::Var*, std::string> var_names_;
  std::unordered_map<const ir::Var*, Storage> storages_;
  std::unordered_map<const ir::Buffer*, std::string> bases_;
  std::vector<std::pair<const ir::Buffer*, std::string>> views_;  // with a pointer of their own, in open blocks
  std::unordered_set<const ir::Buffer*> used_;                    // loaded, stored or pointed into
  std::unordered_map<const ir::Var*, std::vector<const ir::Buffer*>> used_data_;  // the same by their storage
  std::unordered_set<const ir::Var*> addressed_;  // storage that pointers or wide accesses lead into
  std::unordered_map<std::uint64_t, Helper> helper_cache_;
};

}  // namespace tilewright::cuda
