// tilewright explain: why each tile primitive became what it is, what a diagnostic code means, and a descriptor's bits.
#include "server/render/explain.h"

#include <algorithm>
#include <filesystem>

#include "compiler/intrinsics/descriptor_words.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/explain_time.h"
#include "server/cli/options.h"
#include "server/project/codes.h"
#include "server/project/console.h"
#include "server/render/terminal.h"
#include "server/work/width_reason.h"

namespace tilewright::cli {
namespace {

struct ExplainCommand {
  std::string what;
  std::vector<std::string> entries;
  std::optional<std::string> arch;
  DialectOption dialect;
  AnswerOptions answer;
  ExplainTime time;
  bool wants_time = false;
  bool json = false;
};

// What `--summary` shows.
constexpr std::string_view kExplainSummary =
    "kernels.name kernels.entry kernels.calls.range.start.line kernels.calls.primitive kernels.calls.variant "
    "kernels.calls.summary kernels.calls.width diagnostics.code diagnostics.severity diagnostics.message "
    "diagnostics.range.start.line code title failures";

bool print(const ExplainCommand& command, const render::Json& answer) {
  return print_answer(answer, command.answer, kExplainSummary);
}

bool is_code(std::string_view s) {
  return s.size() == 6 && s.starts_with("TW") &&
         std::all_of(s.begin() + 2, s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int explain_code(const ExplainCommand& command) {
  const text::CodeInfo* info = project::code_info(command.what);
  if (!info) return fail_usage("there is no diagnostic " + command.what);
  if (command.json) {
    if (!print(command, render::explained_code_json(*info))) return kUsage;
  } else {
    const render::Colours& c = render::colours(stdout);
    project::sayf(stdout, "%s%s: %s%s\n\n", std::string(c.bold).c_str(), command.what.c_str(),
                  std::string(info->title).c_str(), std::string(c.plain).c_str());
    project::say(stdout, std::string(info->explanation) + "\n");
  }
  return kFine;
}

// A descriptor of a matrix unit, 0x and hexadecimal digits, and no file of that name.
std::optional<std::string> descriptor_text(const std::string& what) {
  std::error_code ec;
  return std::filesystem::exists(what, ec) ? std::nullopt : intrinsics::explain_descriptor(what);
}
int explain_descriptor(const ExplainCommand& command, const std::string& text) {
  if (command.json) {
    if (!print(command, render::explained_descriptor_json(command.what, text))) return kUsage;
  } else {
    project::say(stdout, text);
  }
  return kFine;
}

// FILE, FILE:LINE, FILE:LINE:COL. Numbers stay with the name where a file is called so.
struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0;  // from 1; 0: any
  bool asked = false;                  // a line was named
  std::string wrong{};                 // what stands behind the name of a file that exists is no place
};
Place parse_place(const std::string& text) {
  Place p{text, 0, 0};
  auto number = [](std::string_view s) {
    return !s.empty() && s.size() < 9 && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  std::vector<std::uint32_t> numbers;
  std::error_code ec;
  while (numbers.size() < 2 && !std::filesystem::exists(p.file, ec)) {
    std::size_t colon = p.file.rfind(':');
    if (colon == std::string::npos || !number(std::string_view(p.file).substr(colon + 1))) break;
    numbers.insert(numbers.begin(), static_cast<std::uint32_t>(std::stoul(p.file.substr(colon + 1))));
    p.file.resize(colon);
  }
  if (std::size_t colon = p.file.rfind(':'); colon != std::string::npos && !std::filesystem::exists(p.file, ec) &&
                                             std::filesystem::is_regular_file(p.file.substr(0, colon), ec)) {
    const std::string behind = p.file.substr(colon + 1);
    p.file.resize(colon);
    p.wrong = behind.starts_with('-') ? "lines count from 1"
                                      : "'" + behind + "' is no line; write FILE:LINE or FILE:LINE:COLUMN";
  }
  p.asked = !numbers.empty();
  if (p.asked) p.line = numbers[0];
  if (numbers.size() > 1) p.column = numbers[1];
  return p;
}

// Is a place of the script, or with `lines` of any script, what was asked for?
bool is_meant(const text::Anchors::Place& at, const text::Source& script, const Place& place,
              const std::optional<render::ScriptLines>& lines) {
  if (!at.source) return false;
  const text::LineColumn from = at.source->position(at.begin), to = at.source->position(at.end);
  if (lines) {
    const bool there = !lines->file.empty() || at.source == &script;
    return there && lines->covers(at.source->path(), from.line + 1, to.line + 1);
  }
  if (at.source != &script) return false;
  if (place.line < from.line + 1 || place.line > to.line + 1) return false;
  if (place.column == 0) return true;
  const bool after = place.line > from.line + 1 || place.column >= from.column + 1;
  const bool before = place.line < to.line + 1 || place.column <= to.column + 1;
  return after && before;
}

render::ExplainedKernel explained(const session::CompiledKernel& kernel,
                                  const std::vector<const dispatch::CallReport*>& calls) {
  render::ExplainedKernel out{&kernel, {}};
  for (const dispatch::CallReport* call : calls) out.calls.push_back({call, work::width_reason(*call)});
  return out;
}

int run_explain(const ExplainCommand& command) {
  if (is_code(command.what)) return explain_code(command);
  if (auto text = descriptor_text(command.what)) return explain_descriptor(command, *text);
  Place place = parse_place(command.what);
  auto refuse = [&](const std::string& message) {
    if (command.json) print_json(render::not_explained_json(place.file, message));
    return fail_usage(message);
  };
  if (!place.wrong.empty()) return refuse(command.what + ": " + place.wrong);
  auto file = project::load(place.file);
  if (!file) return refuse(file.error());
  if (!command.dialect.read(&file->dialect)) return kUsage;
  if (place.asked && place.line == 0) return refuse(command.what + ": lines count from 1");
  if (command.arch && !target_option(*command.arch)) return kUsage;
  const session::NamedTargets named =
      command.arch ? project::architectures(*file, {*command.arch}) : project::one_architecture(*file);
  auto lines = lines_of(command.answer);
  if (!lines) return refuse(lines.error());
  session::Compiled c = project::compile(*file, project::options_for(named, command.entries));
  if (command.wants_time) {
    render::Json answer = render::explained_json({}, c);
    ExplainTime wanted = command.time;
    wanted.json = command.json;
    const int status = explain_time(wanted, c, *file, answer);
    return command.json && status != kUsage && !print(command, answer) ? kUsage : status;
  }
  const text::Anchors& anchors = c.evaluation->anchors;
  auto covers = [&](text::Span span) { return is_meant(anchors.resolve(span), *file->source, place, *lines); };
  const bool whole = place.line == 0 && !*lines;
  if (!command.json && !place.asked) project::say(stdout, "dialect " + c.evaluation->dialect.words() + "\n");
  std::vector<render::ExplainedKernel> kernels;
  std::size_t shown = 0;
  for (const session::CompiledKernel& k : c.kernels) {
    std::vector<const dispatch::CallReport*> calls;
    for (const dispatch::CallReport& call : k.dispatched->calls) {
      bool here = whole || covers(call.call->origin.span);
      for (const ir::CallSite* site = call.call->origin.chain; site && !here; site = site->outer)
        here = covers(site->span);
      if (here) calls.push_back(&call);
    }
    if (calls.empty() && !whole) continue;
    shown += calls.size();
    if (command.json) {
      kernels.push_back(explained(k, calls));
      continue;
    }
    project::sayf(stdout, "kernel %s%s\n", std::string(k.value->kernel.name).c_str(),
                  k.entry->expression == k.value->kernel.name ? "" : ("  (entry " + k.entry->expression + ")").c_str());
    for (const dispatch::CallReport* call : calls) project::say(stdout, call_report(*call, anchors));
  }
  if (command.json) {
    render::Json answer = render::explained_json(kernels, c);
    if (*lines) render::keep_lines(answer, **lines);
    if (!print(command, answer)) return kUsage;
  } else {
    for (const text::Diagnostic& d : c.diagnostics)
      complain(render::diagnostic_text(d, anchors, render::colours(stderr)));
    if (shown == 0) complain(std::string("no tile primitive ") + (whole ? "in this file" : "on this line") + "\n");
  }
  return c.has_errors() ? kErrors : kFine;
}

}  // namespace

void add_explain(CLI::App* c, Run& run) {
  auto command = std::make_shared<ExplainCommand>();
  c->add_option(
       "what", command->what,
       "FILE, FILE:LINE, FILE:LINE:COLUMN, a code such as TW3104, or a descriptor of a matrix unit such as 0x08200010")
      ->required();
  add_entries(*c, command->entries, "Explain this expression's kernel instead of all entries found");
  command->dialect.add(*c);
  c->add_option(
      "--arch", command->arch,
      "Architecture (default: as the script, tilewright.toml or KERNEL_META says, else what its kernels need)");
  c->add_flag("--time", command->wants_time,
              "How long each kernel takes on an H100: a model, from a part of its grid on the simulator and constants "
              "that were measured there; by line, with what waits for what");
  c->add_flag("--as-written", command->time.as_written,
              "With --time: count accesses as the script writes them, and no registers, without NVIDIA's compiler");
  c->add_option("--set", command->time.settings, "With --time, NAME=VALUE: a symbolic extent or a scalar; repeatable");
  c->add_flag("--json", command->json,
              "The same as JSON, with operands, layouts, occupancy and why copies are as wide");
  add_answer(*c, command->answer);
  add_lines(*c, command->answer);
  c->footer(
      "Examples:\n  tilewright explain copy.py\n  tilewright explain copy.py:14\n  tilewright explain TW3104\n"
      "  tilewright explain 0x08200010\n  tilewright explain gemm.py --time --entry 'gemm(1024, 1024, 1024)'");
  c->callback([command, &run] {
    command->json = command->json || command->answer.is_part();
    run = [command] { return run_explain(*command); };
  });
}

}  // namespace tilewright::cli
