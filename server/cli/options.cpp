#include "server/cli/options.h"

namespace tilewright::cli {

void add_many(CLI::App& command, const char* name, std::vector<std::string>& into, const char* help) {
  command.add_option(name, into, help)->expected(1)->allow_extra_args(false)->take_all();
}

void add_archs(CLI::App& command, std::vector<std::string>& into) {
  add_many(command, "--arch", into,
           "Architecture (default: as the script's '# tilewright: arch ...', tilewright.toml or KERNEL_META says, "
           "else what its kernels need); repeatable");
}

void add_entries(CLI::App& command, std::vector<std::string>& into, const char* help) {
  add_many(command, "--entry", into, help);
}

}  // namespace tilewright::cli
