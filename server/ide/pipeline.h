// How data flows through a kernel: its buffers with who fills and who drains them, its barriers with who arrives and
// who waits, and where threads meet.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "server/ide/buffer_uses.h"
#include "server/ide/view.h"

namespace tilewright::ide {

struct PipelineUse {
  BufferUse::Kind kind = BufferUse::Kind::Memory;
  std::string what;                   // as BufferUse has it
  std::string who;                    // "32 lanes", "one elected thread": of tile primitives, else empty
  std::vector<std::string> under;     // as BufferUse has it
  std::optional<std::int64_t> bytes;  // that one execution moves
  std::string barrier;                // that says when it is done; empty: none
  text::Anchors::Place place;         // null source: nowhere that a reader could go to
  std::size_t times = 1;              // places of the kernel that read alike
};

struct PipelineBuffer {
  std::string name;
  std::vector<std::string> other_names;  // of views of the same storage
  std::string scope, dtype, shape;
  std::optional<std::int64_t> bytes;
  text::Anchors::Place place;
  std::vector<PipelineUse> fills, drains;  // what reads and writes is in both
};

struct PipelineBarrier {
  std::string name;
  std::optional<std::int64_t> count;  // mbarriers in it
  text::Anchors::Place place;
  std::string arrivals;  // a phase, as its initialisation says; empty: not known
  std::vector<PipelineUse> uses;
};

struct Pipeline {
  Script script;
  std::shared_ptr<const session::Analysis> analysis;  // keeps what places point to
  std::string entry, kernel, architecture;
  std::vector<PipelineBuffer> buffers;    // global, shared and tensor memory, in the order of their first use
  std::vector<PipelineBarrier> barriers;  // likewise
  std::vector<PipelineUse> syncs;
  std::size_t left_out = 0;  // uses for which there was no room
};

// Of a kernel that was evaluated (`has_stage(ViewKind::Tirx, kernel)`); `compiled` is the compilation that it is of.
Pipeline pipeline_of(Script script, std::shared_ptr<const session::Analysis> analysis,
                     const session::Compiled& compiled, const session::CompiledKernel& kernel);
// Of a script's kernel. Empty words take the first entry, the first architecture.
Answer<Pipeline> pipeline(const Query& q, const std::string& document, std::string_view entry,
                          std::string_view architecture);

}  // namespace tilewright::ide
