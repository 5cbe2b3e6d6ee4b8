// The surface of the dialect: the names that a script finds in `T`, `Tx`, the layout algebra and on buffers and
// layouts, as one table of records. Look-up, completion, hover, signature help and the hint to an unknown name all read
// it.
//
// A record stands in the file of what it names (tirx/*.cpp, prelude.cpp), one row a name; the names of instructions,
// dtypes and primitives are made from their own tables. A release is the one before it with the changes that releases.h
// lists, so that a name of a later release is not known in an earlier one, and the hint can say who has it.
//
// Most commands live for some milliseconds, so the index of the written rows is made of hashes that the compiler
// computed, and rows of other tables are made when such a name is asked for.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/script/value.h"
#include "compiler/text/dialect.h"
#include "compiler/text/releases.h"

namespace tilewright::script {

enum class NameKind : std::uint8_t {
  Function,
  Decorator,
  Type,
  Class,
  Namespace,
  Constant,
  Primitive,    // a tile primitive
  Instruction,  // a row of the intrinsic table; may be a namespace besides
  Attribute,    // of an object: read, not called
  Elsewhere,    // a name of the reference that no kernel for CUDA has; the words say why
};

struct Record;
// Of a name in its space.
constexpr std::uint32_t name_hash(std::string_view space, std::string_view name) {
  std::uint32_t h = 2166136261u;
  for (char c : space) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  h = (h ^ 0xffu) * 16777619u;  // no byte of a name
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ (h >> 15);
}

// What a name denotes, made for `owner`: none for a name of a module, else the object whose method or attribute it is.
// Error tag without a pending error: this object has no such attribute.
using Maker = Value (*)(Interpreter& in, const Record& record, Value owner);

struct Record {
  std::string_view space;  // where it stands: "T", "T.ptx.mbarrier", "Tx", "layout", "Axis", "buffer", ...
  std::string_view name;
  NameKind kind = NameKind::Function;
  std::string_view signature;         // operands, "shape, dtype='float32'"
  std::string_view documentation;     // a sentence
  NativeFunction function = nullptr;  // what a call of it runs
  Maker make = nullptr;               // where it is no function, or not that alone
  // For `make`: the row of an instruction ("ptx.mbarrier.init"), the prelude's file, what to write instead, ...
  std::string_view detail{};
  std::int32_t number = 0;
  std::string_view children{};  // the space of the names below this one: "T.ptx.mbarrier"; empty: it has none
  std::uint32_t hash = name_hash(space, name);
  text::Releases releases{};  // that have it under this name

  // Offered where people look for names: not what is only there to be refused, nor private names.
  bool is_offered() const { return kind != NameKind::Elsewhere && !name.starts_with('_'); }
  // Offered, and told all about by this record. Of an instruction the intrinsic table says more: its forms, who has it.
  bool is_word() const { return is_offered() && kind != NameKind::Instruction; }
};

// A row that later releases alone have.
constexpr Record since(text::Dialect release, Record row) {
  row.releases = text::since(release);
  return row;
}

// Rows that other tables gave, and the texts that they point to.
struct MadeRecords {
  std::deque<Record> rows;
  std::deque<std::string> words;
};

class Surface {
 public:
  explicit Surface(text::Dialect dialect);
  ~Surface();
  Surface(const Surface&) = delete;

  text::Dialect dialect() const { return dialect_; }
  // Null: this release has no such name there. Space "lang" holds what the modules below `tvm.tirx.lang` give: all of
  // the prelude, whose records stand in "T".
  const Record* find(std::string_view space, std::string_view name) const;
  // Of one space, in the order of the rows.
  std::vector<const Record*> names(std::string_view space) const;
  // Of all spaces.
  std::vector<const Record*> records() const;
  // Does an earlier or a later release have this name, and this one none?
  bool is_of_another_release(std::string_view space, std::string_view name) const;
  // The hint to a name that a space lacks: who has it and what this release writes, or the nearest that it does have.
  // Empty: nothing is near.
  std::string advice(std::string_view space, std::string_view name) const;
  // A name that `space` lacks and a space below it has, as one writes who knows it from elsewhere: "cuda.cta_sync"
  // for `cta_sync` of `T`, "cp_async.wait_group" for `cp_async_wait_group` of `T.ptx`. Empty: there is none, or
  // several.
  std::string below(std::string_view space, std::string_view name) const;

 private:
  class Names;
  // A name of another release.
  struct Other {
    std::string_view path;  // "T.cuda.elect_sync"
    text::Dialect release;  // a release that has it
  };
  // What rows of other tables are, made when one is asked for. Families: those of PTX's instructions, which 0.27 calls
  // by their words.
  enum class Table : std::uint8_t { Tiles, Families, Instructions };
  struct Made {
    std::once_flag once;
    std::unique_ptr<const Names> names;
  };
  // The table whose rows can stand in a space; nothing: none.
  std::optional<Table> table_of(std::string_view space) const;
  const Names& made(Table of) const;
  const std::vector<Other>& others() const;

  text::Dialect dialect_;
  std::unique_ptr<const Names> written_;
  mutable std::array<Made, 3> made_;
  mutable std::once_flag others_once_;
  mutable std::vector<Other> others_;  // by path
};

// The names of a release: the one place where a surface is chosen.
const Surface& surface_of(text::Dialect dialect);
// A release by its name, or why not: "there is no release '0.9' of the dialect; this version reads ...".
std::expected<text::Dialect, std::string> known_dialect(std::string_view name);

// The rows of each file.
std::span<const Record> scope_id_records();
std::span<const Record> buffer_records();
std::span<const Record> loop_records();
std::span<const Record> branch_records();
std::span<const Record> expression_records();
std::span<const Record> class_records();
std::span<const Record> decorator_records();
std::span<const Record> statement_records();
std::span<const Record> math_records();
std::span<const Record> layout_records();
std::span<const Record> layout_helper_records();
std::span<const Record> layout_axis_records();
std::span<const Record> layout_method_records();
std::span<const Record> buffer_method_records();
std::span<const Record> namespace_records();
std::span<const Record> prelude_records();
std::span<const Record> traced_records();  // of `txl`, whose other names are those of `T`
// Appends the dtypes of `T`.
void add_dtype_records(MadeRecords& records);
// Appends the tile primitives of a release and their scopes.
void add_tile_records(MadeRecords& records, text::Dialect release);
// Appends the families of PTX's instructions, and what `T.ptx` has besides since 0.27.
void add_ptx_records(MadeRecords& records);
// Appends the names of a release's instructions and their namespaces: one record a name, however many forms its calls
// have.
void add_intrinsic_records(MadeRecords& records, text::Dialect release);

}  // namespace tilewright::script
