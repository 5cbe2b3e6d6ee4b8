// What a script has said of an instruction so far: `T.ptx.ld.global_.acquire`, before its call.
//
// A chain holds the rows that the words so far leave, each with the slots that the words have filled. A word fills the
// first open slot of a row that lists it, in whatever order words come; rows without such a slot drop out. Which row it
// is in the end, the operands tell (call.h).
#pragma once
#include <expected>
#include <memory>

#include "compiler/ptx/row.h"

namespace tilewright::ptx {

struct Candidate {
  const Row* row = nullptr;
  Filled filled;
};

// A word that can come next.
struct Open {
  std::string_view token;  // as PTX writes it: "shared::cta"
  std::string word;        // as an attribute of Python: "shared__cta"
  std::string_view slot;
};

class Chain {
 public:
  // The chain that a family begins, "mbarrier" or "st_bulk"; null for an unknown one.
  static std::optional<Chain> begin(std::string_view family);
  // "mbarrier.arrive.shared::cta.b64", as the subscript of T.ptx holds it. The error says which word does not fit, and
  // why.
  static std::expected<Chain, std::string> parse(std::string_view text);

  // The chain after one more word, a token of PTX. The error says why each row refuses it and what is legal here.
  std::expected<Chain, std::string> then(std::string_view token) const;
  // The same without the reason, which takes longer to find than the chain. None if each row refuses the token.
  std::optional<Chain> with(std::string_view token) const;

  std::span<const Candidate> candidates() const { return candidates_; }
  // The words that can come next, sorted, without those that no complete instruction has.
  std::vector<Open> open() const;
  // Whether the words so far are a whole instruction of some row.
  bool complete() const;
  // "mbarrier.arrive.shared::cta": the mnemonic and the words so far.
  std::string text() const;

 private:
  std::vector<Candidate> candidates_;
  std::vector<std::string_view> words_;  // tokens of the table
};

// "global_" is "global", "shared__cta" is "shared::cta", "a__colon__b" is "a:b".
std::string token_of_word(std::string_view word);
// The other way round.
std::string word_of_token(std::string_view token);

// Why the modifiers of a candidate are no whole instruction: a slot without its word, or words that do not go together.
// None where they are one.
std::optional<std::string> fault_of(const Candidate& candidate);

}  // namespace tilewright::ptx
