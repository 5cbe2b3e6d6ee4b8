// tilewright compile: the artifacts of a script's kernels, on the terminal, as JSON or into a folder.
#include "server/render/compile.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "compiler/cuda/host.h"
#include "compiler/text/escape.h"
#include "compiler/text/symbol.h"
#include "compiler/threads/in_order.h"
#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/heap.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/cli/output_names.h"
#include "server/cli/progress.h"
#include "server/ide/resources.h"
#include "server/ide/view.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/project/made_files.h"
#include "server/render/failures.h"
#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/views/document.h"
#include "server/work/tools.h"
#include "server/work/words.h"

namespace tilewright::cli {
using render::Json;
namespace {

// `--emit host` gives two launchers: over the driver API, and over the runtime with the kernel's text in front.
constexpr std::string_view kHost = "host", kHostRuntime = "host_runtime";

struct CompileCommand {
  std::vector<std::string> paths;
  std::vector<std::string> entries;
  std::vector<std::string> archs;
  std::vector<std::string> emits;
  std::string folder, depfile;
  DialectOption dialect_option;
  std::optional<text::Dialect> dialect;  // as the option says
  AnswerOptions answer;
  std::optional<render::ScriptLines> lines;  // as the answer's options say
  bool json = false, source_map = false;
  unsigned jobs = threads::kAllCores;
};

// What `--summary` shows.
constexpr std::string_view kCompileSummary =
    "kernels.name kernels.entry kernels.arch kernels.failed kernels.launch kernels.resources "
    "kernels.calls.range.start.line kernels.calls.primitive kernels.calls.variant diagnostics.code "
    "diagnostics.severity diagnostics.message diagnostics.range.start.line failures";

// What there is to see of a kernel, and what is for machines.
std::vector<std::string> all_emits() {
  std::vector<std::string> out;
  for (ide::ViewKind kind : ide::view_kinds()) {
    out.emplace_back(ide::view_kind_name(kind));
    if (kind == ide::ViewKind::Ptx) out.emplace_back("cubin");
  }
  out.emplace_back(kHost);
  return out;
}

bool emits(const CompileCommand& command, std::string_view emit) {
  return std::ranges::find(command.emits, emit) != command.emits.end();
}
// Does it ask for what only NVIDIA's tools make?
bool runs_tools(const CompileCommand& command) {
  return emits(command, "ptx") || emits(command, "cubin") || emits(command, "sass");
}

bool is_binary(std::string_view emit) { return emit == "cubin"; }
std::string_view extension(std::string_view emit) {
  if (emit == "lowered") return "lowered.py";  // beside the file of `tirx`
  if (emit == kHost) return "host.cpp";
  if (emit == kHostRuntime) return "host.cu";
  const auto kind = ide::parse_view_kind(emit);
  return kind ? ide::view_extension(*kind) : emit;
}

// What is kept of one kernel: everything it is asked for, so that the script itself can go.
struct Output {
  std::string name, expression, arch;
  std::string resources;                     // in words, once NVIDIA's tools have said; empty: they have not
  std::map<std::string, std::string> texts;  // by emit
  Json json;                                 // with --json: its object in `kernels`
};

// What is kept of one file.
struct Compiled {
  std::string complaints;  // for standard error, in order
  std::string failure;     // why it is unusable
  bool unusable = false;   // it cannot be read: nothing of it is to be had
  bool errors = false, environment = false;
  Json diagnostics = Json::array();  // with --json
  std::set<std::string> files;       // what was read for it: scripts and settings
  std::vector<Output> outputs;
};

class Compile {
 public:
  Compile(const CompileCommand& command, std::stop_token stop)
      : command_(command), stop_(std::move(stop)), tools_(runs_tools(command)) {
    if (!tools_) return;
    toolchain::Options options = project::toolchain_options();
    options.helpers = static_cast<int>(threads::threads_of(command.jobs));
    nvrtc_ = std::make_unique<toolchain::Toolchain>(options);
  }

  // On any thread. NVIDIA's compiler, by far the slowest, works on `jobs` of the file's kernels at a time.
  Compiled of(const std::string& path, unsigned jobs) const {
    Compiled out;
    auto file = project::load(path);
    if (!file) {
      out.complaints = "tilewright: " + file.error() + "\n";
      out.failure = file.error();
      out.unusable = true;
      return out;
    }
    file->dialect = command_.dialect;
    if (!file->config.file.empty()) out.files.insert(file->config.file.string());
    for (const std::filesystem::path& base : file->config.bases) out.files.insert(base.string());
    const session::NamedTargets named =
        command_.archs.empty() ? project::one_architecture(*file) : project::architectures(*file, command_.archs);
    session::CompileOptions options;
    options.entries = command_.entries;
    project::compile_each(*file, named, options, stop_, [&](session::Compiled compiled) {
      std::vector<std::string> scripts = compiled.evaluation->files();
      out.files.insert(std::move_iterator(scripts.begin()), std::move_iterator(scripts.end()));
      add(compiled, jobs, out);
      return true;
    });
    return out;
  }

 private:
  // A kernel on its way through: what was written about it, what the tools made.
  struct Kernel {
    const session::CompiledKernel* compiled;
    Output output;
    std::string complaints;
    bool environment = false;
    work::ToolWork* tools = nullptr;  // what NVIDIA's tools made of it; null: nothing was asked of them
  };

  bool wants(std::string_view emit) const { return emits(command_, emit); }

  void add(session::Compiled& compiled, unsigned jobs, Compiled& out) const {
    const text::Anchors& anchors = compiled.evaluation->anchors;
    std::vector<Kernel> kernels;
    for (const session::CompiledKernel& k : compiled.kernels) {
      Kernel& kernel = kernels.emplace_back(Kernel{&k, {}, {}, false, nullptr});
      kernel.output.name = std::string(k.value->kernel.name);
      kernel.output.expression = k.entry->expression;
      kernel.output.arch = k.target.name();
      write_texts(kernel, anchors);
    }
    std::vector<work::ToolWork> work;
    if (tools_ && !run_tools(kernels, work, jobs)) return;
    for (Kernel& kernel : kernels) {
      const toolchain::KernelResources* resources =
          kernel.tools ? take(kernel, kernel.compiled->target, anchors, compiled.diagnostics) : nullptr;
      out.complaints += kernel.complaints;
      out.environment = out.environment || kernel.environment;
      if (command_.json)
        kernel.output.json = render::kernel_output_json(
            {*kernel.compiled, compiled.architecture_source, compiled.evaluation->dialect, kernel.output.texts,
             resources, command_.source_map, command_.lines ? &*command_.lines : nullptr},
            anchors);
      out.outputs.push_back(std::move(kernel.output));
    }
    out.errors = out.errors || compiled.has_errors();
    for (const text::Diagnostic& d : compiled.diagnostics) {
      if (command_.json)
        out.diagnostics.push_back(render::diagnostic_json(d, anchors));
      else
        out.complaints += render::diagnostic_text(d, anchors, render::colours(stderr));
    }
  }

  void write_texts(Kernel& kernel, const text::Anchors& anchors) const {
    const session::CompiledKernel& k = *kernel.compiled;
    for (const std::string& e : command_.emits) {
      std::string& text = kernel.output.texts[e];
      if (auto kind = ide::parse_view_kind(e); kind && !ide::made_by_tools(*kind)) {
        if (ide::has_stage(*kind, k)) {
          const bool printed = command_.folder.empty() && !command_.json;
          const render::Colours colours = printed ? render::colours(stdout) : render::Colours{};
          text = views::document(*kind, k, anchors, nullptr, colours, false).text;
        }
      } else if ((e == kHost || e == kHostRuntime) && k.cuda) {
        auto launcher = cuda::host_launcher(*k.lowered, e == kHost ? cuda::HostApi::Driver : cuda::HostApi::Runtime);
        if (launcher) {
          text = (e == kHost ? "" : k.cuda->text + "\n") + *launcher;
          // For people it is one file, the one that can be pasted and built as it is.
          if (e == kHostRuntime && !command_.json) kernel.output.texts[std::string(kHost)].clear();
        } else if (e == kHost) {
          kernel.complaints +=
              "tilewright: no launcher for " + kernel.output.name + ": " + text::visible(launcher.error()) + "\n";
          kernel.environment = true;
        }
      }
    }
  }

  // False: stopped.
  bool run_tools(std::vector<Kernel>& kernels, std::vector<work::ToolWork>& work, unsigned jobs) const {
    for (const Kernel& kernel : kernels)
      if (kernel.compiled->cuda) work.push_back({kernel.compiled});
    std::size_t next = 0;
    for (Kernel& kernel : kernels)
      if (kernel.compiled->cuda) kernel.tools = &work[next++];
    Progress progress("compiled", "programs", jobs == 1 ? 1 : work.size());
    toolchain::Request wanted;
    wanted.want_ptx = wants("ptx");
    wanted.want_sass = wants("sass");
    wanted.stop = stop_;
    return work::run_tools(*nvrtc_, work, wanted, jobs, [&](std::size_t done) { progress.show(done); });
  }

  // What the tools made of a kernel goes to its texts, their messages to the diagnostics; its resources, or null.
  const toolchain::KernelResources* take(Kernel& kernel, ir::Target target, const text::Anchors& anchors,
                                         std::vector<text::Diagnostic>& diagnostics) const {
    const session::CompiledKernel& k = *kernel.compiled;
    const toolchain::KernelResources* found = work::take_messages(*kernel.tools, diagnostics);
    auto& made = *kernel.tools->made;
    if (!made) {
      if (made.error().kind == toolchain::Error::Kind::Compilation) return nullptr;
      kernel.complaints +=
          "tilewright: " + kernel.output.name + ": " + text::visible_message(made.error().message) + "\n";
      kernel.environment = true;
      return nullptr;
    }
    std::map<std::string, std::string>& texts = kernel.output.texts;
    if (wants("ptx")) {
      texts["ptx"] = views::with_script_lines(made->ptx, toolchain::read_ptx_lines(made->ptx), *k.cuda, anchors);
    }
    if (wants("cubin")) texts["cubin"] = std::move(made->cubin);
    if (wants("sass")) {
      texts["sass"] = views::with_script_lines(made->sass, toolchain::read_sass_lines(made->sass), *k.cuda, anchors);
    }
    if (wants("sass") && !made->sass_missing.empty())
      kernel.complaints += "tilewright: no SASS: " + text::visible(made->sass_missing) + "\n";
    if (found) kernel.output.resources = ide::resource_words(k.lowered->plan, target, found);
    return found;
  }

  const CompileCommand& command_;
  std::stop_token stop_;
  bool tools_;
  std::unique_ptr<toolchain::Toolchain> nvrtc_;
};

// Where the files of a script go: into the folder itself, of several scripts each into one named after it.
std::filesystem::path folder_of(const CompileCommand& command, const std::string& script, bool several) {
  return several ? command.folder / script_words(script) : std::filesystem::path(command.folder);
}

// Each file appears whole or not at all. The error is for the person.
std::expected<void, std::string> write_files(const CompileCommand& command, const std::string& script, bool several,
                                             const std::vector<Output>& outputs, std::vector<std::string>& written) {
  std::error_code ec;
  const std::filesystem::path folder = folder_of(command, script, several);
  std::filesystem::create_directories(folder, ec);
  if (ec) return std::unexpected("cannot create " + text::visible(folder.string()) + ": " + ec.message());
  std::map<std::string, int> taken;
  for (const Output& out : outputs) {
    if (text::why_no_symbol(out.name)) continue;  // it has an error, and its name is none of a file
    std::string name = file_name(out.name);
    if (out.expression != out.name) name += "." + file_words(out.expression);
    if (command.archs.size() > 1) name += "." + out.arch;
    int n = taken[name]++;  // entries that look the same in letters and digits
    if (n) name += "_" + std::to_string(n);
    for (const auto& [emit, text] : out.texts) {
      if (text.empty()) continue;
      auto path = folder / (name + "." + std::string(extension(emit)));
      if (auto ok = project::write_made({command.folder, script}, path, {text}); !ok) return ok;
      written.push_back(path.string());
      if (!command.json) project::sayf(stdout, "%s\n", path.string().c_str());
    }
    if (!command.json && !out.resources.empty()) project::sayf(stdout, "%s  %s\n", name.c_str(), out.resources.c_str());
  }
  return {};
}

// False: one of them is no text.
bool print_texts(const CompileCommand& command, const std::vector<Output>& outputs, const std::string& script,
                 bool several) {
  std::size_t texts = 0;
  for (const Output& out : outputs)
    for (const std::string& e : command.emits) texts += !out.texts.at(e).empty();
  const bool headed = several || texts > 1;
  for (const Output& out : outputs) {
    for (const std::string& e : command.emits) {
      const std::string& text = out.texts.at(e);
      if (text.empty()) continue;
      if (is_binary(e)) return false;
      if (headed)
        project::sayf(stdout, "── %s%s  %s  %s ──\n", several ? (script + ": ").c_str() : "", out.expression.c_str(),
                      out.arch.c_str(), e.c_str());
      // A comment in both languages, so that the text stays one.
      if ((e == "ptx" || e == "sass") && !out.resources.empty())
        project::sayf(stdout, "// %s: %s\n", out.name.c_str(), out.resources.c_str());
      project::say_source(stdout, text);
      if (text.back() != '\n') project::say(stdout, "\n");
    }
  }
  return true;
}

// What the command answers. Texts and files go out script by script; with --json all is one object, and whatever ends
// the command is in it, too.
class CompileAnswer {
 public:
  explicit CompileAnswer(const CompileCommand& command) : command_(command) {}

  // Of the next script, in the order of the scripts.
  void take(const std::string& script, bool several, Compiled result) {
    complain(result.complaints);
    if (result.unusable) failures_.push_back(render::failure_json(script, result.failure));
    if (result.unusable && !several) status_ = kUsage;
    environment_ = environment_ || result.environment || result.unusable;
    errors_ = errors_ || result.errors;
    none_ = none_ && result.outputs.empty();
    if (!status_ && !result.unusable) hand_out(script, several, std::move(result));
  }

  // Has a script ended the command? Those behind it are not taken.
  bool ended() const { return status_.has_value(); }

  // The command's status, once all that counts are taken.
  int end(const std::vector<std::string>& scripts) {
    if (!status_ && none_ && !environment_ && !errors_) {
      return refuse(command_.paths.front(),
                    scripts.size() > 1 ? "none of these files has a kernel to compile"
                                       : scripts.front() + " has no kernel to compile",
                    "name one with --entry EXPR; `tilewright entries FILE` lists them");
    }
    if (!command_.depfile.empty() && !status_) {
      if (auto ok = project::write_file(command_.depfile, depfile()); !ok) status_ = fail_usage(ok.error());
    }
    print_json();
    if (status_) return *status_;
    if (errors_) return kErrors;
    return environment_ ? kUsage : kFine;
  }

  int refuse(const std::string& file, const std::string& message, const std::string& remedy = {}) {
    failures_.push_back(render::failure_json(file, message));
    print_json();
    return fail_usage(message, remedy);
  }

 private:
  void hand_out(const std::string& script, bool several, Compiled result) {
    if (!command_.folder.empty()) {
      auto written = write_files(command_, script, several, result.outputs, written_);
      if (!written) {
        failures_.push_back(render::failure_json(script, written.error()));
        status_ = fail_usage(written.error());
      }
    }
    read_.merge(result.files);
    if (command_.json) {
      for (Output& out : result.outputs) kernels_.push_back(std::move(out.json));
      for (Json& d : result.diagnostics) diagnostics_.push_back(std::move(d));
    } else if (command_.folder.empty() && !print_texts(command_, result.outputs, script, several)) {
      status_ = fail_usage("a cubin is no text", "give a folder with -o, or --json for base64");
    }
  }

  // As make and ninja read it: the files that were written, a colon, all that was read for them.
  std::string depfile() const {
    auto escaped = [](const std::string& path) {
      std::string out;
      for (char c : path) {
        if (c == ' ' || c == '#' || c == '\\' || c == ':') out += '\\';
        out += c == '$' ? "$$" : std::string(1, c);
      }
      return out;
    };
    std::string out;
    for (const std::string& path : written_) out += (out.empty() ? "" : " ") + escaped(path);
    out += ":";
    for (const std::string& path : read_) out += " \\\n  " + escaped(path);
    return out + "\n";
  }

  void print_json() {
    if (!command_.json) return;
    Json out = render::compile_json(std::move(kernels_), std::move(diagnostics_), read_, std::move(failures_));
    if (command_.lines) render::keep_lines(out, *command_.lines);
    if (!print_answer(out, command_.answer, kCompileSummary)) status_ = kUsage;
  }

  const CompileCommand& command_;
  Json kernels_ = Json::array(), diagnostics_ = Json::array(), failures_ = Json::array();
  std::set<std::string> read_;  // every file that the answer rests on
  std::vector<std::string> written_;
  bool errors_ = false, environment_ = false, none_ = true;
  std::optional<int> status_;  // what ends the command at once
};

// The scripts that the command means, or its status: the refusal is told. A file that was named is read as it is; only
// in folders it is asked first whether a file is a script.
std::expected<std::vector<std::string>, int> scripts_of(const CompileCommand& command, CompileAnswer& answer) {
  std::error_code ec;
  if (command.paths.size() == 1 && !std::filesystem::is_directory(command.paths.front(), ec)) return command.paths;
  project::Expansion found = project::expand(command.paths);
  if (!found.missing.empty()) {
    return std::unexpected(answer.refuse(found.missing.front(), "no such file: " + found.missing.front()));
  }
  for (const std::string& path : found.outside) complain("tilewright: " + outside_words(path) + "\n");
  if (found.files.empty()) {
    return std::unexpected(answer.refuse(command.paths.front(), "there is no tile script in " + command.paths.front()));
  }
  return std::move(found.files);
}

int run_compile(const CompileCommand& command) {
  prepare_heap();
  for (const std::string& arch : command.archs) {
    if (!target_option(arch)) return kUsage;
  }
  CompileAnswer answer(command);
  const std::expected<std::vector<std::string>, int> scripts = scripts_of(command, answer);
  if (!scripts) return scripts.error();
  const std::vector<std::string>& files = *scripts;
  const bool several = files.size() > 1;
  // A thread that waits for Ctrl-C is worth it where there are others, files or processes of NVIDIA's tools.
  const bool alone = !several && command.folder.empty() && !runs_tools(command);
  Interrupts interrupts(alone ? Interrupts::Way::EndAtOnce : Interrupts::Way::WindDown);
  const Compile one(command, interrupts.token());
  std::vector<Compiled> results(files.size());
  Progress progress("compiled", "files", files.size());
  const bool whole = threads::in_order(
      files.size(), command.jobs, interrupts.token(),
      [&](std::size_t i) { results[i] = one.of(files[i], several ? 1 : command.jobs); },
      [&](std::size_t i) {
        if (answer.ended()) return;
        progress.clear();
        answer.take(files[i], several, std::exchange(results[i], {}));
      },
      [&](std::size_t done) { progress.show(done); });
  progress.clear();
  if (!whole) return interrupted();
  if (runs_tools(command)) {
    if (std::string wrong = project::wrong_cuda_home(project::toolchain_options()); !wrong.empty()) tell(wrong);
  }
  return answer.end(files);
}

}  // namespace

void add_compile(CLI::App* c, Run& run) {
  auto command = std::make_shared<CompileCommand>();
  c->add_option("file", command->paths, "The script, or - for standard input; or several, or folders of them")
      ->required();
  add_entries(*c, command->entries, "An expression that yields a kernel, e.g. 'make(128, 64)'; repeatable");
  add_archs(*c, command->archs);
  command->dialect_option.add(*c);
  auto emits = std::make_shared<std::vector<std::string>>();
  c->add_option("--emit", *emits, "What to produce (default report); repeatable, or separated by commas")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember(all_emits()));
  CLI::Option* folder =
      c->add_option("-o,--output", command->folder, "Folder to write files into, one a kernel and kind");
  c->add_flag("--json", command->json, "One JSON object with kernels, calls, sources and diagnostics");
  c->add_flag("--source-map", command->source_map,
              "In JSON: which lines of CUDA, PTX and SASS came from which range of the script");
  add_answer(*c, command->answer);
  add_lines(*c, command->answer);
  c->add_option("--depfile", command->depfile,
                "For make and ninja: write which files were read for those in the folder of -o")
      ->needs(folder);
  add_jobs(*c, command->jobs);
  c->footer(
      "Examples:\n  tilewright compile copy.py --emit cuda\n  tilewright compile copy.py --entry 'make((64, 64), "
      "\"float16\")' --json\n"
      "  tilewright compile copy.py --arch sm_80 --arch sm_100a --emit cuda,ptx,sass -o out/");
  c->callback([command, emits, &run] {
    command->json = command->json || command->answer.is_part() || command->source_map;
    // Lines of the script are followed through the map, which only JSON has.
    command->json = command->json || !command->answer.lines.empty() || !command->answer.call.empty();
    command->emits = emits->empty() ? std::vector<std::string>{command->json ? "cuda" : "report"} : *emits;
    if (std::find(command->emits.begin(), command->emits.end(), kHost) != command->emits.end())
      command->emits.emplace_back(kHostRuntime);
    run = [command] {
      auto lines = lines_of(command->answer);
      if (!lines) return fail_usage(lines.error());
      command->lines = std::move(*lines);
      return command->dialect_option.read(&command->dialect) ? run_compile(*command) : kUsage;
    };
  });
}

}  // namespace tilewright::cli
