// Statements of a lowered kernel as C++: loops, branches, allocations, stores.
#include <algorithm>

#include "compiler/cuda/codes.h"
#include "compiler/cuda/emitter.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/unroll.h"
#include "compiler/lower/flatten.h"
#include "compiler/text/escape.h"

namespace tilewright::cuda {

using namespace ir;

namespace {

bool mentions(Expr e, const Buffer* buffer) {
  bool found = false;
  walk(e, [&](Expr x) {
    if (const Load* load = x.as<Load>()) found |= load->buffer->data == buffer->data;
    found |= x.get() == buffer->data;
    return !found;
  });
  return found;
}

// Two looks at one place: same storage, element type and start.
bool same_offset(Expr a, Expr b) { return a && b ? structurally_equal(a, b) : !a && !b; }

// Of the array that holds a flat buffer: types of less than a byte share bytes. 0: not constant.
std::int64_t subscripts(const Buffer& buffer) {
  const std::int64_t* elements = constant(buffer.shape[0]);
  const std::int64_t count = elements ? *elements : 0;
  const int bits = buffer.dtype.storage_bits();
  return bits < 8 && bits > 0 ? (count * bits + 7) / 8 : count;
}

// C evaluates a loop's bound before each iteration: anything but arithmetic on values that stay is computed once.
bool is_stable(Expr e) {
  bool stable = true;
  walk(e, [&](Expr x) {
    stable &= x.kind() != ExprKind::Load && x.kind() != ExprKind::Call;
    return stable;
  });
  return stable;
}

}  // namespace

bool same_window(const Buffer& a, const Buffer& b) {
  return a.data == b.data && a.dtype == b.dtype && same_offset(a.elem_offset, b.elem_offset);
}

void Emitter::error(std::string_view code, std::string message, std::string hint) {
  unit_.failed = true;
  text::Diagnostic d{code, text::Severity::Error, std::move(message), origin_.span, {}, std::move(hint), {}};
  d.chain = call_chain(origin_.chain);
  unit_.context.report(std::move(d));
}

void Emitter::end_line() {
  out_ += '\n';
  if (origin_.span) lines_.push_back({line_, origin_});
  ++line_;
}

// Which buffers occur, and which storage is reached by more than plain subscripts.
void Emitter::survey() {
  auto use = [&](const Buffer* buffer) {
    if (used_.insert(buffer).second) used_data_[buffer->data].push_back(buffer);
  };
  auto look = [&](Expr e) {
    walk(e, [&](Expr x) {
      if (const Load* load = x.as<Load>()) {
        use(load->buffer);
        if (load->dtype.is_vector()) addressed_.insert(load->buffer->data);
      } else if (const Var* v = x.as<Var>()) {
        if (v->role == VarRole::Data) addressed_.insert(v);
      } else if (const Call* c = x.as<Call>(); c && c->callee == &builtin::address_of) {
        if (const Load* element = c->args[0].as<Load>()) addressed_.insert(element->buffer->data);
      }
      return true;
    });
  };
  walk_stmts(kernel_.device, [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::Bind: look(static_cast<const Bind*>(s)->value); break;
      case StmtKind::Store: {
        auto store = static_cast<const Store*>(s);
        use(store->buffer);
        if (store->indices[0].dtype().is_vector()) addressed_.insert(store->buffer->data);
        look(store->indices[0]);
        look(store->value);
        break;
      }
      case StmtKind::For:
        look(static_cast<const For*>(s)->min);
        look(static_cast<const For*>(s)->extent);
        if (static_cast<const For*>(s)->step) look(static_cast<const For*>(s)->step);
        break;
      case StmtKind::While: look(static_cast<const While*>(s)->condition); break;
      case StmtKind::If: look(static_cast<const If*>(s)->condition); break;
      case StmtKind::Evaluate: look(static_cast<const Evaluate*>(s)->value); break;
      case StmtKind::Decl: {
        const Buffer* view = static_cast<const Decl*>(s)->buffer;
        if (view->elem_offset) look(view->elem_offset);
        break;
      }
      default: break;
    }
    return true;
  });
}

void Emitter::constant_maps() {
  for (const Var* map : kernel_.plan.constant_maps) {
    unit_.needs.tensor_map = true;
    std::string symbol = lower::constant_map_symbol(kernel_, map);
    names_.reserve(symbol);
    var_names_[map] = symbol;
    line("__constant__ CUtensorMap " + symbol + ";");
  }
}

namespace {

// The number that a kernel asks for under this key; 0: it asks for none.
std::int64_t bound_of(const Kernel& kernel, std::string_view key) {
  for (const Attribute& a : kernel.attributes) {
    const std::int64_t* value = a.key == key ? constant(a.value) : nullptr;
    if (value) return *value;
  }
  return 0;
}

}  // namespace

void Emitter::signature() {
  out_ += "extern \"C\" __global__ void ";
  std::optional<std::int64_t> threads = kernel_.plan.launch.threads();
  const std::int64_t registers = bound_of(*kernel_.kernel, "tirx.max_registers");
  const std::int64_t clusters = bound_of(*kernel_.kernel, "tirx.launch_bounds_max_blocks_per_cluster");
  if (registers > 0) {
    out_ += "__maxnreg__(";
    append_int(out_, registers);
    out_ += ") ";
  } else if (threads && *threads > 1) {
    out_ += "__launch_bounds__(";
    append_int(out_, *threads);
    if (kernel_.plan.min_blocks_per_sm > 0) {
      out_ += ", ";
      append_int(out_, kernel_.plan.min_blocks_per_sm);
    }
    if (kernel_.plan.min_blocks_per_sm > 0 && clusters > 0) {
      out_ += ", ";
      append_int(out_, clusters);
    }
    out_ += ") ";
  }
  out_.append(kernel_.symbol).append("(");
  bool restricted = true;
  for (const Attribute& a : kernel_.kernel->attributes)
    if (a.key == "tirx.noalias" && is_constant(a.value, 0)) restricted = false;
  bool first = true;
  for (const lower::KernelParam& param : kernel_.plan.params) {
    if (!first) out_ += ", ";
    first = false;
    std::string name = names_.take(
        param.tensor && param.kind == lower::ParamKind::Pointer && !param.tensor->name.empty() ? param.tensor->name
                                                                                               : param.var->name);
    switch (param.kind) {
      case lower::ParamKind::Pointer: {
        bool typed = !param.dtype.is_void() && !param.dtype.is_handle();
        out_.append(typed ? storage_type(param.dtype) : "void").append("* ");
        if (param.tensor && restricted) out_ += "__restrict__ ";
        storages_[param.var] = {name, typed ? param.dtype : kVoid};
        break;
      }
      case lower::ParamKind::Scalar:
        out_.append(type(param.dtype)).append(" ");
        var_names_[param.var] = name;
        break;
      case lower::ParamKind::TensorMap:
        unit_.needs.tensor_map = true;
        if (lower::in_global_memory(kernel_.plan, param)) {
          out_ += "const CUtensorMap* ";
          var_names_[param.var] = "*" + name;
        } else {
          out_ += "const __grid_constant__ CUtensorMap ";
          var_names_[param.var] = name;
        }
        break;
    }
    out_ += name;
  }
  out_ += ")";
}

void Emitter::kernel() {
  survey();
  for (const auto& [name, source] : unit_.helpers) names_.reserve(name);
  names_.reserve(kernel_.symbol);
  origin_ = {kernel_.kernel->span, nullptr};
  constant_maps();
  names_.open();
  signature();
  out_ += " {";
  end_line();
  indent_ = 1;
  if (const Seq* seq = as<Seq>(kernel_.device)) {
    statements(seq->body);
  } else if (kernel_.device) {
    statement(kernel_.device);
  }
  origin_ = {};
  indent_ = 0;
  line("}");
  names_.close();
}

void Emitter::statements(StmtList list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    // A scalar and its first value make one line.
    const Alloc* alloc = as<Alloc>(list[i]);
    if (alloc && alloc->buffer->is_scalar && alloc->buffer->scope == StorageScope::Local && i + 1 < list.size()) {
      const Store* store = as<Store>(list[i + 1]);
      if (store && store->buffer == alloc->buffer && !mentions(store->value, alloc->buffer)) {
        origin_ = store->origin;
        allocate(alloc->buffer, store);
        ++i;
        continue;
      }
    }
    statement(list[i]);
  }
}

void Emitter::body(const Stmt* s) {
  names_.open();
  std::size_t views = views_.size();
  ++indent_;
  if (const Seq* seq = as<Seq>(s)) {
    statements(seq->body);
  } else if (s) {
    statements({&s, 1});
  }
  --indent_;
  for (; views_.size() > views; views_.pop_back()) bases_.erase(views_.back().first);
  names_.close();
}

void Emitter::statement(const Stmt* s) {
  origin_ = s->origin;
  switch (s->kind) {
    case StmtKind::Seq: statements(static_cast<const Seq*>(s)->body); break;
    case StmtKind::Bind: bind(static_cast<const Bind*>(s)); break;
    case StmtKind::Alloc: allocate(static_cast<const Alloc*>(s)->buffer, nullptr); break;
    case StmtKind::Decl: declare_view(static_cast<const Decl*>(s)->buffer); break;
    case StmtKind::Store: store(static_cast<const Store*>(s)); break;
    case StmtKind::For: loop(static_cast<const For*>(s)); break;
    case StmtKind::While: {
      if (kernel_.kernel->dialect >= text::Dialect::V0_26) line("#pragma unroll 1");
      begin_line();
      out_ += "while (";
      expression(static_cast<const While*>(s)->condition, kComma);
      out_ += ") {";
      end_line();
      body(static_cast<const While*>(s)->body);
      origin_ = s->origin;
      line("}");
      break;
    }
    case StmtKind::If:
      begin_line();
      branch(static_cast<const If*>(s));
      break;
    case StmtKind::Evaluate:
      begin_line();
      expression(static_cast<const Evaluate*>(s)->value, kComma);
      out_ += ";";
      end_line();
      break;
    case StmtKind::Assert:
      error(code::kAssert, "an assert has no CUDA form",
            "use " + intrinsics::say(intrinsics::row_of("trap_unless"), kernel_.kernel->dialect) + "(condition)");
      break;
    case StmtKind::Break: line("break;"); break;
    case StmtKind::Continue: line("continue;"); break;
    case StmtKind::Return: line("return;"); break;
    case StmtKind::Comment: {
      begin_line();
      out_ += "// ";
      // A backslash at its end would take the next line into it; what hides or turns text around is shown.
      std::string text(static_cast<const Comment*>(s)->text);
      std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
      out_ += text::visible(text);
      end_line();
      break;
    }
    default: error(code::kNoForm, "a statement of the script form was left in the lowered kernel");
  }
}

std::string Emitter::written(Expr e, int at_least) {
  std::string text;
  std::swap(text, out_);
  expression(e, at_least);
  std::swap(text, out_);
  return text;
}

void Emitter::bind(const Bind* s) {
  DataType d = s->var->dtype;
  if (s->value.kind() == ExprKind::StringImm || d.is_void()) return;
  launch_arithmetic_ = s->var->role == VarRole::ScopeId;
  // The value is written before the name is taken: it may use an outer variable of the same name.
  begin_line();
  if (d.is_handle()) {
    DataType to = s->var->pointee, from = pointee(s->value);
    bool typed = !to.is_void() && to.code != TypeCode::TensorMap && !to.is_handle();
    if (!typed && !from.is_void() && !from.is_handle()) {
      to = from;
      typed = true;
    }
    bool cast = typed && from != to;
    std::string element = typed ? storage_type(to) : "void";
    std::string value = written(s->value, cast ? kUnary : kConditional);
    std::string name = names_.take(s->var->name);
    out_.append(element).append("* ").append(name).append(" = ");
    if (cast) out_.append("(").append(element).append("*)");
    out_.append(value).append(";");
    storages_[s->var] = {name, typed ? to : kVoid};
    var_names_[s->var] = name;
  } else {
    std::string value = written(s->value, kConditional);
    std::string name = names_.take(s->var->name);
    out_.append(type(d)).append(" ").append(name);
    const Call* c = s->value.as<Call>();
    if (!c || c->callee != &builtin::undef) out_.append(" = ").append(value);
    out_ += ";";
    var_names_[s->var] = name;
  }
  launch_arithmetic_ = false;
  end_line();
}

void Emitter::allocate(const Buffer* buffer, const Store* initial) {
  if (buffer->scope == StorageScope::Local && !addressed_.contains(buffer->data) &&
      !used_data_.contains(buffer->data)) {
    return;
  }
  Storage storage{{}, buffer->dtype};
  if (buffer->scope == StorageScope::Local && buffer->is_scalar) {
    storage.variable = true;
    storage.name = declare_variable(buffer, initial);
  } else {
    storage.array = true;
    storage.name = is_shared(buffer->scope) ? declare_shared(buffer) : declare_local_array(buffer);
  }
  storages_[buffer->data] = std::move(storage);
  bases_.erase(buffer);
  end_line();
}

std::string Emitter::declare_variable(const Buffer* buffer, const Store* initial) {
  std::string value = initial ? written(initial->value, kConditional) : std::string();
  std::string name = names_.take(buffer->name);
  begin_line();
  out_.append(type(buffer->dtype)).append(" ").append(name);
  if (initial) out_.append(" = ").append(value);
  out_ += ";";
  return name;
}

std::string Emitter::declare_shared(const Buffer* buffer) {
  const std::string element = storage_type(buffer->dtype);
  begin_line();
  const auto block = std::ranges::find(kernel_.shared, buffer, &lower::SharedBlock::buffer);
  const bool placed = block != kernel_.shared.end();
  if (placed && block->dynamic) return declare_arena(buffer, element, block->align);
  const int align = placed ? block->align : std::max(16, buffer->align);
  std::string name = names_.take(buffer->name);
  out_.append("__shared__ alignas(").append(std::to_string(align)).append(") ");
  array_declarator(element, name, subscripts(*buffer));
  return name;
}

// All kernels of a unit see one segment: a name that another kernel declared otherwise is not free.
std::string Emitter::declare_arena(const Buffer* buffer, std::string_view element, int align) {
  auto spell = [&](const std::string& name) {
    return "extern __shared__ __align__(" + std::to_string(std::max(align, 1024)) + ") " + std::string(element) + " " +
           name + "[];";
  };
  const std::string wanted(buffer->name);
  std::string name;
  for (int suffix = 0; name.empty(); ++suffix) {
    std::string candidate = identifier(suffix ? wanted + "_" + std::to_string(suffix) : wanted);
    auto known = unit_.arenas.find(candidate);
    if (known == unit_.arenas.end() || known->second == spell(candidate)) name = names_.take(candidate);
  }
  std::string declaration = spell(name);
  out_ += declaration;
  unit_.arenas.emplace(name, std::move(declaration));
  return name;
}

std::string Emitter::declare_local_array(const Buffer* buffer) {
  const std::string element = storage_type(buffer->dtype);
  const std::int64_t count = subscripts(*buffer);
  const std::int64_t bytes = (count * lower::element_bits(buffer->dtype) + 7) / 8;
  begin_line();
  std::string name = names_.take(buffer->name);
  // Wide accesses need an aligned array; an array that is only subscripted stays in registers and needs nothing.
  bool wide =
      addressed_.contains(buffer->data) || std::ranges::any_of(used_data_[buffer->data], [&](const Buffer* view) {
        return lower::element_bits(view->dtype) > lower::element_bits(buffer->dtype);
      });
  if (wide && bytes > 1) {
    std::int64_t align = 16;
    while (align > 1 && bytes % align) align /= 2;
    out_.append("alignas(").append(std::to_string(align)).append(") ");
  }
  array_declarator(element, name, count);
  return name;
}

void Emitter::array_declarator(std::string_view element, std::string_view name, std::int64_t count) {
  out_.append(element).append(" ").append(name).append("[");
  append_int(out_, count);
  out_ += "];";
}

// A view with another type or start gets a pointer of its own; one that only reshapes goes by its storage's name.
void Emitter::declare_view(const Buffer* buffer) {
  bool used =
      std::ranges::any_of(used_data_[buffer->data], [&](const Buffer* other) { return same_window(*other, *buffer); });
  if (!used) return;
  const Storage* root = storage(buffer->data);
  if (!root) {
    error(code::kNoForm, "the storage of `" + std::string(buffer->name) + "` is not known here");
    return;
  }
  for (const auto& [view, name] : views_)
    if (same_window(*view, *buffer)) return;  // an open block has a pointer to it
  bool same_type = root->dtype == buffer->dtype;
  if (same_type && !buffer->elem_offset) {
    if (!root->variable) bases_[buffer] = root->name;
    return;
  }
  bool stable = !buffer->elem_offset || is_stable(buffer->elem_offset);
  if (!stable) return;  // base() writes the offset at each access
  std::string element = storage_type(buffer->dtype);
  const std::int64_t* offset = buffer->elem_offset ? constant(buffer->elem_offset) : nullptr;
  std::int64_t root_bits = root->dtype.is_void() ? 0 : lower::element_bits(root->dtype);
  std::int64_t bits = lower::element_bits(buffer->dtype);
  std::string value = root->variable ? "&" + root->name : root->name;
  if (!same_type && offset && root_bits >= 8 && *offset * bits % root_bits == 0 && !root->variable) {
    value = "(" + element + "*)&" + root->name + "[" + std::to_string(*offset * bits / root_bits) + "]";
  } else {
    if (!same_type) value = "(" + element + "*)" + value;
    if (buffer->elem_offset) value += " + " + written(buffer->elem_offset, kSum + 1);
  }
  std::string name = names_.take(buffer->name);
  begin_line();
  out_.append(element).append("* ").append(name).append(" = ").append(value).append(";");
  bases_[buffer] = name;
  views_.emplace_back(buffer, name);
  end_line();
}

void Emitter::store(const Store* s) {
  Expr index = s->indices[0];
  begin_line();
  if (const Ramp* ramp = index.as<Ramp>(); ramp && !is_constant(ramp->stride, 1)) {
    unit_.needs.vectors = true;
    out_ += "scatter(";
    address(s->buffer, ramp->base, kConditional);
    out_ += ", ";
    expression(ramp->stride);
    out_ += ", ";
    expression(s->value);
    out_ += ");";
    end_line();
    return;
  }
  DataType d = s->buffer->dtype;
  if (d.is_bool() && !index.dtype().is_vector()) {
    // The lvalue is the stored byte, without the conversion that a load has.
    const Storage* root = storage(s->buffer->data);
    if (root && root->variable) {
      out_ += root->name;
    } else {
      base(s->buffer);
      out_ += "[";
      operand(index, kComma, {});
      out_ += "]";
    }
  } else {
    element(s->buffer, index, d.with_lanes(d.lanes * index.dtype().lanes), kPostfix - 1);
  }
  // x = x + y reads better as x += y.
  std::string_view op;
  const Binary* update = s->value.as<Binary>();
  bool plain =
      d.lanes == 1 && index.dtype().lanes == 1 && !d.is_bool() && !d.is_float8() && !d.is_float6() && !d.is_float4();
  if (update && plain) {
    const Load* self = update->a.as<Load>();
    if (self && self->buffer == s->buffer && structurally_equal(self->indices[0], index)) {
      if (update->kind == ExprKind::Add) op = " += ";
      if (update->kind == ExprKind::Sub) op = " -= ";
      if (update->kind == ExprKind::Mul) op = " *= ";
    }
  }
  if (update && !op.empty()) {
    out_ += op;
    operand(update->b, kConditional, update->a);
  } else {
    out_ += " = ";
    expression(s->value, kConditional);
  }
  out_ += ";";
  end_line();
}

void Emitter::branch(const If* s) {
  out_ += "if (";
  expression(s->condition, kComma);
  out_ += ") {";
  end_line();
  body(s->then_body);
  origin_ = s->origin;
  if (s->else_body) {
    begin_line();
    if (const If* chained = as<If>(s->else_body)) {
      out_ += "} else ";
      origin_ = chained->origin;
      branch(chained);
      return;
    }
    out_ += "} else {";
    end_line();
    body(s->else_body);
    origin_ = s->origin;
  }
  line("}");
}

void Emitter::loop(const For* s) {
  Expr step = s->step ? s->step : int_imm(s->extent.dtype(), 1);
  Expr end = is_constant(step, 1) ? s->extent : s->extent * step;
  if (!is_constant(s->min, 0)) end = s->min + end;
  end = simplify(end);
  std::string variable = type(s->var->dtype);
  std::string first = written(s->min, kConditional), last = written(end, kShift), stride = written(step, kConditional);
  if (!is_stable(end)) {  // it stands beside the loop, among the names of the block around
    std::string bound = names_.take(std::string(s->var->name) + "_end");
    line(variable + " " + bound + " = " + last + ";");
    last = bound;
  }
  names_.open();
  std::string name = names_.take(s->var->name);
  if (const auto copies = copies_of(s->unroll)) {
    line("#pragma unroll " + std::to_string(*copies));
  } else if (s->unroll != UnrollHint::None) {
    line(s->unroll == UnrollHint::Full ? "#pragma unroll" : "#pragma unroll 1");
  }
  var_names_[s->var] = name;
  begin_line();
  out_.append("for (").append(variable).append(" ").append(name).append(" = ").append(first).append("; ");
  out_.append(name).append(" < ").append(last).append("; ");
  if (is_constant(step, 1)) {
    out_.append("++").append(name);
  } else {
    out_.append(name).append(" += ").append(stride);
  }
  out_ += ") {";
  end_line();
  body(s->body);
  origin_ = s->origin;
  line("}");
  names_.close();
}

std::expected<CudaSource, Failed> emit(std::span<const lower::LoweredKernel* const> kernels,
                                       const text::Context& context) {
  Unit unit{context, {}, {}, {}, {}, false};
  CudaSource out;
  ScratchArena scratch;  // loop bounds are simplified while they are written
  ArenaScope scope(scratch);
  std::string body;
  std::uint32_t line = 1;
  for (const lower::LoweredKernel* kernel : kernels) {
    if (!body.empty()) {
      body += '\n';
      ++line;
    }
    Emitter(unit, *kernel, body, out.lines, line).kernel();
    out.symbols.push_back(kernel->symbol);
  }
  if (unit.failed) return std::unexpected(Failed{});

  out.text = preamble(unit.needs);
  for (const std::string& name : unit.helper_order) {
    const std::string& source = unit.helpers.find(name)->second;
    std::size_t from = source.find_first_not_of('\n');
    if (from == source.npos) continue;
    out.text.append(source, from);
    if (!out.text.ends_with('\n')) out.text += '\n';
    out.text += '\n';
  }
  std::uint32_t shift = static_cast<std::uint32_t>(std::ranges::count(out.text, '\n'));
  for (LineOrigin& origin : out.lines) origin.line += shift;
  out.text += body;
  out.digest.add(out.text);
  if (!out.symbols.empty()) out.kernel_symbol = out.symbols.front();
  return out;
}

std::expected<CudaSource, Failed> emit(const lower::LoweredKernel& kernel, const text::Context& context) {
  const lower::LoweredKernel* one[] = {&kernel};
  return emit(one, context);
}

}  // namespace tilewright::cuda
