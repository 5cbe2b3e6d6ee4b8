// tilewright completions: shell scripts that complete commands, options and their values.
#include "server/cli/commands.h"

namespace tilewright::cli {
namespace {

std::string words(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) out += sub->get_name() + " ";
  return out;
}

std::string options(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& name : o->get_lnames()) out += "--" + name + " ";
  }
  return out;
}

std::string bash(const CLI::App& app) {
  std::string out =
      "_tilewright() {\n  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"" +
      words(app) +
      "\" -- \"$word\")); return; fi\n"
      "  case $word in\n  -*) case $command in\n";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += "    " + sub->get_name() + ") COMPREPLY=($(compgen -W \"" + options(*sub) + "\" -- \"$word\")) ;;\n";
  }
  out +=
      "    esac ;;\n  *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}\ncomplete -o filenames -F _tilewright "
      "tilewright\n";
  return out;
}

std::string fish(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += "complete -c tilewright -n __fish_use_subcommand -a " + sub->get_name() + " -d '" + sub->get_description() +
           "'\n";
    for (const CLI::Option* o : sub->get_options()) {
      for (const std::string& name : o->get_lnames()) {
        out += "complete -c tilewright -n '__fish_seen_subcommand_from " + sub->get_name() + "' -l " + name + "\n";
      }
    }
  }
  return out;
}

std::string zsh(const CLI::App& app) {
  return "#compdef tilewright\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

}  // namespace

void add_completions(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("completions", "Print a completion script for a shell");
  c->add_option("shell", *shell, "Which shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c->footer("Example:\n  source <(tilewright completions bash)");
  c->callback([shell, &app, &run] {
    run = [shell, &app] {
      std::fputs((*shell == "fish" ? fish(app) : *shell == "zsh" ? zsh(app) : bash(app)).c_str(), stdout);
      return kFine;
    };
  });
}

}  // namespace tilewright::cli
