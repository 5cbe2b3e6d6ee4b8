#include "compiler/toolchain/line_map.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/toolchain/compile_log.h"
#include "compiler/toolchain/scan.h"

namespace tilewright::toolchain {
namespace {

using Chain = std::vector<LineFrame>;

// Keeps each chain, file and function once.
class Builder {
 public:
  Builder() { chain({}); }

  std::uint32_t chain(Chain frames) {
    auto key = [&] {
      std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> parts;
      for (const LineFrame& frame : frames) parts.emplace_back(frame.file, frame.line, frame.column);
      return parts;
    }();
    auto [it, fresh] = chains_.try_emplace(std::move(key), static_cast<std::uint32_t>(map.chains.size()));
    if (fresh) map.chains.push_back(std::move(frames));
    return it->second;
  }

  std::uint32_t file(std::string_view name) {
    auto [it, fresh] = files_.try_emplace(std::string(name), static_cast<std::uint32_t>(map.files.size()));
    if (fresh) map.files.emplace_back(name);
    return it->second;
  }

  std::uint32_t function(std::string_view name) {
    if (map.functions.empty() || map.functions.back() != name) map.functions.emplace_back(name);
    return static_cast<std::uint32_t>(map.functions.size() - 1);
  }

  LineMap map;

 private:
  std::map<std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>, std::uint32_t> chains_;
  std::map<std::string, std::uint32_t> files_;
};

std::string_view quoted(std::string_view& text) {
  std::size_t open = text.find('"');
  if (open == std::string_view::npos) return {};
  std::size_t close = text.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  std::string_view inside = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  return inside;
}

// The symbol that `.entry name(` or `.func (...) name(` declares.
std::string_view declared_name(std::string_view line) {
  std::string_view rest;
  if (std::size_t entry = line.find(".entry "); entry != std::string_view::npos) {
    rest = line.substr(entry + 7);
  } else if (std::size_t function = line.find(".func"); function != std::string_view::npos) {
    rest = trimmed(line.substr(function + 5));
    if (rest.starts_with("(")) {  // the return parameters
      std::size_t close = rest.find(')');
      rest = close == std::string_view::npos ? std::string_view{} : rest.substr(close + 1);
    }
  }
  rest = trimmed(rest);
  return rest.substr(0, rest.find_first_of(" (\t;"));
}

bool is_ptx_instruction(std::string_view line) {
  if (line.starts_with("//") || line.starts_with(".") || line.ends_with(":")) return false;
  return line.find_first_not_of("{}() \t") != std::string_view::npos;
}

}  // namespace

LineMap read_ptx_lines(std::string_view ptx) {
  Builder builder;
  // `.file` directives stand at the end: number them first. PTX counts files from 1, in any order.
  std::map<std::uint32_t, std::uint32_t> files;
  for (std::string_view rest = ptx; auto line = next_line(rest);) {
    std::string_view text = *line;
    if (!take_word(text, ".file")) continue;
    if (auto number = take_number(text)) files[static_cast<std::uint32_t>(*number)] = builder.file(quoted(text));
  }
  // `inlined_at` gives one call site only, but that place has its own `.loc` before: the chain goes on there. The same
  // place may be inlined again from somewhere else, so the latest counts.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Chain> known;
  auto place = [&](std::string_view& text) -> std::optional<LineFrame> {
    auto file = take_number(text), line = take_number(text), column = take_number(text);
    if (!file || !line || !column) return std::nullopt;
    auto it = files.find(static_cast<std::uint32_t>(*file));
    if (it == files.end()) return std::nullopt;
    return LineFrame{it->second, static_cast<std::uint32_t>(*line), static_cast<std::uint32_t>(*column)};
  };
  std::uint32_t number = 0, function = 0, chain = 0;
  int depth = 0;
  for (std::string_view rest = ptx; auto line = next_line(rest);) {
    ++number;
    std::string_view text = trimmed(*line);
    if (depth == 0) {
      if (std::string_view name = declared_name(text); !name.empty()) {
        function = builder.function(name);
        chain = 0;
        known.clear();
      }
    } else if (std::string_view loc = text; take_word(loc, ".loc") && !loc.starts_with("a")) {  // not `.local`
      if (auto frame = place(loc)) {
        Chain frames{*frame};
        if (std::size_t at = loc.find("inlined_at "); at != std::string_view::npos) {
          loc.remove_prefix(at + 11);
          if (auto site = place(loc)) {
            auto it = known.find({site->file, site->line, site->column});
            if (it != known.end()) {
              frames.insert(frames.end(), it->second.begin(), it->second.end());
            } else {
              frames.push_back(*site);
            }
          }
        }
        known[{frame->file, frame->line, frame->column}] = frames;
        chain = builder.chain(std::move(frames));
      }
    } else if (is_ptx_instruction(text)) {
      builder.map.rows.push_back({number, function, chain});
    }
    if (!text.starts_with("//") && !text.starts_with(".section")) {
      depth += static_cast<int>(std::ranges::count(text, '{')) - static_cast<int>(std::ranges::count(text, '}'));
    }
  }
  return std::move(builder.map);
}

LineMap read_sass_lines(std::string_view sass) {
  Builder builder;
  std::uint32_t number = 0, function = 0, chain = 0;
  Chain pending;
  for (std::string_view rest = sass; auto line = next_line(rest);) {
    ++number;
    std::string_view text = trimmed(*line);
    if (text.starts_with("//## File ")) {
      // One comment a frame, innermost first; the next group starts after an instruction.
      std::string_view name = quoted(text);
      std::size_t at = text.find("line ");
      if (at == std::string_view::npos) continue;
      text.remove_prefix(at + 5);
      auto line_number = take_number(text);
      pending.push_back({builder.file(name), static_cast<std::uint32_t>(line_number.value_or(0)), 0});
    } else if (text.starts_with(".section")) {
      std::size_t at = text.find(".text.");
      if (at == std::string_view::npos) continue;
      std::string_view name = text.substr(at + 6);
      function = builder.function(name.substr(0, name.find_first_of(",\"")));
      chain = 0;
      pending.clear();
    } else if (text.starts_with("/*")) {
      if (!pending.empty()) {
        chain = builder.chain(std::move(pending));
        pending = {};
      }
      builder.map.rows.push_back({number, function, chain});
    }
  }
  return std::move(builder.map);
}

bool LineMap::is_source(std::uint32_t file) const {
  if (file >= files.size()) return false;
  std::string_view name = files[file];
  std::size_t slash = name.rfind('/');
  return (slash == std::string_view::npos ? name : name.substr(slash + 1)) == kSourceName;
}

std::span<const LineFrame> LineMap::chain_at(std::uint32_t line) const {
  auto it = std::ranges::lower_bound(rows, line, {}, &LineRow::line);
  if (it == rows.end() || it->line != line) return {};
  return chains[it->chain];
}

std::vector<std::uint32_t> LineMap::cuda_lines_at(std::uint32_t line) const {
  std::vector<std::uint32_t> lines;
  for (const LineFrame& frame : chain_at(line)) {
    if (frame.line != 0 && is_source(frame.file) && std::ranges::find(lines, frame.line) == lines.end()) {
      lines.push_back(frame.line);
    }
  }
  return lines;
}

std::vector<std::uint32_t> LineMap::lines_of(std::uint32_t cuda_line) const {
  std::vector<char> holds(chains.size(), 0);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    holds[i] = std::ranges::any_of(
        chains[i], [&](const LineFrame& frame) { return frame.line == cuda_line && is_source(frame.file); });
  }
  std::vector<std::uint32_t> lines;
  for (const LineRow& row : rows) {
    if (holds[row.chain]) lines.push_back(row.line);
  }
  return lines;
}

}  // namespace tilewright::toolchain
