// T.ptx of release 0.27 for editors: which word can follow, what a chain of words means, what its call takes.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/ptx/chain.h"
#include "server/ide/completion.h"
#include "server/ide/hover_parts.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {

// The chain that a dotted name spells, "T.ptx.ld.global_.b32" or a path with the words of PTX; none for another name,
// and in releases that have no such words.
std::optional<ptx::Chain> instruction_chain(text::Dialect release, std::string_view dotted);
// The words that can follow.
void add_words(Completions& out, const ptx::Chain& chain);
// The forms that its words leave, each with what it does, its operands and its targets.
void hover_instruction(HoverBlocks& out, const ptx::Chain& chain);
// A form of its call each, complete ones alone where there are some.
std::vector<Callable> instruction_callables(std::string_view name, const ptx::Chain& chain);

}  // namespace tilewright::ide
