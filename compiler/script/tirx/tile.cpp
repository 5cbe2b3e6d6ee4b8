// The namespace `Tx`: tile primitives bound to a cooperation scope (surface.md 12).
#include <algorithm>

#include "compiler/ir/outside.h"
#include "compiler/ir/primitive.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {
namespace {

// The values of an operand that is nothing but a number.
bool is_number(Value v) {
  return v.is_int() || v.is_float() || v.is_bool() || (v.is_expr() && !v.as_expr().as<ir::Load>());
}

// Numbers are refused here where the script can mean nothing else: as the destination of a primitive that does not work
// in place, and anywhere in one that takes tiles alone. Elsewhere it is the variants that say what they need.
bool is_tile_only(const ir::Primitive& row, std::size_t i) {
  if (row.operands[i].kind != ir::OperandKind::Region || row.required() < 2) return false;
  return i == 0 || std::ranges::all_of(row.operands, [](const ir::PrimitiveOperand& operand) {
           return operand.kind == ir::OperandKind::Region && operand.required();
         });
}

bool is_near(std::string_view wrong, std::string_view name) {
  text::Nearest nearest(wrong, text::Nearest::Among::Few);
  nearest.consider(name);
  return !nearest.found().empty();
}

// How a script names the cooperation of a call: `Tx.wg.copy`. Without a name it is the thread's own.
struct ScopeName {
  std::string_view name;
  ir::ExecScope scope;
  std::string_view words;
};
constexpr ScopeName kScopes[] = {{"thread", ir::ExecScope::Thread, "Issued by each thread for itself."},
                                 {"warp", ir::ExecScope::Warp, "Issued by a warp together."},
                                 {"wg", ir::ExecScope::Warpgroup, "Issued by a warpgroup together."},
                                 {"warpgroup", ir::ExecScope::Warpgroup, "Issued by a warpgroup together."},
                                 {"cta", ir::ExecScope::Cta, "Issued by a CTA together."},
                                 {"cluster", ir::ExecScope::Cluster, "Issued by a cluster."}};
constexpr int kUnnamed = -1;

// One call on its way from arguments to a statement. Each step answers false when the call has failed; the error is
// pending then. A poisoned argument silences the call: its cause has been reported.
class TileCallMaker {
 public:
  // `scope`: of kScopes, or kUnnamed.
  TileCallMaker(Interpreter& in, const Arguments& args, const ir::Primitive& row, int scope)
      : in_(in),
        args_(args),
        row_(row),
        scope_(scope == kUnnamed ? nullptr : &kScopes[scope]),
        operands_(row.operands.size()),
        given_(row.operands.size()) {}

  Value make() {
    if (!in_.require_kernel(args_.call, shown()) || !positional()) return Value::error();
    for (const Keyword& k : args_.keywords) {
      if (!keyword(k)) return Value::error();
    }
    if (!complete()) return Value::error();
    if (!poisoned_) emit();
    return Value::none();
  }

 private:
  // "Tx.warp.copy", as the script has it.
  std::string shown() const {
    return "Tx." + (scope_ ? std::string(scope_->name) + "." : std::string()) +
           std::string(row_.name_in(in_.dialect()));
  }
  std::string named(std::size_t i) const { return "'" + std::string(row_.operands[i].name) + "' of " + shown(); }
  bool refuse(std::string_view code, text::Span span, std::string message, std::string hint = {}) {
    in_.fail(code, span, std::move(message), std::move(hint));
    return false;
  }

  bool positional() {
    if (args_.positional.size() > operands_.size()) {
      return refuse(code::kArguments, args_.at(operands_.size()),
                    shown() + " takes " + std::to_string(operands_.size()) + " operands, " +
                        std::to_string(args_.positional.size()) + " are given");
    }
    for (std::size_t i = 0; i < args_.positional.size(); ++i) {
      if (!operand(i, args_.positional[i], args_.at(i))) return false;
    }
    return true;
  }

  bool operand(std::size_t i, Value v, text::Span span) {
    given_[i] = true;
    if (v.is_poison()) {
      poisoned_ = true;
      return true;
    }
    if (!suits(i, v, span)) return false;
    if (v.as<List>() || v.as<Tuple>()) v = axes(v, span);
    // A condition of the indices: no variant of this release reads it, so it is enough that it is one.
    if (row_.operands[i].name == "pred" && (v.as<Function>() || v.as<LambdaFunction>())) v = in_.string("lambda");
    auto made = in_.as_operand(v, span);
    if (!made || !stays_inside(made->region, span)) return false;
    // The reference prints the one element of a scalar's buffer, which is a tile, as scalar.buffer[0].
    if (is_tile_only(row_, i) && v.is_expr() && in_.written(span).find(".buffer[") != std::string_view::npos) {
      auto element = in_.as_region(v, span);
      if (!element) return false;
      made->region = *element;
      made->value = {};
    }
    // One element where a value may stand is that value; a[3:4] is a tile.
    if (row_.operands[i].kind == ir::OperandKind::Value && v.is_expr()) {
      made->region = {};
      made->value = v.as_expr();
    }
    operands_[i] = *made;
    return true;
  }

  // What may stand for an operand of this kind.
  bool suits(std::size_t i, Value v, text::Span span) {
    using enum ir::OperandKind;
    if (is_tile_only(row_, i) && is_number(v)) {
      return refuse(code::kRegion, span, named(i) + " is tile-only: a buffer or a region is needed");
    }
    const ir::OperandKind kind = row_.operands[i].kind;
    bool list = v.as<List>() || v.as<Tuple>();
    if (!(list && kind != Axes) && !(v.as<Str>() && kind != Axes && kind != Operation)) return true;
    std::string what = named(i) + " cannot be " + std::string(type_name(v));
    return kind == Region ? refuse(code::kRegion, span, what + ": a buffer or a region is needed")
                          : refuse(code::kType, span, std::move(what));
  }

  // One axis stands for itself; several are kept as they are written.
  Value axes(Value v, text::Span span) {
    auto items = in_.iterate(v, span);
    if (!items) return v;
    return items->size() == 1 ? (*items)[0] : in_.string(in_.str(v));
  }

  // A region beyond its buffer is a mistake wherever that is known. Only asynchronous copies may ask for one, and of a
  // tensor: the tensor copy engine clips it.
  bool stays_inside(const ir::Region& region, text::Span span) {
    if (!region.buffer || (row_.clips && region.buffer->scope == ir::StorageScope::Global)) return true;
    std::string how = ir::outside_of_buffer(region);
    return how.empty() || refuse(code::kIndex, span, std::move(how));
  }

  bool keyword(const Keyword& k) {
    if (k.value.is_poison()) {
      poisoned_ = true;
      return true;
    }
    if (k.name == "scope") {
      return refuse(code::kArguments, k.span, "the scope of a tile primitive is its namespace",
                    "write Tx.warp." + std::string(row_.name_in(in_.dialect())) + "(...) and the like");
    }
    if (k.name == "dispatch") return forced(k);
    if (k.name == "workspace") return workspace(k);
    if (std::size_t i = row_.find_operand(k.name); i < operands_.size()) {
      if (!given_[i]) return operand(i, k.value, k.span);
      return refuse(code::kArguments, k.span, shown() + " is given '" + std::string(k.name) + "' twice");
    }
    return option(k);
  }

  bool forced(const Keyword& k) {
    if (k.value.is_none()) return true;
    auto name = in_.as_string(k.value, k.span, "dispatch=");
    if (name) {
      dispatch_ = in_.keep(*name);
      dispatch_span_ = k.span;
    }
    return name.has_value();
  }

  bool workspace(const Keyword& k) {
    if (k.value.is_none()) return true;
    constexpr const char* kNeeded = "workspace= takes a dict of buffers";
    Dict* buffers = k.value.as<Dict>();
    if (!buffers) return refuse(code::kArguments, k.span, kNeeded);
    for (auto& [key, value] : buffers->items) {
      auto name = in_.as_string(key, k.span, "a workspace name");
      BufferValue* buffer = value.as<BufferValue>();
      if (!name) return false;
      if (!buffer) return refuse(code::kArguments, k.span, kNeeded);
      workspace_.emplace_back(in_.keep(*name), buffer->buffer);
    }
    return true;
  }

  // A keyword for the variants. Dispatch says which of them reads it.
  bool option(const Keyword& k) {
    ir::ConfigItem item{in_.keep(k.name), {}, k.name_span};
    if (k.value.as<List>() || k.value.as<Tuple>()) return members(item, k);
    if (!k.value.is_none()) {
      auto made = in_.as_operand(k.value, k.span);
      if (!made) return false;
      item.value = *made;
    }
    item.value.span = k.span;
    config_.push_back(item);
    return true;
  }

  // A list is an item a member, all under the one name. A pair of a condition and a buffer is one member.
  bool members(ir::ConfigItem item, const Keyword& k) {
    auto all = in_.iterate(k.value, k.span);
    if (!all) return false;
    for (Value member : *all) {
      item.value = {};
      const bool pair = member.as<List>() || member.as<Tuple>();
      std::vector<Value> parts{member};
      if (pair) {
        auto both = in_.iterate(member, k.span);
        if (!both) return false;
        parts = std::move(*both);
      }
      if (pair && parts.size() != 2) {
        return refuse(code::kArguments, k.span,
                      shown() + " takes pairs in '" + std::string(k.name) + "', one has " +
                          std::to_string(parts.size()) + " members");
      }
      for (Value part : parts) {
        if (part.is_poison()) {
          poisoned_ = true;
          return true;
        }
        if (part.as<BufferValue>()) {
          auto region = in_.as_region(part, k.span);
          if (!region) return false;
          item.value.region = *region;
        } else {
          item.value.value = in_.as_expr(part, k.span, "a member of this list");
          if (!item.value.value) return false;
        }
      }
      item.value.span = k.span;
      config_.push_back(item);
    }
    return true;
  }

  bool complete() {
    for (std::size_t i = 0; i < row_.required(); ++i) {
      if (!given_[i]) {
        for (const Keyword& k : args_.keywords) {
          if (row_.find_operand(k.name) >= row_.operands.size() && is_near(k.name, row_.operands[i].name)) {
            in_.unknown_keyword(shown(), k, {&row_.operands[i].name, 1});
            return false;
          }
        }
        return refuse(code::kArguments, args_.call, shown() + " needs '" + std::string(row_.operands[i].name) + "'",
                      strangers());
      }
    }
    return true;
  }

  // Where an operand is missing: the keywords that name none. They may be meant for a variant, or for the operand. Else
  // the operands that there are.
  std::string strangers() const {
    std::string given, operands;
    for (const Keyword& k : args_.keywords) {
      const bool read = k.name == "dispatch" || k.name == "workspace" || row_.find_operand(k.name) < operands_.size();
      if (!read) given += (given.empty() ? "'" : ", '") + std::string(k.name) + "'";
    }
    for (const ir::PrimitiveOperand& o : row_.operands) {
      operands += (operands.empty() ? "" : ", ") + std::string(o.name);
    }
    if (given.empty()) return "its operands are " + operands;
    return given + (given.contains(',') ? " are" : " is") + " none of its operands: " + operands;
  }

  void emit() {
    while (!operands_.empty() && !given_[operands_.size() - 1]) operands_.pop_back();
    in_.kernel()->tile_call(in_.origin(args_.call), {row_.name, scope_ ? scope_->scope : ir::ExecScope::Thread,
                                                     operands_, config_, workspace_, dispatch_, dispatch_span_});
  }

  Interpreter& in_;
  const Arguments& args_;
  const ir::Primitive& row_;
  const ScopeName* scope_;  // null: unnamed
  std::vector<ir::Operand> operands_;
  std::vector<bool> given_;
  std::vector<ir::ConfigItem> config_;
  std::vector<std::pair<std::string_view, const ir::Buffer*>> workspace_;
  std::string_view dispatch_;
  text::Span dispatch_span_;
  bool poisoned_ = false;
};

// self: (name, which of kScopes)
Value call_primitive(Interpreter& in, const Arguments& args, Value self) {
  Tuple* bound = self.as<Tuple>();
  const ir::Primitive& row = *ir::find_primitive(bound->items[0].as<Str>()->text, in.dialect());
  return TileCallMaker(in, args, row, static_cast<int>(bound->items[1].i)).make();
}

Value primitive_at(Interpreter& in, const Record& record, int scope) {
  return in.native(record.name, call_primitive, in.tuple({in.string(record.name), Value::integer(scope)}));
}

Value primitive(Interpreter& in, const Record& record, Value) { return primitive_at(in, record, kUnnamed); }

// `Tx.warp`: the primitives of `Tx` at that scope, and no scopes.
Value lookup_at_scope(Interpreter& in, Namespace& self, std::string_view name) {
  const Record* record = in.surface().find("Tx", name);
  if (!record || record->kind != NameKind::Primitive) return Value::error();
  return primitive_at(in, *record, self.scope_kind);
}

Value scope_of_tile(Interpreter& in, const Record& record, Value) {
  Value v = surface_space(in, "Tx." + std::string(record.name), "Tx", lookup_at_scope);
  v.as<Namespace>()->scope_kind = record.number;
  return v;
}

}  // namespace

void add_tile_records(MadeRecords& records, text::Dialect release) {
  for (const ir::Primitive& p : ir::primitives()) {
    const std::string_view name = p.name_in(release);
    if (name.empty()) continue;
    records.rows.push_back(
        {"Tx", name, NameKind::Primitive, records.words.emplace_back(p.signature()), p.words, nullptr, primitive});
  }
  for (const ScopeName& s : kScopes) {
    records.rows.push_back({"Tx",
                            s.name,
                            NameKind::Namespace,
                            {},
                            s.words,
                            nullptr,
                            scope_of_tile,
                            {},
                            static_cast<std::int32_t>(&s - kScopes)});
  }
}

Value tile_namespace(Interpreter& in) { return surface_space(in, "Tx", "Tx", lookup_surface); }

}  // namespace tilewright::script
