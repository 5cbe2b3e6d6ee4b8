// What the statements of a kernel make of the number of their CTA: which global memory they touch by it, and what else
// depends on it.
//
// The numbers of a CTA are those of its cluster, which are "outer", and of its place in that, which are the same in all
// clusters. Values are followed through variables and through memory. What is read from global memory is data, and
// counts as different in every cluster; so does what is computed from it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/run/affine.h"
#include "compiler/run/bind.h"

namespace tilewright::run {

// An access to a tensor or to raw global memory.
struct GlobalAccess {
  const ir::Var* memory = nullptr;
  bool writes = false;
  Affine at;                // the first bit, from the start of the memory
  std::int64_t bits = 0;    // from there on; 0: not known
  int map = -1;             // of the launch's tensor maps, through which it goes; -1: none
  std::vector<Affine> box;  // through a map: each coordinate, with the box's extent as an inner term; innermost first
  int loop = -1;            // of CtaUse::trips(), in whose rounds it stands; -1: in none
};

// A number that decides something: a branch, the end of a loop, a barrier, an address in shared memory.
struct Decision {
  ir::Expr exactly;   // of outer variables alone: its value decides; null: the next two
  Affine difference;  // how it compares with 0 decides
  ir::ExprKind comparison{};
  int loop = -1;  // as of an access
};

// How many rounds each cluster makes of a loop.
using Trips = std::vector<std::uint32_t>;

class CtaUse {
 public:
  // `by_rounds`: the rounds of persistent loops are told apart (cta_rounds.cpp); the round is an outer variable then.
  CtaUse(const lower::LoweredKernel& kernel, const Bound& bound, bool by_rounds = false);

  // Empty: all was understood. Otherwise what was not, for people.
  const std::string& unknown() const { return unknown_; }
  const std::vector<GlobalAccess>& accesses() const { return accesses_; }
  const std::vector<Decision>& decisions() const { return decisions_; }
  const OuterVars& outer() const { return outer_; }
  // The index of the cluster in each axis; null where the axis has one.
  const ir::Var* cluster_var(std::size_t axis) const { return cluster_[axis]; }
  const ir::Var* round_var() const { return round_; }
  const std::vector<Trips>& trips() const { return trips_; }

 private:
  // By what a value differs from one cluster to another.
  enum class Made : std::uint8_t { Same, Cluster, Data };
  // Where a pointer leads to.
  struct Place {
    const ir::Var* root = nullptr;                 // null: not known
    ir::Expr offset;                               // in bits; null: not known
    Made made = Made::Same;                        // of the offset
    std::int64_t lo = 0, hi = ir::Interval::kMax;  // bits of the root that its buffer covers
  };

  // ---- cta_use.cpp: statements and values
  void launch_variables();
  void tensors();
  void count_stores();
  void statement(const ir::Stmt* s);
  void loop(const ir::For* s);
  void branch(const ir::If* s);
  void store(const ir::Store* s);
  Made value(ir::Expr e);
  Made load(const ir::Load* e);
  Made select(const ir::Select* e);
  void decides(ir::Expr e);
  void decision(ir::Expr pure);
  void assume(ir::Expr condition, bool holds);
  void assume_range(ir::Expr e, ir::Interval range);
  bool is_global(const ir::Var* root) const { return memories_.contains(root); }
  void fail(std::string why) {
    if (unknown_.empty()) unknown_ = std::move(why);
  }
  // The value with variables and constants alone.
  ir::Expr pure(ir::Expr e);
  ir::Expr pure_call(const ir::Call* e);
  ir::Expr pure_variable(const ir::Var* v);
  ir::Expr fresh(ir::DataType dtype, ir::Interval range = {});
  Place place_of(const ir::Buffer* buffer, ir::Expr index);
  Place place_of(ir::Expr pointer);
  Place moved(Place p, ir::Expr elements, std::int64_t bits);
  std::optional<Affine> affine(ir::Expr pure, std::int64_t factor = 1);
  void touch(const Place& p, std::int64_t bits, bool writes);
  bool is_own(const Place& p);
  bool holds_data(const Place& p, std::int64_t bits) const;
  void gets_data(const Place& p, std::int64_t bits);

  // ---- cta_rounds.cpp: scalars that are stored to several times, and loops whose rounds are told apart
  using Scalars = std::unordered_map<const ir::Buffer*, ir::Expr>;
  bool follows(const ir::Buffer* b) const;
  bool follow(const ir::Buffer* b, ir::Expr value);
  void join(ir::Expr condition, const Scalars& then);
  std::vector<const ir::Buffer*> followed_in(const ir::Stmt* s) const;
  void lose(const ir::Buffer* b);
  void make_data(const ir::Buffer* b);
  bool in_rounds(const ir::While* s);
  bool in_rounds(const ir::For* s);
  void leave_rounds(const ir::Stmt* body);
  Scalars after_one_round(const ir::Stmt* body, const std::vector<const ir::Buffer*>& stored, const Scalars& before);
  Scalars heads(const std::vector<const ir::Buffer*>& stored, const Scalars& entry, const Scalars& before,
                const Scalars& after);
  std::optional<Trips> trips_while(ir::Expr condition) const;
  std::optional<std::int64_t> value_at(ir::Expr e, std::uint64_t cluster, std::int64_t round) const;

  // ---- cta_calls.cpp: intrinsics
  Made call(const ir::Call* e);
  Made row_call(const intrinsics::Intrinsic& row, const ir::Call* e);
  Made operand(const intrinsics::Intrinsic& row, const intrinsics::Operand& o, std::span<const ir::Expr> items);
  bool may_go_on(const intrinsics::Intrinsic& row, const std::vector<intrinsics::CallEffect>& effects);
  Made pointers(const intrinsics::Intrinsic& row, const std::vector<intrinsics::CallEffect>& effects, Made made);
  Made map_access(const intrinsics::Intrinsic& row, const ir::Call* e, const intrinsics::Operand& map,
                  ir::Expr pointer);
  ir::Expr special_register(std::string_view name, ir::DataType dtype);

  const lower::LoweredKernel& kernel_;
  const Bound& bound_;
  const JobLaunch& launch_;
  OuterVars outer_;
  const ir::Var* cluster_[3] = {};
  ir::Expr thread_[3], cta_[3], in_cluster_[3], cluster_index_[3], rank_;
  std::unordered_set<const ir::Var*> memories_;            // global ones
  std::unordered_set<const ir::Var*> own_;                 // of a CTA, or of a thread
  std::unordered_map<const ir::Var*, ir::Expr> values_;    // variables by what they are
  std::unordered_map<const ir::Var*, Made> made_;          // of those that are not pure
  std::unordered_map<const ir::Var*, ir::Expr> pointers_;  // variables that hold one
  std::unordered_map<const ir::Buffer*, int> stores_;      // into scalars
  std::unordered_set<const ir::Buffer*> escaped_;          // scalars that a call may store into
  std::unordered_set<const ir::Buffer*> read_before_;      // scalars that are read above their one store
  Scalars scalars_;                                        // by the value that they have where the analysis stands
  bool by_rounds_ = false;
  const ir::Var* round_ = nullptr;
  std::unordered_set<const ir::Var*> names_;  // of scalars at the head of the loop that is looked at first
  std::vector<Trips> trips_;
  int loop_ = -1;  // of `trips_`, in whose body the analysis stands
  // Bits of memory of the CTA that hold data, or what depends on it.
  std::map<const ir::Var*, std::vector<std::pair<std::int64_t, std::int64_t>>> data_;
  bool data_grows_ = false;
  std::vector<std::pair<const ir::Var*, ir::Interval>> assumed_;
  std::int64_t box_bits_ = 0;  // of the tensor copy at hand
  std::string unknown_;
  std::vector<GlobalAccess> accesses_;
  std::vector<Decision> decisions_;
};

}  // namespace tilewright::run
