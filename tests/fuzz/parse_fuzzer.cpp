// Any bytes are a script. An edited script reads like one that was never edited; every position lies in the text.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compiler/syntax/acceptance.h"
#include "compiler/syntax/dump.h"
#include "compiler/syntax/tree.h"

namespace {

using namespace tilewright;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

std::string everything(const syntax::Tree& tree) {
  std::string all;
  for (const auto& s : tree.statements()) {
    all += std::to_string(s.offset) + ' ' + syntax::dump(s.node->statement, {.extents = true}) + '\n';
    require(s.offset + s.node->text.size() <= tree.source()->size(), "a statement lies in the file");
    require(s.node->statement->at.end <= s.node->text.size(), "a node lies in its statement");
  }
  for (const auto& e : tree.errors()) {
    all += std::to_string(e.begin) + ':' + std::to_string(e.end) + ' ' + e.message + '\n';
    require(e.begin <= e.end && e.end <= tree.source()->size(), "an error lies in the file");
  }
  for (const auto& d : tree.directives()) all += std::to_string(d.line) + std::string(d.text) + '\n';
  return all;
}

// Only statements that are suspect are searched for rules beside the grammar (convert.h): none may be missed.
void keeps_rules(const syntax::TopLevel& statement) {
  auto decoded = syntax::decode(statement.text);
  if (!statement.errors.empty() || !decoded || decoded->encoding != "utf-8") return;
  require(syntax::accept(statement.text).has_value(), "a statement without errors keeps all rules");
}

}  // namespace

// The first byte cuts the rest in two; the text is parsed with and without what stands before the cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::size_t cut = text.size() * data[0] / 256;
  auto source = std::make_shared<const text::Source>("fuzz.py", text);
  auto fresh = syntax::Tree::parse(source);
  auto part = syntax::Tree::parse(std::make_shared<const text::Source>("fuzz.py", text.substr(cut)));
  const std::string read = everything(*fresh);
  auto edited = syntax::Tree::reparse(*part, source, {0, 0, static_cast<std::uint32_t>(cut)});
  require(read == everything(*edited), "an edit ends where a fresh parse does");
  edited = syntax::Tree::reparse(*part, source);
  require(read == everything(*edited), "and so does one whose place is not given");
  for (const auto& s : fresh->statements()) keeps_rules(*s.node);
  syntax::parse_expression(text, nullptr);
  return 0;
}
