// compare: two kernels beside each other: what the machine takes of them, and how their texts differ.
#include <algorithm>

#include "server/ide/call_words.h"
#include "server/ide/diff.h"
#include "server/mcp/loaded.h"
#include "server/mcp/machine.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/views/document.h"
#include "server/work/instructions.h"
#include "server/work/occupancy.h"

namespace tilewright::mcp {
namespace {

// A number of one kernel; nothing: not known.
using Number = std::optional<std::int64_t>;
struct Measured {
  std::vector<std::pair<std::string_view, Number>> numbers;
  std::string unknown;  // why some are not
};

// Those of shared memory that are known: of each tile primitive the worst access.
std::pair<Number, Number> wavefronts(const session::CompiledKernel& kernel) {
  Number all, ideal;
  for (const dispatch::CallReport& call : kernel.dispatched->calls) {
    const auto worst = lower::worst_bank_access(*kernel.lowered, call.call->origin, ide::pointer_access(call));
    if (!worst) continue;
    all = all.value_or(0) + worst->report.wavefronts;
    ideal = ideal.value_or(0) + worst->report.ideal;
  }
  return {all, ideal};
}

Measured measure(const session::CompiledKernel& kernel, const std::stop_token& stop) {
  Measured out;
  const lower::LaunchPlan& plan = kernel.lowered->plan;
  const std::int64_t shared = plan.static_shared_bytes + plan.dynamic_shared_bytes;
  Number registers, spilled, instructions, ctas;
  if (auto made = made_by_tools(kernel, true, stop)) {
    const auto resources = std::ranges::find((*made)->kernels, std::string_view(kernel.lowered->symbol),
                                             &toolchain::KernelResources::name);
    if (resources != (*made)->kernels.end()) {
      registers = resources->registers;
      spilled = resources->spill_stores + resources->spill_loads;
      if (const auto threads = plan.launch.threads())
        if (auto o = work::occupancy(kernel.target, *threads, resources->registers, shared)) ctas = o->ctas;
    }
    if (!(*made)->sass.empty()) instructions = work::count_instructions((*made)->sass);
  } else {
    out.unknown = made.error();
  }
  const auto [all, ideal] = wavefronts(kernel);
  out.numbers = {{"registers", registers},
                 {"spilled bytes", spilled},
                 {"instructions", instructions},
                 {"shared bytes", shared},
                 {"CTAs per SM", ctas},
                 {"threads", plan.launch.threads()},
                 {"tile primitives", static_cast<std::int64_t>(kernel.dispatched->calls.size())},
                 {"wavefronts", all},
                 {"wavefronts without conflicts", ideal}};
  return out;
}

std::string number_text(const Number& number) { return number ? std::to_string(*number) : "?"; }
Json json_of(const Number& number) { return number ? Json(*number) : Json(nullptr); }

// With `to`, how the two differ in that form; PTX and SASS differ in every line.
void add_difference(Answer& out, const Chosen& left, const Chosen& right, const std::string& to) {
  const ide::ViewKind kind = *ide::parse_view_kind(to);
  auto text = [&](const Chosen& c) { return views::document(kind, *c.kernel, c.compiled->evaluation->anchors).text; };
  const std::string diff = ide::unified_diff(text(left), text(right), "left", "right");
  std::string_view rest = diff;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out.items.push_back({{{"line", line}}, std::string(line)});
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

Result compare(const Question& question) {
  const Arguments& asked = question.arguments;
  auto left = chosen_kernel(question.script, asked);
  if (!left) return std::unexpected(question.script.shown + ": " + left.error());
  // The other script's entry and architecture: its own argument, else the same words.
  protocol::Json words = protocol::Json::object();
  if (asked.has("with_entry") || (asked.has("entry") && question.other->path == question.script.path))
    words["entry"] = asked.text(asked.has("with_entry") ? "with_entry" : "entry");
  words["arch"] = left->kernel->target.name();
  auto arguments = Arguments::read(words, {entry_parameter(), arch_parameter()});
  auto right = chosen_kernel(*question.other, *arguments);
  if (!right) return std::unexpected(question.other->shown + ": " + right.error());
  for (const auto* chosen : {&*left, &*right})
    if (!chosen->kernel->lowered || !chosen->kernel->cuda)
      return std::unexpected("a kernel has errors: call check on both scripts");
  if (question.script.query.progress) question.script.query.progress("compiling both kernels", -1);
  const Measured a = measure(*left->kernel, question.stop()), b = measure(*right->kernel, question.stop());
  if (question.stop().stop_requested()) return std::unexpected(kStopped);
  Answer out;
  out.head = {{"left", question.script.shown + " " + left->kernel->entry->expression},
              {"right", question.other->shown + " " + right->kernel->entry->expression},
              {"arch", left->kernel->target.name()}};
  out.summary = out.head["left"].get<std::string>() + " beside " + out.head["right"].get<std::string>() + " for " +
                left->kernel->target.name();
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const auto& [name, l] = a.numbers[i];
    const Number& r = b.numbers[i].second;
    out.head["numbers"].push_back({{"what", name}, {"left", json_of(l)}, {"right", json_of(r)}});
    out.summary += "\n" + std::string(name) + ": " + number_text(l) + ", " + number_text(r);
    if (l && r && *l != *r) out.summary += " (" + std::string(*r > *l ? "+" : "") + std::to_string(*r - *l) + ")";
  }
  if (const std::string& why = a.unknown.empty() ? b.unknown : a.unknown; !why.empty()) {
    out.head["unknown"] = clipped(why, 300);
    out.summary += "\nnot known: " + clipped(why, 300);
  }
  if (asked.has("diff")) {
    add_difference(out, *left, *right, asked.text("diff"));
    out.list = "diff";
    out.quotes = {"diff"};
    out.next = {"run",
                {{"path", question.other->shown}, {"entry", right->kernel->entry->expression}},
                "executes the second kernel"};
  } else {
    Json more{{"path", question.script.shown}, {"with", question.other->shown}, {"diff", "cuda"}};
    for (const char* name : {"entry", "with_entry", "arch"})
      if (asked.has(name)) more[name] = asked.text(name);
    out.next = {"compare", std::move(more), "with a diff of the CUDA text"};
  }
  return out;
}

}  // namespace

Tool compare_tool() {
  return {
      .name = "compare",
      .title = "Compare two kernels",
      .words =
          "Two kernels beside each other: registers, spills, instructions, shared memory, CTAs per SM, wavefronts of "
          "shared memory; with diff also how their texts differ. Numbers of the machine need NVIDIA's compiler.",
      .parameters = {path_parameter(),
                     {.name = "with", .words = "The second script; may be the same one", .required = true},
                     entry_parameter(),
                     {.name = "with_entry", .words = "The kernel of the second script; default: the first"},
                     arch_parameter(),
                     {.name = "diff", .words = "Form to compare as text", .choices = {"tirx", "lowered", "cuda"}}},
      .output = R"({"properties": {"left": {"type": "string"}, "right": {"type": "string"}, "arch": {"type": "string"},
    "numbers": {"type": "array", "items": {"type": "object", "properties": {"what": {"type": "string"},
      "left": {"type": ["integer", "null"]}, "right": {"type": ["integer", "null"]}},
      "required": ["what", "left", "right"]}},
    "unknown": {"type": "string", "description": "Why some numbers are null"},
    "diff": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "string"}}}}},
    "required": ["left", "right", "arch", "numbers"]})",
      .example = R"({"path": "example:softmax_rows", "with": "example:rms_norm"})",
      .waits = true,
      .answer = compare};
}

}  // namespace tilewright::mcp
