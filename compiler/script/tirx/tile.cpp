// The namespace `Tx`: tile primitives bound to a cooperation scope (surface.md 12).
#include "compiler/ir/outside.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

// Name, operands in order; the ones after `required` may be missing. Everything else is a configuration key.
struct Primitive {
  std::string_view name;
  std::initializer_list<std::string_view> operands;
  std::size_t required;
};
const Primitive kPrimitives[] = {
    {"copy", {"dst", "src"}, 2},
    {"copy_async", {"dst", "src"}, 2},
    {"fill", {"dst", "value"}, 2},
    {"memset", {"dst", "value"}, 2},
    {"zero", {"dst", "src"}, 1},
    {"sqrt", {"dst", "src", "bias", "scale"}, 1},
    {"exp", {"dst", "src", "bias", "scale"}, 1},
    {"exp2", {"dst", "src", "bias", "scale"}, 1},
    {"reciprocal", {"dst", "src"}, 1},
    {"silu", {"dst", "src"}, 2},
    {"add", {"dst", "src1", "src2"}, 3},
    {"sub", {"dst", "src1", "src2"}, 3},
    {"mul", {"dst", "src1", "src2"}, 3},
    {"fdiv", {"dst", "src1", "src2"}, 3},
    {"maximum", {"dst", "src1", "src2"}, 3},
    {"minimum", {"dst", "src1", "src2"}, 3},
    {"fma", {"dst", "src", "scale", "bias"}, 4},
    {"cast", {"dst", "src"}, 2},
    {"sum", {"dst", "src", "axes", "accum"}, 2},
    {"max", {"dst", "src", "axes", "accum"}, 2},
    {"min", {"dst", "src", "axes", "accum"}, 2},
    {"select", {"dst", "true_value", "false_value", "pred"}, 4},
    {"gemm", {"D", "A", "B", "C", "transpose_A", "transpose_B", "alpha", "beta"}, 4},
    {"gemm_async", {"C", "A", "B", "SFA", "SFB", "transA", "transB", "accum"}, 3},
    {"permute_layout", {"dst", "src"}, 2},
    {"binary_reduce", {"binary_output", "reduce_output", "in1", "in2", "binary_op", "reduce_op", "reduce_axes"}, 6},
    {"unary_reduce",
     {"unary_output", "reduce_output", "input", "unary_op", "reduce_op", "bias", "scale", "reduce_axes"},
     5},
    {"binary_chain", {"output", "data", "operand0", "operand1", "op0", "op1", "reverse1"}, 6},
    {"reduce_negate", {"output", "input", "reduce_op", "reduce_axes", "accum"}, 3},
};

const Primitive* find_primitive(std::string_view name) {
  for (const Primitive& p : kPrimitives) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

// A region beyond its buffer is a mistake wherever that is known. Only asynchronous copies may ask for one, and of a
// tensor: the tensor copy engine clips it.
bool leaves_buffer(Interpreter& in, const ir::Region& region, text::Span span) {
  std::string how = ir::outside_of_buffer(region);
  if (how.empty()) return false;
  in.fail(code::kIndex, span, how);
  return true;
}

Value call_primitive(Interpreter& in, const Arguments& args, Value self) {
  // self: (name, scope)
  Tuple* bound = self.as<Tuple>();
  const Primitive& p = *find_primitive(bound->items[0].as<Str>()->text);
  auto scope = static_cast<ir::ExecScope>(bound->items[1].i);
  std::string shown = "Tx." + std::string(ir::exec_scope_name(scope)) + "." + std::string(p.name);
  if (!in.require_kernel(args.call, shown)) return Value::error();
  Arena& arena = Arena::current();
  if (args.positional.size() > p.operands.size()) {
    return in.fail(code::kArguments, args.at(p.operands.size()),
                   shown + " takes " + std::to_string(p.operands.size()) + " operands, " +
                       std::to_string(args.positional.size()) + " are given");
  }
  std::vector<ir::Operand> operands(p.operands.size());
  std::vector<bool> given(p.operands.size());
  std::vector<ir::ConfigItem> config;
  std::vector<std::pair<std::string_view, const ir::Buffer*>> workspace;
  std::string_view dispatch;
  bool poisoned = false;
  auto set = [&](std::size_t i, Value v, text::Span span) -> bool {
    given[i] = true;
    if (v.is_poison()) {
      poisoned = true;
      return true;
    }
    if (i < 2 && p.required >= 2 &&
        (v.is_int() || v.is_float() || v.is_bool() || (v.is_expr() && !v.as_expr().as<ir::Load>())) &&
        (i == 0 || p.name.starts_with("copy") || p.name == "cast" || p.name == "permute_layout" || p.name == "silu")) {
      in.fail(
          code::kRegion, span,
          "'" + std::string(p.operands.begin()[i]) + "' of " + shown + " is tile-only: a buffer or a region is needed");
      return false;
    }
    std::string_view operand = p.operands.begin()[i];
    bool is_axes = operand == "axes" || operand == "reduce_axes";
    bool is_name = operand.starts_with("op") || operand.ends_with("_op");
    bool is_tile =
        operand == "dst" || operand == "src" || operand == "output" || operand == "data" || operand == "pred";
    if (((v.as<List>() || v.as<Tuple>()) && !is_axes) || (v.as<Str>() && !is_name && !is_axes)) {
      in.fail(is_tile ? code::kRegion : code::kType, span,
              "'" + std::string(operand) + "' of " + shown + " cannot be " + std::string(type_name(v)) +
                  (is_tile ? ": a buffer or a region is needed" : ""));
      return false;
    }
    if (List* l = v.as<List>(); l || v.as<Tuple>()) {
      auto items = in.iterate(v, span);
      if (items && items->size() == 1)
        v = (*items)[0];
      else if (items)
        v = in.string(in.str(v));
    }
    auto o = in.as_operand(v, span);
    if (!o) return false;
    const ir::Buffer* buffer = o->region.buffer;
    bool clipped = buffer && p.name == "copy_async" && buffer->scope == ir::StorageScope::Global;
    if (buffer && !clipped && leaves_buffer(in, o->region, span)) return false;
    operands[i] = *o;
    return true;
  };
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    if (!set(i, args.positional[i], args.at(i))) return Value::error();
  }
  for (const Keyword& k : args.keywords) {
    if (k.value.is_poison()) {
      poisoned = true;
      continue;
    }
    if (k.name == "scope") {
      return in.fail(code::kArguments, k.span, "the scope of a tile primitive is its namespace",
                     "write Tx.warp." + std::string(p.name) + "(...) and the like");
    }
    if (k.name == "dispatch") {
      if (k.value.is_none()) continue;
      auto name = in.as_string(k.value, k.span, "dispatch=");
      if (!name) return Value::error();
      dispatch = in.keep(*name);
      continue;
    }
    if (k.name == "workspace") {
      Dict* d = k.value.as<Dict>();
      if (!d && !k.value.is_none()) return in.fail(code::kArguments, k.span, "workspace= takes a dict of buffers");
      if (d) {
        for (auto& [key, value] : d->items) {
          auto name = in.as_string(key, k.span, "a workspace name");
          BufferValue* b = value.as<BufferValue>();
          if (!name) return Value::error();
          if (!b) return in.fail(code::kArguments, k.span, "workspace= takes a dict of buffers");
          workspace.emplace_back(in.keep(*name), b->buffer);
        }
      }
      continue;
    }
    std::size_t i = 0;
    while (i < p.operands.size() && p.operands.begin()[i] != k.name) ++i;
    if (i < p.operands.size()) {
      if (given[i]) return in.fail(code::kArguments, k.span, shown + " is given '" + std::string(k.name) + "' twice");
      if (!set(i, k.value, k.span)) return Value::error();
      continue;
    }
    ir::ConfigItem item{in.keep(k.name), {}};
    if (!k.value.is_none()) {
      auto o = in.as_operand(k.value, k.span);
      if (!o) return Value::error();
      item.value = *o;
    }
    item.value.span = k.span;
    config.push_back(item);
  }
  for (std::size_t i = 0; i < p.required; ++i) {
    if (!given[i])
      return in.fail(code::kArguments, args.call, shown + " needs '" + std::string(p.operands.begin()[i]) + "'");
  }
  if (poisoned) return Value::none();
  while (!operands.empty() && !given[operands.size() - 1]) {
    operands.pop_back();
  }
  in.emit_new<ir::TileCall>(args.call, arena.copy(std::string_view(p.name)), scope, arena.copy(operands),
                            arena.copy(config), arena.copy(workspace), dispatch);
  return Value::none();
}

struct ScopeName {
  std::string_view name;
  ir::ExecScope scope;
};
constexpr ScopeName kScopes[] = {{"thread", ir::ExecScope::Thread}, {"warp", ir::ExecScope::Warp},
                                 {"wg", ir::ExecScope::Warpgroup},  {"warpgroup", ir::ExecScope::Warpgroup},
                                 {"cta", ir::ExecScope::Cta},       {"cluster", ir::ExecScope::Cluster}};

Value lookup_tile(Interpreter& in, Namespace& self, std::string_view name) {
  if (self.scope_kind < 0) {
    for (const ScopeName& s : kScopes) {
      if (s.name != name) continue;
      Value v = in.name_space("Tx." + std::string(name), lookup_tile);
      v.as<Namespace>()->scope_kind = static_cast<int>(s.scope);
      return v;
    }
  }
  if (!find_primitive(name)) return Value::error();
  int scope = self.scope_kind < 0 ? static_cast<int>(ir::ExecScope::Thread) : self.scope_kind;
  return in.native(find_primitive(name)->name, call_primitive, in.tuple({in.string(name), Value::integer(scope)}));
}

}  // namespace

Value tile_namespace(Interpreter& in) { return in.name_space("Tx", lookup_tile); }

}  // namespace tilewright::script
