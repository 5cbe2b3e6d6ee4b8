// The pieces of hover texts.
#pragma once
#include <string>
#include <vector>

#include "server/lsp/look.h"
#include "server/lsp/request.h"
#include "server/lsp/view.h"

namespace tilewright::lsp {

// A short text in the form that the client reads: markdown, or plain with rules drawn by hand.
class HoverText {
 public:
  explicit HoverText(bool markdown) : markdown_(markdown) {}
  void title(std::string_view strong, std::string_view rest = {});
  void words(std::string_view text);
  void code(std::string_view language, std::string_view text);
  // A block with a name over it.
  void section(std::string_view name, std::string_view language, std::string_view text);
  void links(const std::vector<std::pair<std::string, std::string>>& named);
  bool empty() const { return text_.empty(); }
  bool markdown() const { return markdown_; }
  protocol::MarkupContent content() &&;

 private:
  bool markdown_;
  std::string text_;
};

// The first `count` lines, and how many are left out.
std::string first_lines(std::string_view text, std::size_t count);

// ---- hover_call.cpp ----------------------------------------------------------------------------------------------
// What a call became: the first of `calls`, and a word about the others where they differ.
void hover_call(HoverText& out, const Request& r, const std::vector<EvaluatedCall>& calls);

// ---- hover_value.cpp ---------------------------------------------------------------------------------------------
struct HoverSubject {
  std::string name;  // as written; may be empty
  const session::Probed* probed = nullptr;
  const session::Analysis* analysis = nullptr;
};
// What a value is. False: nothing worth saying.
bool hover_value(HoverText& out, const HoverSubject& subject, script::Value value);
// A word of `T`, `Tx` and the layout algebra (script/vocabulary.h). False: it is none.
bool hover_documented(HoverText& out, std::string_view name);
void hover_intrinsic(HoverText& out, std::string_view path);  // "ptx.mbarrier.init"
// `def name(params)` and the docstring.
void hover_function(HoverText& out, const syntax::FunctionDef& def, std::string_view source, std::string_view kind);

}  // namespace tilewright::lsp
