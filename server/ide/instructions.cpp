#include "server/ide/instructions.h"

#include "compiler/ptx/operands.h"
#include "compiler/ptx/sections.h"
#include "compiler/ptx/words.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kShown = 3;  // forms of a hover

// The candidates that are whole instructions, or all where none is.
std::vector<const ptx::Candidate*> worth_showing(const ptx::Chain& chain) {
  std::vector<const ptx::Candidate*> out;
  for (const ptx::Candidate& c : chain.candidates())
    if (!ptx::fault_of(c)) out.push_back(&c);
  if (!out.empty()) return out;
  for (const ptx::Candidate& c : chain.candidates()) out.push_back(&c);
  return out;
}

std::string parameter(const ptx::Candidate& c, const ptx::Operand& o, int lanes, int lane) {
  std::string out(o.name);
  if (lanes > 1) out += std::to_string(lane);
  if (o.kind == ptx::OperandKind::Immediate) return out + ": constant";
  if (o.kind != ptx::OperandKind::Register) {
    const std::string_view space = ptx::space_of(*c.row, o, c.filled);
    return out + ": address" + (space.empty() ? "" : " in " + std::string(space));
  }
  const std::string_view type = ptx::type_of(*c.row, o, c.filled);
  out += type.empty() ? "" : ": ." + std::string(type);
  return o.access == ptx::Access::Read ? out : out + " (written)";
}

}  // namespace

std::optional<ptx::Chain> instruction_chain(text::Dialect release, std::string_view dotted) {
  constexpr std::string_view kRoot = "T.ptx.";
  if (release < text::Dialect::V0_27 || !dotted.starts_with(kRoot)) return std::nullopt;
  std::string_view rest = dotted.substr(kRoot.size());
  std::size_t dot = std::min(rest.find('.'), rest.size());
  std::optional<ptx::Chain> chain = ptx::Chain::begin(ptx::token_of_word(rest.substr(0, dot)));
  while (chain && dot < rest.size()) {
    rest.remove_prefix(dot + 1);
    dot = std::min(rest.find('.'), rest.size());
    const std::string_view word = rest.substr(0, dot);
    auto next = chain->then(word.contains(':') ? std::string(word) : ptx::token_of_word(word));
    if (!next) return std::nullopt;
    chain = std::move(*next);
  }
  return chain;
}

void add_words(Completions& out, const ptx::Chain& chain) {
  for (const ptx::Open& open : chain.open()) {
    std::string detail = "." + std::string(open.token);
    if (open.slot != open.token) detail += "  " + std::string(open.slot);
    out.add(open.word, Completion::Kind::Keyword, 1, std::move(detail));
  }
}

void hover_instruction(HoverBlocks& out, const ptx::Chain& chain) {
  const std::vector<const ptx::Candidate*> all = worth_showing(chain);
  out.title(chain.text(), all.size() == 1 ? "instruction of PTX" : std::to_string(all.size()) + " forms");
  for (std::size_t i = 0; i < all.size() && i < kShown; ++i) {
    const ptx::Row& row = *all[i]->row;
    const ptx::About about = ptx::about(row);
    out.code("ptx", ptx::syntax_of(row));
    out.words(std::string(about.says));
    out.words("From " + std::string(row.arch) + " on, PTX " + std::string(row.isa) + ".");
  }
  if (all.size() > kShown) out.words("and " + std::to_string(all.size() - kShown) + " more");
}

std::vector<Callable> instruction_callables(std::string_view name, const ptx::Chain& chain) {
  constexpr std::size_t kMost = 12;
  std::vector<Callable> out;
  for (const ptx::Candidate* c : worth_showing(chain)) {
    if (out.size() == kMost) break;
    Callable one{std::string(name), ptx::about(*c->row).says, {}, "", false};
    for (const ptx::Operand& o : c->row->operands) {
      if (o.kind == ptx::OperandKind::Literal) continue;
      const int lanes = ptx::count_of(*c->row, o, c->filled);
      for (int k = 0; k < lanes; ++k) one.parameters.push_back(parameter(*c, o, lanes, k));
    }
    one.parameters.emplace_back("pred=None");
    one.parameters.emplace_back("preserve_dst=False");
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tilewright::ide
