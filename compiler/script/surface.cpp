// Joining the rows of a release, and finding them by name.
#include "compiler/script/surface.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "compiler/script/prelude.h"
#include "compiler/script/releases.h"
#include "compiler/script/tirx/buffer_views.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {
namespace {

// "T.ptx.elect_sync" -> "T.ptx", "elect_sync".
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  std::size_t dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

text::Dialect before(text::Dialect release) { return static_cast<text::Dialect>(static_cast<int>(release) - 1); }
text::Dialect following(text::Dialect release) { return static_cast<text::Dialect>(static_cast<int>(release) + 1); }

// What `path` of a later release was called when the surface's was written: back through all releases between them. Of
// several old names the first that is listed. Empty: nothing like it.
std::string_view earlier_name(std::string_view path, text::Dialect release, const Surface& surface) {
  while (release > surface.dialect()) {
    if (auto [space, name] = split(path); surface.find(space, name)) break;  // it was there all the time
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
    release = following(c.release);
  }
  return path;
}

// The space whose names this one has, too, but for those that it replaces or refuses; empty: none.
std::string_view wider_space(std::string_view space) {
  if (space == "txl" || space == "tirx") return "T";
  return space == "tirx.cuda" ? "T.cuda" : std::string_view();
}

}  // namespace

// Records with an index, in one release.
class Surface::Names {
 public:
  Names(std::vector<const Record*> records, MadeRecords made, std::span<const Change> changes, text::Dialect dialect)
      : made_(std::move(made)), records_(std::move(records)) {
    for (const Record& r : made_.rows) records_.push_back(&r);
    std::size_t size = 64;
    while (size < 2 * records_.size()) size *= 2;
    slots_.resize(size);
    for (std::size_t i = 0; i < records_.size(); ++i) add(i);
    change_to(changes, dialect);
  }

  const Record* find(std::uint32_t hash, std::string_view space, std::string_view name) const {
    std::size_t i = index_of(hash, space, name);
    return i == kNone ? nullptr : records_[i];
  }
  // Null: it is not of this release.
  std::span<const Record* const> records() const { return records_; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void add(std::size_t i) {
    std::size_t mask = slots_.size() - 1, slot = records_[i]->hash & mask;
    while (slots_[slot]) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint16_t>(i + 1);
  }

  std::size_t index_of(std::uint32_t hash, std::string_view space, std::string_view name) const {
    std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask; slots_[slot]; slot = (slot + 1) & mask) {
      const Record* r = records_[slots_[slot] - 1];
      if (r && r->hash == hash && r->name == name && r->space == space) return slots_[slot] - 1u;
    }
    return kNone;
  }

  std::size_t index_of(std::string_view path) const {
    auto [space, name] = split(path);
    return index_of(name_hash(space, name), space, name);
  }

  // From all rows to those of a release, a change at a time.
  void change_to(std::span<const Change> changes, text::Dialect dialect) {
    using enum Change::Kind;
    for (const Change& c : changes) {
      if (c.release > dialect) {
        // What it adds is not known here, be there a row of it. Other new names may have been names of other things.
        std::size_t row = c.kind == Added ? index_of(c.is) : kNone;
        if (row != kNone) records_[row] = nullptr;
        continue;
      }
      if (c.kind == Added || c.kind == Beside) continue;
      std::size_t old = index_of(c.was);
      if (old == kNone || !records_[old]->releases.has(before(c.release))) continue;  // or another thing of this name
      const Record* row = std::exchange(records_[old], nullptr);
      if (c.kind != Renamed || index_of(c.is) != kNone) continue;
      Record& respelled = made_.rows.emplace_back(*row);
      std::tie(respelled.space, respelled.name) = split(c.is);
      respelled.hash = name_hash(respelled.space, respelled.name);
      records_.push_back(&respelled);
      add(records_.size() - 1);
    }
  }

  MadeRecords made_;
  std::vector<const Record*> records_;
  std::vector<std::uint16_t> slots_;  // open addressing: 1 + index of a record; 0: free
};

Surface::Surface(text::Dialect dialect) : dialect_(dialect) {
  std::vector<const Record*> rows;
  rows.reserve(512);
  for (std::span<const Record> family :
       {namespace_records(),     decorator_records(),   buffer_records(),        scope_id_records(),
        loop_records(),          branch_records(),      statement_records(),     expression_records(),
        class_records(),         math_records(),        prelude_records(),       layout_records(),
        layout_helper_records(), layout_axis_records(), layout_method_records(), buffer_method_records(),
        buffer_view_records(),   traced_records(),      package_records(),       package_tile_records()}) {
    for (const Record& r : family) {
      if (r.releases.has(dialect)) rows.push_back(&r);
    }
  }
  MadeRecords dtypes;
  add_dtype_records(dtypes);
  std::erase_if(dtypes.rows, [&](const Record& r) { return !r.releases.has(dialect); });
  written_ = std::make_unique<Names>(std::move(rows), std::move(dtypes), written_changes(), dialect);
}

Surface::~Surface() = default;

std::optional<Surface::Table> Surface::table_of(std::string_view space) const {
  if (space == "Tx") return Table::Tiles;
  if (space == "T.ptx" && dialect_ >= text::Dialect::V0_27) return Table::Families;
  if (space == "T" || space.starts_with("T.")) return Table::Instructions;
  return std::nullopt;
}

const Surface::Names& Surface::made(Table of) const {
  Made& made = made_[static_cast<std::size_t>(of)];
  std::call_once(made.once, [&] {
    MadeRecords records;
    switch (of) {
      case Table::Tiles: add_tile_records(records, dialect_); break;
      case Table::Families: add_ptx_records(records); break;
      case Table::Instructions: add_intrinsic_records(records, dialect_); break;
    }
    // Those tables have a column of releases, so that no change is left to make.
    made.names =
        std::make_unique<Names>(std::vector<const Record*>(), std::move(records), std::span<const Change>(), dialect_);
  });
  return *made.names;
}

const std::vector<Surface::Other>& Surface::others() const {
  std::call_once(others_once_, [&] {
    for (const Change& c : changes()) {
      using enum Change::Kind;
      auto [space, name] = split(c.is.empty() ? c.was : c.is);
      if (c.release > dialect_) {
        if (c.kind != Dropped && !find(space, name)) others_.push_back({c.is, c.release});
      } else if (c.kind != Added && c.kind != Beside) {
        others_.push_back({c.was, before(c.release)});
      }
    }
    std::ranges::stable_sort(others_, {}, &Other::path);
  });
  return others_;
}

const Record* Surface::find(std::string_view space, std::string_view name) const {
  std::uint32_t hash = name_hash(space, name);
  if (const Record* r = written_->find(hash, space, name)) return r;
  if (space == "lang") {
    const Record* r = find("T", name);
    return r && is_of_prelude(*r) ? r : nullptr;
  }
  if (const std::string_view wider = wider_space(space); !wider.empty()) return find(wider, name);
  const std::optional<Table> table = table_of(space);
  if (!table) return nullptr;
  const Record* found = made(*table).find(hash, space, name);
  // T.cuda._shfl_sync is T.cuda.__shfl_sync.
  const bool second = !found && space == "T.cuda" && name.starts_with('_') && !name.starts_with("__");
  return second ? find(space, "_" + std::string(name)) : found;
}

std::vector<const Record*> Surface::records() const {
  std::vector<const Record*> out;
  auto add = [&](const Names& names) {
    for (const Record* r : names.records()) {
      if (r) out.push_back(r);
    }
  };
  add(*written_);
  add(made(Table::Tiles));
  if (dialect_ >= text::Dialect::V0_27) add(made(Table::Families));
  add(made(Table::Instructions));
  return out;
}

std::vector<const Record*> Surface::names(std::string_view space) const {
  std::vector<const Record*> out;
  auto add = [&](const Names& names) {
    for (const Record* r : names.records()) {
      if (r && (r->space == space || (space == "lang" && r->space == "T" && is_of_prelude(*r)))) out.push_back(r);
    }
  };
  add(*written_);
  if (const std::optional<Table> table = table_of(space)) add(made(*table));
  if (const std::string_view wider = wider_space(space); !wider.empty()) {
    for (const Record* r : names(wider)) {
      if (!written_->find(name_hash(space, r->name), space, r->name)) out.push_back(r);
    }
  }
  return out;
}

bool Surface::is_of_another_release(std::string_view space, std::string_view name) const {
  const std::string path = std::string(space) + "." + std::string(name);
  return std::ranges::binary_search(others(), std::string_view(path), {}, &Other::path) && !find(space, name);
}

std::string Surface::advice(std::string_view space, std::string_view name) const {
  if (space.empty()) return {};  // another module
  std::string path(space);
  path.append(".").append(name);
  // The name itself, or one below it: `T.ptx.mbarrier.init.shared` of `T.ptx.mbarrier.init.shared.b64`.
  const std::vector<Other>& all = others();
  auto other = std::ranges::lower_bound(all, std::string_view(path), {}, &Other::path);
  if (other != all.end() && other->path != path) {
    other = std::ranges::lower_bound(all, std::string_view(path + "."), {}, &Other::path);
    if (other != all.end() && !other->path.starts_with(path + ".")) other = all.end();
  }
  auto spelled = [](std::string_view of) {  // buffers and layouts have no name of their own
    auto [where, last] = split(of);
    if (where.starts_with("tirx")) return "T" + std::string(of.substr(4));
    if (where == "buffer" || where == "Layout") return "." + std::string(last);
    return where == "layout" || where == "Axis" || where == "lang" ? std::string(last) : std::string(of);
  };
  if (other != all.end()) {
    auto instead_of = [&](const Other& o) {
      return o.release > dialect_ ? earlier_name(o.path, o.release, *this)
                                  : later_name(o.path, following(o.release), dialect_);
    };
    // What stands for the names below it, where it is a family of several.
    std::vector<std::string_view> instead;
    for (auto o = other; o != all.end() && o->path.starts_with(other->path == path ? path : path + "."); ++o) {
      if (o != other && (other->path == path || instead.size() == 3)) break;
      const std::string_view name = instead_of(*o);
      if (std::ranges::find(instead, name) == instead.end() && !name.empty()) instead.push_back(name);
    }
    std::string out = (instead.size() > 1 ? path : spelled(other->path)) + " is " +
                      std::string(text::dialect_name(other->release)) + "; " +
                      std::string(text::dialect_name(dialect_));
    if (instead.empty()) return out + " has nothing like it";
    for (std::size_t i = 0; i < instead.size(); ++i) {
      out += (i == 0 ? " writes " : i + 1 == instead.size() ? " or " : ", ") + spelled(instead[i]);
    }
    return out;
  }
  text::Nearest nearest(name, text::Nearest::Among::Meant);
  for (const Record* r : names(space)) {
    if (r->is_offered()) nearest.consider(r->name);
  }
  if (nearest.found().empty()) return {};
  return "did you mean " + spelled(std::string(space) + "." + std::string(nearest.found())) + "?";
}

std::string Surface::below(std::string_view space, std::string_view name) const {
  constexpr std::size_t kLongest = 80;
  if ((space != "T" && !space.starts_with("T.")) || name.size() > kLongest) return {};
  if (is_of_another_release(space, name)) return {};
  // Its words joined by `_` where the surface has a dot.
  for (std::size_t at = name.find('_'); at != name.npos; at = name.find('_', at + 1)) {
    const Record* outer = find(space, name.substr(0, at));
    if (!outer || outer->children.empty()) continue;
    const std::string_view rest = name.substr(at + 1);
    const Record* inner = find(outer->children, rest);
    const std::string path = inner && inner->is_offered() ? std::string(rest) : below(outer->children, rest);
    if (!path.empty()) return std::string(outer->name) + "." + path;
  }
  // Without the names between.
  std::string found;
  for (const Record* r : records()) {
    const bool inside = r->space.size() > space.size() && r->space.starts_with(space) && r->space[space.size()] == '.';
    if (!inside || r->name != name || !r->is_offered()) continue;
    if (!found.empty()) return {};
    found = std::string(r->space.substr(space.size() + 1)) + "." + std::string(name);
  }
  return found;
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

std::expected<text::Dialect, std::string> known_dialect(std::string_view name) {
  if (const std::optional<text::Dialect> dialect = text::parse_dialect(name)) return *dialect;
  // "0.26.0" and "0.27.0.post1" are what a release is installed as.
  for (const text::DialectName& d : text::kDialects) {
    if (name.size() > d.name.size() + 1 && name.starts_with(d.name) && name[d.name.size()] == '.' &&
        name.find_first_not_of("0123456789.post", d.name.size()) == name.npos) {
      return d.dialect;
    }
  }
  std::string known;
  for (const text::DialectName& d : text::kDialects) known.append(known.empty() ? "" : ", ").append(d.name);
  return std::unexpected("there is no release '" + std::string(name) + "' of the dialect; this version reads " + known);
}

}  // namespace tilewright::script
