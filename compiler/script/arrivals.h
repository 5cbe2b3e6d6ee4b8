// Where ways of a condition that is not known arrive when they leave the statements under way (worlds.h): `break` and
// `continue` at their loop, `return` at its function, an exception at the `try` around.
#pragma once
#include <optional>
#include <vector>

#include "compiler/script/interpreter.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

// What a way came to.
struct Ended {
  Flow flow = Flow::Normal;
  Value value;  // that it returns
  std::optional<Pending> pending;
};

// Python itself raises it, with the values that led here.
bool is_of_python(const Pending& p);
// What we cannot follow and Python may: a limit, an unknown value, a method or an option that is not known here.
inline bool is_ours(const Pending& p) { return !is_of_python(p); }
// May statements be left other than by their end: by `return`, `break`, `continue`, `raise`?
bool may_leave(syntax::Stmts body);

class Arrivals {
 public:
  struct Arrival {
    Ended end;
    Snapshot state;
    const char* why;
    text::Span at;  // of the condition
    std::uint64_t additions;
  };

  Arrivals(Interpreter& in, bool catches);
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // Those that arrived by `flow` go on from here, beside the way that runs, which came to `now`. Returns what it is
  // afterwards; Normal: the statements behind run.
  Flow join(Flow flow, Flow now);
  // Ways that leave from here on arrive further out.
  void close();
  // The same, and hands out what arrived.
  std::vector<Arrival> take();
  // Hands what is left to those further out. Done by the destructor, too.
  void pass_on();
  bool catches() const { return catches_; }
  // Did more exceptions that are not known leave for it than were followed?
  bool met_many() const;
  bool empty() const { return arrived_.empty(); }
  const char* why() const { return arrived_.front().why; }
  bool any(Flow flow) const;

 private:
  friend class Interpreter;
  Interpreter& in_;
  const bool catches_;
  bool open_ = true;
  int unknown_exceptions_ = 0;
  std::vector<Arrival> arrived_;
};

}  // namespace tilewright::script
