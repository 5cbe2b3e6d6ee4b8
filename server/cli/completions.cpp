// tilewright completions: shell scripts that complete commands, options and their values.
#include <algorithm>
#include <sstream>

#include "server/cli/commands.h"
#include "server/project/console.h"

namespace tilewright::cli {
namespace {

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string words(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : commands(app)) out += sub->get_name() + " ";
  return out;
}

// "--output -o ".
std::string names(const CLI::Option& o) {
  std::string out;
  for (const std::string& name : o.get_lnames()) out += "--" + name + " ";
  for (const std::string& name : o.get_snames()) out += "-" + name + " ";
  return out;
}

std::string options(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* o : app.get_options()) out += names(*o);
  return out;
}

bool takes_value(const CLI::Option& o) { return o.get_type_size() != 0; }

// The words that an option or a positional may be, with blanks between; empty: any. Its type says them: "TEXT:{a,b}".
std::string choices(const CLI::Option& o) {
  const std::string type = o.get_type_name();
  const std::size_t from = type.find('{'), to = type.find('}', from);
  if (from == type.npos || to == type.npos) return {};
  std::string out = type.substr(from + 1, to - from - 1);
  std::ranges::replace(out, ',', ' ');
  return out;
}

// Positionals that are one of a few words; empty: files.
std::string positional_choices(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_positional()) out += choices(*o);
  }
  return out;
}

std::string bash(const CLI::App& app) {
  std::string values, by_command;
  for (const CLI::App* sub : commands(app)) {
    for (const CLI::Option* o : sub->get_options()) {
      const std::string may = choices(*o);
      if (may.empty() || !takes_value(*o) || o->get_positional()) continue;
      std::string patterns;
      for (std::istringstream each(names(*o)); each;) {
        std::string name;
        if (each >> name) patterns += (patterns.empty() ? "\"" : "|\"") + sub->get_name() + " " + name + "\"";
      }
      values += "  " + patterns + ") COMPREPLY=($(compgen -W \"" + may + "\" -- \"$word\")); return ;;\n";
    }
    by_command += "    " + sub->get_name() + ") COMPREPLY=($(compgen -W \"" + options(*sub) + "\" -- \"$word\")) ;;\n";
  }
  std::string positionals;
  for (const CLI::App* sub : commands(app)) {
    if (const std::string may = positional_choices(*sub); !may.empty())
      positionals += "    " + sub->get_name() + ") COMPREPLY=($(compgen -W \"" + may + "\" -- \"$word\")) ;;\n";
  }
  return "_tilewright() {\n  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"" +
         words(app) + "\" -- \"$word\")); return; fi\n  case \"$command ${COMP_WORDS[COMP_CWORD-1]}\" in\n" + values +
         "  esac\n  case $word in\n  -*) case $command in\n" + by_command + "    esac ;;\n  *) case $command in\n" +
         positionals +
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac ;;\n  esac\n}\n"
         "complete -o filenames -F _tilewright tilewright\n";
}

// Between single quotes of a shell, with a backslash before what `special` has.
std::string quoted(std::string_view text, std::string_view special, std::string_view quote) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += quote;
      continue;
    }
    if (special.contains(c)) out += '\\';
    out += c;
  }
  return out;
}

std::string fish(const CLI::App& app) {
  constexpr std::string_view kQuote = "\\'";
  std::string out = "complete -c tilewright -n __fish_use_subcommand -f\n";
  for (const CLI::App* sub : commands(app)) {
    out += "complete -c tilewright -n __fish_use_subcommand -a " + sub->get_name() + " -d '" +
           quoted(sub->get_description(), "\\", kQuote) + "'\n";
    const std::string seen = "complete -c tilewright -n '__fish_seen_subcommand_from " + sub->get_name() + "'";
    if (const std::string may = positional_choices(*sub); !may.empty()) out += seen + " -f -a '" + may + "'\n";
    for (const CLI::Option* o : sub->get_options()) {
      if (o->get_positional()) continue;
      out += seen;
      for (const std::string& name : o->get_lnames()) out += " -l " + name;
      for (const std::string& name : o->get_snames()) out += " -s " + name;
      const std::string may = choices(*o);
      if (takes_value(*o)) out += may.empty() ? " -r" : " -x -a '" + may + "'";
      out += " -d '" + quoted(o->get_description(), "\\", kQuote) + "'\n";
    }
  }
  return out;
}

// As a file of zsh's function path, which is run at the first completion, and for `source`.
std::string zsh(const CLI::App& app) {
  constexpr std::string_view kQuote = "'\\''", kSpecial = "\\[]:";
  std::string listed, cases;
  for (const CLI::App* sub : commands(app)) {
    listed += "    '" + sub->get_name() + ":" + quoted(sub->get_description(), kSpecial, kQuote) + "'\n";
    cases += "    " + sub->get_name() + ")\n      _arguments";
    for (const CLI::Option* o : sub->get_options()) {
      if (o->get_positional()) continue;
      const std::string may = choices(*o);
      const std::string value = !takes_value(*o) ? "" : may.empty() ? ":value:_files" : ":value:(" + may + ")";
      for (std::istringstream each(names(*o)); each;) {
        std::string name;
        if (each >> name)
          cases += " \\\n        '*" + name + "[" + quoted(o->get_description(), kSpecial, kQuote) + "]" + value + "'";
      }
    }
    const std::string may = positional_choices(*sub);
    cases += " \\\n        '*:" + (may.empty() ? std::string("file:_files") : "word:(" + may + ")") + "'\n      ;;\n";
  }
  return "#compdef tilewright\n_tilewright() {\n  local -a commands=(\n" + listed +
         "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n" +
         cases +
         "  esac\n}\nif [[ $funcstack[1] == _tilewright ]]; then _tilewright \"$@\"; "
         "else compdef _tilewright tilewright; fi\n";
}

}  // namespace

void add_completions(CLI::App* c, Run& run) {
  auto shell = std::make_shared<std::string>();
  c->add_option("shell", *shell, "Which shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c->footer("Example:\n  source <(tilewright completions bash)");
  c->callback([shell, c, &run] {
    run = [shell, c] {
      const CLI::App& app = *c->get_parent();
      project::emit(stdout, *shell == "fish" ? fish(app) : *shell == "zsh" ? zsh(app) : bash(app));
      return kFine;
    };
  });
}

}  // namespace tilewright::cli
