#include "compiler/ptx/chain.h"

#include <algorithm>
#include <map>

#include "compiler/ptx/faults.h"
#include "compiler/ptx/row_text.h"
#include "compiler/ptx/words.h"

namespace tilewright::ptx {
namespace {

constexpr std::string_view kKeywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                          "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                          "else",   "except", "finally", "for",      "from",     "global", "if",
                                          "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                          "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The first open slot that lists the token, filled with it.
std::optional<Filled> fill(const Row& row, const Filled& filled, std::string_view token) {
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    if (filled[i] != kOpen) continue;
    auto found = std::ranges::find(row.slots[i].choices, token);
    if (found == row.slots[i].choices.end()) continue;
    Filled out = filled;
    out[i] = static_cast<std::int16_t>(found - row.slots[i].choices.begin());
    return out;
  }
  return std::nullopt;
}

bool holds(const Rule& rule, const Filled& filled) {
  for (const Test& test : rule.when)
    if (!test.is.contains(filled[test.slot])) return true;
  return rule.need.is.contains(filled[rule.need.slot]);
}

// Whether a rule is broken whatever comes: all its slots are filled, and it does not hold.
bool broken(const Rule& rule, const Filled& filled) {
  if (filled[rule.need.slot] == kOpen || holds(rule, filled)) return false;
  return std::ranges::all_of(rule.when, [&](const Test& test) { return filled[test.slot] != kOpen; });
}

// Whether slots can be filled or left out so that all rules hold. Slots below `next` and those in `filled` are decided.
bool completable(const Row& row, Filled& filled, std::vector<bool>& decided, std::size_t next) {
  bool wrong = std::ranges::any_of(row.rules, [&](const Rule& rule) {
    bool known =
        decided[rule.need.slot] && std::ranges::all_of(rule.when, [&](const Test& t) { return decided[t.slot]; });
    return known && !holds(rule, filled);
  });
  if (wrong) return false;
  while (next < filled.size() && decided[next]) ++next;
  if (next == filled.size()) return true;
  decided[next] = true;
  bool found = row.slots[next].optional && completable(row, filled, decided, next + 1);
  for (std::size_t i = 0; !found && i < row.slots[next].choices.size(); ++i) {
    filled[next] = static_cast<std::int16_t>(i);
    found = completable(row, filled, decided, next + 1);
  }
  filled[next] = kOpen;
  decided[next] = false;
  return found;
}

bool completable(const Row& row, Filled filled) {
  std::vector<bool> decided(filled.size());
  for (std::size_t i = 0; i < filled.size(); ++i) decided[i] = filled[i] != kOpen;
  return completable(row, filled, decided, 0);
}

// The choices of a slot with which the instruction can be completed.
std::vector<std::string_view> legal_choices(const Row& row, Filled filled, std::size_t slot) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < row.slots[slot].choices.size(); ++i) {
    filled[slot] = static_cast<std::int16_t>(i);
    if (completable(row, filled)) out.push_back(row.slots[slot].choices[i]);
  }
  return out;
}

// "legal here: scope .cta or .cluster; .b64".
std::string legal_here(const std::vector<Open>& open) {
  if (open.empty()) return "nothing can follow";
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> slots;
  for (const Open& o : open) {
    auto found = std::ranges::find(slots, o.slot, [](const auto& s) { return s.first; });
    if (found == slots.end()) found = slots.insert(slots.end(), {o.slot, {}});
    found->second.push_back(o.token);
  }
  std::string out = "legal here: ";
  std::size_t shown = 0;
  for (const auto& [slot, tokens] : slots) {
    if (shown == 6) return out + " and words of " + std::to_string(slots.size() - shown) + " more slots";
    if (shown++ > 0) out += "; ";
    if (tokens.size() > 1 || tokens[0] != slot) out += std::string(slot) + " ";
    out += listed(tokens);
  }
  return out;
}

// Some families hold several words of PTX in their name: multimem_st_async is multimem.st.async.
std::string no_family(std::string_view text) {
  std::string out = "there is no instruction family " + std::string(text.substr(0, text.find('.'))) + " in T.ptx";
  const std::vector<std::string_view> words = split(text, '.');
  for (std::size_t count = std::min<std::size_t>(words.size(), 3); count > 1; --count) {
    std::string name(words[0]);
    for (std::size_t i = 1; i < count; ++i) name += "_" + std::string(words[i]);
    if (!Chain::begin(name)) continue;
    for (std::size_t i = count; i < words.size(); ++i) name += "." + std::string(words[i]);
    return out + ": write " + name;
  }
  return out;
}

}  // namespace

std::string token_of_word(std::string_view word) {
  std::string out(word);
  replace_all(out, "__colon__", "\1");
  replace_all(out, "__", "::");
  replace_all(out, "\1", ":");
  if (out.ends_with('_')) out.pop_back();
  return out;
}

std::string word_of_token(std::string_view token) {
  std::string out(token);
  replace_all(out, "::", "__");
  replace_all(out, ":", "__colon__");
  if (std::ranges::find(kKeywords, out) != std::end(kKeywords)) out += '_';
  return out;
}

std::optional<Chain> Chain::begin(std::string_view name) {
  std::span<const Row* const> rows = family(name);
  if (rows.empty() && name.ends_with('_')) rows = family(name.substr(0, name.size() - 1));  // `and_`
  if (rows.empty()) return std::nullopt;
  Chain out;
  for (const Row* row : rows) out.candidates_.push_back({row, Filled(row->slots.size(), kOpen)});
  return out;
}

std::expected<Chain, std::string> Chain::parse(std::string_view text) {
  std::size_t dot = text.find('.');
  std::string_view name = text.substr(0, dot);
  std::optional<Chain> chain = begin(name);
  if (!chain) return std::unexpected(no_family(text));
  while (dot != text.npos) {
    text = text.substr(dot + 1);
    dot = text.find('.');
    std::expected<Chain, std::string> next = chain->then(text.substr(0, dot));
    if (!next) return next;
    chain = std::move(*next);
  }
  return std::move(*chain);
}

std::optional<Chain> Chain::with(std::string_view token) const {
  Chain out;
  out.words_ = words_;
  for (const Candidate& candidate : candidates_) {
    std::optional<Filled> filled = fill(*candidate.row, candidate.filled, token);
    if (filled) out.candidates_.push_back({candidate.row, std::move(*filled)});
  }
  if (out.candidates_.empty()) return std::nullopt;
  const Candidate& first = out.candidates_[0];
  for (std::size_t i = 0; i < first.filled.size(); ++i)
    if (first.row->token(first.filled, i) == token) out.words_.push_back(first.row->token(first.filled, i));
  if (out.words_.size() > words_.size() + 1) out.words_.resize(words_.size() + 1);
  return out;
}

std::expected<Chain, std::string> Chain::then(std::string_view token) const {
  if (std::optional<Chain> next = with(token)) return std::move(*next);
  std::string message = text() + " takes no " + dotted(token) + ": ", other = text() + "_" + std::string(token);
  replace_all(other, ".", "_");
  if (begin(other)) return std::unexpected(message + "that is a family of its own, T.ptx." + other);
  std::map<std::string, std::vector<std::string_view>> reasons;
  for (const Candidate& candidate : candidates_)
    reasons[refusal_of(*candidate.row, candidate.filled, token)].push_back(candidate.row->id);
  bool first = true;
  for (const auto& [reason, ids] : reasons) {
    if (!first) message += "; ";
    first = false;
    message += reason;
    if (reasons.size() > 1)
      message += " (" + (ids.size() > 1 ? std::to_string(ids.size()) + " forms" : std::string(ids[0])) + ")";
  }
  return std::unexpected(message + "; " + legal_here(open()));
}

std::vector<Open> Chain::open() const {
  std::map<std::string_view, std::string_view> found;
  for (const Candidate& candidate : candidates_) {
    const Row& row = *candidate.row;
    if (!row.spellable) continue;
    for (std::size_t i = 0; i < row.slots.size(); ++i) {
      if (candidate.filled[i] != kOpen) continue;
      for (std::string_view token : legal_choices(row, candidate.filled, i)) {
        std::optional<Filled> filled = fill(row, candidate.filled, token);  // an earlier slot may take it
        if (filled && completable(row, *filled)) found.emplace(token, row.slots[i].name);
      }
    }
  }
  std::vector<Open> out;
  for (auto [token, slot] : found) out.push_back({token, word_of_token(token), slot});
  return out;
}

bool Chain::complete() const {
  return std::ranges::any_of(candidates_, [](const Candidate& c) { return !has_fault(c); });
}

std::string Chain::text() const {
  std::string out(candidates_[0].row->mnemonic);
  for (std::string_view word : words_) out += dotted(word);
  return out;
}

bool has_fault(const Candidate& candidate) {
  const Row& row = *candidate.row;
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    if (candidate.filled[i] == kOpen && !row.slots[i].optional) return true;
  }
  return std::ranges::any_of(row.rules, [&](const Rule& rule) { return !holds(rule, candidate.filled); });
}

std::optional<std::string> fault_of(const Candidate& candidate) {
  const Row& row = *candidate.row;
  for (const Rule& rule : row.rules)
    if (broken(rule, candidate.filled)) return reason_of(row, rule, candidate.filled);
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    if (candidate.filled[i] != kOpen || row.slots[i].optional) continue;
    std::vector<std::string_view> choices = legal_choices(row, candidate.filled, i);
    if (choices.size() == 1 && choices[0].contains('.')) return unspellable(choices[0]);
    if (choices.size() == 1) return dotted(choices[0]) + " is missing";
    return std::string(row.slots[i].name) + " is missing, legal here: " + listed(choices);
  }
  for (const Rule& rule : row.rules)
    if (!holds(rule, candidate.filled)) return reason_of(row, rule, candidate.filled);
  return std::nullopt;
}

}  // namespace tilewright::ptx
