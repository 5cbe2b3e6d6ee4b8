// tilewright compile: the artifacts of a script's kernels, on the terminal, as JSON or into a folder.
#include <algorithm>
#include <filesystem>

#include "compiler/cuda/host.h"
#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/lower.h"
#include "compiler/session/source_map.h"
#include "server/cli/commands.h"
#include "server/ide/words.h"
#include "server/project/files.h"
#include "server/render/json.h"
#include "server/render/report.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
using render::Json;
namespace {

const std::vector<std::string> kEmits = {"report", "tirx", "lowered", "cuda", "ptx", "cubin", "sass", "plan", "host"};

// `--emit host` gives two launchers: over the driver API, and over the runtime with the kernel's text in front.
constexpr std::string_view kHost = "host", kHostRuntime = "host_runtime";

struct CompileCommand {
  std::string file;
  std::vector<std::string> entries;
  std::vector<std::string> archs;
  std::vector<std::string> emits;
  std::string folder;
  std::string dialect = "auto";
  bool json = false;
};

bool is_binary(std::string_view emit) { return emit == "cubin"; }
std::string_view extension(std::string_view emit) {
  if (emit == "report") return "txt";
  if (emit == "tirx") return "py";
  if (emit == "lowered") return "lowered.py";
  if (emit == "cuda") return "cu";
  if (emit == "plan") return "json";
  if (emit == kHost) return "host.cpp";
  if (emit == kHostRuntime) return "host.cu";
  return emit;
}

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned n = 0;
    for (std::size_t j = 0; j < 3; ++j)
      n = n << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : kLetters[n >> (18 - 6 * j) & 63];
  }
  return out;
}

// [{cuda, range, chain, ptx[], sass[]}]: lines from 1.
Json source_map_json(const session::SourceMap& map, const text::Anchors& anchors) {
  Json out = Json::array();
  for (const session::MappedLine& line : map.lines) {
    Json chain = Json::array();
    for (const ir::CallSite* site = line.origin.chain; site; site = site->outer) {
      chain.insert(chain.begin(), render::range_json(site->span, anchors));
    }
    out.push_back({{"cuda", line.cuda},
                   {"range", render::range_json(line.origin.span, anchors)},
                   {"chain", chain},
                   {"ptx", line.ptx},
                   {"sass", line.sass}});
  }
  return out;
}

struct Output {
  std::string arch;
  const session::CompiledKernel* kernel;
  const text::Anchors* anchors;
  std::map<std::string, std::string> texts;  // by emit
  Json resources;
};

int run_compile(const CompileCommand& o) {
  if (o.dialect != "auto" && o.dialect != "0.25")
    return fail_usage("unknown dialect '" + o.dialect + "'", "this version reads 0.25");
  auto wants = [&](std::string_view e) { return std::find(o.emits.begin(), o.emits.end(), e) != o.emits.end(); };
  bool tools = wants("ptx") || wants("cubin") || wants("sass");
  auto file = project::load(o.file);
  if (!file) return fail_usage(file.error());
  const std::vector<std::string> archs = o.archs.empty() ? std::vector{project::one_architecture(*file)} : o.archs;
  std::vector<session::Compiled> compiled;
  std::unique_ptr<toolchain::Toolchain> nvrtc;
  if (tools) nvrtc = std::make_unique<toolchain::Toolchain>(project::toolchain_options());
  Json diagnostics = Json::array();
  std::vector<Output> outputs;
  bool errors = false, environment = false;
  compiled.reserve(archs.size());
  for (const std::string& arch : archs) {
    auto target = target_option(arch);
    if (!target) return kUsage;
    session::CompileOptions options;
    options.target = *target;
    options.entries = o.entries;
    session::Compiled& c = compiled.emplace_back(project::compile(*file, options));
    const text::Anchors& anchors = c.evaluation->anchors;
    for (const session::CompiledKernel& k : c.kernels) {
      Output& out = outputs.emplace_back(Output{arch, &k, &anchors, {}, nullptr});
      ArenaScope arena(*k.value->kernel.arena);
      for (const std::string& e : o.emits) {
        std::string& text = out.texts[e];
        if (e == "report") {
          for (const dispatch::CallReport& call : k.dispatched->calls) text += call_report(call, anchors);
        } else if (e == "tirx") {
          text = ir::print_script(k.value->kernel, intrinsics::printed_arguments);
        } else if (e == "lowered" && k.lowered) {
          text = lower::print_lowered(*k.lowered);
        } else if (e == "cuda" && k.cuda) {
          text = k.cuda->text;
        } else if ((e == kHost || e == kHostRuntime) && k.cuda) {
          auto launcher = cuda::host_launcher(*k.lowered, e == kHost ? cuda::HostApi::Driver : cuda::HostApi::Runtime);
          if (launcher) {
            text = (e == kHost ? "" : k.cuda->text + "\n") + *launcher;
          } else if (e == kHost) {
            std::fprintf(stderr, "tilewright: no launcher for %s: %s\n", std::string(k.value->kernel.name).c_str(),
                         launcher.error().c_str());
            environment = true;
          }
        } else if (e == "plan" && k.lowered) {
          text = render::dump(render::plan_json(*k.lowered)) + "\n";
        }
      }
      if (!tools || !k.cuda) continue;
      toolchain::Request request;
      request.cuda_source = k.cuda->text;
      request.arch = target->name();
      request.want_ptx = wants("ptx");
      request.want_cubin = true;
      request.want_sass = wants("sass");
      auto made = nvrtc->compile(request);
      if (!made) {
        if (made.error().kind == toolchain::Error::Kind::Compilation) {
          for (const toolchain::LogEntry& entry : made.error().entries)
            c.diagnostics.push_back(ide::toolchain_diagnostic(entry, *k.cuda));
          if (made.error().entries.empty())
            c.diagnostics.push_back(
                {"TW6001", text::Severity::Error, "NVRTC: " + made.error().message, k.value->kernel.span, {}, {}, {}});
        } else {
          std::fprintf(stderr, "tilewright: %s: %s\n", std::string(k.value->kernel.name).c_str(),
                       made.error().message.c_str());
          environment = true;
        }
        continue;
      }
      for (const toolchain::LogEntry& entry : made->entries)
        c.diagnostics.push_back(ide::toolchain_diagnostic(entry, *k.cuda));
      if (wants("ptx")) out.texts["ptx"] = made->ptx;
      if (wants("cubin")) out.texts["cubin"] = made->cubin;
      if (wants("sass")) out.texts["sass"] = made->sass;
      if (wants("sass") && !made->sass_missing.empty())
        std::fprintf(stderr, "tilewright: no SASS: %s\n", made->sass_missing.c_str());
      for (const toolchain::KernelResources& r : made->kernels) {
        if (r.name != k.lowered->symbol) continue;
        out.resources = {{"registers", r.registers},     {"spill_stores", r.spill_stores},
                         {"spill_loads", r.spill_loads}, {"static_shared_bytes", r.static_shared},
                         {"stack_bytes", r.stack},       {"barriers", r.barriers}};
      }
    }
    errors = errors || c.has_errors();
    for (const text::Diagnostic& d : c.diagnostics) {
      if (o.json)
        diagnostics.push_back(render::diagnostic_json(d, anchors));
      else
        std::fputs(render::diagnostic_text(d, anchors, render::colours(stderr)).c_str(), stderr);
    }
  }
  if (!o.folder.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(o.folder, ec);
    if (ec) return fail_usage("cannot create " + o.folder + ": " + ec.message());
    std::map<std::string, int> taken;
    for (Output& out : outputs) {
      std::string name = std::string(out.kernel->value->kernel.name);
      if (archs.size() > 1) name += "." + out.arch;
      int n = taken[name]++;  // several entries of one kernel
      if (n) name += "_" + std::to_string(n);
      for (auto& [emit, text] : out.texts) {
        if (text.empty()) continue;
        auto path = std::filesystem::path(o.folder) / (name + "." + std::string(extension(emit)));
        if (auto ok = project::write_file(path, text); !ok) return fail_usage(ok.error());
        if (!o.json) std::printf("%s\n", path.string().c_str());
      }
    }
  }
  if (o.json) {
    Json kernels = Json::array();
    for (Output& out : outputs) {
      Json k = render::kernel_json(*out.kernel, *out.anchors);
      k["arch"] = out.arch;
      Json sources = Json::object();
      for (auto& [emit, text] : out.texts) {
        if (text.empty()) continue;
        if (emit == "plan")
          k["plan"] = Json::parse(text);
        else if (emit != "report")
          sources[emit] = is_binary(emit) ? base64(text) : text;
      }
      k["sources"] = sources;
      if (out.kernel->cuda && out.texts.contains("cuda")) {
        auto text_of = [&](const char* emit) { return out.texts.contains(emit) ? out.texts[emit] : std::string(); };
        k["source_map"] =
            source_map_json(session::join(*out.kernel->cuda, text_of("ptx"), text_of("sass")), *out.anchors);
      }
      if (!out.resources.is_null()) k["resources"] = out.resources;
      kernels.push_back(k);
    }
    std::fputs((render::dump(Json{{"kernels", kernels}, {"diagnostics", diagnostics}}) + "\n").c_str(), stdout);
  } else if (o.folder.empty()) {
    bool several = outputs.size() * o.emits.size() > 1;
    for (Output& out : outputs) {
      for (const std::string& e : o.emits) {
        const std::string& text = out.texts[e];
        if (text.empty()) continue;
        if (is_binary(e)) return fail_usage("a cubin is no text", "give a folder with -o, or --json for base64");
        if (several)
          std::printf("── %s  %s  %s ──\n", out.kernel->entry->expression.c_str(), out.arch.c_str(), e.c_str());
        std::fputs(text.c_str(), stdout);
        if (text.back() != '\n') std::fputc('\n', stdout);
      }
    }
  }
  if (errors) return kErrors;
  if (outputs.empty() && !environment) {
    return fail_usage(o.file + " has no kernel to compile",
                      "name one with --entry EXPR; `tilewright entries FILE` lists them");
  }
  return environment ? kUsage : kFine;
}

}  // namespace

void add_compile(CLI::App& app, Run& run) {
  auto o = std::make_shared<CompileCommand>();
  CLI::App* c = app.add_subcommand("compile", "Compile the kernels of a script");
  c->add_option("file", o->file, "The script, or - for standard input")->required();
  c->add_option("--entry", o->entries, "An expression that yields a kernel, e.g. 'make(128, 64)'; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  c->add_option("--arch", o->archs,
                "Architecture (default: sm_90a, or what the file says in '# tilewright: arch ...'); repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  c->add_option("--dialect", o->dialect, "Release of the language; found out by default")->capture_default_str();
  auto emits = std::make_shared<std::vector<std::string>>();
  c->add_option("--emit", *emits, "What to produce (default report); repeatable, or separated by commas")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember(kEmits));
  c->add_option("-o,--output", o->folder, "Folder to write files into, one a kernel and kind");
  c->add_flag("--json", o->json, "One JSON object with kernels, calls, sources and diagnostics");
  c->footer(
      "Examples:\n  tilewright compile copy.py --emit cuda\n  tilewright compile copy.py --entry 'make((64, 64), "
      "\"float16\")' --json\n"
      "  tilewright compile copy.py --arch sm_80 --arch sm_100a --emit cuda,ptx,sass -o out/");
  c->callback([o, emits, &run] {
    o->emits = emits->empty() ? std::vector<std::string>{o->json ? "cuda" : "report"} : *emits;
    if (std::find(o->emits.begin(), o->emits.end(), kHost) != o->emits.end()) o->emits.emplace_back(kHostRuntime);
    run = [o] { return run_compile(*o); };
  });
}

}  // namespace tilewright::cli
