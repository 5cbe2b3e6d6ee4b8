// A run of a script's kernels, from its text to a verdict: compiled, executed, compared, judged. For all speakers:
// the command line, the language server, CI.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/cuda/marks.h"
#include "compiler/run/experiment.h"
#include "compiler/toolchain/toolchain.h"
#include "server/project/load.h"

namespace tilewright::simulate {
struct ProfileDetails;
using DetailsByKernel = std::map<const lower::LoweredKernel*, ProfileDetails>;
}  // namespace tilewright::simulate

namespace tilewright::work {

struct KnownReferences;  // known_references.h

struct RunRequest {
  // An expression that yields the kernel, or several with " then " between them, which run in turn on the same tensors.
  // Empty: the file's `# tilewright: sequence` comment, or its only kernel.
  std::string entry;
  std::string arch;  // to compile for; empty: the device's own, of the simulator what the script needs
  // An expression, or a function in Python (python_reference.h); empty: what the comment above the kernel says; "none":
  // nothing is expected.
  std::string reference;
  std::string python;               // the interpreter of references in Python; empty: they are not executed
  std::vector<std::string> cubins;  // compiled forms of the kernels, in order; empty: they are compiled here
  // Over what a comment `# tilewright: run ...` says of the kernels. Of its numbers those below are looked at.
  run::Wanted wanted;
  std::optional<std::uint64_t> seed;
  std::optional<int> repeats, warmups, schedules;
  bool secret_seed = false;  // drawn, and told at the end
  // Another entry of the same tensors, or a compiled form (a .cubin) of the same kernel, to hold the times against.
  std::string against;
  // Which of the file's comments is meant, by its place; nothing: the first that speaks of the kernels.
  std::optional<std::uint32_t> comment;
  bool digests = false;  // of each tensor's contents
  // A profile of the simulator counts accesses as the script writes them, whatever NVIDIA's compiler makes of them.
  bool as_written = false;
  // "smem[3, 0:8]@14": what the simulator shows by thread where that line was executed.
  std::vector<std::string> watches;
  // For runs beside one another. Who compiles for all of them; null: a toolchain of its own.
  toolchain::Toolchain* tools = nullptr;
  // References that were computed already, of the same seed and settings; a new one is added. Null: none is known.
  KnownReferences* known = nullptr;
  // Steps of a reference on the host, after which a device computes it; 0: as many as it takes.
  std::uint64_t reference_steps = 0;
  // Asked once, before memory is taken for tensors of so many bytes; may wait. The answer keeps what it is.
  std::function<std::shared_ptr<void>(std::int64_t bytes)> room{};
};

struct RunAnswer {
  enum class End : std::uint8_t {
    Reported,  // it ran, or failed to: the report says
    Stopped,   // the caller no longer waits for it
    NoDevice,  // there is nothing to run on
    Unusable,  // something that was asked for cannot be done
    Errors,    // the script has errors: the diagnostics say which
    Skipped,   // it has none, and is written for an architecture that the device cannot run
  };
  End end = End::Reported;
  run::Failure failure;        // of NoDevice, Unusable and Skipped
  session::Compiled compiled;  // with its diagnostics; the report's places resolve in it
  session::Compiled reference, rival;
  run::Report report;
  // Of each launch that was sampled its disassembly, and why there is none.
  std::vector<std::string> sass{};
  std::string sass_missing{};
  // Of a simulated run with a profile: what it found beside its counts, by kernel as it was simulated; and why accesses
  // count as the script writes them. Empty: they do not, or that was asked for.
  std::shared_ptr<simulate::DetailsByKernel> details{};
  std::string accesses_missing{};
  std::vector<toolchain::KernelResources> resources{};  // of each launch, the same, where NVIDIA's compiler is there
  std::vector<text::Diagnostic> notes{};                // about speed, of that compiler (compiler_notes.h)
  std::vector<cuda::MarkedSource> marked{};             // of each launch, where a timeline of a GPU was wanted
  std::string where;                                    // that it ran: as executors have it (run::Executor::place)
  std::shared_ptr<void> room;                           // that the report's tensors take, as RunRequest has it
};

// `progress` hears what is going on now, in words.
RunAnswer run_script(const project::LoadedFile& file, const RunRequest& request, run::Executor& executor,
                     const std::stop_token& stop, const std::function<void(const std::string&)>& progress = {});

// Arrays from a .npy file. The error names the file and the reason.
std::expected<run::GivenArray, std::string> given_array(const std::string& path);

}  // namespace tilewright::work
