// A rule against a place of a script.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/migrate/names.h"
#include "compiler/migrate/rule.h"

namespace tilewright::migrate {

// A rule whose sides were parsed.
struct Parsed {
  Rule rule;
  std::shared_ptr<const syntax::Tree> was, is;  // `is` null: a person must decide, or a note
  bool keeps = false;                           // `...`: what is not named stays as it is
  bool of_layouts = false;                      // `&`: of a buffer with a layout that the function gives it

  // The call of `was`, and the name that it is assigned to; null: none.
  const syntax::Call* call() const;
  const syntax::Node* target() const;
  // Whether `is` can stand within an expression.
  bool is_expression() const;
  // Whether all it does is to take keywords away: several such rules may hold for one call.
  bool drops() const;
};
const std::vector<Parsed>& parsed_rules(text::Dialect release);

// What a name of a rule stands for at a place.
struct Binding {
  std::vector<const syntax::Node*> nodes;  // several for `*names`
  std::string text;                        // of a default that the script leaves out
};
struct Match {
  const Parsed* rule = nullptr;
  std::map<std::string_view, Binding> bound;
  // `...`: the keywords of `was` and the arguments of the script that they are.
  std::vector<std::pair<const syntax::Keyword*, const syntax::Keyword*>> keywords;
};

// Does the rule's call fit this one?
std::optional<Match> match(const Parsed& rule, const syntax::Call& call, const Names& names, std::string_view text);

}  // namespace tilewright::migrate
