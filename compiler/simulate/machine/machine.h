// Threads, memory and the scheduler of one run.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/simulate/machine/blame.h"
#include "compiler/simulate/machine/element_names.h"
#include "compiler/simulate/machine/engine.h"
#include "compiler/simulate/machine/launch.h"
#include "compiler/simulate/machine/mbarrier.h"
#include "compiler/simulate/machine/memory.h"
#include "compiler/simulate/machine/observer.h"
#include "compiler/simulate/machine/program.h"
#include "compiler/simulate/machine/register_pool.h"
#include "compiler/simulate/machine/scheduler.h"
#include "compiler/simulate/machine/timeline.h"
#include "compiler/simulate/simulate.h"
#include "compiler/simulate/tensor/tensor_memory.h"
#include "compiler/simulate/tensor/warpgroup.h"

namespace tilewright::simulate {

class Hazards;
class Pace;
struct PaceRecord;
struct History;

enum class State : std::uint8_t { Ready, Waiting, Done };

struct Thread {
  // What each instruction needs comes first: it shares a cache line.
  std::uint64_t* registers = nullptr;
  std::byte* frame = nullptr;
  std::uint8_t* frame_defined = nullptr;
  std::uint32_t* tags = nullptr;
  std::uint32_t* frame_tags = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t undefined_count = 0;  // registers whose `undefined` is not 0
  std::uint32_t loads_under_way = 0;  // tcgen05.ld whose registers are not there yet
  std::uint32_t cta = 0;              // in the group that runs together
  std::uint32_t linear = 0;           // in its CTA
  std::uint32_t number = 0;           // in the group
  State state = State::Ready;
  // Waiting on an mbarrier: which one, and which phase has to be over. A poller goes on with "no" when nothing else
  // can.
  std::uint64_t barrier = 0, phase = 0;
  bool polling = false;
  // Reads of memory at one call that gave the same value again and again: where, and how often.
  std::uint32_t polled_pc = 0, polls = 0;
  std::uint64_t polled = 0, polled_value = 0;
  std::uint32_t cluster_arrivals = 0, cluster_waits = 0;
  std::uint8_t* defined = nullptr;
  std::uint32_t* undefined =
      nullptr;                // by register: 0, or the number of the read that gave it no value (undefined.cpp)
  std::uint32_t carried = 0;  // of what a call computes its result from
};

// True if all threads of the CTA or the cluster wait there, not those of a warp.
bool is_block_wide(Site::Kind kind);
bool is_cta_wide(Site::Kind kind);

// Where threads meet that is no mbarrier, by number: no pointer leads to block 0.
inline constexpr std::uint64_t kClusterPlace = 1, kGridPlace = 2;
// What fences of a CTA's scope have released before relaxed arrivals at the cluster's barrier.
inline std::uint64_t cluster_place(std::uint32_t cta) { return 64 + cta; }
inline std::uint64_t cta_place(std::uint32_t cta) { return 16 + cta; }
inline std::uint64_t warpgroup_place(const Thread& t) { return 4096 + t.number / Warpgroups::kThreads; }
inline std::uint64_t named_place(std::uint32_t cta, std::size_t id) { return 256 + cta * 16 + id; }

// An arrival, or bytes, that a thread would bring if its wait were over.
struct Supply {
  std::uint32_t thread = 0;
  std::uint64_t place = 0;  // an mbarrier's pointer, or one of the above
  ir::Origin origin;
};

// The CTAs of one cluster (or one CTA), and the memory of the whole run.
class Machine {
 public:
  // `pace`: what the model of time says is added there (profile/pace.h); null: nothing is modelled.
  Machine(const lower::LoweredKernel& kernel, const Program& program, const Options& options, Result& result,
          PaceRecord* pace = nullptr);
  // One more for the same launch, prepared as the first is: its own cluster at a time, the same global memory.
  Machine(const Machine& first, const Options& options, Result& result, std::shared_ptr<History> history);

  bool prepare(const Inputs& inputs);  // global memory, scalars, launch extents
  void finish();                       // outputs

  // ---- one cluster after the other (grid.h) ----
  std::uint64_t clusters() const { return launch_.clusters(); }
  void begin(std::uint64_t cluster);
  Launch::Extents first_cta_of(std::uint64_t cluster) const { return launch_.first_cta_of(cluster); }
  // Who gives the number of the next cluster, which then does not begin by itself.
  void take_clusters_from(std::function<std::optional<std::uint64_t>()> next) { next_cluster_ = std::move(next); }
  using Pause = Scheduler::Pause;
  Pause go_on();
  Scheduler& scheduler() { return scheduler_; }
  void deadlock();
  // element_names.h: bytes of a block, and what leaves one, by the author's indices. Empty: they have none.
  std::string name_of(std::uint64_t block, std::int64_t offset, std::int64_t bytes, std::string_view view) const;
  // The buffer of an element there, as name_of() has it, or its block.
  Finding::Memory memory_at(std::uint64_t pointer, std::int64_t bytes, std::string_view view = {}) const;
  ElementNames::Rows rows_of(std::uint64_t pointer, std::int64_t bytes, std::string_view view) const;
  std::string index_outside(std::uint64_t block, std::int64_t offset, std::int64_t bytes, std::string_view view) const;
  void tell_outside(const Thread& t, std::string_view buffer, std::string text);
  std::string outside_text(const Thread& t, const Access& access, std::int64_t index, std::int64_t lanes,
                           std::string_view what) const;
  std::int64_t global_bytes() const;                         // of tensors
  std::int64_t group_bytes() const { return group_bytes_; }  // of the threads and the shared memory of a cluster
  bool affords(std::int64_t bytes);                          // counts it, and says nothing where it does not fit
  void stop() { stopped_ = true; }
  // Something has been done whose order among the clusters counts: an atomic access to global memory.
  bool is_joined() const { return joined_; }

  // ---- what calls see of the machine ----
  // Memory behind a pointer or a shared window address. Nothing: a finding was made.
  std::optional<View> view(const Thread& thread, std::uint64_t pointer, std::int64_t bytes, std::int64_t align,
                           bool writing, std::string_view what);
  // The same without a finding: nothing, where there is no such memory.
  std::optional<View> peek(const Thread& thread, std::uint64_t pointer, std::int64_t bytes) const;
  void finding(std::string_view code, Severity severity, std::string message, const Thread* thread,
               std::optional<ir::Origin> origin = std::nullopt);
  // A finding with all that it needs but the place and the thread.
  void report(Finding f, const Thread* thread, std::optional<ir::Origin> origin = std::nullopt);
  ir::Origin origin_of(const Thread& t) const { return program_.origins[program_.origin_of[t.pc]]; }
  // While it lives findings are told at the call that started an operation, not where its thread is by then.
  class Acting {
   public:
    Acting(Machine& m, const Operation& op) : machine_(m), before_(std::exchange(m.acting_, &op)) {}
    ~Acting() { machine_.acting_ = before_; }
    Acting(const Acting&) = delete;
    Acting& operator=(const Acting&) = delete;

   private:
    Machine& machine_;
    const Operation* before_;
  };
  // Where what happens now stands in the script: the call that the thread is at, or that started the operation.
  ir::Origin place_in_script(const Thread& t) const { return acting_ ? acting_->origin : origin_of(t); }
  Launch::Extents cta_of(const Thread& t) const { return launch_.cta_at(current_cta_, t.cta); }  // in the grid
  std::byte byte_at(std::uint64_t pointer) const {
    return memory_.blocks[pointer >> kOffsetBits].bytes[offset_of(pointer)];
  }
  // Null: not asked for. Its time is that of the thread that runs.
  Timeline* timeline() { return timeline_.get(); }
  std::uint64_t now() const { return result_.steps + called_; }
  // Null: not asked for.
  const Blame* blame() const { return blame_.get(); }
  Result& result() { return result_; }

  // Addresses (memory.h).
  std::uint64_t generic(std::uint64_t address) const { return memory_.generic(address); }
  std::optional<std::uint32_t> window_address(std::uint64_t pointer) const { return memory_.window_address(pointer); }
  std::optional<std::uint32_t> rank_of(std::uint64_t pointer) const { return memory_.rank_of(pointer); }
  std::uint64_t in_cta(std::uint64_t pointer, std::uint32_t rank) const { return memory_.in_cta(pointer, rank); }
  std::int64_t place_of(std::uint64_t pointer) const { return memory_.place_of(pointer); }
  std::string_view block_name(std::uint64_t block) const {
    return block < memory_.blocks.size() ? memory_.blocks[block].name : "memory";
  }
  bool has_ended(std::uint32_t cta) const { return ended_[cta]; }
  // Global memory, accessed by an atomic or ordering call.
  void join(std::uint64_t pointer) { joined_ |= generic(pointer) >> kOffsetBits < memory_.first_shared; }
  // The shared memory of a CTA that has ended must not be touched. False: a finding was made.
  bool alive(const Thread& t, std::uint64_t pointer, std::string_view what);

  // mbarriers. Null, or false: a finding was made. `counted` runs f(barrier) and lets the waiting threads go on when
  // the phase is over.
  Mbarrier* barrier_at(const Thread& t, std::uint64_t pointer, std::string_view what);
  bool init_barrier(const Thread& t, std::uint64_t pointer, std::int64_t count, bool reporting);
  bool inval_barrier(const Thread& t, std::uint64_t pointer);
  // Data is about to be written there, where a live barrier may be.
  void spare_barriers(const Thread& t, std::uint64_t pointer, std::int64_t bytes);
  template <class F>
  bool counted(const Thread& t, std::uint64_t pointer, std::string_view what, F&& f) {
    if (foresees()) return supplies(t, pointer);
    Mbarrier* b = barrier_at(t, pointer, what);
    if (!b) return false;
    if (observers_) observers_.tell(&Observer::count, t, generic(pointer), b->phase, acting_);
    return after_count(t, pointer, what, f(*b));
  }
  // The thread comes to a wait that means this phase, -1 the one before the first.
  void comes_to_wait(const Thread& t, std::uint64_t pointer, std::int64_t phase) {
    if (observers_) observers_.tell(&Observer::come_to_wait, t, generic(pointer), phase);
  }
  bool awaited(std::uint64_t barrier) const;            // a thread waits for this barrier
  std::vector<std::uint64_t> awaited_barriers() const;  // those, sorted
  const Mbarrier* find_barrier(std::uint64_t generic) const {
    const auto found = barriers_.find(generic);
    return found == barriers_.end() ? nullptr : &found->second;
  }
  // The thread arrives: what it did before is known to what waits for the phase; and it has waited.
  void arrives(const Thread& t, std::uint64_t pointer, bool relaxed = false) {
    if (observers_) observers_.tell(&Observer::arrive, t, generic(pointer), relaxed);
  }
  void waited(const Thread& t, std::uint64_t pointer) {
    if (observers_) observers_.tell(&Observer::leave, t, generic(pointer));
  }
  // No thread can go on, and what each would do next is tried: every wait ends, and what would arrive is written down.
  bool foresees() const { return supplies_ != nullptr; }
  bool supplies(const Thread& t, std::uint64_t place) {
    supplies_->push_back({t.number, place > kOffsetMask ? generic(place) : place, origin_of(t)});
    return true;
  }

  std::uint32_t ctas() const { return launch_.cluster_ctas; }
  std::uint32_t cta_size() const { return launch_.cta_threads; }
  std::span<Thread> cta_threads(std::uint32_t cta) {
    return {threads_.data() + cta * launch_.cta_threads, launch_.cta_threads};
  }
  Thread& thread(std::size_t number) { return threads_[number]; }
  std::span<const Site> sites() const { return program_.sites; }  // of the whole kernel
  bool tracks_reads() const { return program_.tracks_reads; }
  const Site& site_of(const Thread& t) const { return program_.sites[program_.code[t.pc].b]; }
  // The value of a call's argument for this thread; what the call left out is `missing`.
  static std::uint64_t arg(const Thread& t, const Site& site, std::size_t i, std::uint64_t missing = 0) {
    return site.args[i] == Access::kNoRegister ? missing : t.registers[site.args[i]];
  }
  static void set_result(Thread& t, const Site& site, std::uint64_t value) {
    if (site.dst == Access::kNoRegister) return;
    t.registers[site.dst] = value;
    if (t.tags) t.tags[site.dst] = 0;
    if (t.undefined_count | t.carried) carry(t, site.dst, t.carried);
  }
  std::int64_t special_register(const Thread& t, std::string_view name);
  std::int64_t shared_bytes(std::string_view name) const;
  static bool knows_register(std::string_view name);
  Engine& engine() { return engine_; }
  // Who is told what happens (observer.h).
  const Observers& observers() const { return observers_; }
  Hazards* hazards() { return hazards_; }  // null: they are not searched for
  // A number for an operation that the thread is about to issue, whose accesses follow.
  std::uint32_t issue_number(const Thread& t, Queue queue, TensorWork work = TensorWork::None) {
    observers_.tell(&Observer::issue, t, ++operations_, queue, work);
    return operations_;
  }
  // Lanes of a warp meet: those whose bit is set.
  void meet(std::span<const Thread> lanes, std::uint32_t members = ~0u) const;
  // An observer has found that an access is not ordered; and how often that was so.
  void note_conflict() { ++conflicts_; }
  std::uint64_t conflicts() const { return conflicts_; }
  // Is this memory in which there may be races: shared or tensor memory, or global that the kernel writes?
  bool is_watched(std::uint64_t block) const {
    return block < memory_.watched.size() ? memory_.watched[block] != 0 : block >= kTensorBlocks;
  }
  // Is there a tensor map that the launch itself has encoded?
  bool is_encoded_map(std::uint64_t pointer) const;
  bool is_by_kernel(std::uint64_t block) const { return memory_.by_kernel.contains(block); }
  bool is_global(std::uint64_t pointer) const {
    const std::uint64_t block = generic(pointer) >> kOffsetBits;
    return block != 0 && block < memory_.first_shared;
  }
  std::uint32_t origin_number(const Thread& t) const { return program_.origin_of[t.pc]; }
  std::uint32_t origin_number_at(std::uint32_t pc) const { return program_.origin_of[pc]; }
  ir::Origin origin_numbered(std::uint32_t number) const { return program_.origins[number]; }
  Warpgroups& warpgroups() { return warpgroups_; }
  TensorMemory& tensor_memory(std::uint32_t cta) { return tensor_memories_[cta]; }
  RegisterPool& register_pool(std::uint32_t cta) { return register_pools_[cta]; }
  const Options& options() const { return options_; }
  // The first CTA of the next cluster, which then does not start by itself; nothing: there is none, or the timing does
  // not let it go.
  std::optional<std::array<std::int64_t, 3>> take_over();
  // A clock that goes on with every instruction, and at least by one from one reading to the next.
  std::uint64_t tick() {
    joined_ = true;  // it tells how far other clusters have come
    return ticks_ = std::max(ticks_ + 1, result_.steps);
  }
  void spend(std::int64_t bytes) { result_.steps += static_cast<std::uint64_t>(bytes) / 16; }
  // A read of bytes that were never written, or that a copy under way will write, where that matters at once.
  void undefined_read(const Thread& t, std::uint64_t pointer, std::string text);

  // ---- undefined.cpp: values that a read found undefined, carried to where they matter ----
  // The number of the thread's present read; `what` says which, and is asked for the first time.
  template <class F>
  std::uint32_t undefined_at(const Thread& t, std::uint64_t pointer, F&& what, std::string_view view = {}) {
    if (auto stored = stored_reads_.find(place_key(t, pointer)); stored != stored_reads_.end()) return stored->second;
    std::uint32_t& number = reads_without_value_[origin_number(t)];
    if (number == 0) number = note_read(t, pointer, what(), view);
    return number;
  }
  static void carry(Thread& t, std::uint32_t reg, std::uint32_t read) {
    t.undefined_count += static_cast<std::uint32_t>(read != 0) - static_cast<std::uint32_t>(t.undefined[reg] != 0);
    t.undefined[reg] = read;
  }
  // A value that comes from that read without having one is stored: reading it again tells the first read.
  void store_undefined(const Thread& t, std::uint64_t pointer, View at, std::int64_t bytes, std::uint32_t read);
  // A register has no value from here on; `why` is a whole sentence.
  void make_undefined(Thread& t, std::uint32_t reg, const std::string& why);
  // A register gets a value that is not known: a result of what is not modelled, where the run goes on with it.
  void make_unknown(Thread& t, std::uint32_t reg, std::string what);
  std::uint32_t unknown_at(const Thread& t, std::uint64_t pointer) const;
  // The value decides something, which the thread is at: "a branch depends on it".
  void matters(const Thread& t, std::uint32_t read, std::string_view how);
  // The same of all operands of a call.
  void operands_matter(const Thread& t, const Site& site);
  // Bytes are copied: those without a value keep the reads that they come from. The first of these; 0: there is none.
  std::uint32_t copy_stored(const Thread& t, std::uint64_t from, std::uint64_t to, View at, std::int64_t bytes);
  // Bytes that are about to stand in global memory; those without a value are told, and count as written from then on.
  // `from`: where they were copied from; 0: not known.
  void put_out(const Thread& t, std::uint64_t pointer, View at, std::int64_t bytes, std::uint32_t read,
               std::uint64_t from = 0) {
    const std::uint64_t block = generic(pointer) >> kOffsetBits;
    if (block >= memory_.first_shared || block >= kLocalBlocks || !options_.uninitialised_reads) return;
    if (read != 0 || !at.is_written(bytes)) tell_put_out(t, block, at, bytes, read, from);
  }
  // The read that the first byte without a value comes from; 0: nothing has written there, or all have one.
  std::uint32_t stored_read(const Thread& t, std::uint64_t pointer, View from, std::int64_t bytes) const {
    const std::int64_t hole = stored_reads_.empty() ? bytes : from.hole(bytes);
    if (hole == bytes) return 0;
    const auto stored = stored_reads_.find(place_key(t, moved(pointer, hole)));
    return stored == stored_reads_.end() ? 0 : stored->second;
  }

 private:
  // execute.cpp: runs until the thread waits, ends or fails.
  void execute(Thread& thread);
  // True: the thread goes on in the other of the two interpreters, with `steps` so far. `Undefined`: some register has
  // no value, which each instruction carries along.
  template <bool Trace, bool Undefined, bool Counts>
  bool interpret(Thread& thread, std::uint64_t& steps);
  // It stops there after so many steps, for a while or (`failed`) for good. Returns false.
  bool halt(Thread& t, std::uint32_t pc, std::uint64_t steps, bool failed);
  bool halt_at_division(Thread& t, std::uint32_t pc, std::uint64_t steps);
  std::uint32_t carried_by(const Thread& t, const Instruction& i) const;
  void look_for_uses(const Thread& t, const Instruction& i);
  std::uint32_t undefined_in(const Thread& t, const Access& access) const;
  // The number of a read of the elements from `pointer` on, of which byte `hole` was never written.
  [[gnu::cold]] std::uint32_t undefined_in(const Thread& t, const Access& access, std::uint64_t pointer,
                                           std::int64_t index, std::int64_t hole);
  // What is wrong with an access, `what`: "read".
  [[gnu::cold]] void tell_put_out(const Thread& t, std::uint64_t block, View at, std::int64_t bytes, std::uint32_t read,
                                  std::uint64_t from);
  [[gnu::cold]] void tell_nowhere(const Thread& t, std::string_view what);
  [[gnu::cold]] void tell_outside(const Thread& t, std::uint64_t block, std::int64_t offset, std::int64_t bytes,
                                  std::string_view name, std::int64_t size, std::string_view what);
  [[gnu::cold]] void tell_misaligned(const Thread& t, std::int64_t base, std::int64_t offset, std::int64_t bytes,
                                     std::string_view name, std::int64_t align, std::string_view what);
  std::uint64_t place_key(const Thread& t, std::uint64_t pointer) const {
    pointer = generic(pointer);
    return pointer >> kOffsetBits < kLocalBlocks ? pointer : pointer * 0x9e3779b97f4a7c15 + t.number;
  }
  void store_unknown(const Thread& t, std::uint64_t pointer, std::uint32_t read);
  std::uint32_t note_read(const Thread& t, std::uint64_t pointer, std::string what, std::string_view view);
  bool load(Thread& t, const Instruction& i);
  bool store(Thread& t, const Instruction& i);
  std::uint64_t address(const Thread& t, const Access& access, std::int64_t index) const;
  void print(Thread& t, const Site& site);
  void look(const Thread& t, const Site& site);  // look.cpp

  // meet.cpp: what lanes of a warp that have met do together.
  void warp_operation(const Site& site, std::span<Thread> lanes, std::uint32_t members);
  void matrices(const Site& site, std::span<Thread> lanes);
  void tell_second_init(const Thread& t, const Mbarrier& b);
  void check_own_window(const Thread& t, const Site& site);
  std::string barrier_name(const Thread& t, const Site& site, std::uint64_t pointer) const;
  friend class Deadlock;
  friend class Scheduler;
  bool after_count(const Thread& t, std::uint64_t pointer, std::string_view what, const std::string& wrong);
  void start_timeline();
  void add_observers(std::shared_ptr<History> history);
  void leave_if_done(std::uint32_t cta);
  void finish_group();
  // Global memory: `missing` is told what was not given. False: nothing can run.
  bool place_tensors(const Inputs& inputs, const std::function<void(std::string)>& missing);
  // maps.cpp: writes the objects that the host would encode. False: a finding was made.
  bool encode_tensor_maps();
  bool check_launch(const ir::Origin& origin);
  bool afford(std::int64_t bytes, const ir::Origin& origin);
  void set_up_threads(std::array<std::int64_t, 3> first_cta);
  void place_shared();
  std::vector<std::uint8_t> written_bytes(std::size_t global) const;  // 1 where this run has written
  const ir::Var* data_of(std::uint64_t block) const;                  // null: it is no buffer of the script
  const ElementNames& names() const;

  const lower::LoweredKernel& kernel_;
  const Program& program_;
  const Options& options_;
  Result& result_;
  bool stopped_ = false, joined_ = false;
  std::int64_t group_bytes_ = 0;
  std::int64_t allocated_ = 0;
  std::uint64_t budget_ = 0;

  Launch launch_;
  Launch::Extents current_cta_{};  // the first one of the cluster that runs
  Memory memory_;
  std::vector<Thread> threads_;
  std::vector<std::uint64_t> registers_, register_image_;
  std::vector<std::uint8_t> registers_defined_;
  std::vector<std::uint32_t> registers_undefined_;
  struct UndefinedRead {
    std::uint32_t origin;
    std::string text;
    Finding::Memory memory{};
    bool told = false, unknown = false;  // unknown: it has a value that is not known
  };
  std::vector<UndefinedRead> undefined_reads_;                            // of this cluster, by number - 1
  std::unordered_map<std::uint32_t, std::uint32_t> reads_without_value_;  // number by origin; ~origin: not executed
  std::unordered_map<std::uint64_t, std::uint32_t> stored_reads_;         // number by where such a value was stored
  bool gave_up_ = false;                                                  // nothing more is told
  bool has_unknown_ = false;                                              // some value of this cluster is
  std::unordered_map<std::uint32_t, std::uint32_t> unknown_results_;      // number by origin
  std::vector<std::uint32_t> register_tags_;
  std::vector<std::byte> frames_;
  std::vector<std::uint8_t> frames_defined_;
  std::vector<std::uint32_t> frame_tags_;
  std::vector<char> ended_;  // CTAs whose threads have all ended
  Engine engine_;
  Warpgroups warpgroups_;
  Observers observers_;
  Hazards* hazards_ = nullptr;  // one of them
  PaceRecord* paced_ = nullptr;
  Pace* pace_ = nullptr;               // another, which instructions are told, too; null: not asked for
  std::uint64_t* executed_ = nullptr;  // by instruction, how often: where there is a pace_
  std::uint32_t operations_ = 0;
  std::uint64_t conflicts_ = 0;
  std::unique_ptr<Blame> blame_;
  mutable std::unique_ptr<ElementNames> names_;  // made for the first finding
  std::unique_ptr<Timeline> timeline_;
  std::uint64_t called_ = 0;  // steps of the running thread up to its call
  std::vector<Supply>* supplies_ = nullptr;
  std::map<std::uint64_t, Mbarrier> barriers_;  // by pointer
  std::vector<TensorMemory> tensor_memories_;
  std::function<std::optional<std::uint64_t>()> next_cluster_;
  std::uint64_t ticks_ = 0;
  std::vector<RegisterPool> register_pools_;
  const Operation* acting_ = nullptr;
  Scheduler scheduler_{*this};
};

}  // namespace tilewright::simulate
