#include "compiler/script/homes.h"

#include <algorithm>

#include "compiler/script/prelude.h"
#include "compiler/script/python/known_packages.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/text/word_list.h"

namespace tilewright::script {
namespace {

// Names that kernels are written with, and no others that these modules have: a slip in a name of the script's own
// must not look like one of them.
struct PythonModule {
  std::string_view module, names;
};
constexpr PythonModule kPython[] = {
    {"dataclasses", "dataclass field fields replace asdict astuple"},
    {"functools", "partial reduce lru_cache cache wraps cached_property"},
    {"itertools", "product chain accumulate combinations permutations zip_longest"},
    {"enum", "Enum IntEnum IntFlag Flag auto unique"},
    {"collections", "Counter OrderedDict defaultdict deque namedtuple"},
    {"typing",
     "Any Callable ClassVar Dict Final Iterable Iterator List Literal NamedTuple Optional Sequence Tuple TYPE_CHECKING "
     "TypeVar Union"},
    {"math", "ceil floor gcd log2 prod sqrt"},
    {"abc", "ABC abstractmethod"},
    {"contextlib", "contextmanager nullcontext"},
    {"pathlib", "Path"},
};
constexpr std::string_view kModules =
    "collections copy dataclasses enum functools itertools math numpy operator os random sys torch tvm typing";

// Layouts that belong to the copies of tensor maps.
constexpr std::string_view kCopyLayouts =
    "SwizzleMode mma_shared_layout mma_atom_layout mma_atom_shape tma_shared_layout tma_atom_layout tma_atom_shape "
    "get_swizzle_mode_from_layout";
std::string_view copy_module(text::Dialect release) {
  return release < text::Dialect::V0_26 ? "tvm.tirx.cuda.operator.tile_primitive.tma_utils"
                                        : "tvm.backend.cuda.tile_primitive.tma_utils";
}

}  // namespace

std::string Home::line() const {
  const std::string as = alias.empty() ? "" : " as " + alias;
  return name.empty() ? "import " + module + as : "from " + module + " import " + name + as;
}

std::string_view prelude_module(std::string_view name) {
  if (name.starts_with('_') || prelude_file_of(name, text::kDefaultDialect).empty()) return {};
  const std::string_view module = module_with(name);
  return module.starts_with("tvm.tirx.lang.") ? module : std::string_view();
}

std::vector<Home> homes_of(const Surface& surface, std::string_view name) {
  std::vector<Home> out;
  auto from = [&](std::string_view module) { out.push_back({std::string(module), std::string(name), ""}); };
  if (name == "T") out.push_back({"tvm.script", "tirx", "T"});
  if (name == "I") out.push_back({"tvm.script", "ir", "I"});
  if (name == "Tx") out.push_back({"tvm.script.tirx", "tile", "Tx"});
  if (name == "txl" && surface.dialect() >= text::Dialect::V0_27) out.push_back({"tirx_kernels.tirx_lite", "", "txl"});
  if (name == "np") out.push_back({"numpy", "", "np"});
  if (std::string_view module = prelude_module(name); !module.empty()) {
    from(module);
  } else if (text::lists_word(kCopyLayouts, name)) {
    from(copy_module(surface.dialect()));
  } else if (const Record* r = surface.find("layout", name); r && r->is_offered()) {
    from("tvm.tirx.layout");
  }
  for (const PythonModule& p : kPython) {
    if (text::lists_word(p.names, name)) from(p.module);
  }
  if (text::lists_word(kModules, name)) out.push_back({std::string(name), "", ""});
  return out;
}

std::string import_line(const Surface& surface, std::string_view name) {
  std::vector<Home> homes = homes_of(surface, name);
  if (!homes.empty()) return homes.front().line();
  return name.size() > 1 && python::is_known_package(name) ? "import " + std::string(name) : "";
}

}  // namespace tilewright::script
