// tilewright view: a script beside what its kernels become, as one page for reviews and for what CI keeps.
#include <algorithm>
#include <map>

#include "compiler/threads/in_order.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/cli/progress.h"
#include "server/ide/page.h"
#include "server/ide/trials.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/views/page.h"
#include "server/work/checked.h"
#include "server/work/tools.h"
#include "server/work/words.h"

namespace tilewright::cli {
namespace {

struct ViewCommand {
  std::string file, html, shown_name;
  std::vector<std::string> entries, archs, emits;
  DialectOption dialect_option;
  std::optional<text::Dialect> dialect;  // as the option says
  AnswerOptions answer;
  bool json = false;
  unsigned jobs = threads::kAllCores;
};

// What `--summary` shows.
constexpr std::string_view kViewSummary =
    "html bytes kernels.name kernels.entry kernels.arch kernels.views kernels.missing diagnostics.code "
    "diagnostics.severity diagnostics.message diagnostics.range.start.line";

std::vector<ide::ViewKind> kinds_of(const ViewCommand& command) {
  std::vector<ide::ViewKind> out;
  for (ide::ViewKind kind : ide::view_kinds()) {
    const auto name = ide::view_kind_name(kind);
    if (command.emits.empty() || std::ranges::find(command.emits, name) != command.emits.end()) out.push_back(kind);
  }
  return out;
}

// Null: stopped.
std::shared_ptr<session::Analysis> compile_all(const ViewCommand& command, const project::LoadedFile& file,
                                               const std::stop_token& stop) {
  auto out = std::make_shared<session::Analysis>();
  session::CompileOptions options;
  options.entries = command.entries;
  auto take = [&](session::Compiled compiled) {
    out->compiled.push_back(std::move(compiled));
    return true;
  };
  if (!project::compile_each(file, project::architectures(file, command.archs), options, stop, take)) return nullptr;
  return out;
}

// Adds what `check --simulate` finds. In words: what that is of all kernels, and what it could not look at.
std::string try_out(session::Analysis& analysis, const project::LoadedFile& file, const std::stop_token& stop) {
  work::Summary summary{.files = 1};
  for (session::Compiled& c : analysis.compiled) {
    summary.untried = std::max(summary.untried.value_or(0), ide::try_out_all(c, file, 1, stop));
    summary.silenced += c.silenced.size();
    for (const text::Diagnostic& d : c.diagnostics) {
      summary.errors += d.severity == text::Severity::Error;
      summary.warnings += d.severity == text::Severity::Warning;
    }
  }
  if (!analysis.compiled.empty()) summary.kernels = analysis.compiled.front().kernels.size();
  std::string words = summary.text();
  words.pop_back();  // the end of its line
  return words + (analysis.compiled.size() > 1 ? ", for each architecture" : "");
}

using MadeByKernel = std::map<const session::CompiledKernel*, std::shared_ptr<const ide::Made>>;

// What NVIDIA's tools make of each kernel, their messages among the diagnostics. Nothing: stopped.
std::optional<MadeByKernel> run_tools(const ViewCommand& command, session::Analysis& analysis, bool sass,
                                      const std::stop_token& stop) {
  std::vector<work::ToolWork> programs;
  std::vector<session::Compiled*> owners;
  for (session::Compiled& c : analysis.compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (!k.cuda) continue;
      programs.push_back({&k});
      owners.push_back(&c);
    }
  }
  toolchain::Options options = project::toolchain_options();
  options.helpers = static_cast<int>(threads::threads_of(command.jobs));
  toolchain::Toolchain tools(options);
  Progress progress("compiled", "programs", programs.size());
  toolchain::Request wanted;
  wanted.want_sass = sass;
  wanted.stop = stop;
  if (!work::run_tools(tools, programs, wanted, command.jobs, [&](std::size_t n) { progress.show(n); }))
    return std::nullopt;
  MadeByKernel out;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    work::take_messages(programs[i], owners[i]->diagnostics);
    out[programs[i].kernel] = std::make_shared<ide::Made>(ide::made_from(std::move(*programs[i].made), sass));
  }
  return out;
}

// Without the kernels, layouts and findings that the lines have nothing to do with.
void keep_lines(ide::Page& page, session::Analysis& analysis, const render::ScriptLines& lines) {
  const text::Source* script = &page.script->source();
  auto covers = [&](const text::Anchors::Place& at) {
    return at.source && (!lines.file.empty() || at.source == script) &&
           lines.covers(at.source->path(), at.source->position(at.begin).line + 1,
                        at.source->position(at.end).line + 1);
  };
  auto calls_there = [&](const session::CompiledKernel& kernel) {
    const auto of = std::ranges::find_if(analysis.compiled, [&](const session::Compiled& c) {
      return std::ranges::any_of(c.kernels, [&](const session::CompiledKernel& k) { return &k == &kernel; });
    });
    return of != analysis.compiled.end() && kernel.dispatched &&
           std::ranges::any_of(kernel.dispatched->calls, [&](const dispatch::CallReport& call) {
             const ir::Origin& origin = call.call->origin;
             const text::Anchors& anchors = of->evaluation->anchors;
             bool there = covers(anchors.resolve(origin.span));
             for (const ir::CallSite* site = origin.chain; site && !there; site = site->outer)
               there = covers(anchors.resolve(site->span));
             return there;
           });
  };
  std::erase_if(page.kernels, [&](const ide::PageKernel& k) {
    const bool own = k.lines && lines.covers(script->path(), k.lines->first + 1, k.lines->second);
    return !own && !calls_there(*k.kernel);
  });
  for (ide::PageKernel& k : page.kernels)
    std::erase_if(k.layouts, [&](const ide::LayoutAt& l) {
      return std::ranges::none_of(l.accesses, [&](const ide::LayoutAt::Access& a) { return covers(a.place); });
    });
  std::erase_if(analysis.findings,
                [&](const session::Finding& f) { return !covers(f.anchors->resolve(f.diagnostic->span)); });
}

// Why views are missing, each reason once: "ptx: no CUDA compiler (NVRTC) found".
std::vector<std::string> missing(const ide::Page& page) {
  std::vector<std::string> out;
  for (const ide::PageKernel& k : page.kernels) {
    for (const ide::OpenedView& v : k.views) {
      const ide::ViewKind kind = v.view.name.kind;
      if (v.view.state == ide::View::State::Ready || !ide::made_by_tools(kind) || !ide::has_stage(kind, *k.kernel))
        continue;  // an error of the script is told as such
      std::string why = v.view.problem.substr(0, v.view.problem.find('\n'));
      why = std::string(ide::view_kind_name(kind)) + ": " + why;
      if (std::ranges::find(out, why) == out.end()) out.push_back(std::move(why));
    }
  }
  return out;
}

// False: a field that was asked for does not exist.
bool report(const ViewCommand& command, const ide::Page& page, std::size_t bytes) {
  const auto& findings = page.analysis->findings;
  if (command.json)
    return print_answer(views::page_contents_json(page, command.html, bytes), command.answer, kViewSummary);
  for (const session::Finding& f : findings)
    complain(render::diagnostic_text(*f.diagnostic, *f.anchors, render::colours(stderr)));
  const std::vector<std::string> absent = missing(page);
  for (const std::string& why : absent) tell("not in the page: " + why);
  if (!absent.empty()) complain("  `tilewright doctor` says how to get what is missing\n");
  if (command.html != "-")
    project::sayf(stdout, "%s  %zu kernels, %zu KB\n", command.html.c_str(), page.kernels.size(), bytes / 1000);
  return true;
}

int run_view(const ViewCommand& command) {
  for (const std::string& arch : command.archs) {
    if (!target_option(arch)) return kUsage;
  }
  if (command.json && command.html == "-") return fail_usage("--json and a page cannot both go to standard output");
  const auto lines = lines_of(command.answer);
  if (!lines) return fail_usage(lines.error());
  auto file = project::load(command.file, command.shown_name);
  if (!file) return fail_usage(file.error());
  file->dialect = command.dialect;
  const Interrupts interrupts;
  auto analysis = compile_all(command, *file, interrupts.token());
  if (!analysis) return interrupted();
  const std::vector<ide::ViewKind> kinds = kinds_of(command);
  MadeByKernel made;
  if (std::ranges::any_of(kinds, ide::made_by_tools)) {
    const bool sass = std::ranges::find(kinds, ide::ViewKind::Sass) != kinds.end();
    auto done = run_tools(command, *analysis, sass, interrupts.token());
    if (!done) return interrupted();
    made = std::move(*done);
  }
  const bool errors = std::ranges::any_of(analysis->compiled, &session::Compiled::has_errors);
  const std::string checked = try_out(*analysis, *file, interrupts.token());
  if (interrupts.token().stop_requested()) return interrupted();
  ide::Page page = ide::page(
      *file, analysis, kinds,
      [&](const session::CompiledKernel& kernel) {
        auto found = made.find(&kernel);
        return found == made.end() ? nullptr : found->second;
      },
      interrupts.token());
  page.checked = checked;
  if (*lines) {
    keep_lines(page, *analysis, **lines);
    if (page.kernels.empty()) return fail_usage("no kernel of " + command.file + " is made of these lines");
  }
  if (page.kernels.empty() && !errors)
    return fail_usage(command.file + " has no kernel to show",
                      "name one with --entry EXPR; `tilewright entries FILE` lists them");
  const std::string html = views::html_page(page);
  if (command.html == "-") {
    project::emit(stdout, html);
  } else if (auto written = project::write_file(command.html, html); !written) {
    return fail_usage(written.error());
  }
  report(command, page, html.size());
  return errors ? kErrors : kFine;
}

}  // namespace

void add_view(CLI::App* c, Run& run) {
  auto command = std::make_shared<ViewCommand>();
  c->add_option("file", command->file, "The script, or - for standard input")->required();
  c->add_option("--html,-o,--output", command->html,
                "The page: one HTML file that needs no other and no network; - for standard output")
      ->required();
  c->add_option("--stdin-filename", command->shown_name, "Name to report for standard input");
  add_entries(*c, command->entries, "Show this expression's kernel instead of all entries found; repeatable");
  add_archs(*c, command->archs);
  command->dialect_option.add(*c);
  std::vector<std::string> kinds;
  for (ide::ViewKind kind : ide::view_kinds()) kinds.emplace_back(ide::view_kind_name(kind));
  c->add_option("--emit", command->emits,
                "What to put into the page (default: everything); repeatable, or separated by commas")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember(kinds));
  c->add_flag("--json", command->json, "Print what is in the page as one JSON object");
  add_answer(*c, command->answer);
  add_lines(*c, command->answer);
  add_jobs(*c, command->jobs);
  c->footer(
      "Examples:\n  tilewright view copy.py --html copy.html\n"
      "  tilewright view copy.py --entry 'make(64, 64)' --arch sm_90a --arch sm_100a --html copy.html\n"
      "  tilewright view copy.py --emit cuda,sass --html copy.html\n"
      "  cat copy.py | tilewright view - --stdin-filename copy.py --html - > copy.html");
  c->callback([command, &run] {
    command->json = command->json || command->answer.is_part();
    run = [command] { return command->dialect_option.read(&command->dialect) ? run_view(*command) : kUsage; };
  });
}

}  // namespace tilewright::cli
