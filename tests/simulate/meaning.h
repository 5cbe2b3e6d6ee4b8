// What a kernel that only copies means, element by element: the yardstick for what a run of its lowered form moved.
//
// Nothing here knows of plans. A copy is taken by its definition: every logical coordinate of the destination region
// gets the element of the source region with the same position among the dimensions that are wider than one. Where a
// coordinate lives is computed from the layout's own definition, one coordinate at a time: the row-major number of the
// coordinate is split into digits over the iters, each digit times its stride adds to its axis, offsets are added, the
// swizzle is applied to the sum. Threads are enumerated; conditions and starts are evaluated for each of them.
//
// An asynchronous copy is a copy that is done when its statement is: a script that waits as it must cannot see a
// difference. The CTAs of a cluster run together, statement by statement; a copy may lead into another CTA of it, or
// into several. What a copy reads outside of a tensor is zero, what it writes there is dropped.
//
// Memory holds, for each byte, where it came from: 1 + its number among the bytes of all tensors in the order of their
// names, as the simulator's traces count them; 0 for unwritten bytes, kZero for zeros from outside a tensor.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/scope/active.h"

namespace tilewright::testing {

// The kernel has something that this model leaves out; not a failure of what is tested.
struct Unmodelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Bytes = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kZero = 0xffffffff;

class Meaning {
 public:
  // `extents`: values of symbolic extents, by name.
  Meaning(const ir::Kernel& kernel, const scope::Launch& launch, std::map<std::string, std::int64_t> extents);

  // Bytes that a tensor takes: up to the last element of any coordinate.
  std::int64_t tensor_bytes(const ir::Buffer& tensor) const;
  std::vector<std::int64_t> tensor_shape(const ir::Buffer& tensor) const;

  // Runs the kernel over tensors that hold their own bytes.
  void run();
  const Bytes& tensor(const ir::Buffer& tensor) { return globals_[tensor.data]; }
  bool read_undefined() const { return read_undefined_; }  // some copy read what was never written
  std::int64_t elements() const { return elements_; }      // moved

 private:
  using Members = std::vector<int>;  // threads, numbered through the CTAs of the cluster
  struct Place {
    std::int64_t byte;
    std::vector<std::pair<layout::Axis, std::int64_t>> threads;  // thread axes only
    std::vector<std::int64_t> lanes{};                           // of tensor memory; then `byte` is within the lane
  };
  // One side of a copy.
  struct Side {
    const ir::Region& region;
    std::vector<int> ctas;  // whose memory: the leader's own, or those that the call names
    std::vector<std::int64_t> start{}, extent{};
    std::vector<std::size_t> wide{};  // dimensions of more than one element
  };

  std::int64_t value(ir::Expr e, int thread) const;
  std::int64_t scope_id(ir::ScopeBinding binding, int dimension, int thread) const;
  std::int64_t axis_of(layout::Axis axis, int thread) const;
  int rank_of(int thread) const { return thread / threads_; }  // of its CTA in the cluster
  void run_cluster();
  Place place(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate, int thread) const;

  void statement(const ir::Stmt* s, const Members& active);
  void copy(const ir::TileCall& call, const Members& active);
  void copy_once(const ir::TileCall& call, const Members& members, int leader);
  void store(const ir::Store& store, const Members& active);
  bool outside(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate, int thread) const;
  // The bytes of an element, in every storage that holds it.
  std::vector<std::uint32_t*> find(const ir::Buffer& buffer, const std::vector<std::int64_t>& coordinate,
                                   ir::ExecScope scope, const std::vector<int>& ctas, const Members& members,
                                   int leader);

  const ir::Kernel& kernel_;
  std::map<std::string, std::int64_t> extents_;
  std::array<std::int64_t, 3> grid_{1, 1, 1}, block_{1, 1, 1}, cluster_{1, 1, 1}, first_cta_{};
  int threads_ = 1;  // of a CTA
  std::map<const ir::Var*, std::int64_t> loops_;
  std::map<const ir::Var*, ir::Expr> lets_;
  std::map<const ir::Var*, Bytes> globals_;
  std::map<std::pair<const ir::Var*, int>, Bytes> shared_;  // by CTA
  std::map<int, Bytes> tmem_;                               // by CTA: 128 lanes of 2,048 bytes
  std::map<std::pair<const ir::Var*, int>, Bytes> locals_;
  bool read_undefined_ = false;
  std::int64_t elements_ = 0;
};

}  // namespace tilewright::testing
