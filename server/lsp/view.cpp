#include "server/lsp/view.h"

#include <algorithm>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/lower.h"
#include "server/lsp/uri.h"
#include "server/render/json.h"
#include "server/render/report.h"

namespace tilewright::lsp {
namespace {

constexpr std::string_view kScheme = "tilewright://";
constexpr std::string_view kKinds[] = {"report", "tirx", "lowered", "cuda", "ptx", "sass", "plan"};
constexpr std::size_t kMaxWatched = 64;

std::string_view extension(std::string_view kind) {
  if (kind == "report") return "txt";
  if (kind == "tirx" || kind == "lowered") return "py";
  if (kind == "cuda") return "cu";
  if (kind == "plan") return "json";
  return kind;
}

std::string_view language_of(std::string_view kind) {
  if (kind == "report") return "plaintext";
  if (kind == "tirx" || kind == "lowered") return "python";
  if (kind == "cuda") return "cuda-cpp";
  if (kind == "plan") return "json";
  return kind;
}

std::string encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                 c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::uint32_t count_lines(std::string_view text) { return static_cast<std::uint32_t>(std::ranges::count(text, '\n')); }

void lines_of_printed(View& view, const std::vector<ir::PrintedOrigin>& origins) {
  std::size_t at = 0;
  std::uint32_t line = 0;
  for (const ir::PrintedOrigin& o : origins) {
    line += count_lines(std::string_view(view.text).substr(at, o.offset - at));
    at = o.offset;
    view.lines.push_back({line, {o.origin}});
  }
}

const cuda::LineOrigin* cuda_origin(const cuda::CudaSource& cuda, std::uint32_t line) {
  auto it = std::ranges::lower_bound(cuda.lines, line, {}, &cuda::LineOrigin::line);
  return it != cuda.lines.end() && it->line == line ? &*it : nullptr;
}

void lines_of_tool(View& view, const toolchain::LineMap& map, const cuda::CudaSource& cuda) {
  for (const toolchain::LineRow& row : map.rows) {
    View::Line made{row.line - 1, {}};
    for (std::uint32_t line : map.cuda_lines_at(row.line)) {
      if (const cuda::LineOrigin* o = cuda_origin(cuda, line)) made.origins.push_back(o->origin);
    }
    view.lines.push_back(std::move(made));
  }
}

// In the comment syntax of the view's language.
std::string comment(std::string_view kind, std::string_view text) {
  std::string mark = kind == "tirx" || kind == "lowered" ? "# " : kind == "report" || kind == "plan" ? "" : "// ";
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out += mark + std::string(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

struct Target {
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
};
Target find_target(const ViewName& name, const session::Analysis& analysis) {
  for (const session::Compiled& c : analysis.compiled) {
    if (c.target.name() != name.architecture) continue;
    if (auto* k = find_kernel(c, name.entry, name.kernel)) return {&c, k};
  }
  return {};
}

}  // namespace

std::span<const std::string_view> view_kinds() { return kKinds; }

std::string ViewName::uri() const {
  return std::string(kScheme) + kind + "/" + architecture + "/" + encoded(kernel) + "." + std::string(extension(kind)) +
         "?document=" + encoded(is_file(document) ? uri_of(document) : document) + "&entry=" + encoded(entry);
}

std::optional<ViewName> parse_view(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  std::string rest(uri.substr(kScheme.size()));
  // Clients may have encoded the query once more, or decoded its separators.
  if (rest.find('?') == std::string::npos) rest = decoded(rest);
  std::size_t question = rest.find('?');
  if (question == std::string::npos) return std::nullopt;
  std::string_view path = std::string_view(rest).substr(0, question);
  std::string query = rest.substr(question + 1);
  if (query.find('=') == std::string::npos) query = decoded(query);
  ViewName name;
  std::size_t a = path.find('/');
  if (a == path.npos) return std::nullopt;
  std::size_t b = path.find('/', a + 1);
  if (b == path.npos) return std::nullopt;
  name.kind = path.substr(0, a);
  name.architecture = path.substr(a + 1, b - a - 1);
  std::string file = decoded(path.substr(b + 1));
  if (std::ranges::find(kKinds, name.kind) == std::end(kKinds)) return std::nullopt;
  std::string suffix = "." + std::string(extension(name.kind));
  if (!file.ends_with(suffix)) return std::nullopt;
  name.kernel = file.substr(0, file.size() - suffix.size());
  constexpr std::string_view kDocument = "document=", kEntry = "&entry=";
  std::size_t entry = query.rfind(kEntry);
  if (!query.starts_with(kDocument) || entry == query.npos) return std::nullopt;
  name.document = path_of(decoded(query.substr(kDocument.size(), entry - kDocument.size())));
  name.entry = decoded(query.substr(entry + kEntry.size()));
  return name;
}

ViewName view_of(std::string_view kind, const session::Compiled& compiled, const session::CompiledKernel& kernel,
                 const std::string& document) {
  return {std::string(kind), compiled.target.name(), std::string(kernel.value->kernel.name), kernel.entry->expression,
          document};
}

View make_view(const ViewName& name, const session::Analysis& analysis, const Artifacts& artifacts) {
  View view;
  view.language = language_of(name.kind);
  auto say = [&](View::State state, std::string_view text) {
    view.state = state;
    view.text = comment(name.kind, text);
    return view;
  };
  auto [compiled, kernel] = find_target(name, analysis);
  if (!kernel) {
    return say(View::State::Failed,
               "The script has no entry `" + name.entry + "` for " + name.architecture + " at the moment.");
  }
  const text::Anchors& anchors = compiled->evaluation->anchors;
  auto stage_failed = [&] {
    return say(View::State::Failed, "The kernel has errors; this view comes back when they are mended.");
  };
  if (name.kind == "report") {
    if (!kernel->dispatched) return stage_failed();
    Arena scratch;
    ArenaScope scope(scratch);
    for (const dispatch::CallReport& call : kernel->dispatched->calls) {
      view.lines.push_back({count_lines(view.text), {call.call->origin}});
      view.text += render::call_report(call, anchors, render::Colours{});
    }
    return view;
  }
  if (name.kind == "tirx") {
    std::vector<ir::PrintedOrigin> origins;
    view.text = ir::print_script(kernel->value->kernel, intrinsics::printed_arguments, &origins);
    lines_of_printed(view, origins);
    return view;
  }
  if (!kernel->lowered) return stage_failed();
  if (name.kind == "lowered") {
    std::vector<ir::PrintedOrigin> origins;
    view.text = lower::print_lowered(*kernel->lowered, &origins);
    lines_of_printed(view, origins);
    return view;
  }
  if (name.kind == "plan") {
    Arena scratch;
    ArenaScope scope(scratch);
    view.text = render::dump(render::plan_json(*kernel->lowered)) + "\n";
    view.lines.push_back({0, {{kernel->value->kernel.span, nullptr}}});
    return view;
  }
  if (!kernel->cuda) return stage_failed();
  if (name.kind == "cuda") {
    view.text = kernel->cuda->text;
    std::uint32_t next = 0;
    for (const cuda::LineOrigin& o : kernel->cuda->lines) {
      if (next && o.line > next) view.lines.push_back({next - 1, {}});  // helpers between kernels are nobody's
      view.lines.push_back({o.line - 1, {o.origin}});
      next = o.line + 1;
    }
    if (next) view.lines.push_back({next - 1, {}});
    return view;
  }
  bool sass = name.kind == "sass";
  auto made = artifacts.find(*kernel->cuda, name.architecture);
  if (!made || (sass && !made->sass_tried)) {
    return say(View::State::Pending, sass ? "NVRTC and nvdisasm are at work." : "NVRTC is at work.");
  }
  if (!made->error.empty()) return say(View::State::Failed, made->error);
  view.text = sass ? made->sass : made->ptx;
  if (sass && view.text.empty()) return say(View::State::Failed, "No SASS: " + made->sass_missing);
  lines_of_tool(view, sass ? made->sass_lines : made->ptx_lines, *kernel->cuda);
  return view;
}

std::optional<Wish> wish_for(const ViewName& name, const session::Analysis& analysis) {
  if (name.kind != "ptx" && name.kind != "sass") return std::nullopt;
  auto [compiled, kernel] = find_target(name, analysis);
  if (!kernel || !kernel->cuda) return std::nullopt;
  return Wish{name.document, kernel->cuda, name.architecture, name.kind == "sass"};
}

namespace {

text::Digest digest_of(const View& view) {
  text::Digest d;
  d.add(std::string_view(view.text));
  return d;
}

}  // namespace

void WatchedViews::watch(const std::string& uri, const View& view) {
  std::lock_guard lock(mutex_);
  if (shown_.size() >= kMaxWatched && !shown_.contains(uri)) shown_.erase(shown_.begin());
  shown_[uri] = digest_of(view);
}

void WatchedViews::forget(const std::string& document) {
  std::lock_guard lock(mutex_);
  std::erase_if(shown_, [&](const auto& item) {
    auto name = parse_view(item.first);
    return !name || name->document == document;
  });
}

std::vector<std::string> WatchedViews::of(const std::string& document) const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [uri, digest] : shown_) {
    auto name = parse_view(uri);
    if (name && name->document == document) out.push_back(uri);
  }
  return out;
}

bool WatchedViews::changed(const std::string& uri, const View& view) {
  std::lock_guard lock(mutex_);
  auto it = shown_.find(uri);
  if (it == shown_.end()) return false;
  text::Digest now = digest_of(view);
  if (it->second == now) return false;
  it->second = now;
  return true;
}

}  // namespace tilewright::lsp
