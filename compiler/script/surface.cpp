// Joining the rows of a release, and finding them by name.
#include "compiler/script/surface.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "compiler/script/releases.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {
namespace {

std::uint32_t hash_of(std::string_view space, std::string_view name) {
  std::uint32_t h = 2166136261u;
  auto add = [&](std::string_view text) {
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  add(space);
  h = (h ^ 0xffu) * 16777619u;  // no byte of a name
  add(name);
  return h ^ (h >> 15);
}

bool is_path(const Record& r, std::string_view path) {
  return path.size() == r.space.size() + 1 + r.name.size() && path.starts_with(r.space) && path.ends_with(r.name) &&
         path[r.space.size()] == '.';
}

// "T.ptx.elect_sync" -> "T.ptx", "elect_sync".
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  std::size_t dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

text::Dialect before(text::Dialect release) { return static_cast<text::Dialect>(static_cast<int>(release) - 1); }

// What `path` of a later release was called when `dialect` was written: back through all releases between them. Of
// several old names the first that is listed. Empty: nothing like it.
std::string_view earlier_name(std::string_view path, text::Dialect release, text::Dialect dialect) {
  while (release > dialect) {
    auto all = changes();
    auto change = std::ranges::find_if(all, [&](const Change& c) { return c.release == release && c.is == path; });
    if (change != all.end()) path = change->was;
    if (path.empty()) break;
    release = before(release);
  }
  return path;
}

// What a name that was dropped is called now.
std::string_view later_name(std::string_view path, text::Dialect release, text::Dialect dialect) {
  for (const Change& c : changes()) {
    if (c.release < release || c.release > dialect || c.was != path || c.kind == Change::Kind::Beside) continue;
    if (c.is.empty()) return {};
    path = c.is;
    release = static_cast<text::Dialect>(static_cast<int>(c.release) + 1);
  }
  return path;
}

// The rows that every release starts from.
std::vector<Record> base_records(std::deque<std::string>& words) {
  std::vector<Record> out;
  for (std::span<const Record> family :
       {namespace_records(), decorator_records(), buffer_records(), scope_id_records(), loop_records(),
        statement_records(), expression_records(), class_records(), math_records(), prelude_records(), layout_records(),
        buffer_method_records()}) {
    out.insert(out.end(), family.begin(), family.end());
  }
  for (Record r : prelude_records()) {  // the modules below `tvm.tirx.lang` give all of the prelude
    r.space = "lang";
    if (!r.name.starts_with('_')) out.push_back(r);
  }
  add_dtype_records(out);
  add_tile_records(out, words);
  add_intrinsic_records(out, words);
  return out;
}

}  // namespace

Surface::Surface(text::Dialect dialect) : dialect_(dialect) {
  records_ = base_records(words_);
  index();  // of all rows: a change finds its own by name
  std::vector<std::uint8_t> gone(records_.size());
  std::vector<Record*> respelled;  // not found by the index any more
  auto at = [&](std::string_view path) -> Record* {
    for (Record* r : respelled) {
      if (is_path(*r, path)) return r;
    }
    auto [space, name] = split(path);
    auto* r = const_cast<Record*>(find(space, name));
    return r && is_path(*r, path) && !gone[r - records_.data()] ? r : nullptr;
  };
  using enum Change::Kind;
  for (const Change& c : changes()) {
    Record* row = c.is.empty() ? nullptr : at(c.is);
    if (c.release > dialect) {
      // What it adds is not known here, be there a row of it. Other new names may have been names of other things.
      if (row && c.kind == Added) {
        gone[row - records_.data()] = 1;
        row = nullptr;
      }
      if (c.kind != Dropped && !row) others_.push_back({c.is, c.release, earlier_name(c.is, c.release, dialect)});
      continue;
    }
    if (c.kind == Added || c.kind == Beside) continue;
    others_.push_back({c.was, before(c.release), later_name(c.was, c.release, dialect)});
    Record* old = at(c.was);
    if (!old) continue;
    if (c.kind == Renamed && !row) {
      std::tie(old->space, old->name) = split(c.is);
      respelled.push_back(old);
    } else {
      gone[old - records_.data()] = 1;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (!gone[i]) records_[kept++] = records_[i];
  }
  records_.resize(kept);
  std::ranges::stable_sort(others_, {}, &Other::path);
  index();
}

void Surface::index() {
  std::size_t size = 64;
  while (size < 2 * records_.size()) size *= 2;
  slots_.assign(size, 0);
  spaces_.clear();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& r = records_[i];
    if (find(r.space, r.name)) continue;  // the first row counts; the vocabulary test says that there is no second
    std::size_t slot = hash_of(r.space, r.name) & (size - 1);
    while (slots_[slot]) slot = (slot + 1) & (size - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
    spaces_[r.space].push_back(&r);
  }
}

const Record* Surface::find(std::string_view space, std::string_view name) const {
  std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_of(space, name) & mask; slots_[slot]; slot = (slot + 1) & mask) {
    const Record& r = records_[slots_[slot] - 1];
    if (r.name == name && r.space == space) return &r;
  }
  return nullptr;
}

std::span<const Record* const> Surface::names(std::string_view space) const {
  auto found = spaces_.find(space);
  return found == spaces_.end() ? std::span<const Record* const>() : found->second;
}

std::string Surface::advice(std::string_view space, std::string_view name) const {
  if (space.empty()) return {};  // another module
  std::string path(space);
  path.append(".").append(name);
  // The name itself, or one below it: `T.ptx.mbarrier.init.shared` of `T.ptx.mbarrier.init.shared.b64`.
  auto other = std::ranges::lower_bound(others_, std::string_view(path), {}, &Other::path);
  if (other != others_.end() && other->path != path) {
    other = std::ranges::lower_bound(others_, std::string_view(path + "."), {}, &Other::path);
    if (other != others_.end() && !other->path.starts_with(path + ".")) other = others_.end();
  }
  auto spelled = [](std::string_view of) {  // buffers and layouts have no name of their own
    auto [where, last] = split(of);
    if (where == "buffer" || where == "Layout") return "." + std::string(last);
    return where == "layout" || where == "Axis" || where == "lang" ? std::string(last) : std::string(of);
  };
  if (other != others_.end()) {
    std::string out = spelled(other->path) + " is " + std::string(text::dialect_name(other->release)) + "; ";
    out += text::dialect_name(dialect_);
    return out + (other->instead.empty() ? " has nothing like it" : " writes " + spelled(other->instead));
  }
  text::Nearest nearest(name);
  for (const Record* r : names(space)) {
    if (r->is_offered()) nearest.consider(r->name);
  }
  if (nearest.found().empty()) return {};
  return "did you mean " + spelled(std::string(space) + "." + std::string(nearest.found())) + "?";
}

const Surface& surface_of(text::Dialect dialect) {
  switch (dialect) {
    case text::Dialect::V0_25: break;
    case text::Dialect::V0_26: {
      static const Surface v0_26(text::Dialect::V0_26);
      return v0_26;
    }
    case text::Dialect::V0_27: {
      static const Surface v0_27(text::Dialect::V0_27);
      return v0_27;
    }
  }
  static const Surface v0_25(text::Dialect::V0_25);
  return v0_25;
}

std::expected<text::Dialect, std::string> built_in_dialect(std::string_view name) {
  std::string available;
  for (const text::DialectName& d : text::kDialects) {
    if (d.dialect <= text::kNewestDialect) available.append(available.empty() ? "" : ", ").append(d.name);
  }
  std::optional<text::Dialect> dialect = text::parse_dialect(name);
  if (!dialect) {
    return std::unexpected("there is no release '" + std::string(name) + "' of the dialect; this version reads " +
                           available);
  }
  if (*dialect > text::kNewestDialect) {
    return std::unexpected("release " + std::string(name) + " of the dialect is not built in; this version reads " +
                           available);
  }
  return *dialect;
}

}  // namespace tilewright::script
