// Hover on a tile primitive: what this very call became, and why it did not become something else.
#include <algorithm>
#include <set>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/primitive.h"
#include "compiler/ir/printer.h"
#include "server/ide/call_words.h"
#include "server/ide/hover_parts.h"
#include "server/work/words.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kCodeLines = 8, kReasonLetters = 72;

// The first clause of a reason: what a glance can hold. That a variant moves something else altogether comes first.
std::string shortened(std::string_view reason) {
  if (std::size_t pair = reason.find("source is "); pair != reason.npos) reason.remove_prefix(pair);
  std::string_view clause = reason.substr(0, reason.find(';'));
  if (clause.size() <= kReasonLetters) return std::string(clause);
  std::size_t space = clause.rfind(' ', kReasonLetters);
  return std::string(clause.substr(0, space == clause.npos ? kReasonLetters : space)) + " ...";
}

// With its layout where that is not the plain one.
std::string operand_words(const ir::Operand& operand) {
  constexpr std::string_view kLayout = "\n    layout ";
  std::string text = work::operand_text(operand, kLayout);
  const ir::Buffer* b = operand.region.buffer;
  bool plain = b && b->layout && b->layout->is_tile() && layout::same(*b->layout, layout::row_major(ir::shape_of(*b)));
  if (plain) text.resize(text.find(kLayout));
  return text;
}

// What the call reads, then what it writes. Where there are several of them each has its name.
std::string operand_lines(const ir::TileCall& call) {
  std::string read, written;
  bool named = std::ranges::count_if(call.args, ir::is_given) > 2;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!ir::is_given(call.args[i])) continue;
    bool only_read = ir::operand_role(call, i) == ir::OperandRole::Read;
    std::string name = named ? std::string(ir::operand_name(call, i)) + ": " : std::string();
    (only_read ? read : written) += (only_read ? "  " : "→ ") + name + operand_words(call.args[i]) + "\n";
  }
  return read + written;
}

// Each reason once, behind all variants that give it.
std::string others(const dispatch::CallReport& call) {
  std::vector<std::pair<std::string, std::string>> reasons;  // and whose they are
  for (const dispatch::Trial& t : call.trials) {
    if (t.outcome == dispatch::Outcome::Chosen) continue;
    std::string reason = shortened(t.reason);
    auto same = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
    if (same == reasons.end() || reason.empty()) {
      reasons.emplace_back(std::move(reason), t.variant);
    } else {
      same->second.append(", ").append(t.variant);
    }
  }
  std::string out;
  for (const auto& [reason, names] : reasons) {
    out += (out.empty() ? "" : " · ") + names;
    if (!reason.empty()) out += " (" + reason + ")";
  }
  return out;
}

// The statements that stand for the call in the lowered form.
std::string lowered_text(const lower::LoweredKernel& kernel, const ir::Origin& origin) {
  Arena scratch;
  ArenaScope scope(scratch);
  ir::ScriptWriter writer(intrinsics::printed_arguments, kernel.kernel->dialect);
  ir::walk_stmts(kernel.device, [&](const ir::Stmt* s) {
    if (s->kind == ir::StmtKind::Seq || !ir::same_origin(s->origin, origin)) return true;
    if (s->kind != ir::StmtKind::Comment) writer.statement(s);
    return false;
  });
  return std::move(writer.out);
}

// What its accesses of shared memory cost; empty where that is not known or there are none.
std::string bank_words(const lower::LoweredKernel& kernel, const dispatch::CallReport& call) {
  auto degree = lower::bank_conflicts(kernel, call.call->origin, pointer_access(call));
  if (!degree) return "";
  return *degree > 1 ? std::to_string(*degree) + "-way bank conflict" : "no bank conflict";
}

std::string without_indent(std::string_view text) {
  std::size_t indent = text.size();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t first = text.find_first_not_of(' ', at);
    if (first < end) indent = std::min(indent, first - at);
    at = end + 1;
  }
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    if (end - at > indent) out += text.substr(at + indent, end - at - indent);
    out += '\n';
    at = end + 1;
  }
  return out;
}

// Line by line of the kernel's text, from 1.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out{{}};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// "LDG.E.128 ×4 · STS.128 ×4": the instructions on these lines, in the order of their first use.
std::string instructions(std::string_view text, const std::vector<std::uint32_t>& lines, bool sass) {
  std::vector<std::string_view> all = split(text);
  std::vector<std::pair<std::string, int>> counts;
  for (std::uint32_t line : lines) {
    if (line >= all.size()) continue;
    std::string_view s = all[line];
    if (sass) {
      std::size_t close = s.find("*/");
      s = close == s.npos ? std::string_view() : s.substr(close + 2);
    }
    auto skip = [&] { s.remove_prefix(std::min(s.find_first_not_of(" \t{"), s.size())); };
    skip();
    if (s.starts_with('@')) {  // a predicate
      s.remove_prefix(std::min(s.find(' '), s.size()));
      skip();
    }
    std::string op(s.substr(0, s.find_first_of(" \t;")));
    if (op.empty() || op.starts_with("//")) continue;
    auto it = std::ranges::find(counts, op, &std::pair<std::string, int>::first);
    if (it == counts.end()) {
      counts.emplace_back(op, 1);
    } else {
      ++it->second;
    }
  }
  std::string out;
  std::size_t shown = 0;
  for (const auto& [op, n] : counts) {
    if (++shown > 10) return out + " · ...";
    out += (out.empty() ? "" : " · ") + op + (n > 1 ? " ×" + std::to_string(n) : "");
  }
  return out;
}

void artifacts_text(HoverBlocks& out, const Made& made, const std::vector<std::uint32_t>& cuda_lines) {
  auto of = [&](const toolchain::LineMap& map) {
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line : cuda_lines) {
      for (std::uint32_t l : map.lines_of(line)) lines.push_back(l);
    }
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
  };
  if (!made.ptx.empty()) {
    std::string text = instructions(made.ptx, of(made.ptx_lines), false);
    if (!text.empty()) out.section("PTX", "", text);
  }
  if (!made.sass.empty()) {
    std::string text = instructions(made.sass, of(made.sass_lines), true);
    if (!text.empty()) out.section("SASS", "", text);
  }
}

// How the call does what it does: widths, rounds, bytes, banks.
std::string plan_words(const EvaluatedCall& call) {
  const dispatch::CallReport& report = *call.report;
  std::string plan;
  auto add = [&](const std::string& text) { plan += (plan.empty() || text.empty() ? "" : ", ") + text; };
  if (std::string text = arithmetic_words(report); !text.empty()) {
    add(text);
  } else {
    add(width_words(report));
    if (auto n = number_fact(report, "vec_elems")) add(std::to_string(*n) + " elements a lane");
    if (auto n = issue_count(report)) add(std::to_string(*n) + (find_fact(report, "outer") ? " rounds" : " issues"));
    if (auto n = number_fact(report, "registers")) add(std::to_string(*n) + " registers");
    if (auto n = number_fact(report, "swizzle"); n && *n) add("swizzle " + std::to_string(16 << *n) + " bytes");
  }
  if (auto n = moved_bytes(report)) add(grouped(*n) + " bytes");
  if (call.kernel->lowered) {
    if (std::string text = bank_words(*call.kernel->lowered, report); !text.empty()) add(text);
  }
  return plan;
}

std::string body_of(const EvaluatedCall& call) {
  const dispatch::CallReport& report = *call.report;
  std::string body = operand_lines(*report.call);
  if (!report.scope.intra.empty() || !report.scope.inter.empty()) {
    body +=
        "together " + work::box_text(report.scope.intra) + "; instances " + work::box_text(report.scope.inter) + "\n";
  }
  if (std::string plan = plan_words(call); !plan.empty()) body += plan + "\n";
  for (const std::string& line : report.constants) body += line + "\n";
  if (std::string text = others(report); !text.empty()) body += "not chosen: " + text + "\n";
  return body;
}

// The same place in other entries, loops and architectures, where it becomes something else. Empty: nowhere.
std::string elsewhere_words(const std::vector<EvaluatedCall>& calls) {
  const dispatch::CallReport& report = *calls.front().report;
  std::set<std::string> elsewhere;
  for (const EvaluatedCall& other : calls) {
    std::string width = width_words(*other.report);
    if (other.report->variant == report.variant && width == width_words(report)) continue;
    std::string what = other.report->variant.empty() ? "no variant" : std::string(other.report->variant);
    elsewhere.insert(what + (width.empty() ? "" : " " + width) + " in " + other.kernel->entry->expression + " for " +
                     other.kernel->target.name());
  }
  if (elsewhere.empty()) return "";
  std::string text = "elsewhere: ";
  std::size_t shown = 0;
  for (const std::string& what : elsewhere) {
    if (++shown > 3) {
      text += " · ...";
      break;
    }
    text += (shown > 1 ? " · " : "") + what;
  }
  return text;
}

// The lines of CUDA that the call became, and what these became in turn.
void cuda_sections(HoverBlocks& out, const Query& q, const session::CompiledKernel& kernel, const ir::Origin& origin) {
  if (!kernel.cuda) return;
  std::vector<std::uint32_t> lines;
  for (const cuda::LineOrigin& line : kernel.cuda->lines) {
    if (ir::same_origin(line.origin, origin)) lines.push_back(line.line);
  }
  if (lines.empty()) return;
  std::vector<std::string_view> all = split(kernel.cuda->text);
  std::string text;
  for (std::uint32_t line = lines.front(); line <= lines.back() && line < all.size(); ++line) {
    if (std::string_view s = all[line]; s.find("// ") != s.find_first_not_of(' ')) text += std::string(s) + "\n";
  }
  std::string which = lines.front() == lines.back()
                          ? "line " + std::to_string(lines.front())
                          : "lines " + std::to_string(lines.front()) + "–" + std::to_string(lines.back());
  out.section("CUDA (" + which + ")", "cuda", first_lines(without_indent(text), kCodeLines));
  auto made = q.artifacts ? q.artifacts->find(*kernel.cuda, kernel.target.name()) : nullptr;
  if (made) artifacts_text(out, *made, lines);
}

}  // namespace

void hover_call(HoverBlocks& out, const Query& q, const std::vector<EvaluatedCall>& calls) {
  const EvaluatedCall& call = calls.front();
  const dispatch::CallReport& report = *call.report;
  const session::CompiledKernel& kernel = *call.kernel;
  std::string name(report.call->primitive);
  std::string became = report.variant.empty() ? "no variant" : std::string(report.variant);
  std::string who = std::string(ir::exec_scope_name(report.call->scope)) + ", " + worker_words(report);
  if (!report.call->dispatch.empty()) who += ", forced";
  out.title(name + " → " + became, who);

  Arena scratch;
  ArenaScope scope(scratch);
  out.code("text", body_of(call));
  if (std::string text = elsewhere_words(calls); !text.empty()) out.words(text);
  const text::Anchors::Place place = call.anchors().resolve(report.call->origin.span);
  if (place.source && place.source->path() == q.snapshot->path())
    hover_time(out, q, kernel, call.anchors(), place.source->position(place.begin).line);
  if (kernel.lowered) {
    std::string text = lowered_text(*kernel.lowered, report.call->origin);
    if (!text.empty()) out.section("IR", "python", first_lines(text, kCodeLines));
  }
  cuda_sections(out, q, kernel, report.call->origin);
  std::vector<std::pair<std::string, ViewName>> links;
  for (auto [kind, shown] : {std::pair{ViewKind::Lowered, "IR"},
                             {ViewKind::Cuda, "CUDA"},
                             {ViewKind::Ptx, "PTX"},
                             {ViewKind::Sass, "SASS"},
                             {ViewKind::Report, "report"}}) {
    links.emplace_back(shown, view_of(kind, kernel, q.snapshot->path()));
  }
  out.links(std::move(links));
}

}  // namespace tilewright::ide
