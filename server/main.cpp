// The one binary: finds the command, runs it, and turns its outcome into an exit status.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

#include "compiler/run/helper.h"
#include "compiler/text/dialect.h"
#include "compiler/text/escape.h"
#include "compiler/toolchain/helper.h"
#include "compiler/toolchain/owned_path.h"
#include "server/bsp/command.h"
#include "server/cli/commands.h"
#include "server/lsp/command.h"
#include "server/mcp/command.h"
#include "server/project/console.h"
#include "server/project/cuda_folders.h"
#include "server/project/environment.h"
#include "server/remote/holder.h"
#include "server/remote/shared_cache.h"
#include "server/worker/command.h"
#include "server/worker/simulated_job.h"

namespace tilewright {
std::string_view built_from();  // the commit, as cmake/Commit.cmake found it
}

namespace {

struct Command {
  std::string_view name, about;
  void (*add)(CLI::App* command, tilewright::cli::Run& run);
};
constexpr Command kCommands[] = {
#define TILEWRIGHT_COMMAND(NAME, ABOUT) {#NAME, ABOUT, tilewright::cli::add_##NAME},
    TILEWRIGHT_COMMANDS(TILEWRIGHT_COMMAND)
#undef TILEWRIGHT_COMMAND
        {"lsp", "Serve editors: the Language Server Protocol on standard input and output", tilewright::lsp::add_lsp},
    {"mcp", "Serve coding agents: the Model Context Protocol on standard input and output", tilewright::mcp::add_mcp},
    {"skills", "Write skills for coding agents: when and how to use this program", tilewright::mcp::add_skills},
    {"worker", "Compile and run kernels for clients elsewhere: the other end of run --on",
     tilewright::worker::add_worker},
    {"serve", "Serve CI and editors: the Build Server Protocol 2.2", tilewright::bsp::add_serve},
    {"completions", "Print a completion script for a shell", tilewright::cli::add_completions},
};

// The command whose options are all that is needed: describing those of the others takes a tenth of a small command's
// memory. Null: all are, for what lists them.
const Command* command_named(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) || name == "completions" || name == "skills" ? nullptr : found;
}

// These read no settings of projects.
bool reads_settings(std::string_view name) {
  return name != "layout" && name != "doctor" && name != "cache" && name != "demo" && name != "worker" &&
         name != "docs" && name != "examples" && name != "new" && name != "skills" && name != "completions";
}

// Null: the environment names none, or it cannot be used, which is no reason to do without compilations.
std::shared_ptr<tilewright::toolchain::SharedStore> shared_cache() {
  using namespace tilewright::remote;
  auto made = shared_cache(shared_cache_options());
  if (!made) tilewright::project::sayf(stderr, "tilewright: %s; it is not used\n", made.error().c_str());
  return made ? *made : nullptr;
}

// "0.1.0 (commit 4780a5f3c21b, dialects 0.25, 0.26)".
std::string version_words() {
  using namespace tilewright;
  std::string dialects;
  for (const text::DialectName& d : text::kDialects) dialects.append(dialects.empty() ? " " : ", ").append(d.name);
  return TILEWRIGHT_VERSION " (commit " + std::string(built_from()) + ", dialects" + dialects + ")";
}

// The status of a command that has printed its result, which may not have arrived: a full disk is an error, a reader
// who has seen enough (`| head`) is not told.
int delivered(int status) {
  bool lost = std::fflush(stdout) != 0;
  lost = std::ferror(stdout) != 0 || lost;
  if (!lost) return status;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, 0) == 1 && (output.revents & POLLERR)) return tilewright::cli::kUsage;
  return tilewright::cli::fail_usage("cannot write the result to standard output");
}

// Prints the two names of a switch as "--check,--no-check", without the value of the second, "{false}".
class HelpText : public CLI::Formatter {
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    constexpr std::string_view kValue = "{false}";
    if (const std::size_t at = name.find(kValue); at != name.npos) name.erase(at, kValue.size());
    return name;
  }
};

int command_line(int argc, char** argv) {
  // A dead reader of our output is an error of writing, not a reason to die silently.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow any further is one, too (ulimit -f).
  std::signal(SIGXFSZ, SIG_IGN);
  // The processes that hold NVRTC and the GPU are this binary too; they take no options of ours.
  if (argc == 2 && std::string_view(argv[1]) == "toolchain-helper") return tilewright::toolchain::helper_main();
  if ((argc == 2 || argc == 3) && std::string_view(argv[1]) == "gpu-helper")
    return tilewright::run::helper_main(argc == 3 && std::string_view(argv[2]) == "unconfined");
  // So is the one that holds an allocation of a cluster.
  if (argc > 2 && std::string_view(argv[1]) == "slurm-holder") return tilewright::remote::slurm_holder_main(argc, argv);
  if (argc == 2 && std::string_view(argv[1]) == "worker-job") return tilewright::worker::simulated_job_main();

  // It needs no command.
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    tilewright::project::say(stdout, version_words() + "\n");
    return delivered(tilewright::cli::kFine);
  }

  tilewright::project::share_cache(shared_cache);
  tilewright::toolchain::trust_owners(tilewright::project::cuda_owners());

  using namespace tilewright::cli;
  CLI::App app{"Tilewright: compiler service and language server for TIRx tile scripts", "tilewright"};
  app.set_version_flag("--version", version_words);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpText>());
  Run run;
  const Command* asked = argc > 1 ? command_named(argv[1]) : nullptr;
  const bool only_listed = argc == 2 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"));
  for (const Command& command : kCommands) {
    if (asked && asked != &command) continue;
    CLI::App* described = app.add_subcommand(std::string(command.name), std::string(command.about));
    if (only_listed) continue;
    command.add(described, run);
    if (reads_settings(command.name)) add_settings_options(*described);
  }
  // After the commands, which would show it as their own.
  app.footer(
      "Examples:\n  tilewright check kernels/\n  tilewright compile copy.py --emit cuda\n  tilewright explain "
      "copy.py:14\n"
      "  tilewright layout 'mma_shared_layout(\"float16\", 3, (64, 64))'");
  if (argc > 1 && argv[1][0] != '-') {
    const auto known = app.get_subcommands(nullptr);
    if (std::ranges::none_of(known, [&](const CLI::App* c) { return c->check_name(argv[1]); }))
      return fail_usage("there is no command '" + std::string(argv[1]) + "'", "tilewright --help lists them");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {  // --help and --version, too
    std::ostringstream out, errors;
    const int status = app.exit(e, out, errors);
    std::string words = errors.str();
    // It repeats arguments as they are.
    if (const std::string what = e.what(); words.starts_with(what))
      words.replace(0, what.size(), tilewright::text::visible(what));
    tilewright::project::say(stdout, out.str());
    tilewright::project::say(stderr, words);
    return status == 0 ? kFine : kUsage;
  }
  return run ? delivered(run()) : kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command_line(argc, argv);
  } catch (const std::exception& e) {  // memory has run out, or a fault of ours: what there is to say must not allocate
    tilewright::project::say(stderr, "tilewright: ended by an internal failure: ");
    tilewright::project::say(stderr, e.what());
    tilewright::project::say(
        stderr, "\n  this is a defect of tilewright unless memory ran out; please report the command and its input\n");
    return tilewright::cli::kUsage;
  }
}
