// T.ptx.*, T.cuda.* and the other rows of the intrinsic table, called from a script.
#include <algorithm>
#include <deque>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/operand_forms.h"
#include "compiler/intrinsics/say.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"
#include "compiler/text/symbol.h"

namespace tilewright::script {
namespace {

using intrinsics::Operand;
using intrinsics::OperandKind;
using text::Dialect;

// Converts one script value to what the operand takes; a null Expr leaves a pending error.
ir::Expr operand_value(Interpreter& in, const Operand& o, OperandKind kind, Value v, text::Span span,
                       const std::string& shown) {
  if (MetaVar* m = v.as<MetaVar>()) v = m->value;
  if (Str* s = v.as<Str>()) return ir::string_imm(in.keep(s->text));
  if (v.is_none()) return intrinsics::absent();
  if (DataTypeValue* d = v.as<DataTypeValue>()) return ir::string_imm(in.keep(ir::dtype_name(d->dtype)));
  if (TypeAnnotation* t = v.as<TypeAnnotation>(); t && kind == OperandKind::Attribute) return ir::string_imm("handle");
  BufferValue* b = v.as<BufferValue>();
  if (b && !b->buffer->is_scalar && kind != OperandKind::Value && kind != OperandKind::Attribute) {
    std::vector<ir::Expr> zeros(b->buffer->rank(), ir::int_imm(ir::kInt32, 0));
    ir::Expr element = ir::load(b->buffer, zeros);
    return kind == OperandKind::Reference ? element : ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1});
  }
  if (Instance* member = v.as<Instance>(); member && member->cls->is_enum && o.name == "event_type") {
    v = in.attribute(v, "value", span);  // profiles name their events so
  }
  ir::Expr e = in.as_expr(v, span, "'" + std::string(o.name) + "' of " + shown);
  if (!e) return e;
  if (kind == OperandKind::Attribute) {
    if (ir::Expr known = in.settled(ir::simplify(e)); intrinsics::is_attribute(known)) return known;
    // What depends on the variable of a loop that T.unroll writes out is known then, and each round is checked.
    if (!intrinsics::is_attribute(in.in_first_round(e))) {
      in.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown + " must be known at compile time");
      return {};
    }
    return e;
  }
  // Packed arithmetic takes two float32 as the 64 bits that they are.
  constexpr ir::DataType kPair{ir::TypeCode::Float, 32, 2};
  if (kind == OperandKind::Value && o.dtype == ir::kUInt64 && e.dtype() == kPair && in.dialect() >= Dialect::V0_26) {
    return ir::call(ir::kUInt64, ir::builtin::reinterpret, {&e, 1});
  }
  bool converts = kind == OperandKind::Value && !o.dtype.is_void() && e.dtype() != o.dtype && !e.as<ir::StringImm>() &&
                  !e.dtype().is_handle() && !o.dtype.is_handle();
  if (!converts) return e;
  auto converted = ir::convert(o.dtype, e);
  if (!converted) {
    in.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown + ": " + converted.error());
    return {};
  }
  return *converted;
}

// `T.ptx`, `T.ptx.mma`: a namespace, an instruction, or both; calls.cpp runs what its record names.
Value intrinsic_member(Interpreter& in, const Record& record, Value) {
  std::string path = std::string(record.space) + "." + std::string(record.name);
  Value v = surface_space(in, std::move(path), record.children, lookup_surface);
  v.as<Namespace>()->record = &record;
  return v;
}

struct Words {
  std::string_view name, words;
};
constexpr Words kNamespaces[] = {
    {"ptx", "Instructions of PTX."},
    {"cuda", "Functions of CUDA, and what the reference gives beside them."},
    {"nvshmem", "Communication between GPUs."},
    {"ptx_legacy", "Instructions of PTX with the operands of earlier releases."},
    {"s_tir", "What printed kernels of other dialects hold."},
};

}  // namespace

void add_intrinsic_records(MadeRecords& records, text::Dialect release) {
  if (release >= text::Dialect::V0_27) records.rows.push_back(ptx_record());
  // The records of the path before, from the outermost namespace on. The names are sorted: whatever lies below a path
  // follows it directly.
  std::vector<Record*> above;
  for (const intrinsics::Named& named : intrinsics::names(release)) {
    const std::string_view path = named.name;
    // Of this path the first `depth` parts are known, and they end before `at`.
    std::size_t depth = 0, at = 0;
    while (depth < above.size()) {
      const std::string_view known = above[depth]->detail;
      if (!path.starts_with(known) || (path.size() > known.size() && path[known.size()] != '.')) break;
      at = known.size() + 1;
      ++depth;
    }
    above.resize(depth);
    while (at < path.size()) {
      std::string_view space = "T";
      if (!above.empty()) {
        Record& outer = *above.back();
        if (outer.children.empty()) outer.children = records.words.emplace_back("T." + std::string(outer.detail));
        space = outer.children;
      }
      const std::size_t end = std::min(path.find('.', at), path.size());
      Record made{space,   path.substr(at, end - at), NameKind::Namespace, {}, "A family of instructions.",
                  nullptr, intrinsic_member,          path.substr(0, end)};
      for (const Words& w : kNamespaces) {
        if (w.name == made.detail) made.documentation = w.words;
      }
      above.push_back(&records.rows.emplace_back(made));
      at = end + 1;
    }
    Record& r = *above.back();
    if (r.kind == NameKind::Instruction) continue;  // another form
    r.kind = NameKind::Instruction;
    r.signature = named.row->signature;
    r.documentation = named.row->documentation;
  }
}

// Why a call does not fit, at the keyword that its row does not have where that is why.
static Value refuse_arguments(Interpreter& in, const intrinsics::Intrinsic& row, const Arguments& args,
                              const std::string& why, const std::string& earlier) {
  for (const Keyword& k : args.keywords) {
    if (k.name == "dtype" || std::ranges::find(row.operands, k.name, &Operand::name) != row.operands.end()) continue;
    text::Nearest nearest(k.name, text::Nearest::Among::Few);
    for (const Operand& o : row.operands) nearest.consider(o.name);
    const std::string meant(earlier.empty() ? nearest.found() : std::string_view());
    in.fail(code::kIntrinsic, k.at_name(), why, meant.empty() ? earlier : "did you mean " + meant + "=?");
    if (!meant.empty() && k.name_span) in.offer({text::Fix::Kind::Replace, "Replace by " + meant, meant});
    return Value::error();
  }
  return in.fail(code::kIntrinsic, args.call, why, earlier);
}

namespace {

// A call of an intrinsic as the script writes it: values with their places, names of those at the end.
struct Written {
  std::vector<std::string_view> names;
  std::vector<Value> values;
  std::vector<text::Span> spans;
  std::size_t positional = 0;

  explicit Written(const Arguments& args)
      : values(args.positional.begin(), args.positional.end()), positional(args.positional.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) spans.push_back(args.at(i));
    for (const Keyword& k : args.keywords) {
      if (k.value.is_none() && k.name != "dtype") continue;  // None counts as not given
      names.push_back(k.name);
      values.push_back(k.value);
      spans.push_back(k.span);
    }
  }
  // The value of a keyword, which is then as if it had not been written; none: it was not.
  std::optional<Value> take(std::string_view name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    const auto place = static_cast<std::ptrdiff_t>(positional) + (at - names.begin());
    const Value taken = values[static_cast<std::size_t>(place)];
    names.erase(at);
    values.erase(values.begin() + place);
    spans.erase(spans.begin() + place);
    return taken;
  }
  // All operands in order, as 0.27 prints descriptors of instructions, whose keywords it leaves out.
  void read_as_printed(const intrinsics::Intrinsic& row) {
    const bool descriptor = row.id == "P91" || row.id == "P92";
    if (!descriptor || !names.empty() || positional != row.operands.size()) return;
    for (std::size_t i = 1; i < row.operands.size(); ++i) names.push_back(row.operands[i].name);
    positional = 1;
  }
  // `dtype=` on ordinary intrinsics is dropped (surface.md 1). False: there is none.
  bool drop_dtype() { return take("dtype").has_value(); }
};

class OperandReader {
 public:
  OperandReader(Interpreter& in, const intrinsics::Intrinsic& row, const Written& written, const std::string& shown)
      : in_(in), row_(row), written_(written), shown_(shown) {}

  std::vector<ir::Expr> operands;
  bool settles_later = false;  // an attribute depends on a loop that is written out

  // False: an error is pending.
  bool read(std::span<const intrinsics::Slot> slots) {
    for (std::size_t i = 0; i < row_.operands.size(); ++i) {
      const Operand& o = row_.operands[i];
      if (slots[i].first < 0) {
        if (o.kind != OperandKind::Variadic) operands.push_back(intrinsics::default_value(o));
        continue;
      }
      for (int k = 0; k < slots[i].count; ++k) {
        if (!read_one(o, static_cast<std::size_t>(slots[i].first + k))) return false;
      }
    }
    return true;
  }

  // The call as it is in the first round of the loops around it, where that decides.
  std::vector<ir::Expr> first_round() const {
    std::vector<ir::Expr> out;
    for (ir::Expr e : operands) {
      ir::Expr first = in_.in_first_round(e);
      out.push_back(intrinsics::is_attribute(first) ? first : e);
    }
    return out;
  }

 private:
  bool read_one(const Operand& o, std::size_t at) {
    const Value v = written_.values[at];
    const text::Span span = written_.spans[at];
    const bool several = o.kind == OperandKind::List || o.kind == OperandKind::Variadic;
    if (several && (v.as<List>() || v.as<Tuple>())) return read_list(o, v, span);
    if (intrinsics::takes_one(o)) {
      operands.push_back(ir::int_imm(ir::kInt32, 1));
    } else if (o.kind == OperandKind::List) {
      in_.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown_ + " takes a list");
      return false;
    }
    ir::Expr e = operand_value(in_, o, several ? o.item : o.kind, v, span, shown_);
    if (!e) return false;
    if (!is_named_well(o, e, span)) return false;
    operands.push_back(e);
    settles_later |= o.kind == OperandKind::Attribute && !intrinsics::is_attribute(e) && !intrinsics::is_absent(e);
    return true;
  }

  // A function that is called by its name is one that CUDA text can call.
  bool is_named_well(const Operand& o, ir::Expr e, text::Span span) {
    const auto* name = o.kind == OperandKind::Attribute && o.name == "func_name" ? e.as<ir::StringImm>() : nullptr;
    const auto why = name ? text::why_no_function(name->value) : std::nullopt;
    if (why) {
      in_.fail(code::kSymbol, span, "the function that " + shown_ + " calls is named by an identifier: " + *why,
               intrinsics::say("write the name alone; its source is source_code= of {foreign_call}"_row_text,
                               in_.dialect()));
    }
    return !why;
  }

  bool read_list(const Operand& o, Value v, text::Span span) {
    auto items = in_.iterate(v, span);
    if (!items) return false;
    // A list stands in the arguments as its length and then its items (arguments.h).
    if (o.kind == OperandKind::List)
      operands.push_back(ir::int_imm(ir::kInt32, static_cast<std::int64_t>(items->size())));
    for (Value item : *items) {
      ir::Expr e = operand_value(in_, o, o.item, item, span, shown_);
      if (!e) return false;
      operands.push_back(e);
    }
    return true;
  }

  Interpreter& in_;
  const intrinsics::Intrinsic& row_;
  const Written& written_;
  const std::string& shown_;
};

// Of several forms of a name that the arguments fit, the first whose words are among the choices; else the first.
const intrinsics::Intrinsic* form_of(text::Dialect release, std::string_view path, const Written& written) {
  const intrinsics::Intrinsic* first = intrinsics::find(release, path, written.positional, written.names);
  const auto forms = intrinsics::forms(release, path);
  if (forms.size() < 2) return first;
  for (const intrinsics::Named& named : forms) {
    const auto slots = intrinsics::bind(*named.row, written.positional, written.names);
    if (!slots) continue;
    bool good = true;
    for (std::size_t i = 0; i < slots->size() && good; ++i) {
      const Operand& o = named.row->operands[i];
      if ((*slots)[i].first < 0 || o.kind != OperandKind::Attribute) continue;
      const Value v = written.values[static_cast<std::size_t>((*slots)[i].first)];
      if (const Str* s = v.as<Str>()) good = intrinsics::is_choice_of(o, ir::string_imm(s->text));
      if (v.is_bool()) good = intrinsics::is_choice_of(o, ir::bool_imm(v.b));
    }
    if (good) return named.row;
  }
  return first;
}

// `lazy_args=` of T.cuda.func_call names arguments that the function, a macro, evaluates itself. All arguments are
// written in the call here, so that this is how it is. False: an error is pending.
bool takes_lazy_arguments(Interpreter& in, Written& written, text::Span call) {
  const std::optional<Value> lazy = written.take("lazy_args");
  if (!lazy || lazy->is_poison()) return true;
  auto items = in.iterate(*lazy, call);
  if (!items) return false;
  const auto count = static_cast<std::int64_t>(written.positional) - 1;  // the name is no argument of the function
  for (Value item : *items) {
    if (item.is_int() && item.i >= 0 && item.i < count) continue;
    in.fail(code::kIntrinsic, call, "'lazy_args' names arguments by their position: 0 to " + std::to_string(count - 1));
    return false;
  }
  return true;
}

// That the call is one of an earlier release, and how this one writes it; empty: it is not.
std::string call_of_earlier(text::Dialect release, std::string_view path, const Written& written,
                            const intrinsics::Intrinsic& now) {
  for (const text::DialectName& d : text::kDialects) {
    if (d.dialect >= release) break;
    const intrinsics::Intrinsic* row = form_of(d.dialect, path, written);
    if (!row || !intrinsics::bind(*row, written.positional, written.names)) continue;
    return std::string(d.name) + " writes it so; " + std::string(text::dialect_name(release)) + " writes T." +
           std::string(path) + "(" + std::string(now.signature) + ")";
  }
  return {};
}

}  // namespace

bool is_served(Interpreter& in, const intrinsics::Intrinsic& row, std::span<const ir::Expr> sample,
               const std::string& shown, text::Span call) {
  auto problem = intrinsics::verify(row, sample, in.target());
  if (!problem) return true;
  if (!in.finds_target()) {
    in.fail(code::kIntrinsic, call, shown + ": " + *problem);
    return false;
  }
  if (!intrinsics::verifying_targets(row, sample)) {
    in.fail(code::kIntrinsic, call, shown + ": " + intrinsics::failure_everywhere(row, sample, in.target()));
    return false;
  }
  in.kernel()->needs_another_target();
  return true;
}

// Arrivals name the other CTA by `remote=` from 0.26 on. The rows of 0.25 stay: kernels are printed by their operands.
// False: an error is pending.
static bool names_no_cta(Interpreter& in, text::Dialect release, const std::string& shown, const Arguments& args) {
  if (release < Dialect::V0_26 || !shown.starts_with("T.ptx.mbarrier.arrive")) return true;
  for (const Keyword& k : args.keywords) {
    if (k.name != "cta_id") continue;
    const std::string now(text::dialect_name(release));
    in.fail(code::kIntrinsic, k.at_name(), shown + " has no keyword 'cta_id' in " + now,
            now + " writes remote=, and pred= where only some threads arrive");
    if (k.name_span) in.offer({text::Fix::Kind::Replace, "Write remote= as " + now + " does", "remote"});
    return false;
  }
  return true;
}

Value call_intrinsic(Interpreter& in, text::Dialect release, std::string_view path, const Arguments& args) {
  std::string shown = "T." + std::string(path);
  Written written(args);
  for (Value v : written.values) {
    if (v.is_poison()) return v;
  }
  if (path == "cuda.func_call" && release >= Dialect::V0_27 && !takes_lazy_arguments(in, written, args.call)) {
    return Value::error();
  }
  if (!names_no_cta(in, release, shown, args)) return Value::error();
  const intrinsics::Intrinsic* row = form_of(release, path, written);
  if (!row) {
    return in.fail(code::kIntrinsic, args.call, shown + " is not an intrinsic",
                   intrinsics::is_namespace(release, path) ? "it is a namespace: name one of its members" : "");
  }
  if (!in.require_kernel(args.call, shown)) return Value::error();
  if (release >= Dialect::V0_27) written.read_as_printed(*row);
  auto slots = intrinsics::bind(*row, written.positional, written.names);
  if (!slots && written.drop_dtype()) {
    row = form_of(release, path, written);
    slots = intrinsics::bind(*row, written.positional, written.names);
  }
  if (!slots) {
    return refuse_arguments(in, *row, args, shown + " " + slots.error(), call_of_earlier(release, path, written, *row));
  }
  OperandReader reader(in, *row, written, shown);
  if (!reader.read(*slots)) return Value::error();
  const std::vector<ir::Expr> first_round = reader.settles_later ? reader.first_round() : std::vector<ir::Expr>();
  const std::vector<ir::Expr>& sample = reader.settles_later ? first_round : reader.operands;
  if (!is_served(in, *row, sample, shown, args.call)) return Value::error();
  ir::DataType dtype = row->result ? row->result(sample) : ir::kVoid;
  ir::Expr e = ir::call(dtype, *row, reader.operands);
  if (const intrinsics::Arguments a(*row, sample); dtype == ir::kUInt64 && a.text("return_dtype") == "float32x2") {
    e = ir::call({ir::TypeCode::Float, 32, 2}, ir::builtin::reinterpret, {&e, 1});
  }
  // In builder mode calls emit only inside T.evaluate (script.md); a call without a result has no other use than its
  // effect, so it takes place where it is written.
  if (!in.in_script_mode() && dtype.is_void()) {
    in.kernel()->evaluate(in.origin(args.call), e);
    return Value::none();
  }
  return Value::expr(e);
}

}  // namespace tilewright::script
