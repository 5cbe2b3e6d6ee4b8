// Who runs when: the turns of warps, and the meetings of threads that let them go on.
//
// A turn is that of a warp: its lanes run one after the other until each waits or has ended. A meeting is complete when
// all have come that it is for; then they go on. When no thread can go on, the scheduler lands asynchronous operations
// (engine.h), lets attempts fail, and knows a deadlock when nothing of that helps.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright::simulate {

class Machine;
struct Site;
struct Thread;

class Scheduler {
 public:
  enum class Pause : std::uint8_t {
    Ended,
    Polls,    // all that still go on read memory again and again, which another cluster may write
    AtGrid,   // all of them wait for the whole grid
    Stopped,  // a finding ends the run, or a limit
  };
  // Of the warp of a thread that waits: all at its call, some elsewhere, or some that have ended without coming.
  enum class Lanes : std::uint8_t { Together, Apart, Ended };

  explicit Scheduler(Machine& machine) : m_(machine) {}

  void start(std::uint32_t ctas);  // the next cluster begins
  Pause run_on();
  bool is_at_grid() const { return at_grid_; }
  bool has_moved() const { return moved_; }  // in the last run_on(), did a thread do more than poll?
  std::uint64_t releases() const { return releases_; }
  const Thread* first_waiting() const;  // of those that a pause is for
  void leave_grid();                    // the grid has met
  void release(Thread& t);              // its wait is over
  void phase_over() { idle_polls_ = 0; }

  // The thread has read a value by a call that may wait for others in this way. True: it gets the same again and again.
  static bool polls(Thread& t, std::uint64_t pointer, std::uint64_t value);
  static bool is_polling(const Thread& t);

  // meet.cpp, meet_block.cpp: complete meetings that all have come to; true when some thread can go on.
  bool complete_warp(std::uint32_t cta, std::uint32_t warp);
  bool complete_warpgroup(const Thread& one);  // some lane of it
  bool complete_cta(std::uint32_t cta);
  bool complete_cluster();
  // Lanes that have ended are missed, unless by an early return.
  Lanes lanes_at(const Thread& t) const;
  std::int64_t wanted_at(const Thread& t) const;  // a named barrier
  std::int64_t arrived_at(std::uint32_t cta, std::size_t id) const { return arrived_[cta][id]; }
  const Thread* split_warp() const;  // a lane of one whose lanes wait at different barriers of the CTA; null: none
  void tell_split_warp(const Thread& t);

 private:
  bool run_warp(std::uint32_t cta, std::uint32_t warp);  // turns.cpp: did some lane go on?
  bool let_run(std::uint32_t cta, std::uint32_t warp);
  bool release_pollers();
  bool fell_off_the_end(const Thread& t) const;
  void tell_ended_lanes(const Thread& t);
  // A named barrier for 32 threads: a warp is all that it waits for, so it meets itself, whatever others do at its
  // number.
  void reduce_at(std::span<Thread* const> here, const std::string& name, bool arrived);
  void meet_itself(std::span<Thread> lanes, bool arrives);
  bool complete_named(std::uint32_t cta);
  void check_cta_meeting(std::uint32_t cta, const Thread& first);

  Machine& m_;
  bool moved_ = false, at_grid_ = false;
  std::vector<std::array<std::int64_t, 16>> arrived_;  // named barriers: threads that arrived without waiting
  std::uint32_t cluster_phase_ = 0;                    // how often all have come to the cluster's barrier
  std::uint64_t idle_polls_ = 0;                       // rounds in which only pollers went on
  std::uint64_t releases_ = 0;                         // how often a thread that waited could go on
};

}  // namespace tilewright::simulate
