// What can stand at a place: what follows a dot (members.h), names in sight, keyword arguments, dtypes, memory scopes,
// architectures and variants inside of strings, and the words of our own comments.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct Completion {
  enum class Kind { Method, Function, Field, Variable, Class, Module, Value, Keyword, Constant };
  std::string label;
  Kind kind = Kind::Variable;
  int rank = 0;  // 0 to 9: what is more likely comes first
  std::string detail;
  std::string_view documentation;  // of the language; lives as long as the program
  bool call = false;               // a call, with its parentheses
  std::uint32_t uses = 0;          // how often the script says it: of one rank what is said more comes first
  std::string_view space;          // of the surface, whose record tells about it; empty: none does
  std::string_view instruction;    // the id of the row that tells about it; empty: none does
  Script script;                   // that defines it, by a name that begins at byte `defined`; null: none does
  std::uint32_t defined = 0;
  std::string words;  // what is told about it where nothing else tells
};

// Collects completions, each label once, at most 2,000 of them.
class Completions {
 public:
  void add(Completion c) {
    if (out_.size() >= kMost) return;
    out_.push_back(std::move(c));
    if (!seen_.insert(out_.back().label).second) out_.pop_back();
  }
  void add(std::string label, Completion::Kind kind, int rank, std::string detail = {},
           std::string_view documentation = {}, bool call = false) {
    add(Completion{std::move(label), kind, rank, std::move(detail), documentation, call, 0, {}, {}, nullptr, 0, {}});
  }
  bool empty() const { return out_.empty(); }
  // Lets each know how often `text` says `owner.label`.
  void count_uses(std::string_view text, std::string_view owner);
  // By rank, then by use, then by name.
  std::vector<Completion> take();

 private:
  static constexpr std::size_t kMost = 2000;
  std::unordered_set<std::string_view> seen_;  // the labels of `out_`, whose elements stay where they are
  std::deque<Completion> out_;
};

std::vector<Completion> completions(const Query& q, std::uint32_t offset);

// What is told about a completion when it is looked at, by the text of the function or class that `script` defines
// at the byte `defined`. Empty: it says nothing.
std::string documentation(const session::Snapshot& script, std::uint32_t defined);
// ... and by the table of instructions.
std::string_view documentation_of_instruction(std::string_view id);

}  // namespace tilewright::ide
