#include "server/mcp/resources.h"

#include <string>

#include "server/handbook/handbook.h"
#include "server/mcp/tool.h"
#include "server/project/codes.h"

namespace tilewright::mcp {
namespace {

// tilewright://docs/manual/checking.md, tilewright://diagnostics/TW3104, tilewright://examples/gemm_hopper.py.
constexpr std::string_view kDocs = "tilewright://docs/", kCodes = "tilewright://diagnostics/",
                           kExamples = "tilewright://examples/";
constexpr std::string_view kMarkdown = "text/markdown", kPython = "text/x-python";

Json contents(std::string_view uri, std::string_view kind, std::string text) {
  return {{"contents", Json::array({{{"uri", uri}, {"mimeType", kind}, {"text", std::move(text)}}})}};
}

}  // namespace

Json resources_json() {
  Json out = Json::array();
  for (const handbook::Page& page : handbook::pages()) {
    out.push_back({{"uri", std::string(kDocs) + std::string(page.file)},
                   {"name", page.name},
                   {"title", page.title},
                   {"mimeType", kMarkdown},
                   {"size", page.text.size()}});
  }
  return {{"resources", std::move(out)}};
}

Json resource_templates_json() {
  return {{"resourceTemplates",
           Json::array({{{"uriTemplate", std::string(kCodes) + "{code}"},
                         {"name", "diagnostic"},
                         {"description", "What a diagnostic code such as TW3104 means, and what to do"},
                         {"mimeType", kMarkdown}},
                        {{"uriTemplate", std::string(kExamples) + "{name}.py"},
                         {"name", "example"},
                         {"description", "An example script, such as gemm_hopper"},
                         {"mimeType", kPython}}})}};
}

std::optional<Json> resource_json(std::string_view uri) {
  if (uri.starts_with(kDocs)) {
    const handbook::Page* page = handbook::find_page(uri.substr(kDocs.size()));
    if (page) return contents(uri, kMarkdown, std::string(page->text));
  }
  if (uri.starts_with(kCodes)) {
    const text::CodeInfo* code = project::code_info(uri.substr(kCodes.size()));
    if (code)
      return contents(uri, kMarkdown,
                      "# " + std::string(code->code) + ": " + std::string(code->title) + "\n\n" +
                          std::string(code->explanation) + "\n");
  }
  if (uri.starts_with(kExamples) && uri.ends_with(".py")) {
    uri.remove_suffix(3);
    const handbook::Example* example = handbook::find_example(uri.substr(kExamples.size()));
    if (example) return contents(std::string(uri) + ".py", kPython, std::string(example->text));
  }
  return std::nullopt;
}

}  // namespace tilewright::mcp
