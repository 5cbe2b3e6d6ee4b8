// `# tilewright: run ENTRY NAME=VALUE ...`: the parts of such a comment, before their meaning is looked up.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// All views point into the source.
struct RunComment {
  struct Setting {
    std::string_view name, value;  // the value is empty where nothing stands behind the sign
  };
  std::string_view entry;               // "make(128, 64)", "encode then consume"; empty: the kernel below is meant
  std::vector<Setting> settings;        // in order
  std::vector<std::string_view> stray;  // words that stand alone where a setting is expected
  // The parts of "encode then consume"; most often one.
  std::vector<std::string_view> kernels() const;
};

// Nothing: another comment. Settings and words have blanks or commas between them, and what stands in brackets or
// quotes belongs together; a `#` begins a remark.
std::optional<RunComment> run_comment(const Directive& directive);

}  // namespace tilewright::syntax
