// `T.ptx` of release 0.27: the words of an instruction, one after the other, and its call.
//
// A chain of words is a namespace whose path spells it, "T.ptx.ld.global.b32"; which rows it leaves is asked of
// compiler/ptx when that is needed, and kept for the next script.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/form_checks.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/ptx/table.h"
#include "compiler/ptx/words.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {
namespace {

constexpr std::string_view kRoot = "T.ptx.";

// Chains that scripts have asked for, by their text: "ld.global.b32".
class Chains {
 public:
  using Found = std::expected<std::shared_ptr<const ptx::Chain>, std::string>;

  Found find(const std::string& text) {
    {
      std::lock_guard lock(mutex_);
      if (auto known = chains_.find(text); known != chains_.end()) return known->second;
    }
    auto chain = ptx::Chain::parse(text);
    if (!chain) return std::unexpected(chain.error());
    return keep(text, std::move(*chain));
  }

  Found next(const std::string& text, const ptx::Chain& chain, std::string_view token) {
    std::string longer = text + "." + std::string(token);
    {
      std::lock_guard lock(mutex_);
      if (auto known = chains_.find(longer); known != chains_.end()) return known->second;
    }
    auto made = chain.then(token);
    if (!made) return std::unexpected(made.error());
    return keep(longer, std::move(*made));
  }

 private:
  static constexpr std::size_t kMost = 4096;

  std::shared_ptr<const ptx::Chain> keep(const std::string& text, ptx::Chain chain) {
    auto made = std::make_shared<const ptx::Chain>(std::move(chain));
    std::lock_guard lock(mutex_);
    if (chains_.size() >= kMost) chains_.clear();
    return chains_.emplace(text, std::move(made)).first->second;
  }

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ptx::Chain>> chains_;
};

Chains& chains() {
  static Chains all;
  return all;
}

std::string text_of(const Namespace& chain) { return chain.path.substr(kRoot.size()); }

// Who has this name, where another release does: "T.ptx.fence.proxy_async is 0.26; 0.27 writes ...".
std::string of_another_release(Interpreter& in, std::string_view space, std::string_view name) {
  std::string advice = in.surface().advice(space, name);
  const std::string shown = std::string(space) + "." + std::string(name);
  return advice.starts_with(shown + " is ") ? advice : std::string();
}

Value chain_member(Interpreter& in, Namespace& self, std::string_view name) {
  if (name.starts_with("__")) return Value::error();
  const std::string text = text_of(self), token = ptx::token_of_word(name);
  auto chain = chains().find(text);
  auto next = chain ? chains().next(text, **chain, token) : Chains::Found(std::unexpected(chain.error()));
  if (!next)
    return in.fail(code::kAttribute, {}, "T.ptx: " + next.error(), of_another_release(in, self.path, name),
                   "AttributeError");
  return in.name_space(self.path + "." + token, chain_member);
}

Value chain_value(Interpreter& in, std::string_view text) {
  return in.name_space(std::string(kRoot) + std::string(text), chain_member);
}

Value family_of_record(Interpreter& in, const Record& record, Value) { return chain_value(in, record.name); }

Value ptx_of_record(Interpreter& in, const Record&, Value) {
  return surface_space(in, "T.ptx", "T.ptx", lookup_surface);
}

// What the pointer leads to; void: that is not known.
ir::DataType pointee_of(ir::Expr pointer) {
  if (const auto* var = pointer.as<ir::Var>()) return var->pointee;
  const auto* call = pointer.as<ir::Call>();
  const auto* load = call && call->callee == &ir::builtin::address_of ? call->args[0].as<ir::Load>() : nullptr;
  return load ? load->buffer->dtype : ir::kVoid;
}

// Of a traced kernel: a pointer of the same type.
Value moved_pointer(Interpreter& in, const Bound& a, ir::Expr base, text::Span span) {
  const Record* record = in.surface().find("T", "ptr_byte_offset");
  const ir::DataType pointee = pointee_of(base);
  const Value dtype = pointee.is_void() ? Value::none() : in.string(ir::dtype_name(pointee));
  const Value arguments[] = {a[0], a[1], dtype};
  return in.call(in.denoted(*record), arguments, span);
}

// T.ptx.addr(base, bytes) and T.ptx.pred(value) stay expressions until the call around them is made.
Value addr(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ptx.addr", {"base", "byte_offset"}, 2);
  if (!a) return Value::error();
  const ir::Expr operands[] = {in.as_expr(a[0], a.span(0), "'base' of T.ptx.addr"),
                               in.as_expr(a[1], a.span(1), "'byte_offset' of T.ptx.addr")};
  if (!operands[0] || !operands[1]) return Value::error();
  const auto* inner = operands[0].as<ir::Call>();
  if (inner && inner->callee == &intrinsics::address_offset())
    return in.fail(code::kIntrinsic, a.span(0), "T.ptx.addr(...) is not nested",
                   "add the offsets: T.ptx.addr(base, 4 + 8)");
  if (!operands[1].dtype().is_integral() || operands[1].dtype().is_vector())
    return in.fail(code::kIntrinsic, a.span(1),
                   "'byte_offset' of T.ptx.addr is an integer, not " + ir::dtype_name(operands[1].dtype()));
  if (in.kernel() && in.kernel()->traced) return moved_pointer(in, a, operands[0], args.call);
  const ir::Expr offset = in.settled(ir::simplify(operands[1]));
  const ir::Expr known[] = {operands[0], ir::constant(offset) ? offset : operands[1]};
  return Value::expr(ir::call(operands[0].dtype(), intrinsics::address_offset(), known));
}

Value pred(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ptx.pred", {"value"}, 1);
  if (!a) return Value::error();
  const ir::Expr value = in.as_expr(a[0], a.span(0), "'value' of T.ptx.pred");
  if (!value) return Value::error();
  return Value::expr(ir::call(value.dtype(), intrinsics::predicate_tag(), {&value, 1}));
}

Value sink(Interpreter&, const Record&, Value) { return Value::expr(ir::call(ir::kVoid, intrinsics::sink_tag(), {})); }

const ir::Call* call_of(ir::Expr e, const intrinsics::Intrinsic& row) {
  const auto* call = e.as<ir::Call>();
  return call && call->callee == &row ? call : nullptr;
}

// A pointer whose type says that it leads into shared memory: of a buffer, of an element, and so many bytes behind one.
bool is_shared(ir::Expr pointer) {
  if (const auto* var = pointer.as<ir::Var>()) return var->storage_scope.starts_with("shared");
  const auto* call = pointer.as<ir::Call>();
  if (!call || call->args.empty()) return false;
  if (call->callee == &ir::builtin::handle_byte_offset || call->callee == &ir::builtin::pointer_offset)
    return is_shared(call->args[0]);
  const auto* element = call->callee == &ir::builtin::address_of ? call->args[0].as<ir::Load>() : nullptr;
  return element && element->buffer->scope == ir::StorageScope::Shared;
}

// The buffer that an address of an element lies in; null: it is another pointer.
const ir::Buffer* addressed(ir::Expr pointer) {
  const auto* call = pointer.as<ir::Call>();
  const auto* load = call && call->callee == &ir::builtin::address_of ? call->args[0].as<ir::Load>() : nullptr;
  return load ? load->buffer : nullptr;
}

// The state space that a plain access names: "global", "shared"; empty: none, or both.
std::string_view named_space(std::string_view text) {
  constexpr std::string_view kAccesses[] = {"ld.", "st.", "atom.", "red."};
  if (std::ranges::none_of(kAccesses, [&](std::string_view start) { return text.starts_with(start); })) return {};
  std::string_view found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('.'), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.ends_with('_')) word.remove_suffix(1);
    if (word != "global" && word != "shared") continue;
    if (!found.empty()) return {};
    found = word;
  }
  return found;
}

// What a script gives at one place: for the choice of a row, and as an expression.
struct Given {
  ptx::Argument argument;
  ir::Expr value;  // null for a sink and where the row decides on the dtype
  text::Span span;
};

// False: an error is pending.
bool read(Interpreter& in, Value v, text::Span span, const std::string& shown, Given& out) {
  using Kind = ptx::Argument::Kind;
  out.span = span;
  ptx::Argument& a = out.argument;
  if (MetaVar* m = v.as<MetaVar>()) v = m->value;
  switch (v.tag) {
    case Tag::Bool:
      a.kind = Kind::Boolean;
      a.value = v.b;
      return true;
    case Tag::Int:
      a.kind = Kind::Integer;
      a.value = v.i;
      return true;
    case Tag::Float:
      a.kind = Kind::Real;
      out.value = ir::float_imm(ir::kFloat64, v.f);
      return true;
    default: break;
  }
  BufferValue* b = v.as<BufferValue>();
  const bool other = v.as<Str>() || v.is_none() || v.as<List>() || v.as<Tuple>() || v.as<RegionValue>() ||
                     v.as<DataTypeValue>() || (b && !ir::is_one_element(*b->buffer));
  if (other) {
    a.kind = Kind::Other;
    a.spoken = b ? "the whole buffer " + std::string(b->buffer->name) : std::string(type_name(v));
    return true;
  }
  ir::Expr e = in.as_expr(v, span, "an operand of " + shown);
  if (!e) return false;
  if (call_of(e, intrinsics::sink_tag())) {
    a.kind = Kind::Sink;
    return true;
  }
  out.value = e;
  if (const ir::Call* tagged = call_of(e, intrinsics::predicate_tag())) {
    a.predicate = true;
    e = out.value = tagged->args[0];
  } else if (const ir::Call* moved = call_of(e, intrinsics::address_offset())) {
    a.offset = true;
    if (const std::int64_t* bytes = ir::constant(moved->args[1])) a.bytes = *bytes;
    e = moved->args[0];
  }
  a.dtype = e.dtype();
  if (e.dtype().is_handle()) {
    a.kind = Kind::Pointer;
    a.shared = is_shared(e);
    return true;
  }
  a.kind = e.as<ir::Load>() ? Kind::Element : Kind::Value;
  const ir::Expr known = e.as<ir::Load>() ? e : in.settled(ir::simplify(e));
  if (const std::int64_t* value = ir::constant(known)) a.value = *value;
  return true;
}

// A number of Python takes the dtype of its operand.
ir::Expr typed(const ptx::Argument& a, ir::Expr value, ir::DataType dtype) {
  using Kind = ptx::Argument::Kind;
  if (a.kind == Kind::Real) {
    const double number = value.as<ir::FloatImm>()->value;
    return ir::float_imm(dtype, number);
  }
  if (!a.literal()) return value;
  if (dtype.is_void()) dtype = ir::kInt32;
  return dtype.is_floating() ? ir::float_imm(dtype, static_cast<double>(*a.value)) : ir::int_imm(dtype, *a.value);
}

// A call with what the script wrote at each place.
class InstructionCall {
  // An address of a buffer that lies elsewhere than the instruction says.
  void compare_spaces() {
    const std::string_view space = named_space(text_);
    if (space.empty()) return;
    for (const Given& g : given_) {
      if (g.argument.kind != ptx::Argument::Kind::Pointer || !g.value) continue;
      const ir::Buffer* b = addressed(g.value);
      if (!b) continue;
      const bool shared = b->scope == ir::StorageScope::Shared || b->scope == ir::StorageScope::SharedDyn;
      const bool global = b->scope == ir::StorageScope::Global;
      if (b->scope == ir::StorageScope::Local && (space == "shared" || space == "global"))
        in_.warn(code::kIntrinsic, g.span,
                 "'" + std::string(b->name) + "' lies in registers, and " + shown_ + " takes an address of " +
                     std::string(space) + " memory");
      if ((space == "shared" && global) || (space == "global" && shared)) {
        in_.warn(code::kIntrinsic, g.span,
                 "'" + std::string(b->name) + "' lies in " + (shared ? "shared" : "global") + " memory, and " + shown_ +
                     " takes an address of " + std::string(space) + " memory",
                 std::string("write ") + (shared ? "shared" : "global") + " in the name of the instruction");
      }
    }
  }

  // On one line, as messages are.
  static std::string one_line(std::string text) {
    for (std::size_t at = text.find("\n  "), n = 0; at != text.npos; at = text.find("\n  ", at), ++n)
      text.replace(at, 3, n == 0 ? " " : "; ");
    return text;
  }

 public:
  InstructionCall(Interpreter& in, std::string text, const Arguments& args)
      : in_(in), text_(std::move(text)), shown_(std::string(kRoot) + text_), args_(args) {}

  Value make() {
    for (Value v : args_.positional) {
      if (v.is_poison()) return v;
    }
    if (!in_.require_kernel(args_.call, shown_) || !says_what_is_skipped()) return Value::error();
    // Each form that the words leave looks at each operand.
    if (!in_.charge(16 * (1 + args_.positional.size()), args_.call) || !read_all()) return Value::error();
    auto resolved = words_.empty() ? resolve() : resolve_printed();
    if (!resolved) {
      return in_.fail(code::kIntrinsic, args_.call, "T.ptx: " + one_line(resolved.error()), advice_of_release());
    }
    compare_spaces();
    const ir::Expr call = intrinsics::form_call(*resolved, values(*resolved), pred_);
    return emit(call, *resolved);
  }

 private:
  // What this release writes, where the words are a name of another one.
  std::string advice_of_release() const {
    const std::size_t dot = shown_.rfind('.');
    return of_another_release(in_, shown_.substr(0, dot), shown_.substr(dot + 1));
  }

  // A traced kernel says what a copy that takes place nowhere leaves at its destination. False: an error is pending.
  bool says_what_is_skipped() {
    const bool copies = text_.starts_with("cp.async.ca.shared") || text_.starts_with("cp.async.cg.shared");
    if (!copies || !in_.kernel()->traced || args_.positional.size() != 3) return true;
    in_.fail(
        code::kIntrinsic, args_.call,
        shown_ + " takes a fourth operand in a traced kernel: it says what a copy that does not run leaves behind",
        "write the size again for a plain copy, 0 for zeros, txl.ptx.pred(x) for zeros where x holds; with pred= a "
        "thread where it is false keeps what was there");
    return false;
  }

  bool read_all() {
    std::size_t operands = args_.positional.size();
    while (operands > 0 && args_.positional[operands - 1].as<Str>()) --operands;
    for (std::size_t i = operands; i < args_.positional.size(); ++i)
      words_.push_back(args_.positional[i].as<Str>()->text);
    given_.resize(operands);
    for (std::size_t i = 0; i < operands; ++i) {
      if (!read(in_, args_.positional[i], args_.at(i), shown_, given_[i])) return false;
    }
    return read_keywords();
  }

  bool read_keywords() {
    static constexpr std::string_view kKnown[] = {"pred", "preserve_dst"};
    for (const Keyword& k : args_.keywords) {
      if (k.name == "preserve_dst") {
        auto keeps = in_.truth(k.value, k.span);
        if (!keeps) return false;
        preserve_dst_ = *keeps;
      } else if (k.name != "pred") {
        if (const std::string advice = advice_of_release(); advice.empty()) {
          in_.unknown_keyword(shown_, k, kKnown);
        } else {
          in_.fail(code::kArguments, k.at_name(), shown_ + " has no argument '" + std::string(k.name) + "'", advice);
        }
        return false;
      } else if (!k.value.is_none()) {
        Given given;
        if (!read(in_, k.value, k.span, shown_, given)) return false;
        take_pred(given);
      }
    }
    return true;
  }

  void take_pred(const Given& given) {
    pred_argument_ = given.argument;
    pred_ =
        given.argument.kind == ptx::Argument::Kind::Boolean ? ir::bool_imm(*given.argument.value != 0) : given.value;
  }

  std::vector<ptx::Argument> arguments() const {
    std::vector<ptx::Argument> out;
    for (const Given& g : given_) out.push_back(g.argument);
    return out;
  }

  std::expected<ptx::Resolved, std::string> resolve() {
    auto chain = chains().find(text_);
    if (!chain) return std::unexpected(chain.error());
    return ptx::resolve(**chain, {arguments(), pred_argument_, preserve_dst_});
  }

  // As the reference prints a call: operands, the predicate, the word of each slot, a marker.
  std::expected<ptx::Resolved, std::string> resolve_printed() {
    auto resolved = ptx::resolve_printed(text_.substr(0, text_.find('.')), {arguments(), words_});
    if (!resolved) return resolved;
    if (resolved->pred && !given_.empty()) {
      take_pred(given_.back());
      given_.pop_back();
    }
    for (std::size_t at : resolved->sinks()) given_.insert(given_.begin() + static_cast<std::ptrdiff_t>(at), Given{});
    return resolved;
  }

  std::vector<ir::Expr> values(const ptx::Resolved& resolved) const {
    std::vector<ir::Expr> out;
    for (const Given& g : given_) out.push_back(g.value);
    for (const ptx::Bound& bound : resolved.operands) {
      const bool immediate = bound.operand->kind == ptx::OperandKind::Immediate;
      for (int k = 0; k < bound.lanes; ++k) {
        const std::size_t i = bound.first + static_cast<std::size_t>(k);
        const ptx::Argument& a = resolved.arguments[i];
        if (a.kind == ptx::Argument::Kind::Sink) continue;
        out[i] = typed(a, out[i], immediate ? ir::kInt32 : bound.dtype);
        if (immediate && a.value) out[i] = ir::int_imm(ir::kInt32, *a.value);
      }
    }
    return out;
  }

  // The arguments as they are in the first round of the loops around the call.
  std::optional<std::vector<ir::Expr>> first_round(const ir::Call& call) {
    std::vector<ir::Expr> out(call.args.begin(), call.args.end());
    const auto& row = *intrinsics::of(call.callee);
    const intrinsics::Arguments a(row, call.args);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (intrinsics::is_attribute(out[i])) continue;
      const intrinsics::Operand* o = a.operand_at(i);
      if (const ir::Call* moved = call_of(out[i], intrinsics::address_offset())) {
        const ir::Expr operands[] = {moved->args[0], known(moved->args[1])};
        if (!operands[1]) return std::nullopt;
        out[i] = ir::call(moved->dtype, intrinsics::address_offset(), operands);
      } else if (o && o->kind == intrinsics::OperandKind::Attribute) {
        out[i] = known(out[i]);
        if (!out[i]) return std::nullopt;
      }
    }
    return out;
  }

  // Null: an error is pending.
  ir::Expr known(ir::Expr e) {
    if (intrinsics::is_attribute(e)) return e;
    const ir::Expr first = in_.in_first_round(e);
    if (intrinsics::is_attribute(first)) return first;
    in_.fail(code::kIntrinsic, args_.call,
             shown_ + ": " + ir::to_string(e) + " is part of the instruction's text and must be known at compile time",
             "write a constant, or a variable of a loop of T.unroll");
    return {};
  }

  Value emit(ir::Expr e, const ptx::Resolved& resolved) {
    const ir::Call& call = *e.as<ir::Call>();
    const auto sample = first_round(call);
    if (!sample) return Value::error();
    const intrinsics::Intrinsic& row = *intrinsics::of(call.callee);
    // Where no loop changes it, the call is what it was resolved to, and need not be read once more.
    const intrinsics::Form* form =
        std::ranges::equal(*sample, call.args, ir::same_node) ? intrinsics::form_of(row) : nullptr;
    const bool fine = form && !intrinsics::verify_resolved(*form, resolved, call.args, in_.target());
    if (!fine && !is_served(in_, row, *sample, shown_, args_.call)) return Value::error();
    if (in_.in_script_mode()) return Value::expr(e);
    in_.kernel()->evaluate(in_.origin(args_.call), e);
    return Value::none();
  }

  Interpreter& in_;
  std::string text_, shown_;
  const Arguments& args_;
  std::vector<Given> given_;
  std::vector<std::string> words_;  // of the printed form
  std::optional<ptx::Argument> pred_argument_;
  ir::Expr pred_;
  bool preserve_dst_ = false;
};

}  // namespace

bool is_instruction(const Namespace& n) { return n.lookup == chain_member; }

Value call_instruction(Interpreter& in, const Namespace& chain, const Arguments& args) {
  return InstructionCall(in, text_of(chain), args).make();
}

Value instruction_named(Interpreter& in, Value text, text::Span span) {
  Str* words = text.as<Str>();
  if (!words) return in.fail(code::kType, span, "T.ptx[...] takes the text of an instruction, \"ld.global.b32\"");
  constexpr std::size_t kLongest = 400;  // no instruction has as many letters
  if (words->text.size() > kLongest)
    return in.fail(code::kAttribute, span,
                   "the text of an instruction has " + std::to_string(words->text.size()) + " letters; " +
                       std::to_string(kLongest) + " are allowed",
                   {}, "KeyError");
  // A word may be spelled as it is behind a dot: "st.global_.b32".
  std::string spelled;
  for (std::string_view rest = words->text; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    spelled.append(spelled.empty() ? "" : ".").append(ptx::token_of_word(rest.substr(0, dot)));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  auto chain = chains().find(spelled);
  if (!chain) return in.fail(code::kAttribute, span, "T.ptx: " + chain.error(), {}, "KeyError");
  return chain_value(in, spelled);
}

Record ptx_record() {
  return since(text::Dialect::V0_27, {"T",
                                      "ptx",
                                      NameKind::Namespace,
                                      {},
                                      "Instructions of PTX, by their words.",
                                      nullptr,
                                      ptx_of_record,
                                      "ptx",
                                      0,
                                      "T.ptx"});
}

void add_ptx_records(MadeRecords& records) {
  using enum NameKind;
  records.rows.push_back({"T.ptx", "addr", Function, "base, byte_offset",
                          "An address with a constant offset in bytes: [base+bytes].", addr});
  records.rows.push_back(
      {"T.ptx", "pred", Function, "value", "An integer as a predicate, which holds where it is not 0.", pred});
  records.rows.push_back(
      {"T.ptx", "SINK", Constant, {}, "In place of a register whose value is not wanted.", nullptr, sink});
  for (std::string_view family : ptx::families()) {
    const std::string_view said = records.words.emplace_back("Instruction of PTX: " + ptx::family_syntax(family));
    const std::string_view name = records.words.emplace_back(ptx::word_of_token(family));
    records.rows.push_back({"T.ptx", name, Namespace, {}, said, nullptr, family_of_record, "ptx", 0, {}});
  }
  for (Record& r : records.rows) r.releases = text::since(text::Dialect::V0_27);
}

}  // namespace tilewright::script
