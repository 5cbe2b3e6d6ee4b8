#include "compiler/toolchain/crash_site.h"

#include <algorithm>
#include <cctype>

namespace tilewright::toolchain {
namespace {

// An asm statement of the text: [begin, end), its semicolon included.
struct Statement {
  std::size_t begin = 0, end = 0;
};

// Behind the parenthesis that closes the one at `open`; npos: there is none. Parentheses in quotes count for nothing.
std::size_t behind_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '(') {
      ++depth;
    } else if (!quoted && c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return text.npos;
}

std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> out;
  for (std::size_t at = text.find("asm"); at != text.npos; at = text.find("asm", at + 3)) {
    const auto is_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_';
    };
    if (at > 0 && is_word(at - 1)) continue;
    std::size_t open = at + 3;
    if (text.substr(open).starts_with(" volatile")) open += 9;
    while (open < text.size() && text[open] == ' ') ++open;
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t end = behind_parentheses(text, open);
    if (end == text.npos || end >= text.size() || text[end] != ';') continue;
    out.push_back({at, end + 1});
  }
  return out;
}

// The text with the statements from number `first` on left out; lines stay where they are.
std::string without(std::string_view text, const std::vector<Statement>& statements, std::size_t first) {
  std::string out(text);
  for (std::size_t i = first; i < statements.size(); ++i)
    for (std::size_t at = statements[i].begin; at + 1 < statements[i].end; ++at)
      if (out[at] != '\n') out[at] = ' ';
  return out;
}

std::uint32_t line_of(std::string_view text, std::size_t at) {
  return static_cast<std::uint32_t>(1 + std::ranges::count(text.substr(0, at), '\n'));
}

// The instruction in the first quotes of a statement: "prefetch.local.L1".
std::string instruction_in(std::string_view statement) {
  const std::size_t quote = statement.find('"');
  if (quote == statement.npos) return "an instruction";
  std::string_view text = statement.substr(quote + 1);
  text = text.substr(0, text.find('"'));
  const std::size_t from = text.find_first_not_of(" {");
  if (from == text.npos) return "an instruction";
  text = text.substr(from);
  return std::string(text.substr(0, text.find_first_of(" ;")));
}

// The function that the statement stands in, where its head is the nearest line above that is not indented.
std::string_view function_around(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t before = text.rfind('\n', at - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    if (!line.empty() && line[0] != ' ' && line[0] != '}') {
      const std::size_t open = line.find('(');
      if (!line.contains("__device__") || open == line.npos) return {};
      const std::size_t space = line.rfind(' ', open);
      return line.substr(space + 1, open - space - 1);
    }
    if (before == text.npos) return {};
    at = before;
  }
  return {};
}

// Where the function is called below `from`.
std::vector<std::uint32_t> calls_of(std::string_view text, std::string_view function, std::size_t from) {
  std::vector<std::uint32_t> out;
  if (function.empty()) return out;
  const std::string call = std::string(function) + "(";
  for (std::size_t at = text.find(call, from); at != text.npos; at = text.find(call, at + call.size()))
    out.push_back(line_of(text, at));
  return out;
}

}  // namespace

std::optional<LogEntry> crash_site(std::string_view source,
                                   const std::function<std::optional<bool>(const std::string&)>& crashes) {
  const std::vector<Statement> statements = statements_of(source);
  if (statements.empty()) return std::nullopt;
  // With the first `low` statements it does not crash, with the first `high` it does.
  std::size_t low = 0, high = statements.size();
  if (const auto still = crashes(without(source, statements, 0)); !still || *still) return std::nullopt;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const auto answer = crashes(without(source, statements, middle));
    if (!answer) return std::nullopt;
    (*answer ? high : low) = middle;
  }
  const Statement& culprit = statements[low];
  LogEntry entry;
  entry.message = instruction_in(source.substr(culprit.begin, culprit.end - culprit.begin));
  entry.chain = calls_of(source, function_around(source, culprit.begin), culprit.end);
  if (entry.chain.empty()) entry.chain = {line_of(source, culprit.begin)};
  entry.cuda_line = static_cast<int>(entry.chain.front());
  return entry;
}

}  // namespace tilewright::toolchain
