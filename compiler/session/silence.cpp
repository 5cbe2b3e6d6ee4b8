#include "compiler/session/silence.h"

#include <algorithm>
#include <utility>

#include "compiler/syntax/path.h"

namespace tilewright::session {
namespace {

constexpr std::string_view kSpaces = " \t";

void trim(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  while (!text.empty() && kSpaces.contains(text.back())) text.remove_suffix(1);
}

bool is_code(std::string_view text) {
  return text.size() >= 6 && text.starts_with("TW") &&
         std::ranges::all_of(text.substr(2, 4), [](char c) { return c >= '0' && c <= '9'; });
}

// Where a reason ends: before a comma that another code follows.
std::size_t end_of_reason(std::string_view text) {
  for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
    std::string_view next = text.substr(comma + 1);
    trim(next);
    if (is_code(next)) return comma;
  }
  return text.size();
}

// Where the statement ends that an assignment or a call is, of several lines perhaps.
std::uint32_t end_of_statement(const syntax::Tree& tree, std::uint32_t offset) {
  using enum syntax::NodeKind;
  constexpr syntax::NodeKind kSimple[] = {ExprStmt, Assign, AugAssign, AnnAssign, Return};
  const syntax::Path path = syntax::path_at(tree, offset);
  for (const syntax::Node* n : path.nodes)
    if (std::ranges::find(kSimple, n->kind) != std::end(kSimple)) return path.end(n);
  return offset;
}

// Where a reader sees the diagnostic in the script: at its own place, or at the innermost call that led to another
// file. The line, and the last one of the statement there.
std::optional<std::pair<std::uint32_t, std::uint32_t>> lines_in_script(const syntax::Tree& tree,
                                                                       const text::Diagnostic& d,
                                                                       const text::Anchors& anchors) {
  auto line = [&](text::Span span) -> std::optional<std::pair<std::uint32_t, std::uint32_t>> {
    const text::Anchors::Place at = anchors.resolve(span);
    if (!at.source || at.source != tree.source().get()) return std::nullopt;
    return std::pair(at.source->position(at.begin).line, at.source->position(end_of_statement(tree, at.begin)).line);
  };
  if (auto own = line(d.span)) return own;
  for (auto call = d.chain.rbegin(); call != d.chain.rend(); ++call)
    if (auto own = line(*call)) return own;
  return std::nullopt;
}

}  // namespace

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<IgnoredCode> ignored_codes(std::string_view directive) {
  constexpr std::string_view kBetween = " \t,";
  constexpr std::size_t kMost = 1000;  // of a comment
  std::vector<IgnoredCode> out;
  const std::size_t open = directive.find('[');
  if (open == directive.npos) return out;
  const std::size_t close = closing_bracket(directive, open);
  if (close == directive.npos) return out;
  std::string_view rest = directive.substr(open + 1, close - open - 1);
  while (out.size() < kMost) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
    if (rest.empty()) break;
    IgnoredCode& one = out.emplace_back();
    one.code = rest.substr(0, rest.find_first_of(" \t,:"));
    rest.remove_prefix(one.code.size());
    const std::size_t next = rest.find_first_not_of(kSpaces);
    if (next == rest.npos || rest[next] != ':') continue;
    rest.remove_prefix(next + 1);
    one.reason = rest.substr(0, end_of_reason(rest));
    rest.remove_prefix(one.reason.size());
    trim(one.reason);
  }
  return out;
}

bool needs_reason(std::string_view code) { return code.starts_with("TW50"); }

const syntax::Directive* comment_about(const syntax::Tree& tree, const text::Diagnostic& d,
                                       const text::Anchors& anchors) {
  if (tree.directives().empty()) return nullptr;
  const auto lines = lines_in_script(tree, d, anchors);
  if (!lines) return nullptr;
  for (const syntax::Directive& directive : tree.directives()) {
    const bool here = directive.line == lines->first || directive.line == lines->second;
    if (!directive.text.starts_with("ignore") || !here) continue;
    if (directive.text.find('[') == std::string_view::npos) return &directive;
    const auto codes = ignored_codes(directive.text);
    if (std::ranges::find(codes, d.code, &IgnoredCode::code) != codes.end()) return &directive;
  }
  return nullptr;
}

std::optional<std::string> reason_for(const syntax::Tree& tree, const text::Diagnostic& d,
                                      const text::Anchors& anchors) {
  const syntax::Directive* comment = comment_about(tree, d, anchors);
  if (!comment) return std::nullopt;
  for (const IgnoredCode& one : ignored_codes(comment->text))
    if (one.code == d.code && !one.reason.empty()) return std::string(one.reason);
  return std::nullopt;
}

}  // namespace tilewright::session
