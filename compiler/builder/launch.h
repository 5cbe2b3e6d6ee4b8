// Launch dimensions by their CUDA names: T.launch_thread, T.env_thread and loops over T.thread_binding (surface.md 3).
#pragma once
#include <optional>
#include <string_view>

#include "compiler/builder/drafts.h"
#include "compiler/ir/kernel.h"

namespace tilewright::builder {

// Of a tag such as "threadIdx.x"; refused is a name that is no dimension of a launch.
Made<LaunchDimension> launch_dimension(std::string_view tag);

bool is_launch_var(const ir::Var* var);
// What T.launch_thread leaves in the body until bind_launch has seen it: it holds for the rest of its block.
const ir::Stmt* launch_marker(ir::Origin origin, const ir::Var* var, ir::Expr extent);
// What T.env_thread leaves: a variable that T.launch_thread has to give an extent.
const ir::Stmt* environment_marker(ir::Origin origin, const ir::Var* var);
const ir::Attr* as_launch_marker(const ir::Stmt* stmt);
// The same marker for `body` alone, as `with` means it.
const ir::Stmt* launch_region(const ir::Attr* marker, const ir::Stmt* body);

// Turns the markers and the thread-bound loops of a finished kernel into declarations of scope ids, which all later
// stages know, and finds the device part of a kernel that has no T.device_entry() of its own. Refuses what the
// reference refuses; the kernel is bound then, too, as well as it can be. `failed`: it has errors already and need not
// contradict itself as well.
Made<> bind_launch(Drafts& drafts, ir::Kernel& kernel, bool failed);

}  // namespace tilewright::builder
