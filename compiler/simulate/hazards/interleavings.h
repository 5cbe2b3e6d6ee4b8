// In which orders the synchronisation of a run could have gone, and whether one of them ends otherwise.
//
// A run executes one order. Orders differ only in who comes first, and that decides what barriers do in four cases
// only:
//
//   a wait names its phase by a parity, so it may find the phase behind the next one (it was lapped) or the one before
//   it (it passes at once), an arrival or a byte counts in whichever phase is under way, and so does a thread that
//   comes to a barrier of the hardware.
//
// Where the end of phase n+1 always comes behind a wait for phase n, and waits and arrivals always behind the end of
// the phase before theirs, every order counts the same arrivals in the same phases; each wait is then for one number to
// be reached that only grows, so what can go on in one order can go on in every one, and a run that came to its end
// shows that all of them do (as of Kahn's process networks). So the search needs no enumeration: it asks of each wait
// and of each arrival whether those orders are enforced, with vectors of times that move along with what threads wait
// for. What is not enforced is an order in which the other comes first, and that order is the finding.
//
// An agent is a warp: its lanes are taken to go on together, as the hardware mostly lets them. Barriers are agents,
// too; their time is the phases whose end was waited for: bytes and tensor-core work come when they like, and
// the agent that started them does not know their end. Reads of memory that others write atomically pass on what those
// knew, so that flags count as barriers do. Control flow is that of the run.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

class Machine;
struct Thread;

class Interleavings {
 public:
  using Clock = std::vector<std::uint32_t>;  // by agent; what is missing at the end is 0
  using Past = std::shared_ptr<const Clock>;

  explicit Interleavings(Machine& machine) : machine_(machine) {}

  // The next CTAs that run together begin.
  void start_group(std::uint32_t ctas, std::uint32_t warps);
  // What has happened before the thread's next step: an operation that it issues takes this along.
  Past past(const Thread& t) { return now(t).past; }

  // ---- mbarriers, by pointer ----
  void init(std::uint64_t barrier, std::string_view name);
  void end(std::uint64_t barrier) { barriers_.erase(barrier); }
  // Something is about to be counted in this phase: by the thread itself, or by an operation that it has issued.
  void counts(const Thread& t, std::uint64_t barrier, std::uint64_t phase, const Past& issued);
  void phase_over(std::uint64_t barrier, std::uint64_t phase);
  // The thread comes to a wait by parity that means this phase; -1: the one before the first.
  void comes_to_wait(const Thread& t, std::uint64_t barrier, std::int64_t phase);
  void waited(const Thread& t, std::uint64_t barrier);
  // Has the thread's warp counted in the phase that is under way?
  bool has_part(const Thread& t, std::uint64_t barrier);

  // ---- barriers of the hardware, by a number of the caller ----
  void comes(const Thread& t, std::uint64_t place, std::string_view name);  // one lane of a warp is enough
  void closes(std::uint64_t place);
  void leaves(const Thread& t, std::uint64_t place);

  // ---- memory that threads tell each other something by ----
  void publishes(const Thread& t, std::uint64_t pointer);
  void hears(const Thread& t, std::uint64_t pointer);

 private:
  struct Warp {
    std::uint32_t agent = 0;
    Past past;
  };
  // Who has counted in a phase, or come to a barrier.
  struct Part {
    std::uint32_t agent, time, thread;
    bool later;  // not yet when its thread went on
    ir::Origin origin;
  };
  struct Phase {
    Clock before;  // what has to happen before its end
    bool later = false;
    std::vector<Part> parts;
  };
  struct Wait {
    std::uint32_t agent, time, thread;
    std::int64_t phase;
    ir::Origin origin;
  };
  struct Barrier {
    std::uint32_t agent = 0;
    std::string name;
    std::int64_t over = -1;  // the number of `last`
    Phase open, last, previous;
    std::vector<Wait> waits;  // of phases whose successor is not over
  };
  struct Place {
    Phase open, last;
    bool used = false;
  };

  Warp& now(const Thread& t);
  std::uint32_t time_of(const Warp& w) const { return (*w.past)[w.agent]; }
  void advance(Warp& w);
  void learn(Warp& w, const Clock& more, std::uint32_t agent = 0, std::uint32_t time = 0);
  void take_part(Phase& phase, const Thread& t, const Clock& past, bool later);
  // Null: an agent with this past comes after the phase's end; else one part of it that may still be to come.
  static const Part* missing(const Phase& phase, const Clock& past);
  static bool knows(const Clock& past, const Barrier& b, std::int64_t phase);
  const Phase* phase_of(const Barrier& b, std::int64_t phase) const;
  std::string warp_name(std::uint32_t thread) const;
  bool first_of(const std::string& barrier);
  void tell_lapped(const Barrier& b, const Wait& wait, const Phase& next);
  void tell_early_wait(const Thread& t, const Barrier& b, std::int64_t phase, const Part& open);
  void tell_early_part(const Thread& t, const Barrier& b, std::uint64_t phase, const Part& open);
  void tell_mixed(const Thread& t, std::string_view name, const Part& open);

  Machine& machine_;
  std::uint32_t warps_ = 1;  // of a CTA
  std::uint32_t next_agent_ = 0;
  std::vector<Warp> agents_;
  std::unordered_map<std::uint64_t, Barrier> barriers_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint64_t, Clock> published_;
  std::unordered_set<std::string> told_;  // one cause, one finding
};

}  // namespace tilewright::simulate
