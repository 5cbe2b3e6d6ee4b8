// The little that is read from ELF files: section sizes of a cubin, the build id of a shared library.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::toolchain {

struct ElfSection {
  std::string_view name;      // points into the bytes read
  std::string_view contents;  // empty for a section that occupies no file space
  std::uint64_t size = 0;     // bytes in memory
};

// Sections of a 64-bit little-endian ELF file; empty when the bytes are none or point outside themselves.
std::vector<ElfSection> elf_sections(std::string_view bytes);

// The GNU build id in hexadecimal; empty when the file has none. Reads only the file's first pages.
std::string build_id(const std::filesystem::path& file);

}  // namespace tilewright::toolchain
