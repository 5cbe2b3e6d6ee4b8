// tilewright new: a folder with a script to begin with, made of an example.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "server/cli/commands.h"
#include "server/handbook/handbook.h"
#include "server/project/console.h"
#include "server/project/files.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

struct NewCommand {
  std::string folder, from = "vector_add";
};

// The module that a script of this name is, which other scripts may import.
std::string module_name(const fs::path& folder) {
  std::string out;
  for (const char c : folder.filename().string()) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (!out.empty() && std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return out;
}

int run_new(const NewCommand& command) {
  const handbook::Example* example = handbook::find_example(command.from);
  if (!example) return fail_usage("there is no example '" + command.from + "'", "tilewright examples lists them");
  fs::path folder = fs::path(command.folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::string name = module_name(folder);
  if (std::ranges::none_of(name, [](unsigned char c) { return std::isalnum(c); }))
    return fail_usage("'" + command.folder + "' names no folder", "for example: tilewright new my_gemm");
  std::error_code ec;
  if (fs::exists(folder, ec)) return fail_usage(folder.string() + " exists already", "name another folder");
  fs::create_directories(folder, ec);
  if (ec) return fail_usage(folder.string() + ": " + ec.message());
  const fs::path script = folder / (name + ".py"), settings = folder / "tilewright.toml";
  const std::string made = "# Settings of the scripts below this folder: tilewright docs writing Settings\n";
  for (const auto& [path, text] : {std::pair(script, std::string(example->text)), std::pair(settings, made)})
    if (auto written = project::write_file(path, text); !written) return fail_usage(written.error());
  project::sayf(stdout, "%s, from the example %s\n", script.string().c_str(), std::string(example->name).c_str());
  project::sayf(stdout, "next: tilewright check %s\n", script.string().c_str());
  return kFine;
}

}  // namespace

void add_new(CLI::App* c, Run& run) {
  auto command = std::make_shared<NewCommand>();
  c->add_option("folder", command->folder, "The folder to make; the script in it is called like it")->required();
  c->add_option("--from", command->from, "The example to begin with")->capture_default_str();
  c->footer("Examples:\n  tilewright new my_kernel\n  tilewright new my_gemm --from gemm_hopper");
  c->callback([command, &run] { run = [command] { return run_new(*command); }; });
}

}  // namespace tilewright::cli
