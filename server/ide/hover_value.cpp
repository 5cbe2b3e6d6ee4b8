// Hover on anything that has a value: layouts, buffers, scope ids, barriers, constants, functions, intrinsics.
#include <algorithm>

#include "compiler/ir/printer.h"
#include "compiler/layout/picture.h"
#include "compiler/script/surface.h"
#include "compiler/text/words.h"
#include "server/ide/buffers.h"
#include "server/ide/call_words.h"
#include "server/ide/hover_parts.h"
#include "server/ide/instructions.h"

namespace tilewright::ide {
namespace {

using script::Value;

constexpr std::int64_t kPictureRows = 8, kPictureColumns = 8;
constexpr std::size_t kValueLetters = 200;

std::string shape_text(std::span<const ir::Expr> shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + ir::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

std::string layout_picture(const layout::Layout& l, layout::ShapeView shape, int bits) {
  layout::PictureOptions options;
  options.dtype_bits = bits;
  options.rows = kPictureRows;
  options.columns = kPictureColumns;
  auto table = layout::text_table(l, shape, options);
  return table ? *table : std::string();
}

void hover_layout(HoverBlocks& out, const std::string& name, const layout::Layout& l, layout::Shape shape) {
  out.title(name.empty() ? "layout" : name, name.empty() ? "" : "layout");
  std::string text = layout_words(l);
  std::string picture = layout_picture(l, shape, 16);
  out.code("text", picture.empty() ? text : text + "\n" + picture);
}

// Where a buffer lies in shared memory, as far as the launch plan fixes it.
std::string shared_place(const KnownBuffer& known, std::optional<std::int64_t> bytes) {
  if (!known.kernel || !known.kernel->lowered) return {};
  const lower::LoweredKernel& lowered = *known.kernel->lowered;
  const lower::SharedBlock* block = nullptr;
  for (const lower::SharedBlock& b : lowered.shared) {
    if (b.buffer->data == known.buffer->data) block = &b;
  }
  if (!block) return {};
  std::string memory = block->dynamic ? "dynamic shared memory" : "its static block of shared memory";
  Arena scratch;
  ArenaScope scope(scratch);
  const std::int64_t zero = 0;
  ir::Expr offset = known.buffer->elem_offset ? ir::simplify(known.buffer->elem_offset) : ir::Expr();
  const std::int64_t* elements = offset ? ir::constant(offset) : &zero;
  if (!elements || !bytes) return "in " + memory + " of " + grouped(block->bytes) + " bytes";
  std::int64_t begin = *elements * known.buffer->dtype.bits / 8;
  return "bytes " + grouped(begin) + ".." + grouped(begin + *bytes) + " of " + memory + " (" + grouped(block->bytes) +
         " bytes)";
}

std::string buffer_head(const ir::Buffer& b) {
  return ir::dtype_name(b.dtype) + " " + shape_text(b.shape) + " " +
         std::string(b.scope_text.empty() ? ir::storage_scope_name(b.scope) : b.scope_text);
}

void hover_buffer(HoverBlocks& out, const HoverSubject& subject, const ir::Buffer& b) {
  std::string name = b.name.empty() ? subject.name : std::string(ir::spoken_name(b));
  if (b.is_scalar) {
    out.title(name, "scalar variable");
    return out.code("text", ir::dtype_name(b.dtype) + ", " + std::string(ir::storage_scope_name(b.scope)) + "\n");
  }
  out.title(name, "buffer");
  std::string text = buffer_head(b) + "\n";
  auto bytes = buffer_bytes(b);
  if (bytes) text += grouped(*bytes) + " bytes, aligned to " + std::to_string(b.align) + "\n";
  if (ir::is_shared(b.scope)) {
    if (std::string place =
            shared_place(known_buffer(*subject.analysis, b, subject.probed->evaluation->anchors), bytes);
        !place.empty()) {
      text += place + "\n";
    }
  }
  if (b.allocated_addr) text += "tensor memory column " + ir::to_string(b.allocated_addr) + "\n";
  if (b.layout) {
    bool plain = b.layout->is_tile() && layout::same(*b.layout, layout::row_major(ir::shape_of(b)));
    if (plain) {
      text += "row-major\n";
    } else {
      text += layout_words(*b.layout);
      std::string picture = layout_picture(*b.layout, ir::shape_of(b), b.dtype.bits);
      if (!picture.empty()) text += "\n" + picture;
    }
  }
  out.code("text", text);
}

std::string interval_text(const ir::Interval& i) {
  if (i.is_point()) return std::to_string(i.lo);
  if (i.bounded()) return std::to_string(i.lo) + ".." + std::to_string(i.hi);
  if (i.lo != ir::Interval::kMin) return std::to_string(i.lo) + " and up";
  return {};
}

std::string_view binding_words(ir::ScopeBinding b) {
  switch (b) {
    case ir::ScopeBinding::KernelCluster: return "cluster of the grid";
    case ir::ScopeBinding::KernelCta: return "CTA of the grid";
    case ir::ScopeBinding::ClusterCta: return "CTA of the cluster";
    case ir::ScopeBinding::CtaWarpgroup: return "warpgroup of the CTA";
    case ir::ScopeBinding::CtaWarp: return "warp of the CTA";
    case ir::ScopeBinding::WarpgroupWarp: return "warp of the warpgroup";
    case ir::ScopeBinding::WarpThread: return "lane of the warp";
    case ir::ScopeBinding::CtaThread: return "thread of the CTA";
    case ir::ScopeBinding::WarpgroupThread: return "thread of the warpgroup";
    case ir::ScopeBinding::ClusterCtaPair: return "CTA of its pair";
    case ir::ScopeBinding::None: break;
  }
  return {};
}

void hover_var(HoverBlocks& out, const HoverSubject& subject, const ir::Var& var) {
  std::string name = var.name.empty() ? subject.name : std::string(var.name);
  if (var.role == ir::VarRole::ScopeId) {
    ir::Interval range = var.range;
    // Ranges come with dispatch: the analysed kernel knows them.
    for (const session::CompiledKernel& k : subject.analysis->first().kernels) {
      if (range.bounded() || !k.dispatched) break;
      for (const ir::Var* known : k.dispatched->scope_ids) {
        if (known->name == var.name && known->scope_id == var.scope_id) range = known->range;
      }
    }
    out.title(name, "scope id: " + std::string(binding_words(var.scope_id)));
    std::string text = ir::dtype_name(var.dtype);
    if (range.bounded()) text += ", " + interval_text(range) + ", extent " + std::to_string(range.hi - range.lo + 1);
    return out.code("text", text + "\n");
  }
  constexpr auto kRoles = text::words_of<ir::VarRole>({"immutable variable", "parameter", "symbolic extent",
                                                       "data pointer", "loop variable", "scope id", "launch variable"});
  out.title(name, kRoles[var.role]);
  std::string text = ir::dtype_name(var.dtype);
  if (var.dtype.is_handle() && !var.pointee.is_void()) text += " to " + ir::dtype_name(var.pointee);
  if (std::string range = interval_text(var.range); !range.empty()) text += ", " + range;
  out.code("text", text + "\n");
}

// ---- barriers -------------------------------------------------------------------------------------------------------

bool mentions(ir::Expr e, const ir::Buffer* buffer) {
  bool found = false;
  ir::walk(e, [&](ir::Expr x) {
    if (const auto* load = x.as<ir::Load>()) found |= load->buffer == buffer || load->buffer->data == buffer->data;
    return !found;
  });
  return found;
}

// What the kernel does with the barriers in `buffer`, one line a kind of use, as written.
std::string barrier_uses(const session::CompiledKernel& kernel, const ir::Buffer* buffer) {
  std::vector<std::pair<std::string, int>> uses;
  auto note = [&](std::string what) {
    auto it = std::ranges::find(uses, what, &std::pair<std::string, int>::first);
    if (it == uses.end()) {
      uses.emplace_back(std::move(what), 1);
    } else {
      ++it->second;
    }
  };
  // A barrier of a pool shares its storage with others: only the same window counts.
  auto same_window = [&](ir::Expr e) {
    bool found = false;
    ir::walk(e, [&](ir::Expr x) {
      if (const auto* load = x.as<ir::Load>()) found |= load->buffer == buffer;
      return !found;
    });
    return found;
  };
  Arena scratch;
  ArenaScope scope(scratch);
  std::size_t calls = 0;  // so far; their reports stand in the same order
  ir::walk_stmts(kernel.value->kernel.body, [&](const ir::Stmt* s) {
    if (const auto* tile = ir::as<ir::TileCall>(s)) {
      const bool reported = kernel.dispatched && calls < kernel.dispatched->calls.size();
      const dispatch::CallReport* report = reported ? &kernel.dispatched->calls[calls] : nullptr;
      ++calls;
      for (const ir::ConfigItem& item : tile->config) {
        if (!item.value.value || !same_window(item.value.value)) continue;
        std::string text = "completed by " + std::string(tile->primitive);
        if (auto bytes = report ? moved_bytes(*report) : std::nullopt)
          text += ", " + grouped(*bytes) + " bytes each time";
        note(text);
      }
    }
    const auto* evaluate = ir::as<ir::Evaluate>(s);
    const auto* call = evaluate ? evaluate->value.as<ir::Call>() : nullptr;
    const intrinsics::Intrinsic* row = call ? intrinsics::of(call->callee) : nullptr;
    const std::string text = row && mentions(evaluate->value, buffer) ? barrier_use(*row, *call) : "";
    if (text.empty() || !same_window(evaluate->value)) return true;
    note(text);
    return true;
  });
  std::string out;
  for (const auto& [what, count] : uses) {
    out += what + (count > 1 ? " (" + std::to_string(count) + " places)" : "") + "\n";
  }
  return out;
}

bool hover_barrier(HoverBlocks& out, const HoverSubject& subject, script::Instance& instance) {
  Value* buf = instance.find("buf");
  auto* buffer = buf ? buf->as<script::BufferValue>() : nullptr;
  if (!buffer || !buffer->buffer) return false;
  std::string text;
  if (Value* depth = instance.find("depth"); depth && depth->is_int()) {
    text += std::to_string(depth->i) + (depth->i == 1 ? " mbarrier" : " mbarriers") + " in shared memory\n";
  }
  if (Value* offset = instance.find("phase_offset"); offset && offset->is_int() && offset->i) {
    text += "waits with the parity inverted\n";
  }
  KnownBuffer known = known_buffer(*subject.analysis, *buffer->buffer, subject.probed->evaluation->anchors);
  if (known.kernel) text += barrier_uses(*known.kernel, known.buffer);
  out.title(subject.name.empty() ? instance.cls->name : subject.name, instance.cls->name);
  out.code("text", text);
  return true;
}

// What the class of an instance is for.
void class_words(HoverBlocks& out, const script::Interpreter& in, const script::Class& cls) {
  const bool prelude = cls.scope && script::is_of_prelude(cls.scope);
  const script::Record* record = prelude ? in.surface().find("T", cls.name) : nullptr;
  if (record && record->is_word()) out.words(record->documentation);
}

bool hover_instance(HoverBlocks& out, const HoverSubject& subject, script::Instance& instance) {
  const script::Interpreter& in = subject.probed->evaluation->interpreter();
  if (hover_barrier(out, subject, instance)) {
    class_words(out, in, *instance.cls);
    return true;
  }
  out.title(subject.name.empty() ? instance.cls->name : subject.name, instance.cls->name);
  std::string text;
  std::size_t shown = 0;
  for (auto& [name, value] : instance.attributes) {
    if (name.starts_with("_") || ++shown > 8) continue;
    std::string what;
    if (auto* b = value.as<script::BufferValue>()) {
      what = buffer_head(*b->buffer);
    } else if (auto* i = value.as<script::Instance>()) {
      what = i->cls->name;
    } else if (value.is_expr()) {
      what = ir::to_string(value.as_expr());
    } else if (!value.is_object() || value.as<script::Str>()) {
      what = subject.probed->evaluation->interpreter().repr(value);
    } else {
      what = std::string(script::type_name(value));
    }
    if (what.size() > kValueLetters) what.resize(kValueLetters);
    text += "." + name + " = " + what + "\n";
  }
  if (!text.empty()) out.code("text", text);
  class_words(out, in, *instance.cls);
  return true;
}

// Is it written as a name of the traced library, which has those of `T`, too?
bool is_traced(std::string_view written) { return written.starts_with("txl."); }

bool hover_word(HoverBlocks& out, const script::Surface& surface, std::string_view space, std::string_view name,
                std::string_view written) {
  const script::Record* word = surface.find(space, name);
  if (!word || !word->is_word()) return false;
  bool called = !word->signature.empty() || word->kind == script::NameKind::Function;
  const bool by_module = space == "T" || space == "Tx" || space.starts_with("txl");
  const std::string_view module = space == "T" && is_traced(written) ? "txl" : space;
  std::string spelled = by_module ? std::string(module) + "." + std::string(name) : std::string(name);
  if (space.starts_with("tirx")) spelled = "T" + std::string(space.substr(4)) + "." + spelled;
  if (word->kind == script::NameKind::Decorator) spelled = "@" + spelled;
  out.code("python", called && word->kind != script::NameKind::Decorator
                         ? spelled + "(" + std::string(word->signature) + ")"
                         : spelled);
  out.words(word->documentation);
  return true;
}

}  // namespace

void hover_function(HoverBlocks& out, const syntax::FunctionDef& def, std::string_view source, std::string_view kind) {
  std::size_t begin = def.header.begin, end = std::min<std::size_t>(def.header.end, source.size());
  std::string head(begin < end ? source.substr(begin, end - begin) : std::string_view(def.name.text));
  if (head.size() > 400) head = head.substr(0, 400) + " ...";
  out.code("python", head);
  if (!kind.empty()) out.words(kind);
  if (std::string doc = docstring(def.body); !doc.empty()) out.said(doc);
}

bool hover_documented(HoverBlocks& out, const script::Surface& surface, std::string_view name,
                      std::string_view written) {
  if (is_traced(written) && hover_word(out, surface, "txl", name, written)) return true;
  // `T` shows names of the layout algebra, too, as printed kernels spell them.
  for (std::string_view space :
       {"layout", "T", "Tx", "buffer", "bench", "gemm_async", "txl", "tirx.cuda.tile", "tirx.cuda", "tirx"}) {
    if (hover_word(out, surface, space, name, written)) return true;
  }
  return false;
}

void hover_intrinsic(HoverBlocks& out, text::Dialect release, std::string_view path) {
  std::size_t shown = 0;
  for (const intrinsics::Named& form : intrinsics::forms(release, path)) {
    if (++shown > 2) break;
    const intrinsics::Intrinsic& row = *form.row;
    out.code("python", "T." + std::string(form.name) + "(" + std::string(row.signature) + ")");
    if (!row.ptx.empty()) out.code("ptx", row.ptx);
    if (row.ptx.empty() && !row.cxx.empty()) out.code("cpp", first_lines(row.cxx, 6));
    out.words(std::string(row.documentation));
    out.words("Targets: " + std::string(intrinsics::availability_name(row.availability)));
  }
}

namespace {

std::string shortened(std::string text) {
  if (text.size() <= kValueLetters) return text;
  text.resize(kValueLetters);
  return text + " ...";
}

void hover_expression(HoverBlocks& out, const HoverSubject& subject, ir::Expr e) {
  if (const auto* var = e.as<ir::Var>()) return hover_var(out, subject, *var);
  if (const auto* load = e.as<ir::Load>(); load && load->buffer->is_scalar) {
    return hover_buffer(out, subject, *load->buffer);
  }
  out.title(subject.name.empty() ? "expression" : subject.name, ir::dtype_name(e.dtype()));
  out.code("python", shortened(ir::to_string(e)));
}

// A buffer, a region, a layout, a dtype. False: it is none of these.
bool hover_data(HoverBlocks& out, const HoverSubject& subject, Value v) {
  if (auto* b = v.as<script::BufferValue>()) {
    hover_buffer(out, subject, *b->buffer);
  } else if (auto* region = v.as<script::RegionValue>()) {
    hover_buffer(out, subject, *region->region.buffer);
  } else if (auto* l = v.as<script::LayoutValue>()) {
    layout::Shape shape(l->shape.begin(), l->shape.end());
    hover_layout(out, subject.name, *l->layout, shape.empty() ? own_shape(*l->layout) : std::move(shape));
  } else if (auto* spec = v.as<script::LayoutSpec>()) {
    layout::Layout l;
    l.tile = spec->tile;
    hover_layout(out, subject.name, l, own_shape(l));
  } else if (auto* d = v.as<script::DataTypeValue>()) {
    out.title(ir::dtype_name(d->dtype), "dtype");
    out.words(grouped(static_cast<std::int64_t>(d->dtype.bits) * std::max<int>(1, d->dtype.lanes)) + " bits");
  } else {
    return false;
  }
  return true;
}

bool hover_namespace(HoverBlocks& out, text::Dialect release, const script::Namespace& space) {
  std::string_view path = space.path;
  if (const auto chain = instruction_chain(release, path)) {
    hover_instruction(out, *chain);
    return true;
  }
  if (path.starts_with("T.") && intrinsics::is_intrinsic(release, path.substr(2))) {
    hover_intrinsic(out, release, path.substr(2));
    return !out.empty();
  }
  out.title(path, "namespace");
  return true;
}

std::string_view text_of(const script::Function& f) {
  return f.keep ? std::string_view(f.keep->text) : std::string_view();
}

// A function, a method, a class, a kernel. Nothing: it is none of these.
std::optional<bool> hover_callable(HoverBlocks& out, const HoverSubject& subject, const script::Surface& surface,
                                   Value v) {
  if (auto* native = v.as<script::Native>()) {
    if (hover_documented(out, surface, native->name, subject.name)) return true;
    out.title(subject.name.empty() ? std::string(native->name) : subject.name, "function of the dialect");
    return true;
  }
  if (auto* f = v.as<script::Function>()) {
    constexpr auto kModes = text::words_of<script::FunctionMode>(
        {"", "Evaluated in script mode where it is called (T.inline).", "A kernel.", "A kernel template (T.jit).",
         "Evaluated in script mode (T.macro).", "A kernel, traced when it is decorated."});
    hover_function(out, *f->def, text_of(*f), kModes[f->mode]);
    return true;
  }
  if (auto* method = v.as<script::BoundMethod>()) {
    auto* f = method->function.as<script::Function>();
    if (!f) return hover_value(out, subject, method->function);
    hover_function(out, *f->def, text_of(*f), f->owner ? "Method of " + f->owner->name + "." : std::string());
    return true;
  }
  if (auto* cls = v.as<script::Class>()) {
    if (hover_documented(out, surface, cls->name, subject.name)) return true;
    out.title("class " + cls->name, cls->is_meta ? "meta class" : "");
    return true;
  }
  if (auto* kernel = v.as<script::KernelValue>()) {
    out.title(kernel->kernel.name, "kernel");
    return true;
  }
  return std::nullopt;
}

}  // namespace

bool hover_value(HoverBlocks& out, const HoverSubject& subject, Value v) {
  script::Interpreter& in = subject.probed->evaluation->interpreter();
  Arena scratch;
  ArenaScope scope(scratch);
  if (v.is_error() || v.is_poison() || v.is_opaque()) return false;
  if (v.is_expr()) {
    hover_expression(out, subject, v.as_expr());
    return true;
  }
  if (hover_data(out, subject, v)) return true;
  if (auto* space = v.as<script::Namespace>()) return hover_namespace(out, in.dialect(), *space);
  if (auto* instance = v.as<script::Instance>()) return hover_instance(out, subject, *instance);
  if (auto shown = hover_callable(out, subject, in.surface(), v)) return *shown;
  if (v.is_object() && !v.as<script::Str>() && !v.as<script::Tuple>() && !v.as<script::List>() &&
      !v.as<script::Dict>() && !v.as<script::BigInt>() && !v.as<script::Range>() && !v.as<script::Set>()) {
    std::size_t dot = subject.name.rfind('.');
    std::string_view last = std::string_view(subject.name).substr(dot == std::string::npos ? 0 : dot + 1);
    return hover_documented(out, in.surface(), last, subject.name);
  }
  out.title(subject.name.empty() ? "value" : subject.name, script::type_name(v));
  out.code("python", shortened(in.repr(v)));
  return true;
}

}  // namespace tilewright::ide
