// CONFIGS and get_kernel(**config), as the published runner of kernels reads them: each line of the list is an entry.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/script/evaluate.h"

namespace tilewright::script {

class EntryFinder;

class ConfigEntries {
 public:
  explicit ConfigEntries(EntryFinder& finder) : finder_(finder) {}

  // Reads the list, where the module has one and a get_kernel beside it.
  void find();
  // Makes an entry of each line, or of the first alone (EvaluateOptions::all_entries).
  void run();
  // The entry of the line that is listed so. False: none is.
  bool run_listed(const std::string& text, EntryKind kind, text::Span span);
  // Why this function has no arguments stands among the findings about the lines.
  bool told_why(const Function* f) const { return f == get_kernel_ && misfits_ > 0; }

 private:
  // A line of CONFIGS: what it says, and where.
  struct Config {
    Value value;
    const syntax::Node* node = nullptr;  // null: it is computed
    text::Span span;                     // of the node, else of the name CONFIGS, else of get_kernel
  };
  // What of a line get_kernel takes.
  struct Given {
    std::vector<Keyword> keywords;
    std::vector<std::string_view> dropped;  // keys that it has no parameter for
  };

  static std::string config_text(std::size_t i) { return "get_kernel(**CONFIGS[" + std::to_string(i) + "])"; }
  void find_lines();
  // The parameter that a keyword names; null: none.
  const syntax::Parameter* parameter(std::string_view name) const;
  // What get_kernel needs and none of the lines gives: CONFIGS then serves another caller first, which works it out.
  std::string missing_everywhere() const;
  // get_kernel(**config) as the published runner calls it: without `label`. What else the function does not take is
  // left out as well, for other consumers of the list read it; unless it looks like one of the parameters misspelt.
  void config(std::size_t i, EntryKind kind, text::Span span);
  Given taken(const Config& c, const Dict& line);
  // Does the line give what the function needs? Says what it does not.
  bool suffices(std::size_t i, Given& given);
  void call_config(std::size_t i, EntryKind kind, text::Span span, const std::vector<Keyword>& keywords);
  // What ended the call is the line's doing if the script itself refused its arguments. What another file raised, or
  // what is not known here (a package that is not evaluated, a limit), may be ours: a library does more than we follow.
  // A cause that several lines share is told once.
  void config_failure(std::size_t i, Pending p);
  // Did line i meet a limit of the whole script? Then it and those after it are not checked, which is said once; what
  // was reported of it from `told` on, and its entries from `entries` on, are taken back.
  bool leaves_the_rest(std::size_t i, std::size_t told, std::size_t entries);
  // A key of the line where it is written as one, else null.
  const syntax::StringLit* key_is_written(const Config& c, std::string_view key) const;
  text::Span key_span(const Config& c, std::string_view key) const;
  void misfit(text::Span at, text::Severity severity, std::string message, const std::string& meant = {},
              const syntax::StringLit* key = nullptr);

  EntryFinder& finder_;
  Function* get_kernel_ = nullptr;
  std::vector<Config> configs_;
  std::vector<text::Diagnostic> failures_;
  int misfits_ = 0;
  std::string limit_;               // that a line met; empty: none did
  std::string missing_everywhere_;  // "'rows'"; empty: each argument stands in some line
};

}  // namespace tilewright::script
