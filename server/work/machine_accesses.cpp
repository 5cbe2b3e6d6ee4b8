#include "server/work/machine_accesses.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/work/listing.h"

namespace tilewright::work {
namespace {

using simulate::AccessKind;

struct Access {
  std::vector<AccessKind> kinds;  // empty: it does not say which memory it accesses
  std::uint32_t bytes = 4;        // of a lane
};

// "@!P0 LDG.E.64.CONSTANT R2, ...": "LDG" and its suffixes.
std::vector<std::string_view> parts_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  text = text.substr(0, text.find(' '));
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('.'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Nothing: it is no access of lanes to global or shared memory.
std::optional<Access> access_of(std::string_view text) {
  using enum AccessKind;
  const std::vector<std::string_view> parts = parts_of(text);
  if (parts.empty()) return std::nullopt;
  Access out;
  const std::string_view name = parts.front();
  if (name == "LDG") {
    out.kinds = {GlobalRead};
  } else if (name == "STG") {
    out.kinds = {GlobalWrite};
  } else if (name == "LDS" || name == "LDSM") {
    out.kinds = {SharedRead};
  } else if (name == "STS" || name == "STSM") {
    out.kinds = {SharedWrite};
  } else if (name == "LDGSTS") {
    out.kinds = {GlobalRead, SharedWrite};
  } else if (name == "LDL" || name == "STL" || name == "LDC" || name == "LDCU" || name == "LDGDEPBAR" ||
             name == "LDTM" || name == "STTM" || (!name.starts_with("LD") && !name.starts_with("ST"))) {
    return std::nullopt;
  }
  if (name.ends_with("SM")) out.bytes = 16;
  for (const std::string_view part : parts) {
    if (part == "U8" || part == "S8") out.bytes = 1;
    if (part == "U16" || part == "S16") out.bytes = 2;
    if (part == "64") out.bytes = 8;
    if (part == "128" || part == "256") out.bytes = 16;
  }
  return out;
}

}  // namespace

simulate::MachineAccesses machine_accesses_of(const std::string& sass, const std::string& symbol,
                                              const cuda::CudaSource& cuda) {
  simulate::MachineAccesses out;
  for (const cuda::LineOrigin& line : cuda.lines) out.places.try_emplace(line.origin);
  const Listing listing(sass, symbol);
  out.is_whole = !listing.rows().empty() && !listing.has_more();
  out.once.fill(0);
  for (const auto& [offset, row] : listing.rows()) {
    const std::optional<Access> access = access_of(row.text);
    if (!access) continue;
    const cuda::LineOrigin* origin = listing.origin_of(row, cuda);
    if (!origin) {
      out.is_whole = false;
      continue;
    }
    simulate::MachineAccesses::Place& place = out.places[origin->origin];
    place.is_clear &= !access->kinds.empty();
    for (const AccessKind kind : access->kinds) {
      ++place.kinds[std::to_underlying(kind)].code[simulate::width_number(access->bytes)];
      std::optional<std::uint64_t>& once = out.once[std::to_underlying(kind)];
      if (listing.in_loop(offset)) once.reset();
      if (once) ++*once;
    }
  }
  return out;
}

}  // namespace tilewright::work
