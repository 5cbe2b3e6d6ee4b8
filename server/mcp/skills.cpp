// tilewright skills: what a coding agent reads to use this program from a command line. A skill is a page of the
// documents (docs/skills/) with the help of each command that it shows below it.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/handbook/handbook.h"
#include "server/mcp/command.h"
#include "server/project/console.h"
#include "server/project/files.h"

namespace tilewright::mcp {
namespace {

namespace fs = std::filesystem;

// The commands that a page shows: "tilewright check kernel.py" at the beginning of a line.
std::vector<std::string> commands_in(std::string_view page) {
  constexpr std::string_view kWord = "\ntilewright ";
  std::vector<std::string> out;
  for (std::size_t at = page.find(kWord); at != page.npos; at = page.find(kWord, at + 1)) {
    const std::size_t begin = at + kWord.size(), end = page.find_first_of(" \n", begin);
    std::string name(page.substr(begin, end - begin));
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

std::string skill_text(const handbook::Page& page, const CLI::App& app) {
  std::string out(page.text);
  for (const std::string& name : commands_in(page.text))
    out += "\n## tilewright " + name + "\n\n```text\n" + app.get_subcommand(name)->help() + "```\n";
  return out;
}

int fail(const std::string& why) {
  project::sayf(stderr, "tilewright: %s\n", why.c_str());
  return 2;
}

int install_skills(const std::string& folder, const CLI::App& app) {
  for (const handbook::Page& page : handbook::skills()) {
    const fs::path file = fs::path(folder) / page.name / "SKILL.md";
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);
    if (ec) return fail(file.parent_path().string() + ": " + ec.message());
    if (auto written = project::write_file(file, skill_text(page, app)); !written) return fail(written.error());
    project::sayf(stdout, "%s\n", file.string().c_str());
  }
  return 0;
}

}  // namespace

void add_skills(CLI::App* c, std::function<int()>& run) {
  auto folder = std::make_shared<std::string>();
  auto action = std::make_shared<std::string>();
  c->add_option("action", *action, "install: write them")->required()->check(CLI::IsMember({"install"}));
  c->add_option("folder", *folder, "Where they go, a folder a skill: .claude/skills, for example")->required();
  c->footer("Example:\n  tilewright skills install .claude/skills");
  c->callback([folder, action, c, &run] { run = [folder, c] { return install_skills(*folder, *c->get_parent()); }; });
}

}  // namespace tilewright::mcp
