// What a script has to run, and what its comments say of that.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/experiment.h"
#include "compiler/session/compile.h"
#include "compiler/syntax/run_comment.h"
#include "server/project/load.h"

namespace tilewright::work {

// All that a script has to run: the sequences that comments name, then the entries that are neither a part of one nor
// the reference of another. An entry is there once for each comment `# tilewright: run ...` that speaks of it.
struct Runnable {
  std::string entry;
  std::optional<std::uint32_t> comment;  // as RunRequest has it
};
struct Runnables {
  std::vector<Runnable> entries;
  std::string reference;        // a kernel that a comment names as a reference, where that leaves none to run
  bool unnamed = false;         // there are kernels that the module made and kept under no name
  session::Compiled evaluated;  // whose diagnostics say why there is nothing more
};
Runnables entries_to_run(const project::LoadedFile& file, const std::stop_token& stop = {});
// Why nothing runs: the kernels of the script are references of its comments, `expression` among them.
run::Failure only_references(const project::LoadedFile& file, const std::string& expression);

// What follows `word` in the first comment `# tilewright: ...` of the file that begins with it; empty: there is none.
std::string text_of_comment(const project::LoadedFile& file, std::string_view word);

// The parts of "a then b".
std::vector<std::string> kernels_in_turn(const std::string& entry);

inline constexpr std::string_view kReference = "reference ", kSequence = "sequence ";  // how such comments begin

// A reference `NAME(...)` takes the arguments of the kernel's entry.
std::string with_arguments(std::string reference, const std::string& entry);
// The reference that a comment names for a kernel: the last one above its `def`, else the first of the file.
std::string reference_comment(const project::LoadedFile& file, const session::CompiledKernel& kernel,
                              const text::Anchors& anchors);
// True if a comment of the file names `expression` as a reference.
bool named_by_comment(const project::LoadedFile& file, const std::string& expression);

// A comment `# tilewright: run ...` of the file.
struct RunDirective {
  const syntax::Directive* directive = nullptr;
  syntax::RunComment run;
};
std::vector<RunDirective> run_comments(const project::LoadedFile& file);

}  // namespace tilewright::work
