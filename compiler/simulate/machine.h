// Threads, memory and the scheduler of one run.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>

#include "compiler/simulate/program.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

// A pointer is a block number above and a byte offset below; block 0 does not exist, so null points nowhere. Local
// blocks are numbered from kLocalBlocks and mean the running thread's own frame.
inline constexpr int kOffsetBits = 40;
inline constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;
inline constexpr std::uint64_t kLocalBlocks = 1u << 23;
inline std::uint64_t pointer_to(std::uint64_t block, std::int64_t offset) {
  return block << kOffsetBits | (static_cast<std::uint64_t>(offset) & kOffsetMask);
}
inline std::int64_t offset_of(std::uint64_t pointer) {
  return static_cast<std::int64_t>(pointer << (64 - kOffsetBits)) >> (64 - kOffsetBits);
}
inline std::uint64_t moved(std::uint64_t pointer, std::int64_t bytes) {
  return (pointer & ~kOffsetMask) | ((pointer + static_cast<std::uint64_t>(bytes)) & kOffsetMask);
}

// Bytes with their shadow: which were written, and (tracing) where each came from.
struct Block {
  std::string_view name;
  std::int64_t size = 0;
  std::byte* bytes = nullptr;
  std::uint8_t* defined = nullptr;
  std::uint32_t* tags = nullptr;
};

struct OwnedBlock : Block {
  OwnedBlock(std::string_view name, std::int64_t size, bool trace);
  std::vector<std::byte> storage;
  std::vector<std::uint8_t> shadow;
  std::vector<std::uint32_t> origins;
};

enum class State : std::uint8_t { Ready, Waiting, Done };

struct Thread {
  std::uint32_t pc = 0;
  State state = State::Ready;
  std::uint32_t cta = 0;     // in the group that runs together
  std::uint32_t linear = 0;  // in its CTA
  std::uint64_t* registers = nullptr;
  std::uint8_t* defined = nullptr;
  std::uint32_t* tags = nullptr;
  std::byte* frame = nullptr;
  std::uint8_t* frame_defined = nullptr;
  std::uint32_t* frame_tags = nullptr;
};

// Something beside the threads that makes progress on its own: a copy engine. Asked whenever no thread can run.
class Machine;
class Agent {
 public:
  virtual ~Agent() = default;
  // Does one piece of work; false: nothing to do.
  virtual bool step(Machine& machine) = 0;
};

// The CTAs of one cluster (or one CTA), and the memory of the whole run.
class Machine {
 public:
  Machine(const lower::LoweredKernel& kernel, const Program& program, const Options& options, Result& result);

  bool prepare(const Inputs& inputs);  // global memory, scalars, launch extents
  void run();
  void finish();  // outputs, verdict

  // Memory access for agents and meetings. An empty block: the pointer leads nowhere and a finding was made.
  struct View {
    std::byte* bytes = nullptr;
    std::uint8_t* defined = nullptr;
    std::uint32_t* tags = nullptr;
  };
  std::optional<View> view(const Thread& thread, std::uint64_t pointer, std::int64_t bytes, std::int64_t align,
                           bool writing, std::string_view what);
  void finding(std::string_view code, Severity severity, std::string message, const Thread* thread,
               std::optional<ir::Origin> origin = std::nullopt);
  void add_agent(std::unique_ptr<Agent> agent) { agents_.push_back(std::move(agent)); }

 private:
  // execute.cpp: runs until the thread waits, ends or fails.
  void execute(Thread& thread);
  template <bool Trace>
  void interpret(Thread& thread);
  bool load(Thread& t, const Instruction& i);
  bool store(Thread& t, const Instruction& i);
  std::uint64_t address(const Thread& t, const Access& access, std::int64_t index) const;
  void atomic(Thread& t, const Site& site);
  void print(Thread& t, const Site& site);

  // meet.cpp: completes meetings that everybody has come to; true when some thread can go on.
  bool complete_warp(std::uint32_t cta, std::uint32_t warp);
  bool complete_cta(std::uint32_t cta);
  bool complete_cluster();
  void warp_operation(const Site& site, std::span<Thread> lanes, std::uint32_t members);
  void matrices(const Site& site, std::span<Thread> lanes);
  const Site& site_of(const Thread& t) const { return program_.sites[program_.code[t.pc].b]; }
  void release(Thread& t);
  void deadlock();

  void run_group(std::array<std::int64_t, 3> first_cta);
  std::span<Thread> cta_threads(std::uint32_t cta) { return {threads_.data() + cta * block_threads_, block_threads_}; }
  std::optional<std::int64_t> evaluate(ir::Expr e) const;

  const lower::LoweredKernel& kernel_;
  const Program& program_;
  const Options& options_;
  Result& result_;
  bool stopped_ = false;
  std::uint64_t budget_ = 0;

  std::unordered_map<const ir::Var*, std::uint64_t> values_;  // scalars and extents
  std::array<std::int64_t, 3> grid_{1, 1, 1}, block_{1, 1, 1}, cluster_{1, 1, 1}, current_cta_{};
  std::uint32_t block_threads_ = 1, group_ctas_ = 1;
  std::vector<std::unique_ptr<OwnedBlock>> globals_, shared_;
  std::vector<Block> blocks_;  // by number; shared ones are of the group that runs
  std::uint64_t first_shared_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::uint64_t> registers_, register_image_;
  std::vector<std::uint8_t> registers_defined_;
  std::vector<std::uint32_t> register_tags_;
  std::vector<std::byte> frames_;
  std::vector<std::uint8_t> frames_defined_;
  std::vector<std::uint32_t> frame_tags_;
  std::vector<std::array<std::int64_t, 16>> arrived_;  // named barriers: threads that arrived without waiting
  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<std::pair<const ir::Stmt*, std::size_t>> seen_;
};

}  // namespace tilewright::simulate
