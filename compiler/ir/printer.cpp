#include "compiler/ir/printer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "compiler/expr/analyzer.h"
#include "compiler/expr/infix.h"
#include "compiler/ir/primitive.h"
#include "compiler/ir/unroll.h"
#include "compiler/layout/notation.h"
#include "compiler/text/escape.h"

namespace tilewright::ir {
namespace {

constexpr auto kPythonWords = text::in_order(std::to_array<std::string_view>(
    {"False",  "None",     "True",     "and",    "as",      "assert", "async", "await",  "break", "class",   "def",
     "del",    "elif",     "else",     "except", "finally", "for",    "from",  "global", "if",    "in",      "is",
     "lambda", "import",   "nonlocal", "not",    "or",      "pass",   "raise", "return", "try",   "while",   "with",
     "yield",  "continue", "T",        "Tx",     "I",       "Axis",   "S",     "R",      "range", "metadata"}));

// Python's, loosest first.
// Precedence 0: a function of T.
Infix spelling(ExprKind kind) {
  switch (kind) {
    case ExprKind::TruncDiv: return {"truncdiv", 0};
    case ExprKind::TruncMod: return {"truncmod", 0};
    case ExprKind::Min: return {"min", 0};
    case ExprKind::Max: return {"max", 0};
    case ExprKind::BitAnd: return {"bitwise_and", 0};
    case ExprKind::BitOr: return {"bitwise_or", 0};
    case ExprKind::BitXor: return {"bitwise_xor", 0};
    case ExprKind::BitNot: return {"bitwise_not", 0};
    case ExprKind::Shl: return {"shift_left", 0};
    case ExprKind::Shr: return {"shift_right", 0};
    case ExprKind::Select: return {"Select", 0};
    case ExprKind::IfThenElse: return {"if_then_else", 0};
    default: return infix(kind);
  }
}

std::string_view scope_id_function(ScopeBinding binding) {
  static constexpr std::string_view kNames[] = {"cluster_id",      "cta_id",        "cta_id_in_cluster", "warpgroup_id",
                                                "warp_id",         "warp_id_in_wg", "lane_id",           "thread_id",
                                                "thread_id_in_wg", "cta_id_in_pair"};
  auto i = static_cast<std::size_t>(binding);
  return i < 10 ? kNames[i] : "scope_id";
}

bool has_default_layout(const Buffer& buffer) {
  return buffer.layout && layout::same(*buffer.layout, layout::row_major(shape_of(buffer)));
}

// As unroll= takes it.
std::string hint_text(UnrollHint hint) {
  if (const auto copies = copies_of(hint)) return std::to_string(*copies);
  return hint == UnrollHint::Full ? "True" : "False";
}

}  // namespace

ScriptWriter::ScriptWriter(ArgumentWriter arguments, text::Dialect release)
    : arguments_(arguments), release_(release), names_(kPythonWords) {
  names_.open();
}

void ScriptWriter::header() {
  out +=
      "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n\n"
      "@I.ir_module\nclass Module:\n";
}

void ScriptWriter::close() {
  for (; declared_.size() > blocks_.back(); declared_.pop_back()) buffers_.erase(declared_.back());
  blocks_.pop_back();
  names_.close();
  --indent_;
}

std::string_view ScriptWriter::name(const Var* var) {
  if (auto found = vars_.find(var); found != vars_.end()) return found->second;
  return vars_[var] = names_.take(var->name);
}

std::string_view ScriptWriter::name(const Buffer* buffer) {
  if (auto found = buffers_.find(buffer); found != buffers_.end()) return found->second;
  return buffers_[buffer] = names_.take(buffer->name);
}

std::string ScriptWriter::dtype_call(DataType dtype) { return "T." + dtype_name(dtype); }

bool ScriptWriter::prints_as_scalar(const Buffer* buffer) const { return buffer->is_scalar && is_one_element(*buffer); }

// ---- expressions ---------------------------------------------------------------------------------------------------

void ScriptWriter::parameter(const Param& param) {
  out += name(param.var);
  out += ": ";
  DataType d = param.var->dtype;
  if (d.code == TypeCode::TensorMap || (d.is_handle() && param.var->pointee.code == TypeCode::TensorMap)) {
    out += "T.handle(\"tensormap\")";
  } else if (d.is_handle() && !param.buffer && !param.var->pointee.is_void()) {
    out.append("T.handle(\"").append(dtype_name(param.var->pointee)).append("\")");
  } else {
    out += dtype_call(d);
  }
}

void ScriptWriter::string(std::string_view value) { text::append_quoted(out, value); }

void ScriptWriter::integer(const IntImm& imm, int outer) {
  char digits[24];
  bool huge = imm.dtype.is_uint() && imm.value < 0;
  char* end = huge ? std::to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(imm.value)).ptr
                   : std::to_chars(digits, digits + sizeof digits, imm.value).ptr;
  std::string_view text(digits, static_cast<std::size_t>(end - digits));
  if (imm.dtype.is_bool()) {
    out += imm.value ? "T.bool(True)" : "T.bool(False)";
  } else if (imm.dtype == kInt32) {
    bool parentheses = imm.value < 0 && outer >= kUnary;
    if (parentheses) out += '(';
    out += text;
    if (parentheses) out += ')';
  } else {
    out.append(dtype_call(imm.dtype)).append("(").append(text).append(")");
  }
}

void ScriptWriter::floating(const FloatImm& imm) {
  out.append(dtype_call(imm.dtype)).append("(");
  if (std::isnan(imm.value)) {
    out += "\"nan\"";
  } else if (std::isinf(imm.value)) {
    out += imm.value > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    char digits[40];
    bool narrow = imm.dtype.is_float() && imm.dtype.bits == 32;
    char* end = narrow ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(imm.value)).ptr
                       : std::to_chars(digits, digits + sizeof digits, imm.value).ptr;
    std::string_view text(digits, static_cast<std::size_t>(end - digits));
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
  }
  out += ')';
}

void ScriptWriter::list(std::span<const Expr> items) {
  bool first = true;
  for (Expr item : items) {
    if (!first) out += ", ";
    first = false;
    expression(item);
  }
}

void ScriptWriter::shape(std::span<const Expr> extents) {
  out += '(';
  list(extents);
  out += extents.size() == 1 ? ",)" : ")";
}

void ScriptWriter::element(const Buffer* buffer, std::span<const Expr> indices) {
  out += name(buffer);
  if (prints_as_scalar(buffer)) return;
  out += '[';
  if (indices.empty()) out += "()";
  list(indices);
  out += ']';
}

void ScriptWriter::expression(Expr e, int outer) {
  if (!e) {
    out += "None";
    return;
  }
  Expr operands[3];
  switch (e.kind()) {
    case ExprKind::IntImm: integer(*e.as<IntImm>(), outer); return;
    case ExprKind::FloatImm: floating(*e.as<FloatImm>()); return;
    case ExprKind::StringImm: string(e.as<StringImm>()->value); return;
    case ExprKind::Var: {
      const Var* var = e.as<Var>();
      if (auto owner = owners_.find(var); owner != owners_.end()) {
        out += name(owner->second);
        // A scalar's own name would be its value.
        out += prints_as_scalar(owner->second) ? ".buffer.data" : ".data";
      } else {
        out += name(var);
      }
      return;
    }
    case ExprKind::Cast:
      out.append("T.Cast(\"").append(dtype_name(e.dtype())).append("\", ");
      expression(e.as<Cast>()->value);
      out += ')';
      return;
    case ExprKind::Not:
      if (outer > kNot) out += '(';
      out += "not ";
      expression(e.as<Unary>()->a, kNot);
      if (outer > kNot) out += ')';
      return;
    case ExprKind::Load: element(e.as<Load>()->buffer, e.as<Load>()->indices); return;
    case ExprKind::Ramp:
    case ExprKind::Broadcast:
      out += e.kind() == ExprKind::Ramp ? "T.Ramp(" : "T.Broadcast(";
      list(children(*e.get(), operands));
      out.append(", ").append(std::to_string(e.dtype().lanes)).append(")");
      return;
    case ExprKind::Call: call(*e.as<Call>()); return;
    default: break;
  }
  Infix how = spelling(e.kind());
  if (how.precedence == 0) {
    out.append("T.").append(how.text).append("(");
    list(children(*e.get(), operands));
    out += ')';
    return;
  }
  const Binary* node = e.as<Binary>();
  bool parentheses = outer > how.precedence;
  if (parentheses) out += '(';
  // Comparisons would chain: both sides bind tighter. `and` and `or` associate.
  bool associates = e.kind() == ExprKind::And || e.kind() == ExprKind::Or;
  expression(node->a, how.precedence == kCompare ? kCompare + 1 : how.precedence);
  out += how.text;
  expression(node->b, associates ? how.precedence : how.precedence + 1);
  if (parentheses) out += ')';
}

void ScriptWriter::call(const Call& call) {
  if (call.callee == &builtin::reinterpret) {
    out.append("T.reinterpret(\"").append(dtype_name(call.dtype)).append("\", ");
    expression(call.args[0]);
    out += ')';
    return;
  }
  // A row that this release cannot spell is named as the one that has it does.
  const std::string_view path = call.callee->name_in(release_);
  out.append("T.").append(path.empty() ? call.callee->name : path).append("(");
  if (call.callee == &builtin::address_of && call.args[0].kind() == ExprKind::Load) {
    const Load* load = call.args[0].as<Load>();
    if (prints_as_scalar(load->buffer)) {
      out += name(load->buffer);
      out += ".buffer";
    } else
      element(load->buffer, load->indices);
    out += ')';
    return;
  }
  if (!arguments_) {
    list(call.args);
    out += ')';
    return;
  }
  bool first = true;
  for (const PrintedArgument& argument : arguments_(call)) {
    if (!first) out += ", ";
    first = false;
    if (!argument.keyword.empty()) out.append(argument.keyword).append("=");
    if (argument.list) out += '[';
    list(argument.items);
    if (argument.list) out += ']';
  }
  out += ')';
}

// ---- buffers -------------------------------------------------------------------------------------------------------

void ScriptWriter::declaration(const Buffer& buffer, bool with_data, bool with_scope) {
  shape(buffer.shape);
  if (buffer.dtype != kFloat32) out.append(", \"").append(dtype_name(buffer.dtype)).append("\"");
  if (with_data && buffer.data) {
    out += ", data=";
    expression(buffer.data);
  }
  if (!buffer.strides.empty()) {
    out += ", strides=";
    shape(buffer.strides);
  }
  if (buffer.elem_offset && !is_constant(buffer.elem_offset, 0)) {
    out += ", elem_offset=";
    expression(buffer.elem_offset);
  }
  if (with_scope && buffer.scope != StorageScope::Global) {
    out += ", scope=";
    string(buffer.scope == StorageScope::Other ? buffer.scope_text : storage_scope_name(buffer.scope));
  }
  if (buffer.align != 64) out.append(", align=").append(std::to_string(buffer.align));
  if (!buffer.layout) {
    out += ", layout=None";
  } else if (!has_default_layout(buffer)) {
    out.append(", layout=")
        .append(release_ < text::Dialect::V0_26 ? layout::to_string(*buffer.layout)
                                                : layout::to_combined_string(*buffer.layout));
  }
  if (buffer.allocated_addr) {
    out += ", allocated_addr=";
    expression(buffer.allocated_addr);
  }
}

void ScriptWriter::allocate(const Buffer* buffer, const Store* initial) {
  begin();
  bool plain_scalar = prints_as_scalar(buffer) && buffer->scope == StorageScope::Local && !buffer->dtype.is_handle() &&
                      !buffer->dtype.is_vector();
  if (plain_scalar) {
    std::string value;
    if (initial) {
      std::swap(value, out);
      expression(initial->value);
      std::swap(value, out);
    }
    out += name(buffer);
    out.append(": ").append(dtype_call(buffer->dtype));
    if (initial) out.append(" = ").append(value);
    out += '\n';
    owns(buffer);
    return;
  }
  out += name(buffer);
  if (prints_as_scalar(buffer)) {
    out.append(" = T.alloc_scalar(\"").append(dtype_name(buffer->dtype)).append("\", ");
    string(storage_scope_name(buffer->scope));
    out += ')';
  } else if (buffer->scope == StorageScope::Shared || buffer->scope == StorageScope::Local) {
    out += buffer->scope == StorageScope::Shared ? " = T.alloc_shared(" : " = T.alloc_local(";
    declaration(*buffer, false, false);
    out += ')';
  } else {
    out += " = T.alloc_buffer(";
    declaration(*buffer, false, true);
    out += ')';
  }
  out += '\n';
  if (buffer->data) owns(buffer);
}

// ---- statements ----------------------------------------------------------------------------------------------------

void ScriptWriter::block(const Stmt* s) {
  open();
  std::size_t before = out.size();
  if (s) statements(s->kind == StmtKind::Seq ? static_cast<const Seq*>(s)->body : StmtList(&s, 1));
  if (out.size() == before) line("pass");
  close();
}

void ScriptWriter::statements(StmtList list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Alloc* alloc = as<Alloc>(list[i]);
    if (alloc && prints_as_scalar(alloc->buffer) && alloc->buffer->scope == StorageScope::Local &&
        !alloc->buffer->dtype.is_handle() && !alloc->buffer->dtype.is_vector() && i + 1 < list.size()) {
      const Store* store = as<Store>(list[i + 1]);
      bool own = false;
      if (store && store->buffer == alloc->buffer) {
        walk(store->value, [&](Expr e) {
          own |= e.get() == alloc->buffer->data;
          if (const Load* load = e.as<Load>()) own |= load->buffer->data == alloc->buffer->data;
          return !own;
        });
        if (!own) {
          allocate(alloc->buffer, store);
          ++i;
          continue;
        }
      }
    }
    statement(list[i]);
  }
}

void ScriptWriter::statement(const Stmt* s) {
  if (origins && s->kind != StmtKind::Seq && s->origin.span) origins->push_back({out.size(), s->origin});
  switch (s->kind) {
    case StmtKind::Seq: statements(static_cast<const Seq*>(s)->body); return;
    case StmtKind::Bind: bind(static_cast<const Bind*>(s)); return;
    case StmtKind::Alloc:
      buffers_.erase(static_cast<const Alloc*>(s)->buffer);
      allocate(static_cast<const Alloc*>(s)->buffer, nullptr);
      return;
    case StmtKind::Decl: declare_view(static_cast<const Decl*>(s)->buffer); return;
    case StmtKind::Store: {
      auto store = static_cast<const Store*>(s);
      begin();
      element(store->buffer, store->indices);
      out += " = ";
      expression(store->value);
      out += '\n';
      return;
    }
    case StmtKind::For: loop(static_cast<const For*>(s)); return;
    case StmtKind::While:
      begin();
      out += "while ";
      expression(static_cast<const While*>(s)->condition);
      out += ":\n";
      block(static_cast<const While*>(s)->body);
      return;
    case StmtKind::If: branch(static_cast<const If*>(s), "if "); return;
    case StmtKind::Evaluate: evaluate(static_cast<const Evaluate*>(s)->value); return;
    case StmtKind::Assert:
      begin();
      out += "assert ";
      expression(static_cast<const Assert*>(s)->condition);
      out += ", ";
      string(static_cast<const Assert*>(s)->message);
      out += '\n';
      return;
    case StmtKind::Attr: attribute(static_cast<const Attr*>(s)); return;
    case StmtKind::Break: line("break"); return;
    case StmtKind::Continue: line("continue"); return;
    case StmtKind::Return: {
      Expr value = static_cast<const Return*>(s)->value;
      begin();
      out += value ? "return " : "T.thread_return()";
      if (value) expression(value);
      out += '\n';
      return;
    }
    case StmtKind::ScopeIds: scope_ids(static_cast<const ScopeIds*>(s)); return;
    case StmtKind::DeviceEntry: line("T.attr({\"tirx.device_entry\": T.bool(True)})"); return;
    case StmtKind::TileCall: tile_call(static_cast<const TileCall*>(s)); return;
    case StmtKind::Comment: comment(static_cast<const Comment*>(s)->text); return;
  }
}

// The value may still name what an earlier variable of this name held: it is written before the name is taken.
void ScriptWriter::bind(const Bind* s) {
  std::string value;
  std::swap(value, out);
  expression(s->value);
  std::swap(value, out);
  vars_.erase(s->var);
  begin();
  out += name(s->var);
  if (s->value.kind() != ExprKind::StringImm) {
    out += ": T.let[";
    let_type(*s->var);
    out += ']';
  }
  out.append(" = ").append(value).append("\n");
}

void ScriptWriter::let_type(const Var& var) {
  const DataType d = var.dtype;
  if (!d.is_handle() && d.code != TypeCode::TensorMap) {
    out += dtype_call(d);
    return;
  }
  out += "T.handle";
  if (d.code == TypeCode::TensorMap || var.pointee.code == TypeCode::TensorMap) {
    out += "(\"tensormap\")";
  } else if (!var.pointee.is_void()) {
    out.append("(\"").append(dtype_name(var.pointee)).append("\"");
    if (!var.storage_scope.empty()) {
      out += ", ";
      string(var.storage_scope);
    }
    out += ')';
  }
}

void ScriptWriter::declare_view(const Buffer* buffer) {
  if (buffers_.contains(buffer)) return;  // lowered views of one window are one buffer: it has its name already
  std::string arguments;
  std::swap(arguments, out);
  bool scalar = prints_as_scalar(buffer);
  if (scalar) {
    out.append("\"").append(dtype_name(buffer->dtype)).append("\", data=");
    expression(buffer->data);
    out += ", scope=";
    string(storage_scope_name(buffer->scope));
    out += ", elem_offset=";
    if (buffer->elem_offset) {
      expression(buffer->elem_offset);
    } else {
      out += '0';
    }
  } else {
    declaration(*buffer, true, true);
  }
  std::swap(arguments, out);
  declared_.push_back(buffer);
  begin();
  out += name(buffer);
  out.append(scalar ? " = T.decl_scalar(" : " = T.decl_buffer(").append(arguments).append(")\n");
}

void ScriptWriter::evaluate(Expr value) {
  begin();
  bool bare = value.kind() == ExprKind::Call;
  if (!bare) out += "T.evaluate(";
  expression(value);
  out += bare ? "\n" : ")\n";
}

void ScriptWriter::attribute(const Attr* s) {
  begin();
  if (s->body) out += "with ";
  out += "T.attr(";
  if (s->node) {
    expression(s->node);
    out += ", ";
    string(s->key);
    out += ", ";
    expression(s->value);
    out += ")";
  } else {
    out += '{';
    string(s->key);
    out += ": ";
    expression(s->value);
    out += "})";
  }
  out += s->body ? ":\n" : "\n";
  if (s->body) block(s->body);
}

void ScriptWriter::comment(std::string_view text) {
  begin();
  out += "# ";
  for (char c : text) out += c == '\n' || c == '\r' ? ' ' : c;
  out += '\n';
}

void ScriptWriter::branch(const If* s, std::string_view keyword) {
  begin();
  out += keyword;
  expression(s->condition);
  out += ":\n";
  block(s->then_body);
  if (!s->else_body) return;
  if (const If* chained = as<If>(s->else_body)) {
    branch(chained, "elif ");
    return;
  }
  line("else:");
  block(s->else_body);
}

void ScriptWriter::loop(const For* s) {
  std::string bounds;
  std::swap(bounds, out);
  bool from_zero = is_constant(s->min, 0);
  // range starts at an int32: an unsigned loop that leaves its start out is not one.
  bool plain = s->loop == LoopKind::Serial && s->unroll == UnrollHint::None && !s->extent.dtype().is_uint();
  Expr span = s->step ? s->extent * s->step : s->extent;
  if (!from_zero || s->step) {
    expression(s->min);
    out += ", ";
  }
  expression(from_zero ? span : s->min + span);
  if (s->step) {
    out += plain ? ", " : ", step=";
    expression(s->step);
  }
  std::swap(bounds, out);
  begin();
  out += "for ";
  open();
  --indent_;
  vars_.erase(s->var);
  out += name(s->var);
  out += " in ";
  switch (s->loop) {
    case LoopKind::Serial:
      out.append(plain ? "range(" : "T.serial(").append(bounds);
      if (s->unroll != UnrollHint::None) out.append(", unroll=").append(hint_text(s->unroll));
      break;
    case LoopKind::Unrolled: out.append("T.unroll(").append(bounds); break;
    case LoopKind::Vectorized: out.append("T.vectorized(").append(bounds); break;
    case LoopKind::Parallel:
      out.append("T.parallel(").append(bounds);
      if (s->unroll == UnrollHint::Off) {
        out += ", annotations={\"disable_unroll\": True}";
      } else if (s->unroll != UnrollHint::None) {
        out.append(", annotations={\"pragma_unroll\": ").append(hint_text(s->unroll)).append("}");
      }
      break;
    case LoopKind::ThreadBinding:
      out.append("T.thread_binding(").append(bounds).append(", thread=\"").append(s->thread_tag).append("\"");
      break;
  }
  out += "):\n";
  block(s->body);
  ++indent_;
  close();
}

void ScriptWriter::scope_ids(const ScopeIds* s) {
  begin();
  bool first = true;
  for (const Var* var : s->vars) {
    if (!first) out += ", ";
    first = false;
    out += name(var);
  }
  out.append(" = T.").append(scope_id_function(s->binding)).append("(");
  if (!s->extents.empty() && s->binding != ScopeBinding::ClusterCtaPair) {
    out += '[';
    list(s->extents);
    out += ']';
    if (!s->preferred.empty()) {
      out += ", preferred=[";
      list(s->preferred);
      out += ']';
    }
  }
  out += ")\n";
}

void ScriptWriter::region(const Region& region) {
  out += name(region.buffer);
  if (prints_as_scalar(region.buffer)) {
    out += ".buffer[0]";
    return;
  }
  out += '[';
  bool first = true;
  for (const Range& range : region.ranges) {
    if (!first) out += ", ";
    first = false;
    expression(range.min);
    out += ':';
    expression(is_constant(range.min, 0) ? range.extent : range.min + range.extent);
  }
  if (region.ranges.empty()) out += "()";
  out += ']';
}

void ScriptWriter::operand(const Operand& operand) {
  if (operand.region.buffer) {
    region(operand.region);
  } else {
    expression(operand.value);
  }
}

void ScriptWriter::tile_call(const TileCall* s) {
  begin();
  out += "T.";
  switch (s->scope) {
    case ExecScope::Thread: out += "tile"; break;
    case ExecScope::Warpgroup: out += "wg"; break;
    default: out += exec_scope_name(s->scope); break;
  }
  const Primitive* row = find_primitive(s->primitive);
  const std::string_view spelled = row ? row->name_in(release_) : std::string_view();
  out.append(".").append(spelled.empty() ? s->primitive : spelled).append("(");
  std::size_t count = s->args.size();
  auto absent = [](const Operand& o) { return !o.region.buffer && !o.value; };
  while (count > 0 && absent(s->args[count - 1])) --count;
  for (std::size_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    operand(s->args[i]);
  }
  if (!s->workspace.empty()) {
    out += ", workspace={";
    bool first = true;
    for (const auto& [key, buffer] : s->workspace) {
      if (!first) out += ", ";
      first = false;
      string(key);
      out += ": ";
      out += name(buffer);
    }
    out += '}';
  }
  if (!s->dispatch.empty()) {
    out += ", dispatch=";
    string(s->dispatch);
  }
  // One keyword from item `at` on, with all members of its list; returns the item after it.
  auto option = [&](std::span<const ConfigItem> items, std::size_t at) {
    const std::string_view key = items[at].key;
    std::size_t end = at + 1;
    while (end < items.size() && items[end].key == key) ++end;
    auto pair = [](const ConfigItem& item) { return item.value.region.buffer && item.value.value; };
    const bool list = end - at > 1 || pair(items[at]);
    out.append(", ").append(key).append("=");
    if (list) out += '[';
    for (std::size_t i = at; i < end; ++i) {
      if (i > at) out += ", ";
      if (pair(items[i])) {
        out += '(';
        expression(items[i].value.value);
        out += ", ";
        out += name(items[i].value.region.buffer);
        out += ')';
      } else {
        operand(items[i].value);
      }
    }
    if (list) out += ']';
    return end;
  };
  for (std::size_t i = 0; i < s->config.size();) i = option(s->config, i);
  out += ")\n";
}

// ---- kernels -------------------------------------------------------------------------------------------------------

namespace {

// Is a parameter's tensor sayable as `A: T.Buffer(...)`: constant extents, nothing special, its handle unused?
bool is_plain_tensor(const Buffer& buffer) {
  if (!constant_elements(buffer.shape) || !buffer.strides.empty() || buffer.align != 64) return false;
  if (buffer.elem_offset && !is_constant(buffer.elem_offset, 0)) return false;
  return buffer.scope == StorageScope::Global && has_default_layout(buffer);
}

bool mentions(const Stmt* body, const Var* var) {
  bool found = false;
  auto look = [&](Expr e) {
    walk(e, [&](Expr x) {
      found |= x.get() == var;
      return !found;
    });
  };
  walk_stmts(body, [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::Bind: look(static_cast<const Bind*>(s)->value); break;
      case StmtKind::Store: look(static_cast<const Store*>(s)->value); break;
      case StmtKind::Evaluate: look(static_cast<const Evaluate*>(s)->value); break;
      case StmtKind::If: look(static_cast<const If*>(s)->condition); break;
      default: break;
    }
    return !found;
  });
  return found;
}

}  // namespace

std::string print_script(const Kernel& kernel, ArgumentWriter arguments, std::vector<PrintedOrigin>* origins) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  ScriptWriter w(arguments, kernel.dialect);
  w.origins = origins;
  w.header();
  w.open();
  w.line(kernel.is_private ? "@T.prim_func(private=True)" : "@T.prim_func");
  std::string symbol = text::identifier(kernel.name);
  w.begin();
  w.out.append("def ").append(symbol).append("(");
  bool first = true;
  std::vector<const Param*> matched;
  for (const Param& param : kernel.params) {
    if (!first) w.out += ", ";
    first = false;
    if (param.buffer && is_plain_tensor(*param.buffer) && !(param.var && mentions(kernel.body, param.var))) {
      w.out += w.name(param.buffer);
      w.out += ": T.Buffer(";
      w.shape(param.buffer->shape);
      w.out.append(", \"").append(dtype_name(param.buffer->dtype)).append("\")");
      w.owns(param.buffer);
      continue;
    }
    w.parameter(param);
    if (param.buffer) matched.push_back(&param);
  }
  w.out += "):\n";
  w.open();
  bool attributes = symbol != kernel.name;
  for (const Attribute& a : kernel.attributes) attributes |= a.key != "global_symbol";
  if (attributes) {
    w.begin();
    w.out += "T.func_attr({\"global_symbol\": \"";
    w.out.append(kernel.name).append("\"");
    for (const Attribute& a : kernel.attributes) {
      if (a.key == "global_symbol") continue;
      w.out += ", ";
      text::append_quoted(w.out, a.key);
      w.out += ": ";
      w.expression(a.value);
    }
    w.out += "})\n";
  }
  std::unordered_set<const Var*> declared;
  for (const Param& param : kernel.params) declared.insert(param.var);
  for (const Param* param : matched) {
    auto extents = [&](Expr e) {
      walk(e, [&](Expr x) {
        const Var* var = x.as<Var>();
        if (var && declared.insert(var).second) {
          w.begin();
          w.out += w.name(var);
          w.out.append(" = ").append(w.dtype_call(var->dtype)).append("()\n");
        }
        return true;
      });
    };
    for (Expr e : param->buffer->shape) extents(e);
    for (Expr e : param->buffer->strides) extents(e);
    extents(param->buffer->elem_offset);
  }
  for (const Param* param : matched) {
    w.begin();
    w.out += w.name(param->buffer);
    w.out += " = T.match_buffer(";
    w.out += w.name(param->var);
    w.out += ", ";
    w.declaration(*param->buffer, false, true);
    w.out += ")\n";
    w.owns(param->buffer);
  }
  std::size_t before = w.out.size();
  if (kernel.body) w.statement(kernel.body);
  if (w.out.size() == before && matched.empty()) w.line("pass");
  w.close();
  w.close();
  return std::move(w.out);
}

std::string print_script(const Kernel& kernel) { return print_script(kernel, nullptr); }

}  // namespace tilewright::ir
