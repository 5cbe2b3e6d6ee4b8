#include "compiler/toolchain/record.h"

#include <cstdint>
#include <cstring>

namespace tilewright::toolchain {
namespace {

// Native byte order: neither the helper nor the cache leaves the machine.
void put(std::string& out, std::string_view bytes) {
  std::uint64_t size = bytes.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  out.append(bytes);
}

bool get(std::string_view& in, std::string& bytes) {
  std::uint64_t size = 0;
  if (in.size() < sizeof(size)) return false;
  std::memcpy(&size, in.data(), sizeof(size));
  in.remove_prefix(sizeof(size));
  if (in.size() < size) return false;
  bytes.assign(in.substr(0, size));
  in.remove_prefix(size);
  return true;
}

}  // namespace

std::string encode(const Record& record) {
  std::size_t size = 0;
  for (const auto& [name, value] : record) size += 16 + name.size() + value.size();
  std::string out;
  out.reserve(size);
  for (const auto& [name, value] : record) {
    put(out, name);
    put(out, value);
  }
  return out;
}

std::optional<Record> decode(std::string_view bytes) {
  Record record;
  while (!bytes.empty()) {
    auto& [name, value] = record.emplace_back();
    if (!get(bytes, name) || !get(bytes, value)) return std::nullopt;
  }
  return record;
}

std::string_view field(const Record& record, std::string_view name) {
  for (const auto& [key, value] : record) {
    if (key == name) return value;
  }
  return {};
}

std::string take(Record& record, std::string_view name) {
  for (auto& [key, value] : record) {
    if (key == name) return std::move(value);
  }
  return {};
}

}  // namespace tilewright::toolchain
