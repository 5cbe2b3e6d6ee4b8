// The pieces of hovers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/hover.h"
#include "server/ide/look.h"

namespace tilewright::ide {

// Collects blocks; texts that say nothing are left out.
class HoverBlocks {
 public:
  void title(std::string_view strong, std::string_view rest = {}) {
    blocks_.emplace_back(Hover::Title{std::string(strong), std::string(rest)});
  }
  void words(std::string_view text) {
    if (!text.empty()) blocks_.emplace_back(Hover::Words{std::string(text)});
  }
  void said(std::string_view text) {
    if (!text.empty()) blocks_.emplace_back(Hover::Said{std::string(text)});
  }
  void code(std::string_view language, std::string_view text) {
    if (!text.empty()) blocks_.emplace_back(Hover::Code{std::string(language), std::string(text)});
  }
  void section(std::string_view name, std::string_view language, std::string_view text) {
    blocks_.emplace_back(Hover::Section{std::string(name), std::string(language), std::string(text)});
  }
  void links(std::vector<std::pair<std::string, ViewName>> named) {
    blocks_.emplace_back(Hover::Links{std::move(named)});
  }
  bool empty() const { return blocks_.empty(); }
  std::vector<Hover::Block> take() && { return std::move(blocks_); }

 private:
  std::vector<Hover::Block> blocks_;
};

// The first `count` lines, and how many are left out.
std::string first_lines(std::string_view text, std::size_t count);

// ---- hover_call.cpp ----------------------------------------------------------------------------------------------
// What a call became: the first of `calls`, and a word about the others where they differ.
void hover_call(HoverBlocks& out, const Query& q, const std::vector<EvaluatedCall>& calls);

// ---- hover_time.cpp ----------------------------------------------------------------------------------------------
// What is known of the kernel's time, or of a line of the script, from 0. Nothing where it was not made yet.
void hover_time(HoverBlocks& out, const Query& q, const session::CompiledKernel& kernel, const text::Anchors& anchors,
                std::optional<std::uint32_t> line);

// ---- hover_value.cpp ---------------------------------------------------------------------------------------------
struct HoverSubject {
  std::string name;  // as written; may be empty
  const session::Probed* probed = nullptr;
  const session::Analysis* analysis = nullptr;
};
// What a value is. False: nothing worth saying.
bool hover_value(HoverBlocks& out, const HoverSubject& subject, script::Value value);
// A word of `T`, `Tx` and the layout algebra (script/surface.h), which the script spells as `written`. False: it is
// none.
bool hover_documented(HoverBlocks& out, const script::Surface& surface, std::string_view name,
                      std::string_view written);
void hover_intrinsic(HoverBlocks& out, text::Dialect release, std::string_view path);  // "ptx.mbarrier.init"
// `def name(params)` and the docstring.
void hover_function(HoverBlocks& out, const syntax::FunctionDef& def, std::string_view source, std::string_view kind);

}  // namespace tilewright::ide
