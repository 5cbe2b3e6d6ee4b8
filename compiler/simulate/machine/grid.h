// The clusters of a launch: one after the other, together where one waits for another, or beside one another.
//
// In turn is the rule, and the order of everything that is said. A cluster whose threads only read memory again and
// again, or wait for the whole grid, lets the next one begin and goes on later; so many are under way as memory allows.
//
// Beside one another means on several cores, as if in turn: each cluster has its own findings and its own history of
// global memory, and they are put together in the order of the clusters. That is right when no cluster touches what
// another one writes. Their histories tell: where one does, or uses an atomic access or a fence of the whole grid, all
// of it is thrown away, and the clusters run in turn.
#pragma once
#include <memory>
#include <vector>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

class Grid {
 public:
  // `first` is prepared; others are made like it.
  Grid(Machine& first, const Options& options, Result& result);

  bool may_run_beside() const;
  // False: their order counts, or a limit was reached; the memory of `first` is spoilt.
  bool run_beside();
  void run_in_turn();

 private:
  std::uint64_t cluster_at(std::uint64_t n) const {
    return options_.chosen.empty() ? options_.clusters.begin + n * options_.clusters.step : options_.chosen[n];
  }
  void lend(Machine& m);
  bool start();   // the next cluster; false: there is no memory for one more, and none has ended
  bool resume();  // those that wait; false: a finding ends the run
  bool place(Machine& m, Machine::Pause pause);
  bool meet_grid();    // all wait for the grid: they go on
  void stand_still();  // none goes on any more
  void say_limits();

  Machine& first_;
  const Options& options_;
  Result& result_;
  std::uint64_t count_ = 0, next_ = 0;  // clusters to run, and how many have begun
  bool all_ = true;                     // of the launch
  bool limited_ = false;
  std::vector<std::unique_ptr<Machine>> more_;
  std::vector<Machine*> free_, waiting_;
  bool moved_ = false;
};

}  // namespace tilewright::simulate
