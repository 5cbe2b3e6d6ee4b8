#include "server/mcp/loaded.h"

#include <algorithm>
#include <charconv>

namespace tilewright::mcp {
namespace {

// What examples import is the dialect's own.
class NoFiles final : public script::Loader {
 public:
  std::shared_ptr<const syntax::Tree> load(std::string_view, int, std::string_view) override { return nullptr; }
};

}  // namespace

std::expected<project::LoadedFile, std::string> loaded(const Subject& subject) {
  project::LoadedFile file;
  file.tree = subject.query.snapshot->tree();
  file.source = file.tree->source();
  file.place = subject.path;
  if (!project::is_file(subject.path)) {
    file.loader = std::make_unique<NoFiles>();
    return file;
  }
  file.loader = std::make_unique<project::FileLoader>(file.place);
  auto config = project::find_config(file.place);
  if (!config) return std::unexpected(config.error());
  file.config = std::move(*config);
  return file;
}

void add_lines(Answer& answer, std::string_view list, std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    answer.items.push_back({{}, std::string(line)});
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  answer.joined = true;
  answer.list = list;
  answer.quotes = {answer.list};
}

std::expected<LineRange, std::string> read_lines(const std::string& words) {
  auto number = [](std::string_view text, std::uint32_t& into) {
    auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), into);
    return wrong == std::errc() && end == text.data() + text.size() && into > 0;
  };
  LineRange out;
  const std::size_t colon = words.find(':');
  bool good = number(std::string_view(words).substr(0, colon), out.first);
  out.last = out.first;
  if (good && colon != words.npos) good = number(std::string_view(words).substr(colon + 1), out.last);
  if (!good || out.last < out.first) return std::unexpected("lines are written 20 or 20:30, from 1 and in this order");
  return out;
}

ide::Stretch bytes_of(const text::Source& source, LineRange lines) {
  const std::uint32_t begin = source.offset({lines.first - 1, 0}), end = source.offset({lines.last, 0});
  return {begin, lines.last >= source.line_count() ? source.size() : end};
}

}  // namespace tilewright::mcp
