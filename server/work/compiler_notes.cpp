#include "server/work/compiler_notes.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/text/amounts.h"
#include "server/project/codes.h"

namespace tilewright::work {
namespace {

// A note of ptxas: what its message holds, and what it means for the script. The fix names rows in braces (say.h).
struct Note {
  std::string_view phrase, why, fix;
};

constexpr std::string_view kSaid = " (ptxas: ";

constexpr std::string_view kIgnored = "'setmaxnreg' ignored";
constexpr Note kIgnoredBecause[] = {
    {"unable to determine register count at entry", "it does not know how many registers the kernel starts with",
     "give the kernel its launch bounds: T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})"},
    {"minimum register requirements", "some warps need more registers than their setmaxnreg leaves them",
     "leave those warps more registers, or move work out of their role: the count that setmaxnreg names has to hold "
     "all that the role keeps at once"},
    {"'extern' call", "the kernel calls a function that is not inlined",
     "take the call out of the kernel (printf and assertions are calls, too)"},
    {"across compilation units", "the kernel is compiled to be linked with others", ""},
    {"to allow debugging", "it compiles for a debugger", ""},
};

constexpr std::string_view kSerialized = "wgmma.mma_async instructions are serialized";
constexpr Note kSerializedBecause[] = {
    {"Extern calls", "the kernel calls a function that is not inlined",
     "take the call out of the kernel (printf and assertions are calls, too)"},
    {"crossing function boundary", "wgmma operations are still running where a function is called",
     "wait for them before the call ({wgmma_wait}(0)), or inline the function"_row_text},
    {"insufficient register resources", "there are not enough registers for the accumulators of all that run at once",
     "move what reads or writes accumulators between the first wgmma and its wait out of there, since copies of them "
     "take registers, too; else use smaller tiles or more warpgroups, give the consumers more registers "
     "(setmaxnreg), or launch fewer threads"},
    {"defining input registers", "other instructions write registers that a running wgmma reads",
     "write A's fragment before the fence ({wgmma_fence}), or keep A in shared memory"_row_text},
    {"reading accumulator registers", "accumulators are read while a wgmma that writes them may run",
     "wait for the group first ({wgmma_wait}), and read the accumulators after it"_row_text},
    {"defining accumulator registers", "accumulators are written while a wgmma that uses them may run",
     "set the accumulators before the fence ({wgmma_fence}), or let the first wgmma overwrite them "
     "(scale_d=0)"_row_text},
    {"ill formed pipeline stage", "fence, wgmma, commit and wait do not follow each other on every path",
     "write them in that order in one straight piece of code, and wait on every path"},
    {"compiler-inserted WG.DP", "a wait for wgmma lies in a branch that some warps of the warpgroup may not take",
     "let all four warps of a warpgroup take the same branches between wgmma and its wait, and call no function there "
     "that is not inlined"},
    {"compiler-inserted WG.AR",
     "a wgmma, its fence or its commit lies in a branch that some warps of the warpgroup may "
     "not take",
     "let all four warps of a warpgroup take the same branches from the fence ({wgmma_fence}) to the commit, and "
     "call no function there that is not inlined"_row_text},
};

// By CUDA 13.0 and by 13.5.
constexpr Note kNoWait{"", "results of a wgmma are used before a wait that ends it",
                       "wait yourself where it costs least, right before the first use: {wgmma_wait}"_row_text};
constexpr Note kNoFence{"", "registers of a wgmma are written, and no fence follows",
                        "fence yourself between the last write and the wgmma: {wgmma_fence}"_row_text};
constexpr std::pair<std::string_view, const Note*> kInjected[] = {{"warpgroup.wait is injected", &kNoWait},
                                                                  {"wgmma.wait_group is injected", &kNoWait},
                                                                  {"warpgroup.arrive is injected", &kNoFence},
                                                                  {"wgmma.fence is injected", &kNoFence}};

text::Diagnostic hint(std::string_view code, std::string message, std::string fix) {
  text::Diagnostic d;
  d.code = code;
  d.severity = text::Severity::Hint;
  d.message = std::move(message);
  d.hint = std::move(fix);
  return d;
}

std::string fix_of(const Note& note, const session::CompiledKernel& kernel) {
  return intrinsics::say(note.fix, kernel.value->kernel.dialect);
}

// Where the message's own line leads to; else the first line of the kernel's CUDA text with that word; else the kernel.
void place(text::Diagnostic& d, const toolchain::LogEntry& entry, const session::CompiledKernel& kernel,
           std::string_view word) {
  d.span = kernel.value->kernel.span;
  for (const std::uint32_t own : entry.chain) {
    const auto at = std::ranges::lower_bound(kernel.cuda->lines, own, {}, &cuda::LineOrigin::line);
    if (at == kernel.cuda->lines.end() || at->line != own) continue;
    d.span = at->origin.span;
    d.chain = ir::call_chain(at->origin.chain);
    return;
  }
  const std::string_view source = kernel.cuda->text;
  std::uint32_t line = 1;
  std::size_t begin = 0;
  for (const cuda::LineOrigin& origin : kernel.cuda->lines) {
    for (; line < origin.line; ++line) {
      const std::size_t end = source.find('\n', begin);
      if (end == source.npos) return;
      begin = end + 1;
    }
    const std::string_view text = source.substr(begin, source.find('\n', begin) - begin);
    if (text.find(word) == text.npos) continue;
    d.span = origin.origin.span;
    d.chain = ir::call_chain(origin.origin.chain);
    return;
  }
}

// The fewest registers that a setmaxnreg of the kernel names; 0: there is none.
int least_of_a_role(const session::CompiledKernel& kernel) {
  constexpr std::string_view kCount = "setmaxnreg.dec.sync.aligned.u32 ";
  const std::string_view text = kernel.cuda->text;
  int least = 0;
  for (std::size_t at = text.find(kCount); at != text.npos; at = text.find(kCount, at + 1)) {
    int count = 0;
    const std::string_view number = text.substr(at + kCount.size(), 3);
    std::from_chars(number.data(), number.data() + number.size(), count);
    if (count > 0 && (least == 0 || count < least)) least = count;
  }
  return least;
}

// The note of the table that the message holds, or that there is no word for it.
template <std::size_t N>
Note note_in(const Note (&notes)[N], std::string_view message) {
  const auto found = std::ranges::find_if(notes, [&](const Note& n) { return message.find(n.phrase) != message.npos; });
  return found == std::end(notes) ? Note{"", "its message says why", ""} : *found;
}

}  // namespace

std::optional<text::Diagnostic> performance_note(const toolchain::LogEntry& entry,
                                                 const session::CompiledKernel& kernel) {
  const std::string_view message = entry.message;
  if (entry.severity == toolchain::LogEntry::Severity::Error) return std::nullopt;
  const std::string said = std::string(kSaid) + entry.message + ")";
  if (message.find(kIgnored) != message.npos) {
    const Note note = note_in(kIgnoredBecause, message);
    text::Diagnostic d = hint(project::kRegistersIgnoredCode,
                              "NVIDIA's compiler ignores setmaxnreg, so that all warps have equally many registers: " +
                                  std::string(note.why) + said,
                              fix_of(note, kernel));
    place(d, entry, kernel, "setmaxnreg");
    return d;
  }
  if (message.find(kSerialized) != message.npos) {
    const Note note = note_in(kSerializedBecause, message);
    text::Diagnostic d = hint(project::kSerializedCode,
                              "NVIDIA's compiler lets each wgmma wait for the one before, so that tensor cores idle "
                              "in between: " +
                                  std::string(note.why) + said,
                              fix_of(note, kernel));
    place(d, entry, kernel, "wgmma_mma_async");
    return d;
  }
  for (const auto& [phrase, note] : kInjected) {
    if (message.find(phrase) == message.npos) continue;
    text::Diagnostic d = hint(
        project::kSerializedCode,
        "NVIDIA's compiler adds a wait for wgmma here, so that tensor cores idle: " + std::string(note->why) + said,
        fix_of(*note, kernel));
    place(d, entry, kernel, "wgmma_mma_async");
    return d;
  }
  if (message.find("cannot be statically determined") != message.npos) {
    text::Diagnostic d = hint(project::kLocalMemoryCode,
                              "how much local memory a thread takes is not known before the kernel runs, so that the "
                              "driver sets much aside: the kernel calls a function that calls itself, or one through "
                              "a pointer" +
                                  said,
                              "write the recursion as a loop, and call functions by their names");
    d.span = kernel.value->kernel.span;
    return d;
  }
  return std::nullopt;
}

void add_note(std::vector<text::Diagnostic>& notes, text::Diagnostic note) {
  auto own = [](const text::Diagnostic& d) { return std::string_view(d.message).substr(0, d.message.find(kSaid)); };
  const bool ours = note.message.find(kSaid) != note.message.npos;
  const bool told = ours && std::ranges::any_of(notes, [&](const text::Diagnostic& d) {
                      return d.code == note.code && d.span == note.span && d.chain == note.chain && own(d) == own(note);
                    });
  if (!told) notes.push_back(std::move(note));
}

std::vector<text::Diagnostic> resource_notes(const toolchain::KernelResources& resources,
                                             const session::CompiledKernel& kernel) {
  std::vector<text::Diagnostic> out;
  const int spilled = resources.spill_stores, read = resources.spill_loads;
  if (spilled + read > 0) {
    const int role = least_of_a_role(kernel);
    const bool lowered = role > 0 && role < resources.registers;
    out.push_back(
        hint(project::kSpilledCode,
             "the kernel needs more registers than its " + std::to_string(resources.registers) + " a thread" +
                 (lowered ? ", or than the " + std::to_string(role) + " that setmaxnreg leaves a role" : "") + ": " +
                 text::counted(spilled, "byte") + " are spilled to local memory and " + text::counted(read, "byte") +
                 " read back, by each thread",
             std::string(lowered ? "leave that role more registers (setmaxnreg), " : "") +
                 "keep less in registers at once (smaller tiles, shorter unrolled loops), spread the work over "
                 "more threads, or ask for fewer CTAs per SM (tirx.launch_bounds_min_blocks_per_sm)"));
  }
  if (resources.stack > 0 && spilled + read == 0) {
    out.push_back(
        hint(project::kLocalMemoryCode,
             "each thread keeps " + text::counted(resources.stack, "byte") +
                 " in local memory, which is as slow as global memory: an array of a thread is indexed by a "
                 "number that is known at run time alone, or its address is taken (arguments of printf lie there, too)",
             "unroll the loops that index it (T.unroll), so that each index is a constant, or keep it in "
             "shared memory"));
  }
  for (text::Diagnostic& d : out) d.span = kernel.value->kernel.span;
  return out;
}

}  // namespace tilewright::work
