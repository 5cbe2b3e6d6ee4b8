// A clock for each warp of a run: how long it would take on an SM that it has for itself, and what it waits for.
//
// The first lane of a warp stands for it. Its instructions are followed as the dataflow of an in-order processor:
// each starts when the warp has issued it and its operands are there, and the warp itself goes on, until it has to
// wait: at a barrier, at a call, at every 16th turn of a loop (as far as NVIDIA's compiler unrolls), or when it has
// kMostLoads loads under way. Barriers join clocks: who waits goes on when the last one has arrived, and from there on
// what the last one did counts as the path to that moment. Copies and tensor cores are engines that serve one after the
// other. The constants are those of rates.h; the result is a model, and nothing in it is measured on this kernel.
#pragma once
#include <array>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/simulate/machine/observer.h"
#include "compiler/simulate/machine/program.h"
#include "compiler/simulate/profile/pace_record.h"
#include "compiler/simulate/profile/rates.h"
#include "compiler/simulate/profile/warp_requests.h"

namespace tilewright::simulate {

class Machine;

class Pace final : public Observer {
 public:
  // Adds to `out`, which several machines of one run share.
  Pace(const Machine& machine, const Program& program, const Rates& rates, PaceRecord& out);

  // How often lanes have executed each instruction; the interpreter counts there.
  std::uint64_t* executed() { return executed_.data(); }

  // From the interpreter, for each lane: it comes to a branch.
  void branch(const Thread& t, bool first);
  // The same, for the first lane of a warp alone: before an instruction; an access of Load, Store or Copy.
  void step(const Thread& t, const Instruction& i);
  void load(const Thread& t, const Instruction& i, std::uint64_t at, std::int64_t bytes);
  void store(const Thread& t, const Instruction& i, std::uint64_t at, std::int64_t bytes);
  void copy(const Thread& t, std::uint64_t from, std::uint64_t to, std::int64_t bytes);

  void start_group(const Group&) override;
  void end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) override;
  void read(const Thread&, std::uint64_t pointer, std::int64_t bytes, How, std::string_view view) override;
  void access(const Thread&, const Accessed&) override;
  void multiply(const Thread&, std::uint64_t operations) override;
  void issue(const Thread&, std::uint32_t operation, Queue, TensorWork) override;
  void commit(const Thread&, Queue) override;
  void count(const Thread&, std::uint64_t barrier, std::uint64_t phase, const Operation* by) override;
  void count_operation(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) override;
  void arrive(const Thread&, std::uint64_t place, bool relaxed) override;
  void close(std::uint64_t place) override;
  void come_to_wait(const Thread&, std::uint64_t barrier, std::int64_t phase) override;
  void leave(const Thread&, std::uint64_t place) override;
  void wait(std::span<const Thread> threads, Queue, std::optional<std::uint64_t> allowed, bool reads) override;
  void pass(std::span<const Thread* const>, std::uint64_t place, std::string_view name) override;

 private:
  // Cycles by place of the kernel's code, that led to a moment.
  using Path = std::vector<float>;
  struct Moment {
    double time = 0;
    std::uint32_t place = 0;
    WaitFor what = WaitFor::Result;
    Path path;
  };
  struct Groups {
    Moment open;
    std::deque<Moment> closed;
  };
  struct Warp {
    double now = 0;
    double horizon = 0;  // when all results so far are there
    std::uint32_t at = 0, horizon_at = 0;
    int turns = 0, loads = 0;
    bool in_call = false;
    std::uint32_t call_result = 0;
    std::vector<double> registers, local;  // when their values are there; local: by 4 bytes of the frame
    Path path;
    std::array<Groups, 3> groups;                             // Copy, Bulk, Wgmma
    std::unordered_map<std::uint64_t, std::int64_t> awaited;  // phase by barrier
    std::unordered_map<std::uint32_t, std::uint32_t> visits;  // of places where it waits
  };
  struct Issued {
    double start = 0;
    std::uint64_t bytes = 0;
    std::uint32_t place = 0, warp = 0;
    Queue queue{};
    Moment end;
    bool settled = false;
  };
  static constexpr int kUnrolled = 16, kMostLoads = 32;

  Warp& warp_of(const Thread& t);
  std::uint32_t number_of(const Thread& t) const;
  PacedPlace& place_at(std::uint32_t place);
  double operands(const Warp& w, const Instruction& i) const;
  double latency_of(const Instruction& i, const Thread& t) const;
  double latency_at(std::uint64_t pointer);
  void spend(Warp& w, double cycles);
  void gives(Warp& w, std::uint32_t reg, double when);
  void expect(Warp& w, double when);
  // The warp has all of its results.
  void hold_back(Warp& w);
  // The warp waits for the moment.
  void wait_for(Warp& w, const Moment& moment, double extra);
  void note(Warp& w, const Moment& moment, double cycles);
  void meet_site(Warp& w, const Thread& t, const Site& site);
  Moment moment_of(const Warp& w, WaitFor what) const;
  void add_executed();
  void add_branches();
  double work_of(std::uint32_t pc) const;
  double work_in(std::uint32_t begin, std::uint32_t end) const;
  bool is_fused(std::uint32_t pc) const;
  bool is_register(const Instruction& i) const;
  Issued* settle(std::uint32_t operation);
  std::size_t frame_word(std::uint64_t pointer) const;
  static Groups* groups_of(Warp& w, Queue queue);
  static void later(Moment& to, const Moment& than);

  const Machine& machine_;
  const Program& program_;
  const Rates& rates_;
  PaceRecord& out_;
  std::vector<std::uint64_t> executed_;
  // A branch of the program with two arms: its JumpUnless, and where the second one begins and ends. The first one ends
  // with a jump over the second; if it leaves a loop, all that is left of the loop's body is the second.
  struct Branch {
    std::uint32_t jump = 0, second = 0, end = 0;
  };
  std::vector<Branch> branches_;
  // Of the CTAs that run, by number of branches_: how often lanes have taken each arm, and warps both.
  struct Arms {
    std::uint64_t first = 0, second = 0, passes = 0, splits = 0;
    void add(const WarpRequest& request);
  };
  std::vector<Arms> arms_;
  static constexpr std::uint32_t kNoBranch = ~0u;
  std::vector<std::uint32_t> branch_at_;  // number by instruction
  WarpRequests choices_;                  // an "address" is 1 for the first arm, 0 for the second
  std::vector<Warp> warps_;
  std::uint32_t warps_each_ = 1;
  bool is_far_ = false;                            // global memory does not fit into the L2 cache
  std::vector<double> copies_free_, tensor_free_;  // by CTA
  std::unordered_set<std::uint64_t> lines_;        // of global memory that are in the L1 cache
  std::unordered_map<std::uint32_t, Issued> issued_;
  std::uint32_t open_ = 0;  // the operation issued last
  bool product_ = false;    // which is a wgmma whose operations are not known yet
  std::unordered_map<std::uint64_t, std::deque<std::pair<std::uint64_t, Moment>>> arrived_;  // by barrier and phase
  std::unordered_map<std::uint64_t, Moment> places_;                                         // of hardware barriers
};

}  // namespace tilewright::simulate
