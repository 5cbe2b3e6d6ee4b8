// T.cuda.tile.apply and T.cuda.tile.ewise: calls that repeat one instruction, or one function of scalars, over views.
// What an instruction takes of its views is said where the call is served (dispatch/variants/tile).
#include <algorithm>

#include "compiler/ir/outside.h"
#include "compiler/ir/primitive.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/tvm_tirx/package.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_27;

constexpr std::string_view kScopes[] = {"thread", "warp", "warpgroup", "cta", "cluster"};
constexpr ir::ExecScope kExecScopes[] = {ir::ExecScope::Thread, ir::ExecScope::Warp, ir::ExecScope::Warpgroup,
                                         ir::ExecScope::Cta, ir::ExecScope::Cluster};

class TileCall {
 public:
  TileCall(Interpreter& in, const Arguments& args, std::string_view name)
      : in_(in),
        args_(args),
        name_(name),
        shown_("T.cuda.tile." + std::string(name.substr(0, name.find('_')))),
        row_(*ir::find_primitive(name)) {}

  // Operands from the positional argument `first` on, keywords and scope. False: an error is pending.
  bool read(std::size_t first) {
    for (std::size_t i = first; i < args_.positional.size(); ++i) {
      const Value v = args_.positional[i];
      poisoned_ |= v.is_poison();
      if (poisoned_) continue;
      auto made = in_.as_operand(v, args_.at(i));
      if (!made) return false;
      if (made->region.buffer) {
        if (std::string how = ir::outside_of_buffer(made->region); !how.empty()) {
          in_.fail(code::kIndex, args_.at(i), std::move(how));
          return false;
        }
      }
      if (const ir::Buffer* b = made->region.buffer; b && lacks_layout(in_, b)) {
        in_.fail(code::kLayout, args_.at(i),
                 std::string(b->name) + " has no layout, and " + shown_ + " takes tensors in registers that have one",
                 "allocate it with layout=\"default\", or with the layout that the threads share it by", "ValueError");
        return false;
      }
      // What is proved of a view is proved of what its names stand for.
      std::vector<ir::Range> ranges(made->region.ranges.begin(), made->region.ranges.end());
      for (ir::Range& r : ranges) r.min = with_values(in_, r.min);
      made->region.ranges = Arena::current().copy(ranges);
      operands_.push_back(*made);
    }
    if (operands_.size() > row_.operands.size()) {
      in_.fail(code::kArguments, args_.at(first + row_.operands.size()),
               shown_ + " takes at most " + std::to_string(row_.operands.size()) + " views, " +
                   std::to_string(operands_.size()) + " are given");
      return false;
    }
    return std::ranges::all_of(args_.keywords, [&](const Keyword& k) { return keyword(k); });
  }

  void add(std::string_view key, ir::Expr value, text::Span span) {
    ir::ConfigItem item{key, {}, {}};
    item.value.value = value;
    item.value.span = span;
    config_.push_back(item);
  }

  bool poisoned() const { return poisoned_; }
  const std::vector<ir::Operand>& operands() const { return operands_; }

  Value emit() {
    if (!poisoned_) {
      in_.kernel()->tile_call(in_.origin(args_.call), {row_.name, scope_, operands_, config_, {}, {}, {}});
    }
    return Value::none();
  }

 private:
  bool keyword(const Keyword& k) {
    if (k.value.is_poison()) {
      poisoned_ = true;
      return true;
    }
    if (k.name == "scope") return scope(k);
    if (!row_.find_keyword(k.name)) {
      std::vector<std::string_view> names{"scope"};
      for (const ir::PrimitiveKeyword& known : row_.keywords) names.push_back(known.name);
      in_.unknown_keyword(shown_, k, names);
      return false;
    }
    if (k.value.is_none()) return true;
    if (k.value.as<List>() || k.value.as<Tuple>()) return members(k, k.value);
    auto made = in_.as_operand(k.value, k.span);
    if (!made) return false;
    ir::ConfigItem item{in_.keep(k.name), *made, k.name_span};
    if (made->region.buffer && k.value.is_expr()) {  // one element: its value
      item.value.region = {};
      item.value.value = k.value.as_expr();
    }
    config_.push_back(item);
    return true;
  }

  // The numbers of a list, and of the lists in it, one after the other under the keyword's name.
  bool members(const Keyword& k, Value list, int depth = 0) {
    constexpr int kDeepest = 3;
    auto items = in_.iterate(list, k.span);
    if (!items) return false;
    for (Value item : *items) {
      if ((item.as<List>() || item.as<Tuple>()) && depth < kDeepest) {
        if (!members(k, item, depth + 1)) return false;
        continue;
      }
      const ir::Expr e = in_.as_expr(item, k.span, "a member of this list");
      if (!e) return false;
      add(in_.keep(k.name), with_values(in_, e), k.span);
    }
    return true;
  }

  bool scope(const Keyword& k) {
    auto text = in_.as_string(k.value, k.span, "scope=");
    if (!text) return false;
    std::string_view local = *text;
    if (local.starts_with("cuda.")) local.remove_prefix(5);
    const auto found = std::ranges::find(kScopes, local);
    if (found == std::end(kScopes)) {
      in_.fail(code::kValue, k.span,
               "scope= is thread, warp, warpgroup, cta or cluster, not \"" + std::string(*text) + "\"", {},
               "ValueError");
      return false;
    }
    scope_ = kExecScopes[found - std::begin(kScopes)];
    return true;
  }

  Interpreter& in_;
  const Arguments& args_;
  std::string_view name_;
  std::string shown_;
  const ir::Primitive& row_;
  ir::ExecScope scope_ = ir::ExecScope::Thread;
  std::vector<ir::Operand> operands_;
  std::vector<ir::ConfigItem> config_;
  bool poisoned_ = false;
};

// "ld.global.v4.b32", of a text or of a chain T.ptx.ld.global_.v4.b32. Nothing: an error is pending.
std::optional<std::string> instruction_text(Interpreter& in, Value v, text::Span span) {
  constexpr std::string_view kRoot = "T.ptx.";
  Namespace* chain = v.as<Namespace>();
  if (!chain) {
    const Value named = instruction_named(in, v, span);
    chain = named.as<Namespace>();
    if (!chain) return std::nullopt;
  }
  if (!is_instruction(*chain)) {
    in.fail(code::kType, span, "the instruction is a text or a chain of T.ptx", "write \"ld.global.v4.b32\"",
            "TypeError");
    return std::nullopt;
  }
  return chain->path.substr(kRoot.size());
}

// A printed call has its views in one tuple and its parameters in another, a name and a value each.
struct Printed {
  bool is = false;
  std::vector<Value> positional;
  std::vector<text::Span> spans;
  std::vector<Keyword> keywords;
  Arguments arguments;

  // False: an error is pending.
  bool take(Interpreter& in, const Arguments& args) {
    auto list = [](Value v) { return v.as<Tuple>() || v.as<List>(); };
    if (!list(args.positional[1]) || !list(args.positional[2])) return true;
    auto views = in.iterate(args.positional[1], args.at(1));
    auto pairs = in.iterate(args.positional[2], args.at(2));
    if (!views || !pairs) return false;
    positional.push_back(args.positional[0]);
    spans.push_back(args.at(0));
    for (Value v : *views) {
      positional.push_back(v);
      spans.push_back(args.at(1));
    }
    keywords.assign(args.keywords.begin(), args.keywords.end());
    for (Value pair : *pairs) {
      auto parts = in.iterate(pair, args.at(2));
      auto name = parts && parts->size() == 2 ? in.as_string(parts->front(), args.at(2), "a parameter") : std::nullopt;
      if (!name) return false;
      keywords.push_back({in.keep(*name), parts->back(), args.at(2)});
    }
    arguments = Arguments{positional, keywords, spans, args.call, args.function};
    is = true;
    return true;
  }
};

Value apply(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.cuda.tile.apply")) return Value::error();
  if (args.positional.empty()) {
    return in.fail(code::kArguments, args.call, "T.cuda.tile.apply takes the instruction and its views",
                   "write T.cuda.tile.apply(\"ld.global.v4.b32\", dst, src)", "TypeError");
  }
  if (args.positional[0].is_poison()) return Value::none();
  auto text = instruction_text(in, args.positional[0], args.at(0));
  if (!text) return Value::error();
  Printed printed;
  if (args.positional.size() == 3 && !printed.take(in, args)) return Value::error();
  const bool tensor_core = text->starts_with("tcgen05.mma") || text->starts_with("tcgen05.cp.");
  const std::string_view name = text->find("async.bulk.tensor") != text->npos ? "apply_tensor"
                                : tensor_core                                 ? "apply_tcgen05"
                                : text->starts_with("tcgen05.")               ? "apply_tmem"
                                                                              : "apply";
  TileCall call(in, printed.is ? printed.arguments : args, name);
  if (!call.read(1)) return Value::error();
  call.add("instruction", ir::string_imm(in.keep(*text)), args.at(0));
  return call.emit();
}

// A function of scalars: one that is decorated, or the T.Lambda of a printed kernel, which is a pair of its types and
// its function.
struct Scalars {
  Value function;
  std::vector<ir::DataType> types;
  std::vector<std::string_view> names;
};
// Nothing: an error is pending.
std::optional<Scalars> scalars_of(Interpreter& in, const Arguments& args) {
  Scalars out;
  if (const Tuple* pair = args.positional[0].as<Tuple>(); pair && pair->items.size() == 2) {
    auto types = in.iterate(pair->items[0], args.at(0));
    if (!types) return std::nullopt;
    for (Value type : *types) {
      const DataTypeValue* t = type.as<DataTypeValue>();
      out.types.push_back(t ? t->dtype : ir::kVoid);
      out.names.push_back(in.keep("arg" + std::to_string(out.names.size())));
    }
    out.function = pair->items[1];
    return out;
  }
  const Function& f = *args.positional[0].as<Function>();
  out.function = args.positional[0];
  for (const syntax::Parameter& p : f.def->params) {
    const Value annotation = p.annotation ? in.eval(p.annotation, f.closure) : Value::none();
    const DataTypeValue* type = annotation.as<DataTypeValue>();
    if (!type) {
      if (!annotation.is_error()) {
        in.fail(code::kParameter, {f.anchor, p.name.at.begin, p.name.at.end},
                "a parameter of a function for ewise is a scalar", "write " + std::string(p.name.text) + ": T.float32",
                "TypeError");
      }
      return std::nullopt;
    }
    out.types.push_back(type->dtype);
    out.names.push_back(p.name.text);
  }
  return out;
}

// The function at variables in place of its parameters. Null: an error is pending.
ir::Expr of_variables(Interpreter& in, const Scalars& f, const Arguments& args,
                      std::vector<const ir::Var*>& parameters) {
  const std::size_t inputs = args.positional.size() - 2;
  if (f.types.size() != inputs) {
    const Function* named = f.function.as<Function>();
    in.fail(code::kArguments, args.at(0),
            (named && named->def ? "'" + std::string(named->def->name.text) + "'" : std::string("the function")) +
                " takes " + std::to_string(f.types.size()) + (f.types.size() == 1 ? " scalar, " : " scalars, ") +
                std::to_string(inputs) + (inputs == 1 ? " input is given" : " inputs are given"),
            {}, "ValueError");
    return {};
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs; ++i) {
    ir::Var* var = in.drafts().variable(f.types[i]);
    in.drafts().name(var, f.names[i]);
    parameters.push_back(var);
    values.push_back(Value::expr(var));
  }
  const Value made = in.call(f.function, values, args.call);
  if (made.is_error()) return {};
  return in.as_expr(made, args.at(0), "what the function returns");
}

// The dtypes of the inputs and of the destination are those of the function.
bool fits(Interpreter& in, const TileCall& call, const Arguments& args, const std::vector<const ir::Var*>& parameters,
          ir::Expr result) {
  auto dtype = [](const ir::Operand& o) { return o.region.buffer ? o.region.buffer->dtype : o.value.dtype(); };
  auto refuse = [&](std::size_t i, ir::DataType is, ir::DataType wanted, std::string_view what) {
    in.fail(code::kType, args.at(i),
            std::string(what) + " is " + ir::dtype_name(wanted) + ", and this view has " + ir::dtype_name(is) +
                ": ewise converts nothing",
            "convert in the function: T.cast(x, \"" + ir::dtype_name(wanted) + "\")", "TypeError");
    return false;
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ir::DataType is = dtype(call.operands()[i + 1]);
    if (is != parameters[i]->dtype)
      return refuse(i + 2, is, parameters[i]->dtype, "the parameter '" + std::string(parameters[i]->name) + "'");
  }
  const ir::DataType is = dtype(call.operands()[0]);
  return is == result.dtype() || refuse(1, is, result.dtype(), "what the function returns");
}

// T.Lambda([T.float32], lambda x: …): how a printed kernel writes the function of an ewise.
Value lambda(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 2 || !(args.positional[0].as<List>() || args.positional[0].as<Tuple>()))
    return in.fail(code::kArguments, args.call, "T.Lambda takes a list of types and a function of as many scalars", {},
                   "TypeError");
  return in.tuple({args.positional[0], args.positional[1]});
}

// Views of a printed call stand in one tuple.
Arguments unpacked(const Arguments& args, std::vector<Value>& values, std::vector<text::Span>& spans) {
  const Tuple* inputs = args.positional.size() == 3 ? args.positional[2].as<Tuple>() : nullptr;
  if (!inputs) return args;
  values.assign(args.positional.begin(), args.positional.begin() + 2);
  spans = {args.at(0), args.at(1)};
  for (Value v : inputs->items) {
    values.push_back(v);
    spans.push_back(args.at(2));
  }
  return Arguments{values, args.keywords, spans, args.call, args.function};
}

Value ewise(Interpreter& in, const Arguments& given, Value) {
  if (!in.require_kernel(given.call, "T.cuda.tile.ewise")) return Value::error();
  std::vector<Value> values;
  std::vector<text::Span> spans;
  const Arguments args = unpacked(given, values, spans);
  const bool has_function =
      !args.positional.empty() && (args.positional[0].as<Function>() || args.positional[0].as<Tuple>());
  if (!has_function || args.positional.size() < 2) {
    return in.fail(code::kType, args.at(0), "T.cuda.tile.ewise takes a function of scalars, a destination and inputs",
                   "decorate it with @T.function and say what it returns: def f(x: T.float32) -> T.float32",
                   "TypeError");
  }
  TileCall call(in, args, "ewise");
  if (!call.read(1)) return Value::error();
  if (call.poisoned()) return Value::none();
  auto function = scalars_of(in, args);
  if (!function) return Value::error();
  std::vector<const ir::Var*> parameters;
  const ir::Expr result = of_variables(in, *function, args, parameters);
  if (!result || !fits(in, call, args, parameters, result)) return Value::error();
  call.add("function", result, args.at(0));
  for (const ir::Var* var : parameters) call.add("parameters", var, args.at(0));
  return call.emit();
}

Value tile(Interpreter& in, const Record&, Value) {
  return surface_space(in, "T.cuda.tile", "tirx.cuda.tile", lookup_surface);
}

constexpr Record kTileRecords[] = {
    since(V0_27, {"tirx.cuda",
                  "tile",
                  NameKind::Namespace,
                  {},
                  "One instruction, or one function of scalars, repeated over views.",
                  nullptr,
                  tile,
                  {},
                  0,
                  "tirx.cuda.tile"}),
    since(V0_27, {"tirx.cuda.tile", "apply", NameKind::Function, "instruction, *views, scope='thread', **parameters",
                  "Repeats an instruction over views whose dimensions are the threads of the scope, the repetitions, "
                  "and what the instruction takes.",
                  apply}),
    since(V0_27, {"tirx.cuda.tile", "ewise", NameKind::Function, "function, dst, *inputs, scope='thread'",
                  "Stores a function of scalars at each register of a view.", ewise}),
    since(V0_27, {"tirx", "Lambda", NameKind::Function, "types, function",
                  "The function of a printed ewise, with the types of its scalars.", lambda}),
};

}  // namespace

std::span<const Record> package_tile_records() { return kTileRecords; }

}  // namespace tilewright::script
