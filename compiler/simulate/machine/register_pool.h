// Registers that the warps of a CTA give back and take (setmaxnreg).
//
// A CTA owns what its threads were launched with: at most the 65,536 registers of a multiprocessor, in steps of 8 a
// thread. `dec` gives back what is above its number at once; `inc` waits until so many are free. All warps of a
// warpgroup make the same changes.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

class Machine;
struct Site;
struct Thread;
struct CallRow;

class RegisterPool {
 public:
  static constexpr std::int64_t kRegisters = 65536, kUnit = 8, kMost = 256;

  explicit RegisterPool(std::uint32_t threads);

  // The warp's registers a thread become `number`, as `dec` or as `inc`. False: `inc` has to wait. `wrong` says what
  // cannot be.
  bool change(std::size_t warp, bool inc, std::int64_t number, const ir::Origin& origin, std::string* wrong);
  // What the warp waits for: "4,096 registers, and 1,024 are free".
  std::string shortage(std::size_t warp, std::int64_t number) const;
  // The CTA has ended: its warpgroups have to have changed as one.
  void end(Machine& m, std::span<const Thread> threads) const;

 private:
  struct Change {
    std::int64_t number;
    ir::Origin origin;
  };
  struct Warp {
    std::int64_t held;  // by each thread
    std::vector<Change> changes;
  };
  std::vector<Warp> warps_;
  std::int64_t launched_ = 0, free_ = 0;
};

const CallRow& register_call();

}  // namespace tilewright::simulate
