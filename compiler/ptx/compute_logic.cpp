// Bitwise functions, shifts, and registers taken apart and put together.
#include <algorithm>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

Bits looked_up(Bits a, Bits b, Bits c, Bits table) {
  Bits out = 0;
  for (int i = 0; i < 8; ++i) {
    if (!(table >> i & 1)) continue;
    out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return low(out, 32);
}

Bits shifted(const Form& form, bool left) {
  Type type = form.type();
  auto by = std::min<std::uint32_t>(static_cast<std::uint32_t>(form.in(1)), static_cast<std::uint32_t>(type.bits));
  if (left) return low(form.in(0) << by, type.bits);
  return low(static_cast<Bits>(extended(form.in(0), type) >> by), type.bits);
}

Bits funnel(const Form& form) {
  auto count = static_cast<std::uint32_t>(form.in(2));
  int by = static_cast<int>(form.word("mode") == "wrap" ? count & 31 : std::min(count, 32U));
  Bits pair = low(form.in(1), 32) << 32 | low(form.in(0), 32);
  return low(form.word("dir") == "l" ? (pair << by) >> 32 : pair >> by, 32);
}

// Four of the eight bytes of b:a.
Bits picked(const Form& form) {
  Bits bytes = low(form.in(1), 32) << 32 | low(form.in(0), 32);
  auto c = static_cast<unsigned>(form.in(2));
  unsigned at = c & 3;
  std::string_view mode = form.word("mode");
  Bits out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned from = c >> (4 * i) & 7;
    bool sign = mode.empty() && (c >> (4 * i) & 8);
    if (mode == "f4e") from = at + i;
    if (mode == "b4e") from = (at + 8 - i) & 7;
    if (mode == "rc8") from = at;
    if (mode == "ecl") from = std::max(i, at);
    if (mode == "ecr") from = std::min(i, at);
    if (mode == "rc16") from = (c & 1) * 2 + (i & 1);
    Bits byte = bytes >> (8 * from) & 255;
    if (sign) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}

std::optional<Bits> bitwise(const Form& form) {
  std::string_view id = form.id();
  if (id == "and") return form.in(0) & form.in(1);
  if (id == "or") return form.in(0) | form.in(1);
  if (id == "xor") return form.in(0) ^ form.in(1);
  if (id == "not") return low(~form.in(0), form.type().bits);
  if (id == "cnot") return low(form.in(0), form.type().bits) == 0 ? 1 : 0;
  if (id == "lop3") return looked_up(form.in(0), form.in(1), form.in(2), form.in(3));
  if (id == "shl" || id == "shr") return shifted(form, id == "shl");
  if (id == "shf") return funnel(form);
  if (id == "prmt") return picked(form);
  return std::nullopt;
}

}  // namespace

Results compute_logic(const Form& form) {
  if (form.id() == "lop3_bool" || form.id() == "lop3_bool_sink") {
    Bits d = looked_up(form.in(0), form.in(1), form.in(2), form.in(3));
    bool p = form.word("boolop") == "and" ? d != 0 && form.in(4) != 0 : d != 0 || form.in(4) != 0;
    if (form.id() == "lop3_bool_sink") return std::vector<Bits>{p};
    return std::vector<Bits>{d, p};
  }
  if (std::optional<Bits> result = bitwise(form)) return std::vector<Bits>{*result};
  return std::nullopt;
}

// mov, and the forms that pack registers into one or unpack one.
Results compute_move(const Form& form) {
  std::string_view id = form.id();
  if (id == "mov") return std::vector<Bits>{form.in(0)};
  bool packs = id.starts_with("mov_pack_");
  if (!packs && !id.starts_with("mov_unpack_")) return std::nullopt;
  Type part = number_type(id.substr(packs ? 9 : 11));
  if (packs) {
    Bits out = 0;
    for (int i = 0; i < part.lanes; ++i) out |= low(form.in(static_cast<std::size_t>(i)), part.bits) << (i * part.bits);
    return std::vector<Bits>{out};
  }
  std::vector<Bits> out;
  for (int i = 0; i < part.lanes; ++i) out.push_back(low(form.in(0) >> (i * part.bits), part.bits));
  return out;
}

}  // namespace tilewright::ptx
