#include "tests/script/cases.h"

#include <algorithm>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/codes.h"
#include "compiler/session/compile.h"

namespace tilewright::script_tests {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_marker(std::string_view line) {
  if (line.starts_with("#|")) return true;
  std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || line[at] != '#') return false;
  std::string_view rest = line.substr(at + 1);
  at = rest.find_first_not_of(' ');
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at);
  if (rest.starts_with("hint: ") || rest.starts_with("from: ")) return true;
  if (rest[0] != '^' && rest[0] != '@') return false;
  for (std::string_view severity : {"error", "warning", "information", "hint"}) {
    if (rest.find(" " + std::string(severity) + "[") != std::string_view::npos) return true;
  }
  return false;
}

std::string option(std::string_view header, std::string_view name, bool* found) {
  std::size_t at = header.find("[" + std::string(name));
  if (at == std::string_view::npos) return {};
  std::size_t end = header.find(']', at);
  std::string_view inside = header.substr(at + 1, end - at - 1);
  if (inside != name && !inside.starts_with(std::string(name) + " ")) return {};
  *found = true;
  return std::string(inside.substr(std::min(name.size() + 1, inside.size())));
}

// Finds imports among the files of the case.
class Files : public script::Loader {
 public:
  explicit Files(const Case& c) {
    for (const auto& [path, text] : c.files) files_[path] = text;
  }
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override {
    std::string path = folder_of(level, importer);
    for (char ch : module) path += ch == '.' ? '/' : ch;
    for (const char* end : {".py", "/__init__.py"}) {
      auto found = files_.find(path + end);
      if (found == files_.end()) continue;
      auto& tree = trees_[found->first];
      if (!tree) tree = syntax::Tree::parse(std::make_shared<text::Source>(found->first, found->second));
      return tree;
    }
    return nullptr;
  }
  std::optional<std::vector<std::string>> beside(std::string_view module, int level,
                                                 std::string_view importer) override {
    std::string folder = folder_of(level, importer);
    for (char ch : module) folder += ch == '.' ? '/' : ch;
    if (!module.empty()) folder += '/';
    std::vector<std::string> names;
    for (auto& [path, text] : files_) {
      if (!path.starts_with(folder)) continue;
      std::string name = path.substr(folder.size());
      name.resize(std::min({name.size(), name.find('/'), name.find('.')}));
      if (name != "__init__") names.push_back(name);
    }
    if (names.empty() && !module.empty()) return std::nullopt;
    return names;
  }

 private:
  static std::string folder_of(int level, std::string_view importer) {
    if (level == 0) return {};
    std::string folder(importer.substr(0, importer.rfind('/') == std::string_view::npos ? 0 : importer.rfind('/') + 1));
    for (int i = 1; i < level && !folder.empty(); ++i) {
      folder.pop_back();
      folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
    }
    return folder;
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> trees_;
};

std::string_view severity_name(text::Severity s) {
  switch (s) {
    case text::Severity::Error: return "error";
    case text::Severity::Warning: return "warning";
    case text::Severity::Information: return "information";
    default: return "hint";
  }
}

session::Compiled compile(std::string_view text, const Case& c, Files& files) {
  auto tree = syntax::Tree::parse(std::make_shared<text::Source>("main.py", std::string(text)));
  session::CompileOptions options;
  if (c.arch == "found")
    options.architecture_source = session::ArchitectureSource::Default;
  else
    options.target = *ir::parse_target(c.arch.empty() ? "sm_100a" : c.arch);
  options.stage = c.cuda || c.calls ? session::Stage::Cuda : session::Stage::Evaluate;
  if (!c.entry.empty()) options.entries = {c.entry};
  return session::compile(tree, &files, {}, options);
}

std::string printed(const script::KernelValue& k) { return ir::print_script(k.kernel, intrinsics::printed_arguments); }

std::string one_line(std::string_view text) {
  std::string out;
  for (char ch : text) {
    if (ch == '\n')
      out += "\\n";
    else
      out += ch;
  }
  return out;
}

// `text` in a line that begins with `head`; each of its further lines becomes one of `#|`.
std::string outcome_lines(std::string_view head, std::string_view text) {
  std::string out(head);
  for (char ch : text) {
    if (ch == '\n')
      out += "\n#| ";
    else
      out += ch;
  }
  return out + "\n";
}

// The markers of a diagnostic, to stand after the line that they point into.
std::string marker(const text::Diagnostic& d, const text::Anchors& anchors, std::uint32_t* line) {
  text::Anchors::Place place = anchors.resolve(d.span);
  std::string what =
      outcome_lines(std::string(severity_name(d.severity)) + "[" + std::string(d.code) + "]: ", d.message);
  std::string out;
  *line = 0;
  bool here = place.source && place.source->path() == "main.py";
  if (!here) {
    out = "# @" + (place.source ? place.source->path() : std::string("nowhere")) + " " + what;
  } else {
    text::LineColumn from = place.source->position(place.begin), to = place.source->position(place.end);
    *line = from.line;
    if (from.line == to.line && from.column >= 2) {
      out = "#" + std::string(from.column - 1, ' ') + std::string(std::max(1u, to.column - from.column), '^') + " " +
            what;
    } else {
      out = "# @1:" + std::to_string(from.column + 1) + "-" + std::to_string(to.line - from.line + 1) + ":" +
            std::to_string(to.column + 1) + " " + what;
    }
  }
  if (!d.hint.empty()) out += outcome_lines("#   hint: ", d.hint);
  for (text::Span call : d.chain) {
    text::Anchors::Place at = anchors.resolve(call);
    if (!at.source) continue;
    std::string shown(at.source->text().substr(at.begin, at.end - at.begin));
    out += "#   from: " + one_line(shown).substr(0, 80) + "\n";
  }
  return out;
}

std::string fact_text(const dispatch::FactValue& value) {
  if (auto* n = std::get_if<std::int64_t>(&value)) return std::to_string(*n);
  if (auto* s = std::get_if<std::string>(&value)) return *s;
  std::string out;
  for (std::int64_t n : std::get<std::vector<std::int64_t>>(value))
    out += (out.empty() ? "[" : " ") + std::to_string(n);
  return out.empty() ? "[]" : out + "]";
}

// "12 add -> reg: vec_elems 2, outer 8" and a line for each variant that was not chosen; the line is the script's.
std::string call_lines(const session::CompiledKernel& k, const text::Anchors& anchors) {
  std::string out;
  for (const dispatch::CallReport& report : k.dispatched->calls) {
    text::Anchors::Place place = anchors.resolve(report.call->origin.span);
    const std::uint32_t line = place.source ? place.source->position(place.begin).line + 1 : 0;
    out += "#| " + std::to_string(line) + " " + std::string(report.call->primitive) + " -> " +
           std::string(report.variant.empty() ? "nothing" : report.variant);
    for (std::size_t i = 0; i < report.facts.size(); ++i) {
      out += (i ? ", " : ": ") + std::string(report.facts[i].name) + " " + fact_text(report.facts[i].value);
    }
    out += "\n";
    for (const dispatch::Trial& t : report.trials) {
      if (t.outcome == dispatch::Outcome::Chosen) continue;
      out += outcome_lines(
          "#|   " + std::string(t.variant) + " " + std::string(dispatch::outcome_name(t.outcome)) + ": ", t.reason);
    }
  }
  return out;
}

std::string script_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& l : lines) text += l + "\n";
  return text;
}

// The printed form as a script, which says its release.
std::string in_its_release(const script::KernelValue& k) {
  const text::Dialect release = k.kernel.dialect;
  if (release == text::kDefaultDialect) return printed(k);
  return "# tilewright: dialect " + std::string(text::dialect_name(release)) + "\n" + printed(k);
}

// What is printed is a script that means the same: printing it again gives the same text.
void check_stable(const session::Compiled& compiled, const Case& c, std::vector<std::string>& failures) {
  for (const session::CompiledKernel& k : compiled.kernels) {
    if (k.value->failed) continue;
    const std::string once = in_its_release(*k.value);
    // Instructions are printed by the names of the first release, of which 0.27 keeps none.
    if (k.value->kernel.dialect >= text::Dialect::V0_27 && once.contains("T.ptx.")) continue;
    Case alone;
    if (c.arch == "found") alone.arch = c.arch;
    Files none(alone);
    // The release is the script's, which its printed form does not say. Instructions that a helper of 0.27 stands for
    // are printed as the release before it writes them.
    const text::Dialect release = k.value->kernel.dialect;
    if (release >= text::Dialect::V0_27 && once.find("T.ptx.") != once.npos) continue;
    const std::string said = "# tilewright: dialect " + std::string(text::dialect_name(release)) + "\n";
    session::Compiled again = compile(release == text::Dialect::V0_25 ? once : said + once, alone, none);
    std::string name(k.value->kernel.name);
    if (again.has_errors()) {
      failures.push_back(c.title + ": the printed form of " + name +
                         " is not accepted: " + again.diagnostics[0].message + "\n" + once);
      continue;
    }
    if (again.kernels.size() != 1) {
      failures.push_back(c.title + ": the printed form of " + name + " holds " + std::to_string(again.kernels.size()) +
                         " kernels");
      continue;
    }
    std::string twice = in_its_release(*again.kernels[0].value);
    if (once != twice) {
      failures.push_back(c.title + ": printing is not stable for " + name + "\n--- once\n" + once + "--- twice\n" +
                         twice);
    }
  }
}

}  // namespace

File read(std::string_view text) {
  File file;
  Case* c = nullptr;
  std::string* extra = nullptr;
  for (const std::string& line : split(text)) {
    if (line.starts_with("#--- file ")) {
      c->files.emplace_back(line.substr(10), "");
      extra = &c->files.back().second;
    } else if (line.starts_with("#--- ")) {
      c = &file.cases.emplace_back();
      c->header = line;
      std::size_t end = line.find("  [");
      c->title = line.substr(5, end == std::string::npos ? end : end - 5);
      option(line, "print", &c->print);
      option(line, "entries", &c->entries);
      option(line, "cuda", &c->cuda);
      option(line, "calls", &c->calls);
      bool given = false;
      c->entry = option(line, "entry", &given);
      c->arch = option(line, "arch", &given);
      extra = nullptr;
      c->written = line + "\n";
      continue;
    }
    if (!c) {
      file.preamble += line + "\n";
      continue;
    }
    c->written += line + "\n";
    if (line.starts_with("#--- file ")) continue;
    if (extra) {
      *extra += line + "\n";
    } else if (!is_marker(line)) {
      c->lines.push_back(line);
    }
  }
  return file;
}

std::string answer(const Case& c, std::vector<std::string>& failures) {
  // The script is run without markers: they are comments and change nothing but the line numbers.
  std::vector<std::string> lines = c.lines;
  Files files(c);
  session::Compiled compiled = compile(script_of(lines), c, files);
  std::vector<std::string> after(lines.size() + 1);
  std::string loose;
  for (const text::Diagnostic& d : compiled.diagnostics) {
    std::uint32_t line = 0;
    std::string text = marker(d, compiled.evaluation->anchors, &line);
    (text.starts_with("# @") && !text.starts_with("# @1:") ? loose
                                                           : after[std::min<std::size_t>(line, lines.size())]) += text;
  }
  std::string answers;
  if (c.entries) {
    for (const script::Entry& e : compiled.evaluation->entries) {
      answers += "#| entry " + std::string(script::entry_kind_name(e.kind)) + ": " + e.expression + " ->";
      for (const script::KernelValue* k : e.kernels) answers += " " + std::string(k->kernel.name);
      answers += "\n";
    }
    for (const script::Factory& f : compiled.evaluation->open_factories)
      answers += "#| needs arguments: " + f.signature + "\n";
  }
  if (c.print) {
    for (const session::CompiledKernel& k : compiled.kernels) {
      std::vector<std::string> text = split(printed(*k.value));
      // The header and the class line are always the same.
      auto from = std::find_if(text.begin(), text.end(), [](const std::string& l) { return l.starts_with("    "); });
      for (auto it = from; it != text.end(); ++it)
        answers += "#| " + it->substr(std::min<std::size_t>(4, it->size())) + "\n";
    }
  }
  if (c.calls) {
    for (const session::CompiledKernel& k : compiled.kernels) {
      if (k.dispatched) answers += call_lines(k, compiled.evaluation->anchors);
    }
  }
  if (c.cuda) {
    for (const session::CompiledKernel& k : compiled.kernels) {
      // A function of the host has none, and says so.
      const bool of_host = std::ranges::any_of(compiled.diagnostics, [&](const text::Diagnostic& d) {
        return d.code == lower::code::kNoDevice && d.span == k.value->kernel.span;
      });
      if (!k.cuda && !of_host && !k.value->failed && !compiled.has_errors()) {
        failures.push_back(c.title + ": " + std::string(k.value->kernel.name) + " gives no CUDA text and no error");
      }
    }
    if (compiled.kernels.empty()) failures.push_back(c.title + ": no kernel to compile");
  }
  check_stable(compiled, c, failures);

  // Blank lines at the end of the script stay at the end of the case, behind the answers.
  std::size_t end = lines.size();
  while (end > 0 && lines[end - 1].empty()) --end;
  std::string out = c.header + "\n";
  for (std::size_t i = 0; i < end; ++i) out += lines[i] + "\n" + after[i];
  for (std::size_t i = end; i < after.size(); ++i) out += after[i];
  out += loose + answers;
  for (const auto& [path, text] : c.files) out += "#--- file " + path + "\n" + text;
  if (c.files.empty()) {
    for (std::size_t i = end; i < lines.size(); ++i) out += "\n";
  }
  return out;
}

}  // namespace tilewright::script_tests
