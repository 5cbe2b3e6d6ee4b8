// A file of script tests holds several cases, each a whole script with what is expected of it written beside it:
//
//     #--- rebinding a buffer  [print]           a case: its title, and what to compare besides diagnostics
//     ...the script...
//         A = T.alloc_local((4,), "float32")
//     #   ^ error[TW2102]: 'A' is already defined in this scope
//     #     hint: choose another name; only scalars can be assigned again
//         Tx.copy_async(B[:], A[:])
//     #   ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
//     #|    ldgsts  rejected: cp.async needs sm_80 and up, the target is sm_75
//     #--- file helpers.py                       another file of the same case, for its imports
//     ...
//     #| def k(...)                              with [print]: the kernels as they print, at the end of the case
//
// Carets stand under the token in the line above. Where they cannot (the first two columns, several lines) the extent
// is written out: `@1:1-3:4 error[...]`, lines counted from the marked one. Every diagnostic must have its marker and
// the reverse. Markers are comments, so that a script with its markers is the script that is tested.
//
// Options: [print] the kernels' text, [entries] the entries found, [cuda] every kernel must compile to CUDA text (and
// diagnostics of all stages count), [calls] what became of each tile primitive: the variant with its facts, and why
// each other one was not chosen, [entry EXPR] asks for this entry alone, [arch sm_90a] compiles for another target than
// sm_100a, [arch found] for the one that the calls of each kernel need.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::script_tests {

struct Case {
  std::string title;
  std::string header;  // the line that opened it, with its options
  bool print = false, entries = false, cuda = false, calls = false;
  std::string entry, arch;
  std::vector<std::string> lines;                          // of the main script, without markers and answers
  std::vector<std::pair<std::string, std::string>> files;  // path and text, in order
  std::string written;                                     // as it stands in the file
};

struct File {
  std::string preamble;  // before the first case
  std::vector<Case> cases;
};

File read(std::string_view text);
// The case as it should stand in the file: its script, the diagnostics that it really gets, its answers.
// `failures` gets a line for each promise that no rewriting can keep.
std::string answer(const Case& c, std::vector<std::string>& failures);

}  // namespace tilewright::script_tests
