// The register program that a lowered kernel becomes.
//
// Every thread has its own copy of the registers, 64 bits each: integers sign- or zero-extended by their type, float32
// and narrower as the bits of a float, float64 as its bits, pointers as memory.h encodes them. Constants, parameters
// and launch variables are registers that hold their value from the start; a vector is several registers.
#pragma once
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/lower/lowered.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

enum class Op : std::uint8_t {
  Move,
  Normalise,  // Normalise: to the width and sign of the instruction
  Add,
  Sub,
  Mul,
  FloorDiv,
  FloorMod,
  TruncDiv,
  TruncMod,
  DivU,
  ModU,
  Min,
  Max,
  MinU,
  MaxU,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  LessU,
  LessEqualU,
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  Shl,
  Shr,
  ShrU,
  Not,
  AddF,
  SubF,
  MulF,
  DivF,
  MinF,
  MaxF,
  EqualF,
  NotEqualF,
  LessF,
  LessEqualF,
  AddD,
  SubD,
  MulD,
  DivD,
  MinD,
  MaxD,
  EqualD,
  NotEqualD,
  LessD,
  LessEqualD,
  FmaF,
  Ldexp,  // a * 2^b
  CountBits,
  LeadingZeros,
  ReverseBits,
  FirstBit,  // of an integer of `type`; the lowest set bit counts from 1
  Round,     // Round: a float to what the narrow type `type` can hold
  IntToF,
  UIntToF,
  FToInt,
  FToUInt,
  IntToD,
  UIntToD,
  DToInt,
  DToUInt,
  FToD,
  DToF,
  NonZeroF,
  NonZeroD,
  ToBits,
  FromBits,  // between a register value and its bits in memory, for `type`
  MathF,
  MathD,   // function number c
  Select,  // dst = a ? b : c
  Jump,
  JumpUnless,  // to dst; on a
  LoopNext,    // a += b; if (a < c) jump to dst
  Load,
  Store,       // access number b; index a, value/destination dst; c lanes from there
  Address,     // dst = address of element a of access b
  PointerAdd,  // dst = a + b * c bytes; c is a number, not a register
  Copy,        // c bytes from pointer b to pointer a
  Define,
  Undefine,
  CheckDefined,  // of register dst, for scalars that may be read too early
  NoValue,       // dst = nothing that has a value; site b says why
  Meet,          // site b: wait for the others, who complete it together
  Call,          // site b: what its row of calls.h does; it may make the thread wait
  Trap,          // unless a
  Print,         // site b
  Look,          // site b: what a watch sees there
  Unmodelled,    // site b
  Unknown,       // dst = a value that is not known; site b says of what
  Exit,
};

struct Instruction {
  Op op;
  ir::DataType type;    // what the operation is about; lanes are always 1
  Extension extension;  // of an integer of this type
  std::uint32_t dst, a, b, c;

  Instruction(Op o, ir::DataType about, std::uint32_t to = 0, std::uint32_t first = 0, std::uint32_t second = 0,
              std::uint32_t third = 0)
      : op(o), type(about.element()), extension(extension_of(type)), dst(to), a(first), b(second), c(third) {}
};

// Where an access leads: a storage of the table below, or a pointer in a register.
enum class Where : std::uint8_t { Global, Shared, Local, Pointer };
struct Access {
  Where where = Where::Pointer;
  std::uint32_t index = 0;             // of the storage, or the register
  std::uint32_t offset = kNoRegister;  // register with the view's start in elements
  std::int64_t elements = -1;          // of the view; -1: unknown
  ir::DataType type;                   // of one element
  int bytes = 1;
  bool is_plain = false;  // a register holds an element's bits as memory does, and zeros above
  std::string_view name;
  static constexpr std::uint32_t kNoRegister = 0xffffffff;
};

struct Storage {
  std::string_view name;
  std::int64_t bytes = 0;
  int align = 16;
  std::int64_t frame = 0;  // local: where in a thread's frame
  // Global memory: the data variable, and the tensor that it belongs to; null: a raw pointer, or a tensor map.
  const ir::Var* var = nullptr;
  const ir::Buffer* tensor = nullptr;
  bool is_map = false;
  bool is_fragment = false;  // a wgmma names it as a register
};

struct CallRow;

// What a row's set-up has read of a call, when numbers and flags are too few.
struct CallForm {
  virtual ~CallForm() = default;
};

// A call that needs more than registers: who meets, or what is done.
struct Site {
  enum class Kind : std::uint8_t {
    CtaSync,
    WarpSync,
    NamedSync,
    NamedArrive,
    ClusterSync,
    GridSync,
    CtaAnd,
    CtaOr,
    ShuffleIndex,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Ballot,
    Any,
    Elect,
    ActiveMask,
    WarpReduce,
    ReduceSync,
    CtaReduce,
    CtaCount,        // of the threads whose argument is not 0
    ShuffleClamped,  // `text` is the mode; args: lanes, value, lane, clamp and segment
    ShuffleInRange,  // the same: whether the lane that is read is in range
    MatchAny,
    MatchAll,
    LdMatrix,
    StMatrix,
    ClusterArrive,
    ClusterWait,
    WarpCall,       // `call`, by the whole warp
    WarpgroupCall,  // by four of them
    Call,           // `call`, by one thread
    Print,
    Look,
    Unmodelled,
  };
  Kind kind = Kind::Unmodelled;
  ir::DataType type;                // of the value
  std::vector<std::uint32_t> args;  // registers
  std::uint32_t dst = Access::kNoRegister;
  std::uint32_t high = Access::kNoRegister;  // the upper half of a result of 128 bits
  std::int64_t number = 0;                   // barrier number, matrices, width
  static constexpr std::int64_t kWholeCta = -1;
  std::int64_t count = 0;            // threads of a named barrier
  bool flag = false;                 // transposed
  std::string text;                  // operation, format, what is not modelled
  const CallRow* call = nullptr;     // calls.h; `args` are then its slots
  std::vector<std::uint32_t> items;  // registers of the list and variadic operands, in their order
  std::shared_ptr<const CallForm> form{};
  int code = 0;             // what the row's own set-up needs besides
  bool own_window = false;  // its first slot is an address in .shared::cta
  // The access by which the script names the barrier that the call is about.
  std::uint32_t barrier_view = Access::kNoRegister;
  // How a call on memory or a fence orders others; weak: not at all.
  intrinsics::Semantics semantics = intrinsics::Semantics::Weak;
  intrinsics::Scope scope = intrinsics::Scope::Thread;
  ir::Origin origin;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<std::uint32_t> origin_of;  // instruction -> origins
  std::vector<ir::Origin> origins;
  std::vector<Access> accesses;
  std::vector<Site> sites;
  std::vector<Storage> globals, shared, locals;
  std::int64_t frame_bytes = 0;
  bool tracks_reads = false;  // some tcgen05.commit arrives as soon as A of the products before it is read
  std::uint32_t registers = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;  // register, value
  std::unordered_map<const ir::Var*, std::uint32_t> variables;     // parameters and launch variables among them
};

Program compile(const lower::LoweredKernel& kernel);

using MathFunctionF = float (*)(float, float);
using MathFunctionD = double (*)(double, double);
struct MathRow {
  std::string_view name;
  MathFunctionF f;
  MathFunctionD d;
};
std::span<const MathRow> math_rows();

}  // namespace tilewright::simulate
