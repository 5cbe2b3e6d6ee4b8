// tilewright docs: the manual and the language that belong to this release, at the terminal.
#include "server/cli/commands.h"
#include "server/handbook/handbook.h"
#include "server/project/console.h"

namespace tilewright::cli {
namespace {

struct DocsCommand {
  std::string topic, section, search;
};

int print_page(std::string_view text) {
  project::emit(stdout, text);
  if (!text.ends_with('\n')) project::say(stdout, "\n");
  return kFine;
}

int list_topics() {
  std::string_view folder = "?";
  for (const handbook::Page& page : handbook::pages()) {
    if (page.folder != folder) {
      folder = page.folder;
      project::sayf(stdout, "%s\n", folder.empty() ? "besides" : std::string(folder).c_str());
    }
    project::sayf(stdout, "  %-16s %s\n", page.name.c_str(), std::string(page.title).c_str());
  }
  return kFine;
}

int search(const std::string& words) {
  constexpr std::size_t kMost = 20;
  const std::vector<handbook::Hit> found = handbook::search(words, kMost);
  for (const handbook::Hit& hit : found)
    project::sayf(stdout, "%s, %s: %s\n", hit.page->name.c_str(), std::string(hit.heading).c_str(),
                  std::string(hit.line).c_str());
  return found.empty() ? fail_usage("no section holds these words", "tilewright docs lists the topics") : kFine;
}

int run_docs(const DocsCommand& command) {
  if (!command.search.empty()) return search(command.search);
  if (command.topic.empty()) return list_topics();
  const handbook::Page* page = handbook::find_page(command.topic);
  if (!page) return fail_usage("there is no topic '" + command.topic + "'", "tilewright docs lists them");
  if (command.section.empty()) return print_page(page->text);
  const std::vector<handbook::Section> sections = handbook::sections(page->text);
  const handbook::Section* section = handbook::find_section(sections, command.section);
  if (!section) {
    std::string all;
    for (const handbook::Section& s : sections) all += (all.empty() ? "" : "; ") + std::string(s.heading);
    return fail_usage("'" + command.topic + "' has no section '" + command.section + "'", "it has " + all);
  }
  // With what stands below it.
  std::string text(section->text);
  for (const handbook::Section* s = section + 1; s != sections.data() + sections.size() && s->level > section->level;
       ++s)
    text += s->text;
  return print_page(text);
}

}  // namespace

void add_docs(CLI::App* c, Run& run) {
  auto command = std::make_shared<DocsCommand>();
  c->add_option("topic", command->topic, "A page (default: their list)");
  c->add_option("section", command->section, "A heading of the page, or how it begins");
  c->add_option("--search", command->search, "List the sections that hold all of these words");
  c->footer(
      "Examples:\n  tilewright docs\n  tilewright docs checking\n  tilewright docs patterns 'in registers'\n"
      "  tilewright docs --search 'bank conflict'");
  c->callback([command, &run] { run = [command] { return run_docs(*command); }; });
}

}  // namespace tilewright::cli
