// What a row does to memory and to other threads, as data.
//
// A row lists its effects in words that the compiler parses (effect_text.h has the notation):
//
//   "reads global src_ptr[num_bytes]; writes shared dst_ptr[num_bytes]; proxy async; until mbarrier bar; by one"
//
// Operands are held by their position in the row, so that an effect is a few bytes of constant data. What depends on
// the attributes of a call (its space, its semantics, how many bytes) names the attribute; call_effects.h resolves it
// for a call. Registers that the signature itself marks (`to f32`, `inout any`) are effects without further words.
//
// Facts are those of the PTX ISA 9.0: memory consistency model (chapter 8), proxies and completion mechanisms of
// asynchronous operations (9.7.9.25), and the sections of the instructions.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace tilewright::intrinsics {

enum class Verb : std::uint8_t {
  // On memory.
  Reads,
  Writes,
  Updates,     // reads and writes the same bytes as one atomic step
  Prefetches,  // asks a cache for them; no value moves
  // On what threads meet at.
  Inits,
  Invalidates,
  Arrives,
  Drops,      // arrives for the last time: later phases expect less
  Defers,     // makes the current phase expect one arrival more
  Expects,    // announces transaction bytes
  Completes,  // counts transaction bytes as landed
  Tests,      // asks, or waits for a limited time
  Waits,      // blocks
  Meets,      // arrives and waits
  Commits,    // closes a group of asynchronous operations; they all count, also those of none
  Fences,     // orders what this thread did before and after
  Exchanges,  // lanes see each other's operands; no memory is ordered
  Elects,     // one lane gets another answer than the others
  // On the machine.
  Allocates,
  Frees,
  Schedules,  // when and with how many registers threads run; no value depends on it
  Stops,      // may end the kernel with an error
  Unknown,    // anything: code that is not ours to read
};

// Where the bytes of a memory effect are.
enum class Space : std::uint8_t {
  None,
  Generic,  // the address says which
  Global,
  Shared,         // of this CTA
  SharedCluster,  // of this or another CTA of the cluster
  Local,
  Const,
  Param,
  Tensor,    // tensor memory of tcgen05
  Register,  // registers of the thread, or what a pointer passes for them
  Map,       // a tensor map as copies read it, through the tensormap proxy
  Machine,   // special registers, clocks, which lanes are active
  Console,   // what printf writes to
};

// What an effect other than one on memory is about; also what tells the end of an asynchronous one.
enum class Object : std::uint8_t {
  Memory,
  // Threads meeting.
  Mbarrier,
  Barrier,  // a named barrier of the CTA
  Lanes,
  Cta,
  Cluster,
  Grid,
  Dependency,  // the grids before and after this one (programmatic dependent launch)
  Processors,  // of NVSHMEM
  // Asynchronous operations.
  CopyGroup,     // cp.async
  BulkGroup,     // cp.async.bulk: read and written
  BulkReads,     // the same: the source is read
  WgmmaGroup,    // wgmma
  TensorLoads,   // tcgen05.ld
  TensorStores,  // tcgen05.st
  TensorWork,    // tcgen05.mma, cp and shift, which tcgen05.commit gathers
  // Fences, besides that of Memory.
  AsyncProxy,
  MapProxy,
  AliasProxy,
  MbarrierInit,
  Accumulators,      // wgmma.fence: registers before the wgmma that use them
  BeforeThreadSync,  // tcgen05.fence
  AfterThreadSync,
  // The machine.
  Columns,  // of tensor memory
  Permit,   // to allocate them
  Threads,
};

enum class Proxy : std::uint8_t { Generic, Async, Tensor, Map };

enum class Semantics : std::uint8_t { Weak, Relaxed, Acquire, Release, AcquireRelease, Sequential };
enum class Scope : std::uint8_t { Thread, Warp, Cta, Cluster, Gpu, System };

// Which threads have to execute the instruction together. Who has to arrive at a barrier is said by its effect.
enum class Together : std::uint8_t {
  Thread,  // each for itself
  One,     // one thread on behalf of others: each execution counts
  Lanes,   // the lanes of a mask, converged
  Warp,    // all lanes, converged: .aligned
  Warpgroup,
  Cta,
  Grid,
  Processors,
};

// A factor of a number of bytes.
struct Factor {
  enum class Kind : std::uint8_t {
    Number,   // itself
    Operand,  // the operand's value; of an attribute the number that its text says: 16, v4 is 4, b32 is 4 bytes,
              // float16 is 2, 128x256b is 4096 bytes
    Size,     // bytes of the operand's data type (a pointer's: of what it points to)
    Count,    // how many items the List or Variadic has
    Box,      // what the tensor map says that one copy moves
    Rows,     // the same for four rows by number
    Tile,     // what shapes held in a descriptor say
  };
  Kind kind = Kind::Number;
  std::int16_t value = 1;  // the number, or the operand's position
};

// A word of an instruction that is fixed, or an attribute's text where that is not empty.
template <class Word>
struct Choice {
  Word fixed{};
  std::int8_t attribute = -1;
};

inline constexpr std::int8_t kNoOperand = -1;

// Where something happens: everywhere; where an operand holds, which is neither 0, False, "" nor absent; or where an
// attribute is the choice of this number.
struct Condition {
  std::int8_t operand = kNoOperand;
  std::int8_t choice = -1;
  bool unless = false;  // or where that is not so
};

struct Effect {
  Verb verb = Verb::Unknown;
  Object object = Object::Memory;
  Choice<Space> space;               // of Memory; of an mbarrier or a fence of the async proxy, where the text says it
  Proxy proxy = Proxy::Generic;      // that the access goes through
  std::int8_t operand = kNoOperand;  // address, barrier, or how many groups may remain; none: there is but one
  std::uint8_t factors = 0;          // 0: the number of bytes (threads, at a Barrier) is unknown or has no meaning
  std::array<Factor, 3> bytes;       // from the address; at most so many, where a predicate or a mask takes some away
  Object until = Object::Memory;     // asynchronous: whose end says that it is done; Memory: it is synchronous
  std::int8_t until_operand = kNoOperand;
  Object after = Object::Memory;  // an arrival that comes when these operations of the thread are done
  Choice<Semantics> semantics;
  Choice<Scope> scope;
  std::int8_t offset = kNoOperand;      // elements between the address and the first byte
  std::int8_t rank = kNoOperand;        // the CTA (NVSHMEM: the processor) whose copy is meant
  std::int8_t mask = kNoOperand;        // the CTAs whose copies are meant; constant 0: this one
  std::int8_t guard = kNoOperand;       // a run-time predicate of the whole instruction; absent: there is none
  std::array<Condition, 2> conditions;  // happens only where both hold
};

struct Participants {
  Together together = Together::Thread;
  Condition condition;                    // together as said only there
  Together otherwise = Together::Thread;  // elsewhere
  std::int8_t mask = kNoOperand;          // Lanes: which; none: all 32
  std::int8_t pair = kNoOperand;          // an attribute that is 2 when it concerns both CTAs of a pair
};

}  // namespace tilewright::intrinsics
