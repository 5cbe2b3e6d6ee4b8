// The lowered kernel as script text.
#include <algorithm>

#include "compiler/intrinsics/printed.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/lower.h"

namespace tilewright::lower {

using namespace ir;

namespace {

// `name = T.launch_thread("threadIdx.x", n)` for the launch variables in use, and for the grid as a whole.
void launch(ScriptWriter& w, const Var* const (&vars)[3], std::string_view tag, const std::array<Expr, 3>& extents,
            bool always_x) {
  for (int d = 0; d < 3; ++d) {
    bool one = !extents[d] || is_constant(extents[d], 1);
    if (!vars[d] && one && !(always_x && d == 0)) continue;
    std::string full(tag);
    full.append(".").append(1, "xyz"[d]);
    w.begin();
    if (vars[d]) {
      w.out += w.name(vars[d]);
    } else {
      w.out += text::identifier(full);
    }
    w.out.append(" = T.launch_thread(\"").append(full).append("\", ");
    if (extents[d]) {
      w.expression(extents[d]);
    } else {
      w.out += '1';
    }
    w.out += ")\n";
  }
}

void special_register(ScriptWriter& w, const Var* var, text::Dialect release) {
  if (!var) return;
  w.begin();
  w.out += w.name(var);
  w.out.append(": T.let[T.int32] = T.Cast(\"int32\", ")
      .append(intrinsics::say(intrinsics::row_of("special_register"), release));
  w.out.append("(32, \"").append(var->name).append("\"))\n");
}

void signature(ScriptWriter& w, const LoweredKernel& k) {
  w.line("@T.prim_func");
  w.begin();
  w.out.append("def ").append(text::identifier(k.kernel->name)).append("(");
  bool first = true;
  for (const Param& param : k.kernel->params) {
    if (!first) w.out += ", ";
    first = false;
    w.parameter(param);
  }
  w.out += "):\n";
}

void attributes(ScriptWriter& w, const LoweredKernel& k) {
  w.begin();
  w.out.append("T.func_attr({\"global_symbol\": \"").append(k.kernel->name).append("\", \"tirx.target\": \"");
  w.out.append(k.kernel->target.name()).append("\"})\n");
}

// Extents that the tensors bind, and the tensors of the parameters.
void parameters(ScriptWriter& w, const LoweredKernel& k) {
  std::vector<const Var*> declared;
  for (const ExtentBinding& binding : k.plan.extents) {
    bool known = std::ranges::find(declared, binding.var) != declared.end();
    for (const Param& param : k.kernel->params) known |= param.var == binding.var;
    if (known) continue;
    declared.push_back(binding.var);
    w.begin();
    w.out += w.name(binding.var);
    w.out.append(" = ").append(w.dtype_call(binding.var->dtype)).append("()\n");
  }
  for (const Param& param : k.kernel->params) {
    if (!param.buffer) continue;
    Buffer plain = *param.buffer;
    plain.layout = nullptr;
    w.begin();
    w.out += w.name(param.buffer);
    w.out += " = T.match_buffer(";
    w.out += w.name(param.var);
    w.out += ", ";
    w.declaration(plain, false, true);
    w.out += ")\n";
    w.owns(param.buffer);
  }
}

void launch_dimensions(ScriptWriter& w, const LoweredKernel& k) {
  const scope::Launch& l = k.plan.launch;
  launch(w, k.block_idx, "blockIdx", l.grid, true);
  if (l.has_cluster) launch(w, {}, "clusterCtaIdx", l.cluster, false);
  launch(w, k.thread_idx, "threadIdx", l.block, true);
  for (const Var* var : k.cluster_idx) special_register(w, var, k.kernel->dialect);
  for (const Var* var : k.cta_in_cluster) special_register(w, var, k.kernel->dialect);
  special_register(w, k.cta_rank_in_cluster, k.kernel->dialect);
}

// Flat windows onto the parameters, in the order of their first use.
std::vector<const Buffer*> flat_windows(const LoweredKernel& k) {
  std::vector<const Buffer*> windows;
  auto note = [&](const Buffer* buffer) {
    if (buffer->scope != StorageScope::Global || std::ranges::find(windows, buffer) != windows.end()) return;
    bool parameter = false;
    for (const KernelParam& param : k.plan.params) parameter |= param.var == buffer->data;
    if (parameter) windows.push_back(buffer);
  };
  auto look = [&](Expr e) {
    walk(e, [&](Expr x) {
      if (const Load* load = x.as<Load>()) note(load->buffer);
      return true;
    });
  };
  walk_stmts(k.device, [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::Bind: look(static_cast<const Bind*>(s)->value); break;
      case StmtKind::Store:
        note(static_cast<const Store*>(s)->buffer);
        look(static_cast<const Store*>(s)->indices[0]);
        look(static_cast<const Store*>(s)->value);
        break;
      case StmtKind::For: look(static_cast<const For*>(s)->extent); break;
      case StmtKind::While: look(static_cast<const While*>(s)->condition); break;
      case StmtKind::If: look(static_cast<const If*>(s)->condition); break;
      case StmtKind::Evaluate: look(static_cast<const Evaluate*>(s)->value); break;
      default: break;
    }
    return true;
  });
  return windows;
}

}  // namespace

std::string print_lowered(const LoweredKernel& k, std::vector<PrintedOrigin>* origins) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  ScriptWriter w(intrinsics::printed_arguments, k.kernel->dialect);
  w.origins = origins;
  w.header();
  w.open();
  signature(w, k);
  w.open();
  attributes(w, k);
  parameters(w, k);
  if (k.host) w.statement(k.host);
  w.line("T.attr({\"tirx.device_entry\": T.bool(True)})");
  launch_dimensions(w, k);
  // A view in the body that looks at the same window is the same buffer and prints no second time.
  for (const Buffer* window : flat_windows(k)) w.statement(make_stmt<Decl>(Origin{}, window));
  std::size_t before = w.out.size();
  if (k.device) w.statement(k.device);
  if (w.out.size() == before) w.line("pass");
  w.close();
  w.close();
  return std::move(w.out);
}

}  // namespace tilewright::lower
