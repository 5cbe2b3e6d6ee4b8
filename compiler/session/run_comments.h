// `# tilewright: run ENTRY NAME=VALUE ...`: what such a comment asks for, of which kernels it speaks, and which of its
// words mean nothing.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/inputs/fill.h"
#include "compiler/inputs/number.h"
#include "compiler/session/compile.h"
#include "compiler/syntax/run_comment.h"

namespace tilewright::session {

// A word that means nothing; it stands in the source.
struct MisreadWord {
  std::string_view at;
  std::string message, meant, hint;  // what may have been meant, or what to write
};

// Names point into the source.
struct RunSettings {
  struct Contents {
    std::string_view name, value;
    std::string file;  // a .npy, as written; empty: `fill`
    inputs::Fill fill;
    std::optional<inputs::Number> number{};  // of a scalar or an extent
  };
  std::string reference;
  std::vector<Contents> given, expected;
  // Tensors whose elements may come in any order; `to` empty: all of them, else those from `from` to before `to`.
  struct Unordered {
    std::string_view name, from, to;
  };
  std::vector<Unordered> unordered;
  std::optional<double> relative, absolute;
  std::optional<int> repeats, warmups, schedules;
  std::optional<std::uint64_t> seed;
  bool secret_seed = false;
};

// A setting that is no tensor's and no scalar's.
struct RunOption {
  std::string_view name, example, documentation;
};
std::span<const RunOption> run_options();

// What the words say; those that say nothing go to `wrong`.
RunSettings read_run_comment(const syntax::RunComment& comment, std::vector<MisreadWord>& wrong);
// Names that none of the kernels has, and numbers where there is none.
void check_run_names(const RunSettings& settings, std::span<const ir::Kernel* const> kernels,
                     std::vector<MisreadWord>& wrong);

// The kernels of which a comment speaks: those of its entry, of the function that its entry names, or, where it names
// nothing, those of the first `def` below it, in the statement that follows or encloses it. Kernels that run in turn
// are spoken of together.
std::vector<const CompiledKernel*> kernels_of(const syntax::Directive& directive, const syntax::RunComment& comment,
                                              std::span<const CompiledKernel> kernels, const syntax::Tree& tree,
                                              const text::Anchors& anchors);
// Numbers that the script's run comments give the kernel's scalars and extents.
std::map<std::string, inputs::Number, std::less<>> numbers_said(const CompiledKernel& kernel, const Compiled& compiled,
                                                                const syntax::Tree& tree);
// What they say its tensors hold, where that is no file and not all the same to the kernel (`random`, `poison`).
std::map<std::string, inputs::Fill, std::less<>> fills_said(const CompiledKernel& kernel, const Compiled& compiled,
                                                            const syntax::Tree& tree);
// Is this the entry of the comment, in the same words but for blanks?
bool same_entry(std::string_view a, std::string_view b);

// Findings at words without a meaning. `all`: every entry was evaluated, so that an unknown one is a finding.
std::vector<text::Diagnostic> misread_runs(const syntax::Tree& tree, const Compiled& compiled, bool all,
                                           text::Anchors& anchors);

}  // namespace tilewright::session
