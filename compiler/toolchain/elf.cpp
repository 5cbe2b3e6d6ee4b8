#include "compiler/toolchain/elf.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <optional>

#include "compiler/toolchain/digest.h"

namespace tilewright::toolchain {
namespace {

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.substr(offset, size);
}

std::optional<Elf64_Ehdr> header_of(std::string_view bytes) {
  auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  return header;
}

}  // namespace

std::vector<ElfSection> elf_sections(std::string_view bytes) {
  auto header = header_of(bytes);
  if (!header) return {};
  auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(bytes, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  auto names = section(header->e_shstrndx);
  if (!names || header->e_shoff > bytes.size()) return {};
  std::string_view table = slice(bytes, names->sh_offset, names->sh_size);
  std::vector<ElfSection> sections;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    auto entry = section(i);
    if (!entry) return {};
    if (entry->sh_name >= table.size()) continue;
    std::string_view name = table.substr(entry->sh_name);
    name = name.substr(0, name.find('\0'));
    std::string_view contents;
    if (entry->sh_type != SHT_NOBITS) contents = slice(bytes, entry->sh_offset, entry->sh_size);
    sections.push_back({name, contents, entry->sh_size});
  }
  return sections;
}

std::string build_id(const std::filesystem::path& file) {
  // Linkers put the note among the first segments: a few pages are enough, whatever the file's size.
  std::string head(std::size_t{64} << 10, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  auto header = header_of(head);
  if (!header) return {};
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    auto segment = read_at<Elf64_Phdr>(head, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type != PT_NOTE) continue;
    std::string_view notes = slice(head, segment->p_offset, segment->p_filesz);
    while (auto note = read_at<Elf64_Nhdr>(notes, 0)) {
      auto aligned = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
      std::uint64_t name_at = sizeof(Elf64_Nhdr);
      std::uint64_t value_at = name_at + aligned(note->n_namesz);
      std::string_view value = slice(notes, value_at, note->n_descsz);
      if (note->n_type == NT_GNU_BUILD_ID && slice(notes, name_at, note->n_namesz) == std::string_view("GNU\0", 4)) {
        return hex(value);
      }
      std::uint64_t next = value_at + aligned(note->n_descsz);
      if (next >= notes.size()) break;
      notes.remove_prefix(next);
    }
  }
  return {};
}

}  // namespace tilewright::toolchain
