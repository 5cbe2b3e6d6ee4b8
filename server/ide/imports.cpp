#include "server/ide/imports.h"

#include <algorithm>
#include <filesystem>

#include "compiler/script/prelude.h"
#include "compiler/script/surface.h"
#include "server/ide/names.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

// A module, and the name that is asked of it; without a name the module itself is imported.
struct Home {
  std::string module, name, alias;

  std::string line() const {
    std::string as = alias.empty() ? "" : " as " + alias;
    return name.empty() ? "import " + module + as : "from " + module + " import " + name + as;
  }
};

struct PythonName {
  std::string_view module, names;  // separated by spaces
};
constexpr PythonName kPython[] = {
    {"dataclasses", "dataclass field fields replace asdict astuple"},
    {"functools", "partial reduce lru_cache cache wraps"},
    {"itertools", "product chain accumulate combinations permutations zip_longest"},
    {"enum", "Enum IntEnum IntFlag Flag auto unique"},
    {"collections", "namedtuple defaultdict OrderedDict Counter deque"},
    {"typing",
     "Any Callable ClassVar Dict Final Iterable List Literal NamedTuple Optional Sequence Tuple Union "
     "TYPE_CHECKING"},
    {"math", "ceil floor gcd log2 prod sqrt"},
};
constexpr std::string_view kPythonModules[] = {"collections", "copy",      "dataclasses", "enum",
                                               "functools",   "itertools", "math",        "operator",
                                               "os",          "random",    "sys",         "typing"};

// The modules of the prelude's files, as the dialect calls them.
struct PreludeModule {
  std::string_view file, module;
};
constexpr PreludeModule kPrelude[] = {
    {"barriers.py", "tvm.tirx.lang.pipeline"},    {"pipeline.py", "tvm.tirx.lang.pipeline"},
    {"roles.py", "tvm.tirx.lang.warp_role"},      {"descriptors.py", "tvm.tirx.lang.smem_desc"},
    {"smem_pool.py", "tvm.tirx.lang.alloc_pool"}, {"tmem_pool.py", "tvm.tirx.lang.alloc_pool"}};

// Names of the layout algebra that live with the tensor copies.
constexpr std::string_view kCopyLayouts[] = {"SwizzleMode",    "mma_shared_layout",           "mma_atom_layout",
                                             "mma_atom_shape", "tma_shared_layout",           "tma_atom_layout",
                                             "tma_atom_shape", "get_swizzle_mode_from_layout"};
constexpr std::string_view kCopyModule = "tvm.tirx.cuda.operator.tile_primitive.tma_utils";

bool lists(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const bool begins = at == 0 || words[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

std::vector<Home> homes_of(const session::Snapshot& script, std::string_view name) {
  std::vector<Home> out;
  if (name == "T") out.push_back({"tvm.script", "tirx", "T"});
  if (name == "I") out.push_back({"tvm.script", "ir", "I"});
  if (name == "Tx") out.push_back({"tvm.script.tirx", "tile", "Tx"});
  const script::Surface& surface = script.surface();
  if (std::string_view module = prelude_module(name); !module.empty()) {
    out.push_back({std::string(module), std::string(name), ""});
  } else if (std::ranges::find(kCopyLayouts, name) != std::end(kCopyLayouts)) {
    out.push_back({std::string(kCopyModule), std::string(name), ""});
  } else if (const script::Record* r = surface.find("layout", name); r && r->is_offered()) {
    out.push_back({"tvm.tirx.layout", std::string(name), ""});
  }
  for (const PythonName& p : kPython) {
    if (lists(p.names, name)) out.push_back({std::string(p.module), std::string(name), ""});
  }
  if (std::ranges::find(kPythonModules, name) != std::end(kPythonModules)) out.push_back({std::string(name), "", ""});
  if (name == "np") out.push_back({"numpy", "", "np"});
  if (name == "torch" || name == "numpy" || name == "tvm") out.push_back({std::string(name), "", ""});
  return out;
}

// Scripts of the same folder that define it.
void add_neighbours(const Query& q, std::string_view name, std::vector<Home>& out) {
  namespace fs = std::filesystem;
  if (!is_file(q.snapshot->path())) return;
  const fs::path folder = fs::path(q.snapshot->path()).parent_path();
  Scripts scripts(q);
  const std::string wanted[] = {std::string(name)};
  for (const std::string& path : scripts.all()) {
    if (q.stop.stop_requested() || out.size() > 3) return;
    const fs::path file(path);
    if (file.parent_path() != folder || path == q.snapshot->path() || !scripts.mentions(path, wanted)) continue;
    auto script = scripts.find(path);
    const session::Symbol* s = script ? script->symbols().lookup(name, 0) : nullptr;
    using enum session::SymbolKind;
    if (!s || s->kind == Import || s->kind == Builtin) continue;
    const std::string stem = file.stem().string();
    const bool importable =
        std::ranges::all_of(stem, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (importable) out.push_back({stem, std::string(name), ""});
  }
}

std::uint32_t line_behind(std::string_view text, std::size_t offset) {
  std::size_t newline = text.find('\n', offset);
  return static_cast<std::uint32_t>(newline == text.npos ? text.size() : newline + 1);
}

// The edit that brings `home` into the script: one more name of an import that is there, or a line of its own behind
// the imports at the head.
Mend import_of(const session::Snapshot& script, const Home& home, std::uint32_t offset) {
  std::string_view text = script.source().text();
  std::uint32_t place = 0;
  bool behind = false;
  for (const Tree::Statement& s : script.tree()->statements()) {
    if (s.offset > offset) break;
    const Node* n = s.node->statement;
    auto* from = as<ImportFrom>(n);
    auto* doc = as<ExprStmt>(n);
    const bool docstring = !behind && doc && doc->value->kind == NodeKind::StringLit;
    if (from && from->level == 0 && from->module == home.module && home.alias.empty() && !home.name.empty() &&
        !from->names.empty() && from->names.back().name != "*") {
      std::uint32_t end = s.offset + from->names.back().bound.at.end;
      return {"Import " + home.name + " from " + home.module, {end, end}, ", " + home.name, true};
    }
    if (!from && n->kind != NodeKind::Import && !docstring) {
      if (!behind && place == 0) {
        std::size_t newline = s.offset ? text.rfind('\n', s.offset - 1) : text.npos;
        place = newline == text.npos ? 0 : static_cast<std::uint32_t>(newline + 1);
      }
      continue;
    }
    if (docstring && place) continue;
    place = line_behind(text, s.offset + n->at.end);
    behind = true;
  }
  std::string line = home.line();
  if (place > 0 && text[place - 1] != '\n') {
    return {"Write " + line, {place, place}, "\n" + line, true};  // the last line has no end
  }
  return {"Write " + line, {place, place}, line + "\n", true};
}

}  // namespace

std::span<const std::string_view> known_modules() {
  static constexpr std::string_view kModules[] = {"tvm",
                                                  "tvm.script",
                                                  "tvm.script.tirx",
                                                  "tvm.tirx",
                                                  "tvm.tirx.layout",
                                                  "tvm.tirx.lang.alloc_pool",
                                                  "tvm.tirx.lang.pipeline",
                                                  "tvm.tirx.lang.smem_desc",
                                                  "tvm.tirx.lang.tile_scheduler",
                                                  "tvm.tirx.lang.warp_role",
                                                  kCopyModule,
                                                  "collections",
                                                  "copy",
                                                  "dataclasses",
                                                  "enum",
                                                  "functools",
                                                  "itertools",
                                                  "math",
                                                  "numpy",
                                                  "operator",
                                                  "os",
                                                  "sys",
                                                  "torch",
                                                  "typing"};
  return kModules;
}

std::string_view prelude_module(std::string_view name) {
  std::string_view file = script::prelude_file_of(name);
  if (file.empty() || name.starts_with('_')) return {};
  if (file.starts_with("scheduler")) return "tvm.tirx.lang.tile_scheduler";
  const auto* known = std::ranges::find(kPrelude, file, &PreludeModule::file);
  return known == std::end(kPrelude) ? std::string_view() : known->module;
}

std::vector<Mend> missing_imports(const Query& q, std::string_view name, std::uint32_t offset) {
  std::vector<Home> homes = homes_of(*q.snapshot, name);
  if (homes.empty()) add_neighbours(q, name, homes);
  std::vector<Mend> out;
  for (const Home& home : homes) out.push_back(import_of(*q.snapshot, home, offset));
  for (Mend& m : out) m.preferred = out.size() == 1;
  return out;
}

}  // namespace tilewright::ide
