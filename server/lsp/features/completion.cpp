// textDocument/completion.
#include "server/ide/completion.h"

#include <algorithm>

#include "compiler/script/surface.h"
#include "server/ide/scripts.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// CompletionItemKind of the protocol, in the order of ide::Completion::Kind.
constexpr int kItemKinds[] = {2, 3, 5, 6, 7, 9, 12, 14, 21};
constexpr int kSnippet = 2;  // InsertTextFormat

// Does the client ask for this member of an item when it is looked at (completionItem/resolve)?
bool resolves(const Client& client, std::string_view member) {
  const Json& members =
      protocol::at(client.capabilities, "textDocument.completion.completionItem.resolveSupport.properties");
  return members.is_array() && std::ranges::find(members, Json(member)) != members.end();
}

// What an item is found by when its documentation is asked for. Null: there is none to ask for.
Json subject(const Request& r, const ide::Completion& c) {
  if (!c.space.empty()) return "space " + std::string(c.space);
  if (!c.instruction.empty()) return "instruction " + std::string(c.instruction);
  if (c.script && !ide::is_prelude(*c.script)) return {{"uri", r.client->uri(*c.script)}, {"defined", c.defined}};
  return nullptr;
}

struct CompletionParams : protocol::PositionParams {
  std::string trigger;  // the character that asked; empty: the user did
};
void from_json(const Json& json, CompletionParams& p) {
  protocol::from_json(json, static_cast<protocol::PositionParams&>(p));
  const Json& trigger = protocol::at(json, "context.triggerCharacter");
  if (trigger.is_string()) p.trigger = trigger.get<std::string>();
}

Answer<Json> completion(const Request& r, const CompletionParams& p) {
  // Spaces and brackets stand everywhere: by themselves they ask in our comments alone.
  if (p.trigger == " " || p.trigger == "[") {
    std::string_view line = r.snapshot->source().line(p.position.line);
    if (line.find("tilewright:") == line.npos) return Json{{"isIncomplete", false}, {"items", Json::array()}};
  }
  const bool snippets = r.client->offers("textDocument.completion.completionItem.snippetSupport");
  const bool later = resolves(*r.client, "documentation");
  std::vector<ide::Completion> found = ide::completions(r, r.offset(p.position));
  Json::array_t items;
  items.reserve(found.size());
  for (ide::Completion& c : found) {
    Json::object_t item;
    if (c.call && snippets) {
      item.emplace("insertText", c.label + "($0)");
      item.emplace("insertTextFormat", kSnippet);
    }
    // Of the same text stand in the order in which they come: by name.
    item.emplace("sortText", std::to_string(10'000 + c.rank * 1000 + 999 - static_cast<int>(std::min(c.uses, 999u))));
    item.emplace("label", std::move(c.label));
    item.emplace("kind", kItemKinds[static_cast<int>(c.kind)]);
    if (!c.detail.empty()) item.emplace("detail", std::move(c.detail));
    if (Json data = later ? subject(r, c) : Json(); !data.is_null()) {
      item.emplace("data", std::move(data));
    } else {
      std::string words = std::move(c.words);
      if (words.empty()) words = c.documentation;
      if (words.empty() && c.script) words = ide::documentation(*c.script, c.defined);
      if (!words.empty()) item.emplace("documentation", std::move(words));
    }
    items.push_back(std::move(item));
  }
  return Json{{"isIncomplete", false}, {"items", std::move(items)}};
}

struct Item {
  Json whole;
};
void from_json(const Json& json, Item& item) { item.whole = json; }

// The item with its documentation. What the data does not lead to stays as it is.
Answer<Json> resolve(const Request& r, const Item& params) {
  Json item = params.whole;
  const Json &data = protocol::at(item, "data"), &uri = protocol::at(item, "data.uri"),
             &defined = protocol::at(item, "data.defined"), &label = protocol::at(item, "label");
  const std::string word = data.is_string() ? data.get<std::string>() : "";
  constexpr std::string_view kSpace = "space ", kInstruction = "instruction ";
  std::string words;
  if (word.starts_with(kSpace) && label.is_string()) {
    const script::Record* record =
        script::surface_of(text::kDefaultDialect).find(word.substr(kSpace.size()), label.get<std::string>());
    if (record) words = record->documentation;
  } else if (word.starts_with(kInstruction)) {
    words = ide::documentation_of_instruction(word.substr(kInstruction.size()));
  } else if (uri.is_string() && defined.is_number_unsigned()) {
    ide::Scripts scripts(r);
    if (ide::Script script = scripts.find(path_of(uri.get<std::string>())))
      words = ide::documentation(*script, defined.get<std::uint32_t>());
  }
  if (!words.empty()) item["documentation"] = std::move(words);
  return item;
}

}  // namespace

void add_completion(Registry& registry) {
  registry.offer("completionProvider",
                 {{"triggerCharacters", {".", "(", "\"", "'", ",", "[", " "}}, {"resolveProvider", true}});
  registry.on_document<CompletionParams>("textDocument/completion", completion);
  registry.on_workspace<Item>("completionItem/resolve", resolve);
}

}  // namespace tilewright::lsp
