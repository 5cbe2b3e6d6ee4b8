// tilewright export: kernels as a shared library that TVM's FFI loads (tvm_ffi.load_module).
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "compiler/process/child.h"
#include "compiler/text/escape.h"
#include "compiler/text/names.h"
#include "compiler/threads/in_order.h"
#include "compiler/toolchain/cuda_home.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/project/temporary_folder.h"
#include "server/render/ffi_library.h"
#include "server/render/terminal.h"
#include "server/work/tools.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

struct ExportCommand {
  std::string file, output, arch, compiler;
  std::vector<std::string> entries;
  DialectOption dialect;
};

// The functions of the library, with their cubins. The error is for the person; empty: the script's diagnostics say it.
std::expected<std::vector<render::FfiKernel>, std::string> functions_of(session::Compiled& compiled,
                                                                        const std::stop_token& stop) {
  std::vector<work::ToolWork> programs;
  for (const session::CompiledKernel& k : compiled.kernels)
    if (k.cuda) programs.push_back({&k});
  if (compiled.has_errors() || programs.empty()) return std::unexpected(std::string());
  toolchain::Toolchain tools(project::toolchain_options());
  toolchain::Request wanted;
  wanted.want_ptx = false;
  wanted.stop = stop;
  if (!work::run_tools(tools, programs, wanted, threads::kAllCores)) return std::unexpected("stopped");
  std::vector<render::FfiKernel> out;
  std::set<std::string> taken;
  for (work::ToolWork& w : programs) {
    work::take_messages(w, compiled.diagnostics);
    if (!*w.made) {
      const toolchain::Error& error = w.made->error();
      return std::unexpected(error.kind == toolchain::Error::Kind::Compilation ? std::string() : error.message);
    }
    // As the script calls it: "gemm" of gemm(4096, 4096, 4096).
    const std::string& entry = w.kernel->entry->expression;
    const std::string name = text::identifier(entry.substr(0, entry.find('(')));
    if (!taken.insert(name).second)
      return std::unexpected("two entries are called " + name + ": a library has each name once; choose with --entry");
    out.push_back({w.kernel, name, std::move((*w.made)->cubin)});
  }
  return out;
}

// The host compiler makes the library of the text. The error is for the person; what the compiler said is on its
// standard error.
std::expected<void, std::string> build(const ExportCommand& command, const std::string& text) {
  const auto home = toolchain::find_cuda(project::toolchain_options().cuda_candidates);
  if (!home) return std::unexpected(home.error());
  std::string compiler = command.compiler;
  if (const char* named = std::getenv("CXX"); compiler.empty() && named && *named) compiler = named;
  if (compiler.empty()) compiler = "c++";
  const project::TemporaryFolder workshop;
  if (workshop.path().empty()) return std::unexpected("no temporary folder can be made");
  const fs::path source = workshop.path() / "library.cpp", library = workshop.path() / "library.so";
  if (auto written = project::write_file(source.string(), text); !written) return written;
  process::SpawnOptions options;
  options.words = {compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"};
  for (const fs::path& folder : home->includes) options.words.push_back("-I" + folder.string());
  for (std::string word : {source.string(), std::string("-o"), library.string(), std::string("-ldl")})
    options.words.push_back(std::move(word));
  options.output = options.errors = 2;
  auto child = process::spawn(options);
  const std::string without =
      "; --cxx or the variable CXX names another C++ compiler, and -o FILE.cpp writes the text "
      "without one";
  if (!child) return std::unexpected("cannot start " + compiler + ": " + std::strerror(child.error()) + without);
  if (const process::Exit& exit = child->wait(); exit.code() != 0)
    return std::unexpected(compiler + " ended with status " + std::to_string(exit.code()) + without);
  const auto bytes = project::read_file(library.string(), std::uintmax_t{1} << 30);
  if (!bytes) return std::unexpected(bytes.error());
  return project::write_file(command.output, *bytes);
}

int run_export(const ExportCommand& command) {
  if (!command.arch.empty() && !target_option(command.arch)) return kUsage;
  auto file = project::load(command.file);
  if (!file) return fail_usage(file.error());
  if (!command.dialect.read(&file->dialect)) return kUsage;
  Interrupts interrupts;
  const session::NamedTargets named =
      command.arch.empty() ? project::one_architecture(*file) : project::architectures(*file, {command.arch});
  session::Compiled compiled =
      project::compile(*file, project::options_for(named, command.entries), interrupts.token());
  auto functions = compiled.stopped ? std::unexpected("stopped") : functions_of(compiled, interrupts.token());
  if (interrupts.token().stop_requested()) return interrupted();
  const text::Anchors& anchors = compiled.evaluation->anchors;
  for (const text::Diagnostic& d : compiled.diagnostics)
    complain(render::diagnostic_text(d, anchors, render::colours(stderr)));
  if (!functions && !functions.error().empty()) return fail_usage(functions.error());
  if (!functions && compiled.has_errors()) return kErrors;
  if (!functions || functions->empty())
    return fail_usage(command.file + " has no kernel to export",
                      "name one with --entry EXPR; `tilewright entries FILE` lists them");
  const auto text = render::ffi_library(command.file, anchors, *functions);
  if (!text) return fail_usage(text.error());
  const bool source = fs::path(command.output).extension() == ".cpp";
  if (auto written = source ? project::write_file(command.output, *text) : build(command, *text); !written)
    return fail_usage(written.error());
  for (const render::FfiKernel& f : *functions)
    project::sayf(stdout, "%s  %s  %s\n", command.output.c_str(), f.name.c_str(), f.kernel->target.name().c_str());
  return kFine;
}

}  // namespace

void add_export(CLI::App* c, Run& run) {
  auto command = std::make_shared<ExportCommand>();
  c->add_option("file", command->file, "The script")->required();
  c->add_option("-o,--output", command->output,
                "The library, for example gemm.so, which a C++ compiler of this machine makes; FILE.cpp: its text, "
                "without a compiler")
      ->required();
  add_entries(*c, command->entries, "Export this expression's kernel instead of all entries found; repeatable");
  c->add_option("--arch", command->arch, "For which GPU, e.g. sm_90a (default: what the script says)");
  c->add_option("--cxx", command->compiler, "The C++ compiler (default: the variable CXX, else c++)");
  command->dialect.add(*c);
  c->footer(
      "A function of the library is called like its entry, gemm of gemm(4096, 4096, 4096). It takes the "
      "script's parameters in their order, checks them, and launches on the current stream of TVM's FFI.\n\n"
      "Examples:\n  tilewright export gemm.py -o gemm.so\n"
      "  tilewright export gemm.py --entry 'gemm(4096, 4096, 4096)' --arch sm_90a -o gemm.so\n"
      "  python3 -c 'import tvm_ffi; gemm = tvm_ffi.load_module(\"./gemm.so\").gemm'");
  c->callback([command, &run] { run = [command] { return run_export(*command); }; });
}

}  // namespace tilewright::cli
