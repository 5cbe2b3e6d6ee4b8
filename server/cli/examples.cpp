// tilewright examples: the example scripts of this release.
#include "server/cli/commands.h"
#include "server/handbook/handbook.h"
#include "server/project/console.h"

namespace tilewright::cli {
namespace {

int run_examples(const std::string& name) {
  if (name.empty()) {
    for (const handbook::Example& e : handbook::examples())
      project::sayf(stdout, "%-28s %s\n", std::string(e.name).c_str(), std::string(e.summary).c_str());
    return kFine;
  }
  const handbook::Example* example = handbook::find_example(name);
  if (!example) return fail_usage("there is no example '" + name + "'", "tilewright examples lists them");
  project::emit(stdout, example->text);
  return kFine;
}

}  // namespace

void add_examples(CLI::App* c, Run& run) {
  auto name = std::make_shared<std::string>();
  c->add_option("name", *name, "The example (default: their list)");
  c->footer(
      "Examples:\n  tilewright examples\n  tilewright examples gemm_hopper\n"
      "  tilewright examples vector_add | tilewright check -");
  c->callback([name, &run] { run = [name] { return run_examples(*name); }; });
}

}  // namespace tilewright::cli
