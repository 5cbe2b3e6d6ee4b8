// tilewright check: all diagnostics, in the formats that people, editors and CI systems read.
#include <algorithm>
#include <filesystem>

#include "compiler/script/codes.h"
#include "compiler/threads/in_order.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/cli/progress.h"
#include "server/ide/script_fixes.h"
#include "server/ide/trials.h"
#include "server/project/codes.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/formats.h"

namespace tilewright::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  std::string format = "text";
  bool json = false;
  std::string stdin_filename;
  std::vector<std::string> entries;
  std::vector<std::string> archs;
  std::vector<std::string> deny;
  bool simulate = false;
  unsigned fix_seconds = 2;
  unsigned jobs = threads::kAllCores;
  DialectOption dialect_option;
  std::optional<text::Dialect> dialect;  // as the option says
};

// What is kept of a file that was checked.
struct Answer {
  std::string complaints;  // for standard error: why it cannot be looked at
  std::optional<render::FilePart> part;
  work::Summary summary;
  bool errors = false;
};

class Check {
 public:
  // `trial_jobs`: cores that the trial of one kernel may take.
  Check(const CheckOptions& options, std::string format, unsigned trial_jobs, std::stop_token stop)
      : options_(options), format_(std::move(format)), trial_jobs_(trial_jobs), stop_(std::move(stop)) {}

  // On any thread: nothing of it is shared but the settings of folders and what does not change.
  Answer of(const std::string& path) {
    Answer answer;
    auto file = project::load(path, path == "-" ? options_.stdin_filename : "", &configs_);
    if (!file) {
      answer.complaints = "tilewright: " + file.error() + "\n";
      return answer;
    }
    file->dialect = options_.dialect;
    work::CheckedFile checked;
    checked.path = file->source->path();
    session::CompileOptions options;
    options.entries = options_.entries;
    options.deny_fallback = denied("fallback");
    auto take = [&](session::Compiled made) {
      session::Compiled& compiled = checked.compiled.emplace_back(std::move(made));
      if (options_.simulate)
        checked.untried = std::max(checked.untried.value_or(0), ide::try_out_all(compiled, *file, trial_jobs_, stop_));
      if (denied("silenced")) refuse_silenced(compiled);
      for (text::Diagnostic& d : compiled.diagnostics) {
        if (denied(d.code) || (denied("unchecked") && d.code == script::code::kUnchecked))
          d.severity = text::Severity::Error;
      }
      answer.errors = answer.errors || compiled.has_errors();
      return true;
    };
    if (!project::compile_each(*file, project::architectures(*file, options_.archs), options, stop_, take))
      return answer;
    if (format_ == "json" || format_ == "sarif") checked.fixes = fixes_of(*file, checked);
    answer.part = render::file_part(checked, format_);
    answer.summary.add(checked);
    return answer;
  }

 private:
  // None is looked for in a file without findings.
  work::FindingFixes fixes_of(const project::LoadedFile& file, const work::CheckedFile& checked) const {
    if (work::findings(checked).empty()) return {};
    return ide::script_fixes(file,
                             {.codes = {},
                              .entries = options_.entries,
                              .archs = options_.archs,
                              .deny_fallback = denied("fallback"),
                              .simulate = options_.simulate,
                              .jobs = trial_jobs_,
                              .time = std::chrono::seconds(options_.fix_seconds)},
                             stop_);
  }
  // What is silenced is an error again.
  static void refuse_silenced(session::Compiled& compiled) {
    for (session::Silenced& s : compiled.silenced) {
      text::Diagnostic& d = compiled.diagnostics.emplace_back(std::move(s.diagnostic));
      d.severity = text::Severity::Error;
      if (!d.hint.empty()) d.hint += "; ";
      d.hint += "it is silenced (" + s.reason + "), which --deny silenced does not accept";
    }
    compiled.silenced.clear();
  }
  bool denied(std::string_view code) const { return std::ranges::find(options_.deny, code) != options_.deny.end(); }

  const CheckOptions& options_;
  std::string format_;
  unsigned trial_jobs_;
  std::stop_token stop_;
  project::KnownConfigs configs_;
};

// What a complaint says, without who complains and what there is instead.
std::string one_line(std::string_view complaint) {
  constexpr std::string_view kSpeaker = "tilewright: ";
  if (complaint.starts_with(kSpeaker)) complaint.remove_prefix(kSpeaker.size());
  return std::string(complaint.substr(0, complaint.find('\n')));
}

// The folder with the settings that hold here, as seen from here where it is this one.
std::vector<std::string> workspace_here() {
  std::error_code ec;
  const std::filesystem::path here = std::filesystem::current_path(ec);
  const std::filesystem::path settings = project::config_file(here / "any.py");
  const std::filesystem::path folder = settings.parent_path();
  return {settings.empty() || std::filesystem::equivalent(folder, here, ec) ? "." : folder.string()};
}

int check(const CheckOptions& options) {
  for (const std::string& arch : options.archs) {
    if (!target_option(arch)) return kUsage;
  }
  for (const std::string& code : options.deny) {
    if (code != "fallback" && code != "unchecked" && code != "silenced" && !project::code_info(code))
      return fail_usage("there is no diagnostic " + code + " to deny");
  }
  project::Expansion files = project::expand(options.paths.empty() ? workspace_here() : options.paths);
  const bool several = files.files.size() > 1 && threads::threads_of(options.jobs) > 1;
  Interrupts interrupts(several ? Interrupts::Way::WindDown : Interrupts::Way::EndAtOnce);
  const std::string format = options.json ? "json" : options.format;
  work::Summary summary{.passed_over = files.passed_over};
  bool errors = false, environment = !files.missing.empty();
  std::vector<render::Failure> failures;
  for (const std::string& path : files.missing) {
    failures.push_back({path, "no such file: " + path});
    tell(failures.back().message);
  }

  for (const std::string& path : files.outside) {
    failures.push_back({path, outside_words(path)});
    complain("tilewright: " + failures.back().message + "\n");
    environment = true;
  }

  const unsigned threads = threads::threads_of(options.jobs);
  const auto at_once = static_cast<unsigned>(std::clamp<std::size_t>(files.files.size(), 1, threads));
  Check one(options, format, threads / at_once, interrupts.token());
  std::vector<Answer> answers(files.files.size());
  std::vector<render::FilePart> parts;
  Progress progress("checked", "files", files.files.size());
  auto work = [&](std::size_t i) { answers[i] = one.of(files.files[i]); };
  auto finish = [&](std::size_t i) {
    Answer answer = std::exchange(answers[i], {});
    progress.clear();
    complain(answer.complaints);
    if (!answer.complaints.empty()) {
      failures.push_back({files.files[i], one_line(answer.complaints)});
      environment = true;
    }
    errors = errors || answer.errors;
    if (!answer.part) return;
    summary.add(answer.summary);
    if (format == "text")  // as it goes, so that a large folder shows what was found
      project::say(stdout, answer.part->text);
    else
      parts.push_back(std::move(*answer.part));
  };
  auto waiting = [&](std::size_t done) { progress.show(done); };
  const bool whole = threads::in_order(files.files.size(), options.jobs, interrupts.token(), work, finish, waiting);
  progress.clear();
  if (!whole) return interrupted();
  if (format != "text") project::emit(stdout, render::joined(std::move(parts), format, failures));
  if (format == "text" || format == "github") complain(summary.text());  // what both formats have no line for
  return environment ? kUsage : errors ? kErrors : kFine;
}

}  // namespace

void add_check(CLI::App* c, Run& run) {
  auto options = std::make_shared<CheckOptions>();
  c->add_option("paths", options->paths,
                "Files, folders, or - for standard input (default: the workspace: the folder of the nearest settings "
                "file here or above, else this folder)");
  c->add_option("--format", options->format, "How to report")
      ->check(CLI::IsMember({"text", "json", "sarif", "github", "junit"}))
      ->capture_default_str();
  c->add_flag("--json", options->json, "The same as --format json");
  c->add_option("--stdin-filename", options->stdin_filename, "Name to report for standard input");
  add_entries(*c, options->entries, "Check this expression's kernel instead of all entries found");
  add_archs(*c, options->archs);
  options->dialect_option.add(*c);
  add_many(*c, "--deny", options->deny,
           "Treat this code as an error; 'fallback' for scalar fallbacks, 'unchecked' for functions that "
           "look like kernels and are not checked, 'silenced' for findings that a comment or [severity] silences");
  c->add_flag("--simulate", options->simulate,
              "Try each kernel out on the simulator, too: races, missing waits, deadlocks; names what it cannot judge");
  c->add_option("--fix-seconds", options->fix_seconds,
                "Time in which the fixes of a file's findings are tried, for JSON and SARIF; findings that it "
                "was too short for are named")
      ->check(CLI::Range(0U, 600U))
      ->capture_default_str();
  add_jobs(*c, options->jobs);
  c->footer(
      "Examples:\n  tilewright check                              the workspace\n  tilewright check kernels/           "
      "          all tile scripts below it\n  tilewright check "
      "copy.py --deny fallback\n"
      "  tilewright check kernels/ --simulate          and whether their synchronisation is right\n"
      "  cat copy.py | tilewright check - --stdin-filename copy.py --format sarif");
  c->callback([options, &run] {
    run = [options] { return options->dialect_option.read(&options->dialect) ? check(*options) : kUsage; };
  });
}

}  // namespace tilewright::cli
