// The search for tensor-map boxes that carry a copy between global and shared memory (copy_async.md 3).
//
// One TMA instruction moves a box of a tensor of up to five dimensions. In shared memory the box lies dense, innermost
// dimension first, so the question is which runs of shared memory continue each other from stride 1 on: the *chain*.
// The first j members of the chain become box dimensions, all other runs become an issue loop. The longest prefix that
// the hardware takes wins; where it refuses, a member may be cut in two, or dimensions may be joined or dropped.
//
// Shapes, strides and starts of the tensor may be symbolic; boxes and everything about shared memory is constant.
#pragma once
#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "compiler/dispatch/blocks/iters.h"

namespace tilewright::dispatch::tma {

using layout::Dim;

// One iter of the global layout under the region, and the runs of shared memory that its elements go to, outer first.
struct GlobalRun {
  Dim shape, stride, start;  // elements
  std::int64_t extent = 1;   // of the region
  Walks shards{};            // extents of 1 left out
};

struct Problem {
  std::vector<GlobalRun> runs;  // outermost first
  int bits = 16;                // of an element
  int swizzle = 0;              // 0..3: none, 32, 64, 128 bytes
  bool may_promote = true;      // wider elements mean the same: no arithmetic, no NaN fill
  Dim global_base;              // element of the storage at coordinate 0: offset of the buffer and of its layout
  Dim shared_start;             // where the region starts in the storage, before the swizzle

  std::int64_t span_bytes() const { return std::int64_t{16} << swizzle; }  // a row of the swizzle's atom
};

// A dimension of the tensor map.
struct Dimension {
  Dim shape, stride, start;  // elements of `bits`
  std::int64_t box = 1;
};

// An axis of the issue loop.
struct Step {
  std::int64_t extent = 1;
  std::size_t dimension = 0;  // index in Candidate::dims
  std::int64_t advance = 0;   // of its coordinate
  std::int64_t stride = 0;    // in shared memory, in elements of the tensor
};

struct Candidate {
  std::vector<Dimension> dims;  // outermost first
  std::vector<Step> steps;      // outermost first
  int bits = 16;                // of an element of the map; more than the tensor's where it was promoted
  Dim base;                     // element of the storage at coordinate 0, in elements of the tensor

  std::int64_t issues() const;
  std::int64_t box_elements() const;
};

struct Found {
  Candidate plan;
  std::size_t selected = 0, chain = 0;  // j and the length of the chain it is a prefix of
  std::int64_t reference_issues = 0;    // of the plan without cuts and joins; 0: there is no legal one
};

// More would not fit a program; shared memory holds fewer boxes of 128 bytes than this.
inline constexpr std::int64_t kMaxIssues = 2048;

std::expected<Found, Reason> search(const Problem& problem);

// ---- the parts, for tests -----------------------------------------------------------------------------------------

// A shard by its place.
struct ShardRef {
  std::size_t run = 0, position = 0;
  friend bool operator==(const ShardRef&, const ShardRef&) = default;
};
std::vector<ShardRef> packed_chain(const Problem& problem);                                             // 3.3
std::expected<Candidate, Reason> assemble(const Problem& problem, std::span<const ShardRef> selected);  // 3.3a, 3.4
void merge(const Problem& problem, Candidate& plan);                                                    // 3.5
bool promote(const Problem& problem, Candidate& plan);      // one step: 1 -> 2 -> 4 -> 8 bytes; false: not possible
void reduce_rank(const Problem& problem, Candidate& plan);  // towards five dimensions, V9
bool join_rows(const Problem& problem, Candidate& plan);    // whole rows into one of the swizzle; false: none
bool join_all(const Problem& problem, Candidate& plan);     // of any length, for wider elements; false: none
bool fold_misaligned(Candidate& plan);  // single elements at strides off 16 bytes into the address; false: none there
Reason illegal(const Problem& problem, const Candidate& plan);  // the first rule of V1-V11 it breaks; empty: none
bool is_legal(const Problem& problem, const Candidate& plan);   // it breaks none, found without words

}  // namespace tilewright::dispatch::tma
