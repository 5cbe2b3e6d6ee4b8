// tilewright demo: compiles the kernels of a folder for their architectures and shows what became of them.
//
// A file says its architectures in a comment: `# tilewright: arch sm_80 sm_90a`.
#include <filesystem>

#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/project/made_files.h"
#include "server/render/terminal.h"
#include "server/work/tools.h"

namespace tilewright::cli {
namespace {

int run_demo(const std::string& folder, const std::string& output) {
  project::Expansion files = project::expand({folder});
  if (!files.missing.empty())
    return fail_usage("no such file: " + folder, "run it in the checkout, or name a folder of scripts");
  toolchain::Toolchain tools(project::toolchain_options());
  const render::Colours& c = render::colours(stdout);
  bool errors = false, no_tools = false;
  for (const std::string& path : files.files) {
    auto file = project::load(path);
    if (!file) return fail_usage(file.error());
    auto take = [&](session::Compiled compiled) {
      for (const text::Diagnostic& d : compiled.diagnostics) {
        if (d.severity != text::Severity::Information)
          project::say(stdout, render::diagnostic_text(d, compiled.evaluation->anchors, c));
      }
      errors = errors || compiled.has_errors();
      for (const session::CompiledKernel& k : compiled.kernels) {
        const std::string arch = k.target.name();
        project::sayf(stdout, "\n%s%s%s  %s  %s\n", std::string(c.bold).c_str(), path.c_str(),
                      std::string(c.plain).c_str(), k.entry->expression.c_str(), arch.c_str());
        for (const dispatch::CallReport& call : k.dispatched->calls)
          project::say(stdout, call_report(call, compiled.evaluation->anchors));
        if (!k.cuda) continue;
        std::filesystem::path base = std::filesystem::path(output) / std::filesystem::path(path).stem();
        std::error_code ec;
        std::filesystem::create_directories(base, ec);
        std::string name = k.entry->expression;
        for (char& ch : name) {
          if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
        }
        base /= name + "." + arch;
        auto write = [&](const char* extension, const std::string& text) {
          if (text.empty()) return true;
          std::filesystem::path to = base;
          to += extension;
          auto ok = project::write_made({output, path}, to, {text});
          if (!ok)
            project::sayf(stderr, "tilewright: %s\n", ok.error().c_str());
          else
            project::sayf(stdout, "  %-5s      %s\n", extension + 1, to.string().c_str());
          return ok.has_value();
        };
        if (!write(".cu", k.cuda->text)) return false;
        if (no_tools) continue;
        toolchain::Request request = work::request_for(k);
        request.want_sass = true;
        auto made = tools.compile(request);
        if (!made) {
          project::sayf(stderr, "tilewright: %s\n", made.error().message.c_str());
          errors = errors || made.error().kind == toolchain::Error::Kind::Compilation;
          no_tools = made.error().kind == toolchain::Error::Kind::NoCuda;
          continue;
        }
        if (!write(".ptx", made->ptx) || !write(".cubin", made->cubin) || !write(".sass", made->sass)) return false;
        for (const toolchain::KernelResources& r : made->kernels) {
          project::sayf(stdout, "  uses       %d registers, %d bytes of shared memory, %d bytes spilled\n",
                        static_cast<int>(r.registers), static_cast<int>(r.static_shared),
                        static_cast<int>(r.spill_stores));
        }
      }
      return true;
    };
    if (!project::compile_each(*file, project::architectures(*file, {}), {}, {}, take)) return kUsage;
  }
  return errors ? kErrors : kFine;
}

}  // namespace

void add_demo(CLI::App* c, Run& run) {
  auto folder = std::make_shared<std::string>("examples");
  auto output = std::make_shared<std::string>("build/demo");
  c->add_option("folder", *folder, "Folder of scripts")->capture_default_str();
  c->add_option("-o,--output", *output, "Folder for the results")->capture_default_str();
  c->footer("Examples:\n  tilewright demo\n  tilewright demo kernels/ -o out/");
  c->callback([folder, output, &run] { run = [folder, output] { return run_demo(*folder, *output); }; });
}

}  // namespace tilewright::cli
