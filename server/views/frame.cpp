#include "server/views/frame.h"

#include <algorithm>
#include <map>

#include "compiler/toolchain/digest.h"
#include "server/render/base64.h"
#include "server/render/junit.h"

namespace tilewright::views {
namespace {

// JSON inside of an element: `</script>` and `<!--` are the same text without their `<`.
std::string without_tags(const std::string& json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Each `@NAME@` of the frame once, in its order: what is put in is never looked at again.
std::string filled(std::string_view frame, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  while (!frame.empty()) {
    const std::size_t at = std::min(frame.find('@'), frame.size());
    out.append(frame.substr(0, at));
    frame.remove_prefix(at);
    const std::size_t end = frame.find('@', 1);
    if (frame.empty() || end == frame.npos) break;
    auto found = values.find(frame.substr(1, end - 1));
    if (found == values.end()) {
      out += '@';
      frame.remove_prefix(1);
      continue;
    }
    out += found->second;
    frame.remove_prefix(end + 1);
  }
  return out.append(frame);
}

}  // namespace

std::string framed_page(std::string_view body, const std::string& path, const std::string& style,
                        const std::string& script, const render::Json& data) {
  auto digest = [](const std::string& text) {
    const toolchain::Digest bytes = toolchain::sha256(text);
    return "'sha256-" + render::base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) + "'";
  };
  const std::string title = render::xml_escape(path.substr(path.rfind('/') + 1));
  return filled(page_source("frame.html"),
                {{"TITLE", title},
                 {"BODY", filled(body, {{"TITLE", title}})},
                 {"POLICY", "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src " +
                                digest(style) + "; script-src " + digest(script)},
                 {"STYLE", style},
                 {"SCRIPT", script},
                 {"DATA", without_tags(render::dump(data, -1))}});
}

}  // namespace tilewright::views
