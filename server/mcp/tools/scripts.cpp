// scripts: the tile scripts of the workspace.
#include <filesystem>

#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/project/files.h"

namespace tilewright::mcp {
namespace {

Result scripts(const Question& question) {
  std::vector<std::string> folders;
  if (question.arguments.has("folder")) {
    auto folder = question.roots.find(question.arguments.text("folder"));
    if (!folder) return std::unexpected(folder.error());
    folders.push_back(folder->string());
  } else {
    for (const std::filesystem::path& root : question.roots.folders()) folders.push_back(root.string());
  }
  const project::Expansion found = project::expand(folders);
  Answer out;
  std::string first;
  for (const std::string& path : found.files) {
    // A link may lead out of the roots.
    if (!question.roots.find(path)) continue;
    const std::string shown = question.roots.shown(path);
    if (first.empty()) first = shown;
    out.items.push_back({shown, shown});
  }
  out.summary = counted(out.items.size(), "tile script") + "; " + counted(found.passed_over, "other Python file");
  out.head = {{"passed_over", found.passed_over}};
  out.list = "scripts";
  out.quotes = {"scripts"};
  if (first.empty())
    out.next = {"docs", {{"topic", "examples"}}, "lists examples to begin with"};
  else
    out.next = {"check", {{"path", first}}, "says what is wrong with a script"};
  return out;
}

}  // namespace

Tool scripts_tool() {
  return {.name = "scripts",
          .title = "List the tile scripts of the workspace",
          .words = "Paths of all tile scripts below the workspace's roots, or below a folder of them.",
          .parameters = {{.name = "folder", .words = "A folder of the workspace; default: all of it"}},
          .output = R"({"properties": {"passed_over": {"type": "integer",
      "description": "Python files without kernels"}, "scripts": {"type": "array", "items": {"type": "string"}}},
    "required": ["passed_over", "scripts"]})",
          .example = "{}",
          .waits = true,
          .answer = scripts};
}

}  // namespace tilewright::mcp
