// Which statement wrote a byte of global memory last: asked for a few bytes before a run.
#pragma once
#include <optional>
#include <vector>

#include "compiler/simulate/machine/engine.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

class Blame {
 public:
  // `question`: which of Options::blame this is.
  void ask(std::size_t question, std::uint64_t pointer) { asked_.push_back({question, pointer}); }

  // The thread has written, or is about to.
  void wrote(const Machine& m, const Thread& t, std::uint64_t pointer, std::int64_t bytes, Result& result) const;
  // An operation lands: before and behind it. What it covers it has written; of what it does not say a byte that is
  // another one afterwards.
  std::vector<std::byte> before(const Machine& m) const;
  void landed(const Machine& m, const Thread& t, const Operation& op, const std::vector<std::byte>& before,
              Result& result) const;

 private:
  struct Asked {
    std::size_t question;
    std::uint64_t pointer;
  };
  static void note(const Machine& m, const Thread& t, const ir::Origin& origin, std::size_t question, Result& result);
  std::vector<Asked> asked_;
};

}  // namespace tilewright::simulate
