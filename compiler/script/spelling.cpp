#include "compiler/script/spelling.h"

#include "compiler/script/python/known_packages.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"

namespace tilewright::script {
namespace {

struct Usual {
  std::string_view names;  // with a blank between them
  std::string_view module;
};
constexpr Usual kUsual[] = {
    {"dataclass field", "dataclasses"},
    {"partial reduce lru_cache cache wraps cached_property", "functools"},
    {"Enum IntEnum IntFlag", "enum"},
    {"Any Callable ClassVar Dict Final Iterable Iterator List Literal NamedTuple Optional Sequence Tuple TYPE_CHECKING "
     "TypeVar Union",
     "typing"},
    {"Counter OrderedDict defaultdict deque namedtuple", "collections"},
    {"chain product", "itertools"},
    {"ABC abstractmethod", "abc"},
    {"contextmanager nullcontext", "contextlib"},
    {"Path", "pathlib"},
};

bool holds(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

void Nearby::consider(std::string_view name) {
  if (name.empty() || name.find_first_of(".<") != name.npos) return;
  if (name.starts_with("__") && !wrong_.starts_with('_')) return;
  if (holds("copyright credits exit help license quit", name)) return;  // for people at a prompt
  nearest_.consider(name);
}

std::string Nearby::hint() const {
  return nearest_.found().empty() ? "" : "did you mean " + std::string(nearest_.found()) + "?";
}

text::Fix fix_of_hint(std::string_view hint) {
  constexpr std::string_view kBegin = "did you mean ";
  if (!hint.starts_with(kBegin) || !hint.ends_with('?')) return {};
  hint = hint.substr(kBegin.size(), hint.size() - kBegin.size() - 1);
  std::string name(hint.substr(hint.rfind('.') + 1));
  for (char c : name) {
    bool letter = static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (!letter) return {};
  }
  return {text::Fix::Kind::Replace, "Replace by " + name, name};
}

std::string import_line(const Surface& surface, std::string_view name) {
  if (name == "T") return "from tvm.script import tirx as T";
  if (name == "Tx") return "from tvm.script.tirx import tile as Tx";
  if (name == "I") return "from tvm.script import ir as I";
  if (name == "np") return "import numpy as np";
  auto from = [&](std::string_view module) { return "from " + std::string(module) + " import " + std::string(name); };
  if (const Record* r = surface.find("layout", name); r && r->is_offered()) return from("tvm.tirx.layout");
  if (surface.find("lang", name)) {
    if (std::string_view module = module_with(name); module.starts_with("tvm.tirx.lang")) return from(module);
  }
  for (const Usual& u : kUsual) {
    if (holds(u.names, name)) return from(u.module);
  }
  return name.size() > 1 && python::is_known_package(name) ? "import " + std::string(name) : "";
}

}  // namespace tilewright::script
