// ldmatrix of matrices whose elements become bytes: m8n16, and m16n16 transposed (PTX ISA, "ldmatrix"). A row has 16
// elements in 16 bytes. Those of 6 and 4 bits lie close together at its beginning, the first one lowest, and come to
// the lower end of their bytes; signed ones of 4 bits fill theirs.
//
// Not transposed: lane 8i + j points to row j of matrix i, and lane L receives elements 4 (L mod 4) and the next three
// of row L / 4. Transposed: lane 16i + j points to row j of matrix i, and of the two registers of a matrix lane L
// receives rows 4 (L mod 4) and the next three, in the first one of column L / 4, in the second one of the column 8
// further.
#include "compiler/simulate/machine/compile_instructions.h"

namespace tilewright::simulate {
namespace {

constexpr std::int64_t kRowBytes = 16;

// An element of a row as a byte; undefined: it was never written.
std::optional<std::uint32_t> element_of(const View& row, int bits, int column) {
  const int first = column * bits, last = first + bits - 1;
  std::uint32_t word = 0;
  for (int byte = first / 8; byte <= last / 8; ++byte) {
    if (!row.defined[byte]) return std::nullopt;
    word |= std::to_integer<std::uint32_t>(row.bytes[byte]) << 8 * (byte - first / 8);
  }
  return word >> first % 8 & ((1u << bits) - 1);
}

Step load(Machine& m, std::span<Thread> lanes, const Site& s) {
  const auto& form = form_of<MatrixBytes>(s);
  const int matrix = form.transposed ? form.which / 2 : form.which, rows = form.transposed ? 16 : 8;
  std::vector<View> views;
  for (int row = 0; row < rows; ++row) {
    const Thread& owner = lanes[static_cast<std::size_t>(matrix * rows + row)];
    const std::uint64_t at = Machine::arg(owner, s, 0);
    auto view = m.view(owner, at, kRowBytes, kRowBytes, false, "matrix load");
    if (!view) return Step::Failed;
    m.observers().read(owner, at, kRowBytes);
    views.push_back(*view);
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    std::uint32_t word = 0;
    bool told = false;
    for (int e = 0; e < 4; ++e) {
      const int in_four = static_cast<int>(lane % 4) * 4 + e, in_eight = static_cast<int>(lane / 4);
      const int row = form.transposed ? in_four : in_eight;
      const int column = form.transposed ? in_eight + form.which % 2 * 8 : in_four;
      const auto element = element_of(views[static_cast<std::size_t>(row)], form.bits, column);
      const std::uint32_t sign = form.is_signed && element.value_or(0) & 8 ? 0xf0 : 0;
      word |= (element.value_or(0) | sign) << 8 * e;
      if (element || told || !m.options().uninitialised_reads) continue;
      const Thread& owner = lanes[static_cast<std::size_t>(matrix * rows + row)];
      m.undefined_read(owner, moved(Machine::arg(owner, s, 0), column * form.bits / 8), "matrix load reads");
      told = true;
    }
    Machine::set_result(lanes[lane], s, word);
  }
  m.meet(lanes);
  return Step::Done;
}

constexpr CallRow kLoad{.meaning = Meaning::LdMatrix, .slots = "p", .warp = load};

}  // namespace

const CallRow& matrix_bytes_call() { return kLoad; }

}  // namespace tilewright::simulate
