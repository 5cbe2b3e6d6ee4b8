// Who touches which buffer where in a kernel, read off its statements: tile primitives by the roles of their operands,
// instructions by the effects of their rows, elements by the loads and stores of the script.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/session/snapshot.h"

namespace tilewright::ide {

struct BufferUse {
  enum class Kind : std::uint8_t {
    Memory,    // reads or writes its elements
    Init,      // of a barrier: sets it up
    Arrive,    // an arrival, which may announce bytes
    Expect,    // announces bytes
    Complete,  // a copy that the barrier counts, or an operation that arrives when it is done
    Wait,
    Other,  // of a barrier: anything else
    Sync,   // no buffer: threads meet, or wait for groups of asynchronous operations
  };
  Kind kind = Kind::Memory;
  const ir::Stmt* statement = nullptr;
  const ir::Buffer* buffer = nullptr;            // null: of Sync alone
  const dispatch::CallReport* report = nullptr;  // of a tile primitive; null: it is none, or was not dispatched
  bool reads = false, writes = false;
  std::string what;                       // "copy → gmem_smem", "ptx.mbarrier.init", "element by element"
  std::vector<std::string> under;         // branches and loops around it, the outermost first: "if warp == 4"
  const ir::Buffer* completes = nullptr;  // of Memory: the barrier that says when it is done; null: none
};

// All of a kernel, in its order. Scalars of the script and constants are no buffers.
std::vector<BufferUse> uses_of(const session::CompiledKernel& kernel);

// Where a reader of the script could go to: the place itself, or the innermost call of an inline function that led to
// it and lies in a file. `source` is null where there is none.
text::Anchors::Place reader_place(const ir::Origin& origin, const text::Anchors& anchors,
                                  const session::Snapshot& script);

}  // namespace tilewright::ide
