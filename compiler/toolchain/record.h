// Named byte strings in a row: the one encoding behind the helper's messages, cache entries and cache keys.
// Lengths come first, so no content needs escaping and two different records never encode to the same bytes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::toolchain {

using Record = std::vector<std::pair<std::string, std::string>>;

std::string encode(const Record& record);
// Nothing when `bytes` is not exactly one encoded record.
std::optional<Record> decode(std::string_view bytes);

// The first value under `name`; an empty view when there is none.
std::string_view field(const Record& record, std::string_view name);
// Moves the first value under `name` out; an empty string when there is none.
std::string take(Record& record, std::string_view name);

}  // namespace tilewright::toolchain
