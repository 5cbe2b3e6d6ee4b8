#include "server/work/build_record.h"

#include <array>
#include <charconv>

#include "compiler/toolchain/record.h"

namespace tilewright::work {
namespace {

using toolchain::decode;
using toolchain::encode;
using toolchain::field;
using toolchain::Record;

// What does not fit ends the reading; nothing of it is used then.
struct Unreadable {};

std::string number(std::int64_t value) { return std::to_string(value); }
std::int64_t number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) throw Unreadable{};
  return out;
}
std::string text_of(const Record& record, std::string_view name) {
  for (const auto& [key, value] : record)
    if (key == name) return value;
  throw Unreadable{};
}
// The entry lies in a file that other programs may have written.
template <class T>
T number(std::string_view text, std::int64_t least, std::int64_t most) {
  const std::int64_t out = number(text);
  if (out < least || out > most) throw Unreadable{};
  return static_cast<T>(out);
}
template <class T>
T number_of(const Record& record, std::string_view name, std::int64_t least, std::int64_t most) {
  return number<T>(text_of(record, name), least, most);
}
// What a place in a file, a count of findings and a count of a kernel's resources can be.
constexpr std::int64_t kMostPlace = (std::int64_t{1} << 31) - 1, kMostCount = 1'000'000'000;
Record record_of(std::string_view bytes) {
  auto out = decode(bytes);
  if (!out) throw Unreadable{};
  return std::move(*out);
}

// Paths as they are written: below the root without it, others whole.
struct Paths {
  std::string root;  // with '/' behind it
  bool leads_out = false;

  explicit Paths(const std::filesystem::path& folder) : root(folder.string()) {
    if (!root.ends_with('/')) root += '/';
  }
  std::string shortened(const std::string& path) {
    if (path.starts_with(root)) return path.substr(root.size());
    leads_out = leads_out || path.empty() || path.starts_with('/');
    return path;
  }
  // Text for people.
  std::string words(std::string text) {
    leads_out = leads_out || text.find(std::string_view(root).substr(0, root.size() - 1)) != text.npos;
    return text;
  }
  std::string whole(std::string_view path) const { return root + std::string(path); }
};

std::string place(const BuildPlace& at, Paths& paths) {
  Record out{{"path", paths.shortened(at.path)}};
  for (const std::uint32_t n : {at.begin.line, at.begin.column, at.end.line, at.end.column})
    out.emplace_back("n", number(n));
  return encode(out);
}

BuildPlace place(std::string_view bytes, const Paths& paths) {
  const Record record = record_of(bytes);
  if (record.size() != 5) throw Unreadable{};
  std::array<std::uint32_t, 4> n{};
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = number<std::uint32_t>(record[i + 1].second, 0, kMostPlace);
  return {paths.whole(record[0].second), {n[0], n[1]}, {n[2], n[3]}};
}

std::string finding(const BuildFinding& f, Paths& paths) {
  Record out{{"at", place(f.at, paths)},
             {"severity", number(static_cast<int>(f.severity))},
             {"code", f.code},
             {"message", paths.words(f.message)},
             {"hint", paths.words(f.hint)}};
  for (const BuildFinding::Related& r : f.related)
    out.emplace_back("related", encode({{"at", place(r.at, paths)}, {"message", paths.words(r.message)}}));
  return encode(out);
}

BuildFinding finding(std::string_view bytes, const Paths& paths) {
  const Record record = record_of(bytes);
  const auto severity = number_of<int>(record, "severity", 0, static_cast<int>(text::Severity::Hint));
  BuildFinding out{place(text_of(record, "at"), paths),
                   static_cast<text::Severity>(severity),
                   text_of(record, "code"),
                   text_of(record, "message"),
                   text_of(record, "hint"),
                   {}};
  for (const auto& [name, value] : record) {
    if (name != "related") continue;
    const Record related = record_of(value);
    out.related.push_back({place(text_of(related, "at"), paths), text_of(related, "message")});
  }
  return out;
}

constexpr std::array kResources = {
    &toolchain::KernelResources::registers,     &toolchain::KernelResources::spill_stores,
    &toolchain::KernelResources::spill_loads,   &toolchain::KernelResources::stack,
    &toolchain::KernelResources::static_shared, &toolchain::KernelResources::barriers,
    &toolchain::KernelResources::constant,      &toolchain::KernelResources::code};

std::string kernel(const BuiltKernel& k, Paths& paths) {
  Record out{{"name", k.name},
             {"symbol", k.symbol},
             {"entry", k.entry},
             {"arch", k.architecture},
             {"shared", number(k.dynamic_shared_bytes)},
             {"failed", number(k.failed)},
             {"unknown", paths.words(k.unknown)}};
  if (k.instructions) out.emplace_back("instructions", number(*k.instructions));
  if (!k.resources) return encode(out);
  Record resources{{"name", k.resources->name}};
  for (const auto member : kResources) resources.emplace_back("n", number((*k.resources).*member));
  out.emplace_back("resources", encode(resources));
  return encode(out);
}

BuiltKernel kernel(std::string_view bytes) {
  const Record record = record_of(bytes);
  BuiltKernel out;
  out.name = text_of(record, "name");
  out.symbol = text_of(record, "symbol");
  out.entry = text_of(record, "entry");
  out.architecture = text_of(record, "arch");
  out.dynamic_shared_bytes = number_of<std::int64_t>(record, "shared", 0, kMostCount);
  out.failed = number_of<int>(record, "failed", 0, 1) != 0;
  out.unknown = text_of(record, "unknown");
  if (const auto n = field(record, "instructions"); !n.empty())
    out.instructions = number<std::int64_t>(n, 0, kMostPlace);
  const auto written = field(record, "resources");
  if (written.empty()) return out;
  const Record resources = record_of(written);
  if (resources.size() != kResources.size() + 1) throw Unreadable{};
  out.resources.emplace().name = text_of(resources, "name");
  for (std::size_t i = 0; i < kResources.size(); ++i)
    (*out.resources).*kResources[i] = number<int>(resources[i + 1].second, 0, kMostCount);
  return out;
}

}  // namespace

std::optional<std::string> write_build(const BuiltScript& script, const std::filesystem::path& root) {
  Paths paths(root);
  Record out{{"errors", number(static_cast<std::int64_t>(script.errors))},
             {"warnings", number(static_cast<std::int64_t>(script.warnings))}};
  for (const BuildFinding& f : script.findings) out.emplace_back("finding", finding(f, paths));
  for (const BuiltKernel& k : script.kernels) out.emplace_back("kernel", kernel(k, paths));
  if (paths.leads_out) return std::nullopt;
  return encode(out);
}

std::shared_ptr<BuiltScript> read_build(std::string_view bytes, const std::string& path,
                                        const std::filesystem::path& root) {
  try {
    const Paths paths(root);
    const Record record = record_of(bytes);
    auto out = std::make_shared<BuiltScript>();
    out->path = path;
    out->errors = number_of<std::size_t>(record, "errors", 0, kMostCount);
    out->warnings = number_of<std::size_t>(record, "warnings", 0, kMostCount);
    for (const auto& [name, value] : record) {
      if (name == "finding") out->findings.push_back(finding(value, paths));
      if (name == "kernel") out->kernels.push_back(kernel(value));
    }
    return out;
  } catch (const Unreadable&) {
    return nullptr;
  }
}

std::optional<std::string> write_imports(const std::vector<project::ImportedFile>& imports,
                                         const std::filesystem::path& root, bool contents) {
  Paths paths(root);
  Record out;
  for (const project::ImportedFile& i : imports) {
    Record one{{"module", i.module},
               {"level", number(i.level)},
               {"importer", paths.shortened(i.importer)},
               {"path", i.path.empty() ? std::string() : paths.shortened(i.path)},
               {"listing", number(i.listing)}};
    if (contents) one.emplace_back("digest", i.digest);
    out.emplace_back("import", encode(one));
  }
  if (paths.leads_out) return std::nullopt;
  return encode(out);
}

std::optional<std::vector<project::ImportedFile>> read_imports(std::string_view bytes,
                                                               const std::filesystem::path& root) {
  try {
    const Paths paths(root);
    std::vector<project::ImportedFile> out;
    for (const auto& [name, value] : record_of(bytes)) {
      const Record record = record_of(value);
      project::ImportedFile& i = out.emplace_back();
      i.root = root;
      i.module = text_of(record, "module");
      i.level = number_of<int>(record, "level", 0, 1000);
      i.importer = paths.whole(text_of(record, "importer"));
      i.path = text_of(record, "path");
      if (!i.path.empty()) i.path = paths.whole(i.path);
      i.listing = number_of<int>(record, "listing", 0, 1) != 0;
      i.digest = text_of(record, "digest");
    }
    return out;
  } catch (const Unreadable&) {
    return std::nullopt;
  }
}

}  // namespace tilewright::work
