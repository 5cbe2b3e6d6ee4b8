// Proof that something goes wrong: values of the variables with which a statement is reached and the wrong thing
// happens.
//
// Ranges tell what cannot be; a warning needs what can. So corners of ranges, and the numbers that conditions name, are
// tried within a budget: where one assignment passes all conditions on the way, it is the proof and the words of the
// warning. Finding none says nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/scope/closure.h"

namespace tilewright::dispatch {

using Number = std::optional<std::int64_t>;  // nothing: not known

inline constexpr int kMostSteps = 4000;  // nodes looked at for one question; lets may double at each step

bool is_thread_id(ir::ScopeBinding b);

// A condition on the way to a statement, and which way it went.
struct Guard {
  ir::Expr condition;
  bool way = true;
};
// How a statement is reached.
struct Path {
  std::vector<Guard> guards;
  std::vector<const ir::For*> loops;  // outermost first
};

// Values of variables: the thread by its linear number, everything else one by one.
struct Witness {
  std::int64_t thread = -1;  // -1: none was chosen
  std::vector<std::pair<const ir::Var*, std::int64_t>> values;

  Number find(const ir::Var* var) const;
};

// What expressions come to at a witness.
class Numbers {
 public:
  explicit Numbers(const scope::Closure& closure) : closure_(closure) {}
  void bind(const ir::Var* var, ir::Expr value) { lets_[var] = value; }
  ir::Expr let(const ir::Var* var) const;
  bool elected = false;  // an election was met: it was taken to choose this thread
  int steps = 0;         // taken for the question at hand
  Number of(ir::Expr e, const Witness& w, int depth = 0);

  std::int64_t threads() const { return closure_.launch.threads().value_or(0); }
  const scope::Closure& closure() const { return closure_; }

 private:
  static bool fits(std::int64_t n, ir::DataType d);
  static Number combined(ir::ExprKind kind, std::int64_t x, std::int64_t y);
  Number variable(const ir::Var* v, const Witness& w, int depth);

  const scope::Closure& closure_;
  std::unordered_map<const ir::Var*, ir::Expr> lets_;
};

class Witnesses {
 public:
  // Does the wrong thing happen there? Nothing: that cannot be told.
  using Beyond = std::function<std::optional<bool>(const Witness&)>;

  Witnesses(Numbers& numbers, const Path& path) : numbers_(numbers), path_(path) {}

  // One at which the statement is reached and `beyond` holds. It may depend on `indices`; `limit` is a number beside
  // which it is likely to change.
  std::optional<Witness> find(std::span<const ir::Expr> indices, std::int64_t limit, const Beyond& beyond);

 private:
  // What the values depend on, lets followed.
  struct Needs {
    bool thread = false;
    std::vector<const ir::Var*> ids;    // of blocks and clusters
    std::vector<std::int64_t> numbers;  // that are written there
    std::vector<const ir::Var*> lets;   // that were followed
  };
  void read(ir::Expr e, Needs& out, int depth = 0) const;
  void read_variable(const ir::Var* v, Needs& out, int depth) const;

  // Corners of a range, and what the conditions and indices name inside of it.
  static std::vector<std::int64_t> candidates(std::int64_t lo, std::int64_t hi, const std::vector<std::int64_t>& named);
  bool choose_id(const Needs& needs, std::size_t i, Witness& w, int& budget, const Beyond& beyond);
  bool choose_thread(const Needs& needs, Witness& w, int& budget, const Beyond& beyond);
  bool choose_loop(std::size_t i, const Needs& needs, Witness& w, int& budget, const Beyond& beyond);
  bool proves(Witness& w, int& budget, const Beyond& beyond);
  bool passes(const Witness& w);

  Numbers& numbers_;
  const Path& path_;
  int trials_left_ = 20000;  // of all of a kernel: typing must not wait for this
};

}  // namespace tilewright::dispatch
