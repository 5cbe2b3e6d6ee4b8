// What a warp does with registers alone, and questions about addresses, as instructions of 0.27.
#include <array>

#include "compiler/simulate/machine/compile_instructions.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {
namespace {

// Lane l holds elements 2(l mod 4) and the next of row l / 4 (PTX ISA, "movmatrix").
Step transpose(Machine&, std::span<Thread> lanes, const Site& s) {
  std::array<std::array<std::uint64_t, 8>, 8> matrix{};
  std::uint32_t undefined = 0;
  for (std::size_t l = 0; l < 32; ++l) {
    const std::uint64_t word = Machine::arg(lanes[l], s, 0);
    for (std::size_t e = 0; e < 2; ++e) matrix[l / 4][l % 4 * 2 + e] = word >> 16 * e & 0xffff;
    if (lanes[l].undefined_count && undefined == 0) undefined = lanes[l].undefined[s.args[0]];
  }
  for (std::size_t l = 0; l < 32; ++l) {
    const std::uint64_t word = matrix[l % 4 * 2][l / 4] | matrix[l % 4 * 2 + 1][l / 4] << 16;
    lanes[l].carried = undefined;
    Machine::set_result(lanes[l], s, normalised(word, s.type));
    lanes[l].carried = 0;
  }
  return Step::Done;
}

// Of a generic address (PTX ISA, "isspacep"): .shared is the thread's own CTA, .shared::cluster any of the cluster. Of
// the parameters tensor maps alone have an address, and nothing is in constant memory.
Step is_in_space(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t block = m.generic(Machine::arg(t, s, 0)) >> kOffsetBits;
  const auto rank = m.rank_of(Machine::arg(t, s, 0));
  const bool local = block >= kLocalBlocks, parameter = m.is_encoded_map(Machine::arg(t, s, 0));
  const bool holds = s.text == "local"             ? local
                     : s.text == "shared::cluster" ? rank.has_value()
                     : s.text == "const"           ? false
                     : s.text.starts_with("param") ? parameter
                     : s.text == "global"          ? !local && !rank && !parameter && block != 0
                                                   : rank && *rank == t.cta;
  Machine::set_result(t, s, holds);
  return Step::Done;
}

constexpr CallRow kTranspose{.meaning = Meaning::LdMatrix, .slots = "a", .warp = transpose};
constexpr CallRow kSpace{.meaning = Meaning::GetCtaRank, .slots = "addr", .thread = is_in_space};

}  // namespace

const CallRow& transpose_call() { return kTranspose; }
const CallRow& space_call() { return kSpace; }

}  // namespace tilewright::simulate
