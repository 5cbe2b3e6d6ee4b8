// docs: the manual and the language, a section at a time.
#include "server/handbook/handbook.h"
#include "server/mcp/loaded.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

constexpr std::size_t kMostHits = 12;

Answer topics() {
  Answer out;
  for (const handbook::Page& page : handbook::pages())
    out.items.push_back({{{"topic", page.name}, {"title", page.title}, {"bytes", page.text.size()}},
                         page.name + ": " + std::string(page.title)});
  out.summary = counted(out.items.size(), "topic");
  out.list = "topics";
  out.next = {"docs", {{"topic", "writing"}}, "how a script is written"};
  return out;
}

Item item_of(const handbook::Example& e) {
  const std::string topic = "example:" + std::string(e.name);
  return {{{"topic", topic}, {"title", e.summary}}, topic + ": " + std::string(e.summary)};
}

Answer examples() {
  Answer out;
  for (const handbook::Example& e : handbook::examples()) out.items.push_back(item_of(e));
  out.summary = counted(out.items.size(), "example");
  out.list = "topics";
  out.next = {"docs", {{"topic", "example:gemm_hopper"}}, "the text of an example; other tools take it as path"};
  return out;
}

Answer found(const std::string& words) {
  Answer out;
  if (const handbook::Example* named = handbook::find_example(words)) out.items.push_back(item_of(*named));
  for (const handbook::Hit& hit : handbook::search(words, kMostHits))
    out.items.push_back({{{"topic", hit.page->name}, {"section", hit.heading}, {"line", clipped(hit.line, 160)}},
                         hit.page->name + ", " + std::string(hit.heading) + ": " + clipped(hit.line, 160)});
  out.summary = counted(out.items.size(), "place") + " with these words";
  out.list = "topics";
  out.quotes = {"topics"};
  if (out.items.empty()) {
    out.next = {"docs", Json::object(), "lists the topics"};
  } else {
    const Json& first = out.items.front().json;
    Json next{{"topic", first["topic"]}};
    if (first.contains("section")) next["section"] = first["section"];
    out.next = {"docs", std::move(next), "the first that was found"};
  }
  return out;
}

Result page(const handbook::Page& page, const std::string& wanted) {
  const std::vector<handbook::Section> sections = handbook::sections(page.text);
  Answer out;
  out.head = {{"topic", page.name}};
  if (wanted.empty()) {
    // The beginning, and what else there is.
    if (!sections.empty()) add_lines(out, "text", sections.front().text);
    Json names = Json::array();
    std::string list;
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (sections[i].level > 2) continue;
      names.push_back(clipped(sections[i].heading, 60));
      list += (list.empty() ? "" : "; ") + clipped(sections[i].heading, 60);
    }
    out.summary = page.name + ": " + std::string(page.title) + (list.empty() ? "" : ". Sections: " + list);
    if (!names.empty()) {
      out.next = {"docs", {{"topic", page.name}, {"section", names[0]}}, "a section of this page"};
      out.head["sections"] = std::move(names);
    } else {
      out.next = {"docs", Json::object(), "lists the other topics"};
    }
    return out;
  }
  const handbook::Section* section = handbook::find_section(sections, wanted);
  if (!section) {
    std::string all;
    for (const handbook::Section& s : sections)
      if (s.level < 3) all += (all.empty() ? "" : "; ") + std::string(s.heading);
    return std::unexpected("the page " + page.name + " has no section '" + clipped(wanted, 60) + "'; it has " + all);
  }
  // With what stands below it.
  std::size_t end = static_cast<std::size_t>(section - sections.data()) + 1;
  while (end < sections.size() && sections[end].level > section->level && section->level > 1) ++end;
  for (const handbook::Section* s = section; s != sections.data() + end; ++s) add_lines(out, "text", s->text);
  out.head["section"] = section->heading;
  out.summary = page.name + ": " + std::string(section->heading);
  if (end < sections.size())
    out.next = {"docs", {{"topic", page.name}, {"section", sections[end].heading}}, "the section after it"};
  else
    out.next = {"docs", Json::object(), "lists the other topics"};
  return out;
}

Answer example_answer(const handbook::Example& example) {
  const std::string topic = "example:" + std::string(example.name);
  Answer out;
  out.head = {{"topic", topic}};
  out.summary = topic + ": " + std::string(example.summary);
  add_lines(out, "text", example.text);
  out.next = {"explain", {{"path", topic}}, "what its tile primitives become"};
  return out;
}

Result docs(const Question& question) {
  const std::string topic = question.arguments.text("topic"), words = question.arguments.text("search");
  if (!words.empty()) return found(words);
  if (topic.empty()) return topics();
  if (topic == "examples") return examples();
  const bool prefixed = topic.starts_with(kExample);
  const std::string_view name = std::string_view(topic).substr(prefixed ? kExample.size() : 0);
  const handbook::Example* example = handbook::find_example(name);
  if (example && (prefixed || !handbook::find_page(topic))) return example_answer(*example);
  if (prefixed) return std::unexpected("there is no such example: the topic 'examples' lists them");
  if (const handbook::Page* found_page = handbook::find_page(topic))
    return page(*found_page, question.arguments.text("section"));
  return std::unexpected("there is no topic '" + clipped(topic, 60) +
                         "': call docs without arguments for a list, or with search for words");
}

}  // namespace

Tool docs_tool() {
  return {.name = "docs",
          .title = "Read the documents",
          .words =
              "The manual and the language: without arguments the topics, with a topic its beginning and sections, "
              "with a section its text, with search the sections that hold the words. The topic `examples` lists "
              "scripts, `example:NAME` is one.",
          .parameters = {{.name = "topic", .words = "A page, `examples`, or example:NAME"},
                         {.name = "section", .words = "A heading of the page, or how it begins"},
                         {.name = "search", .words = "Words to look for in all pages"}},
          .output = R"({"properties": {"topic": {"type": "string"}, "section": {"type": "string"},
    "text": {"type": "string"}, "sections": {"type": "array", "items": {"type": "string"}},
    "topics": {"type": "array", "items": {"type": "object", "properties": {"topic": {"type": "string"},
      "title": {"type": "string"}, "section": {"type": "string"}, "line": {"type": "string"},
      "bytes": {"type": "integer"}}, "required": ["topic"]}}},
    "required": []})",
          .example = R"({"topic": "writing"})",
          .answer = docs};
}

}  // namespace tilewright::mcp
