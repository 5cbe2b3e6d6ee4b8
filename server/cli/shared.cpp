// What several commands need.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "compiler/ir/printer.h"
#include "server/cli/commands.h"
#include "server/cli/files.h"
#include "server/cli/terminal.h"

namespace tilewright::cli {
namespace fs = std::filesystem;

std::expected<LoadedFile, std::string> load(const std::string& path, const std::string& shown_name) {
  auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  std::string name = !shown_name.empty() ? shown_name : path == "-" ? "<stdin>" : path;
  LoadedFile file;
  file.source = std::make_shared<text::Source>(name, std::move(*text));
  file.tree = syntax::Tree::parse(file.source);
  fs::path place = path == "-" && shown_name.empty() ? fs::current_path() / "stdin.py" : fs::path(name);
  file.loader = std::make_unique<FileLoader>(place);
  auto config = find_config(place);
  if (!config) return std::unexpected(config.error());
  file.config = std::move(*config);
  return file;
}

session::Compiled compile(const LoadedFile& file, const session::CompileOptions& options) {
  text::Context context;
  context.limits = file.config.limits;
  session::Compiled compiled = session::compile(file.tree, file.loader.get(), context, options);
  apply_severity(file.config, compiled.diagnostics);
  return compiled;
}

std::vector<std::string> architectures(const LoadedFile& file, const std::vector<std::string>& asked) {
  if (!asked.empty()) return asked;
  std::vector<std::string> out = session::named_architectures(*file.tree);
  return out.empty() ? std::vector<std::string>{"sm_90a"} : out;
}

std::string one_architecture(const LoadedFile& file) {
  std::vector<std::string> all = architectures(file, {});
  return std::find(all.begin(), all.end(), "sm_90a") != all.end() ? "sm_90a" : all.front();
}

std::optional<ir::Target> target_option(const std::string& text) {
  auto target = ir::parse_target(text);
  if (!target)
    fail_usage("unknown architecture '" + text + "'", "for example sm_80, sm_90a, sm_100a, sm_103a, sm_120a");
  return target;
}

int fail_usage(const std::string& message, const std::string& remedy) {
  std::fprintf(stderr, "tilewright: %s\n", message.c_str());
  if (!remedy.empty()) std::fprintf(stderr, "  %s\n", remedy.c_str());
  return kUsage;
}

toolchain::Options toolchain_options() {
  toolchain::Options options;
  auto add = [&](const fs::path& p) { options.cuda_candidates.push_back(p); };
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) add(home);
  std::error_code ec;
  fs::path self = fs::read_symlink("/proc/self/exe", ec);
  for (fs::path p = self.parent_path(); !ec && !p.empty(); p = p.parent_path()) {  // the checkout's own .cuda
    for (fs::directory_iterator it(p / ".cuda" / "nvidia", ec), end; !ec && it != end;
         it.increment(ec)) {  // .cuda/nvidia/cu13
      if (it->path().filename().string().starts_with("cu")) add(it->path());
    }
    ec.clear();
    if (p == p.root_path()) break;
  }
  add("/usr/local/cuda");
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path base = cache && *cache ? fs::path(cache)
                  : home && *home ? fs::path(home) / ".cache"
                                  : fs::temp_directory_path(ec);
  options.cache.folder = base / "tilewright" / "artifacts";
  return options;
}

namespace {

std::string operand_text(const ir::Operand& o) {
  if (!o.region.buffer) return o.value ? ir::to_string(o.value) : "None";
  const ir::Buffer& b = *o.region.buffer;
  std::string out(b.name);
  out += "[";
  for (std::size_t i = 0; i < o.region.ranges.size(); ++i) {
    const ir::Range& r = o.region.ranges[i];
    out += (i ? ", " : "") + ir::to_string(r.min) + ":" + ir::to_string(ir::simplify(r.min + r.extent));
  }
  out += "] " + ir::dtype_name(b.dtype) + " " + std::string(b.scope_text);
  if (b.layout) out += "\n             layout " + layout::to_short_string(*b.layout);
  return out;
}

std::string box_text(const scope::Box& box) {
  std::string out;
  for (const scope::AxisRange& r : box) {
    out += (out.empty() ? "" : ", ") + std::string(scope::axis_name(r.axis)) + " ";
    if (r.range.elected) {
      out += "one elected";
    } else if (r.range.extent == 1) {
      out += std::to_string(r.range.offset);
    } else {
      out += std::to_string(r.range.offset) + ".." +
             std::to_string(r.range.offset + r.range.stride * (r.range.extent - 1));
      if (r.range.stride != 1) out += " step " + std::to_string(r.range.stride);
    }
  }
  return out.empty() ? "-" : out;
}

std::string fact_text(const dispatch::FactValue& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return std::to_string(*i);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  std::string out = "[";
  for (std::int64_t i : std::get<std::vector<std::int64_t>>(v)) out += (out.size() > 1 ? ", " : "") + std::to_string(i);
  return out + "]";
}

}  // namespace

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors) {
  const Colours& c = colours(stdout);
  text::Anchors::Place place = anchors.resolve(call.call->origin.span);
  std::string out;
  std::string at =
      place.source ? place.source->path() + ":" + std::to_string(place.source->position(place.begin).line + 1) : "";
  out += std::string(c.bold) + at + "  " + std::string(call.call->primitive) + " → " +
         (call.variant.empty() ? std::string(c.red) + "no variant" : std::string(c.green) + std::string(call.variant)) +
         std::string(c.plain) + "   " + std::string(ir::exec_scope_name(call.call->scope)) + " scope";
  if (!call.call->dispatch.empty()) out += ", forced to " + std::string(call.call->dispatch);
  out += "\n";
  static constexpr const char* kNames[] = {"  dst        ", "  src        "};
  for (std::size_t i = 0; i < call.call->args.size(); ++i) {
    out += (i < 2 ? kNames[i] : "  operand    ") + operand_text(call.call->args[i]) + "\n";
  }
  out += "  threads    together: " + box_text(call.scope.intra) + "; instances: " + box_text(call.scope.inter) + "\n";
  if (!call.scope.failure.empty()) out += "             " + call.scope.failure + "\n";
  for (const scope::Inexact& i : call.scope.inexact) out += "             assumed uniform: " + i.term + "\n";
  if (!call.facts.empty()) {
    out += "  facts      ";
    for (std::size_t i = 0; i < call.facts.size(); ++i) {
      out += (i ? ", " : "") + std::string(call.facts[i].name) + " " + fact_text(call.facts[i].value);
    }
    out += "\n";
  }
  for (const dispatch::Trial& t : call.trials) {
    std::string_view colour = t.outcome == dispatch::Outcome::Chosen ? c.green : c.dim;
    std::string name(t.variant);
    name.resize(std::max<std::size_t>(name.size(), 13), ' ');
    out += "    " + std::string(colour) + name + " (" + std::to_string(t.priority) + ") " +
           std::string(dispatch::outcome_name(t.outcome)) + std::string(c.plain) +
           (t.reason.empty() ? "" : ": " + t.reason) + "\n";
  }
  return out;
}

}  // namespace tilewright::cli
