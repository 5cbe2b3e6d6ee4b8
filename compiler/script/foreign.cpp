#include "compiler/script/foreign.h"

#include <cctype>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/intrinsics/say.h"
#include "compiler/script/foreign_rows.h"
#include "compiler/text/word_list.h"

namespace tilewright::script {
namespace {

// The longer path of a package for the name that it is usually imported by.
constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
    {"triton.language.extra.cuda.libdevice", "tl.libdevice"},
    {"tl.extra.cuda.libdevice", "tl.libdevice"},
    {"triton.language", "tl"},
    {"tilelang.language", "T"},
    {"cutlass.cute", "cute"},
    {"jax.numpy", "jnp"},
    {"torch.nn.functional", "F"},
    {"numba.cuda", "cuda"},
    {"numpy", "np"},
    {"jax.experimental.pallas.mosaic_gpu", "plgpu"},
    {"jax.experimental.pallas.triton", "plgpu"},
    {"jax.experimental.pallas", "pl"},
    {"pltriton", "plgpu"},
    {"libdevice", "tl.libdevice"},
};

// Below these the names stand that are also written alone.
constexpr std::string_view kHolders =
    "T T.cuda T.ptx T.nvshmem tl tl.math tl.libdevice triton cute cute.arch cute.math cuda cutlass cutlass.arch cg "
    "nvcuda std math";

std::string usual(std::string_view path) {
  for (const auto& [full, brief] : kUsual) {
    if (path == full || (path.starts_with(full) && path[full.size()] == '.'))
      return std::string(brief).append(path.substr(full.size()));
  }
  return std::string(path);
}

const ForeignRow* find(std::span<const ForeignRow> rows, std::string_view name) {
  for (const ForeignRow& row : rows)
    if (text::lists_word(row.names, name)) return &row;
  return nullptr;
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

const ForeignRow* row_of(ForeignSpace space, std::string_view path) {
  switch (space) {
    case ForeignSpace::Tile: return find(foreign_tiles(), last_of(path));
    case ForeignSpace::Buffer: return find(foreign_buffers(), last_of(path));
    case ForeignSpace::Scalar: return find(foreign_scalars(), last_of(path));
    case ForeignSpace::Any: break;
  }
  const std::string known = usual(path);
  for (const auto& rows : {foreign_packages(), foreign_jax_mojo()})
    if (const ForeignRow* row = find(rows, known)) return row;
  const std::size_t dot = known.rfind('.');
  if (dot == known.npos) return find(foreign_cuda(), known);
  const bool held = text::lists_word(kHolders, std::string_view(known).substr(0, dot));
  return held ? find(foreign_cuda(), last_of(known)) : nullptr;
}

// The rows in braces as the release spells them, and the name where `{name}` stands.
std::string spelled(std::string_view words, std::string_view name, text::Dialect release) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = words[i] == '{' ? words.find('}', i) : words.npos;
    if (end == words.npos) {
      out += words[i];
      continue;
    }
    const std::string_view inner = words.substr(i + 1, end - i - 1);
    const intrinsics::Intrinsic* row = inner == "name" ? nullptr : intrinsics::row_of_id(inner);
    out += row ? intrinsics::say(*row, release) : std::string(name);
    i = end;
  }
  for (std::size_t at = out.find("$name"); at != out.npos; at = out.find("$name")) out.replace(at, 5, name);
  return intrinsics::say(out, release);
}

// A template of `instead` as people read it: `$1` is a, `$4|32` is 32.
std::string shown(std::string_view instead) {
  std::string out;
  for (std::size_t i = 0; i < instead.size(); ++i) {
    const bool operand = instead[i] == '$' && i + 1 < instead.size() && std::isdigit(instead[i + 1]);
    if (!operand) {
      out += instead[i];
      continue;
    }
    const int number = instead[++i] - '0';
    if (i + 1 < instead.size() && instead[i + 1] == '|') {
      ++i;  // what follows stands for it
    } else {
      out += number == 0 ? 'x' : static_cast<char>('a' + number - 1);
    }
  }
  return out;
}

struct Known {
  std::string_view name, instead;
};

constexpr Known kDtypes[] = {
    {"fp16", "float16"},
    {"half", "float16"},
    {"__half", "float16"},
    {"float_16", "float16"},
    {"bf16", "bfloat16"},
    {"bfloat", "bfloat16"},
    {"fp32", "float32"},
    {"float", "float32"},
    {"single", "float32"},
    {"tf32", "float32"},
    {"fp64", "float64"},
    {"double", "float64"},
    {"fp8", "float8_e4m3fn"},
    {"e4m3", "float8_e4m3fn"},
    {"e5m2", "float8_e5m2"},
    {"int", "int32"},
    {"uint", "uint32"},
    {"unsigned", "uint32"},
    {"long", "int64"},
    {"ulong", "uint64"},
    {"longlong", "int64"},
    {"size_t", "uint64"},
    {"short", "int16"},
    {"ushort", "uint16"},
    {"char", "int8"},
    {"uchar", "uint8"},
    {"byte", "uint8"},
    {"bool_", "bool"},
    {"fp8_e4m3", "float8_e4m3fn"},
    {"fp8_e5m2", "float8_e5m2"},
    {"half2", "float16x2"},
    {"float2", "float32x2"},
    {"float4", "float32x4"},
    {"fp4", "float4_e2m1fn"},
    {"e2m1", "float4_e2m1fn"},
    {"__nv_bfloat16", "bfloat16"},
    {"float8e4nv", "float8_e4m3fn"},
    {"float8e5", "float8_e5m2"},
    {"int1", "bool"},
};

constexpr Known kScopes[] = {
    {"smem", "shared"},
    {"sram", "shared"},
    {"__shared__", "shared"},
    {"shared_memory", "shared"},
    {"lds", "shared"},
    {"dynamic_shared", "shared.dyn"},
    {"shared_dyn", "shared.dyn"},
    {"shared.dynamic", "shared.dyn"},
    {"gmem", "global"},
    {"hbm", "global"},
    {"dram", "global"},
    {"vram", "global"},
    {"device", "global"},
    {"register", "local"},
    {"registers", "local"},
    {"reg", "local"},
    {"rmem", "local"},
    {"fragment", "local"},
    {"local.fragment", "local"},
    {"private", "local"},
    {"thread", "local"},
    {"tensor_memory", "tmem"},
};

template <std::size_t N>
std::string_view known_as(const Known (&table)[N], std::string_view name) {
  for (const Known& k : table)
    if (k.name == name) return k.instead;
  return {};
}

}  // namespace

std::string_view foreign_part(ForeignSpace space, std::string_view path) {
  std::string_view part = path;
  while (true) {
    if (const ForeignRow* row = row_of(space, part)) {
      // Of an id `.x` is the whole.
      const bool first = row->instead.starts_with('=') && path.substr(part.size()).starts_with(".x");
      return first ? path.substr(0, part.size() + 2) : part;
    }
    const std::size_t dot = part.rfind('.');
    if (dot == part.npos) return {};
    part = part.substr(0, dot);
  }
}

std::optional<ForeignName> foreign_name(ForeignSpace space, std::string_view path, text::Dialect release) {
  std::string_view part = foreign_part(space, path);
  if (part.empty()) return std::nullopt;
  const ForeignRow* row = row_of(space, part);
  if (!row && part.ends_with(".x")) row = row_of(space, part.substr(0, part.size() - 2));
  if (!row) return std::nullopt;
  const std::string_view name = last_of(part);
  ForeignName out{spelled(row->words, name, release), spelled(row->instead, name, release)};
  if (out.hint.empty()) out.hint = "write " + shown(out.instead);
  return out;
}

std::string foreign_hint(ForeignSpace space, std::string_view path, text::Dialect release) {
  auto found = foreign_name(space, path, release);
  return found ? std::move(found->hint) : std::string();
}

std::string_view path_at(std::string_view text, std::size_t begin) {
  auto is_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  std::size_t end = begin;
  while (is_name(end)) {
    while (is_name(end)) ++end;
    if (end < text.size() && text[end] == '.' && is_name(end + 1)) ++end;
  }
  return begin < text.size() ? text.substr(begin, end - begin) : std::string_view();
}

std::string_view dtype_known_as(std::string_view name) { return known_as(kDtypes, name); }
std::string_view scope_known_as(std::string_view name) { return known_as(kScopes, name); }

}  // namespace tilewright::script
