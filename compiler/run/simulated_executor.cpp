#include "compiler/run/simulated_executor.h"

#include <algorithm>
#include <cstring>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/run/parallel.h"

namespace tilewright::run {
namespace {

using namespace ir;

// Does the kernel copy through a tensor map that it finds in memory, and not through one that its own launch encodes?
bool finds_tensor_maps(const lower::LoweredKernel& kernel) {
  bool found = false;
  walk_stmts(kernel.device, [&](const Stmt* s) {
    const auto* evaluate = as<Evaluate>(s);
    const auto* call = evaluate ? evaluate->value.as<Call>() : nullptr;
    const intrinsics::Intrinsic* row = call ? intrinsics::of(call->callee) : nullptr;
    // Operands before a list or the variadic ones stand at their own place, and maps do.
    for (std::size_t i = 0; row && i < row->operands.size() && i < call->args.size(); ++i) {
      if (row->operands[i].kind != intrinsics::OperandKind::TensorMap) continue;
      const auto* address = call->args[i].as<Call>();
      found |= !address || address->callee != &builtin::address_of || !address->args[0].as<Var>();
    }
    return true;
  });
  return found;
}

simulate::Inputs inputs_of(const Bound& bound, const BoundLaunch& launch, std::span<const Contents> contents,
                           const std::vector<bool>& defined) {
  simulate::Inputs inputs;
  for (const BoundTensor& tensor : launch.tensors) {
    auto at = static_cast<std::size_t>(std::ranges::find(bound.job.buffers, tensor.name, &JobBuffer::name) -
                                       bound.job.buffers.begin());
    simulate::Tensor t;
    t.shape = tensor.shape;
    t.defined = defined[at];
    t.bytes.resize(contents[at].size());
    copy_bytes(reinterpret_cast<char*>(t.bytes.data()), contents[at].data(), tensor.bytes);
    inputs.tensors.emplace(tensor.name, std::move(t));
  }
  for (const auto& [name, value] : bound.values)
    inputs.scalars.emplace(name, value.real ? simulate::Scalar(value.floating) : simulate::Scalar(value.integer));
  for (const auto& [name, value] : launch.extents) inputs.scalars.insert_or_assign(name, simulate::Scalar(value));
  return inputs;
}

}  // namespace

Simulated simulate_bound(const Bound& bound, const simulate::Options& options) {
  Simulated out;
  std::vector<Contents> contents;
  std::vector<bool> defined;
  for (const JobBuffer& b : bound.job.buffers) {
    contents.push_back(Contents::of_size(b.bytes));
    defined.push_back(b.role != Role::Output);
    if (b.role == Role::Output) {
      std::memset(contents.back().data(), 0xFF, contents.back().size());
    } else {
      copy_bytes(contents.back().data(), b.contents.data(), b.bytes);
    }
  }
  for (std::size_t k = 0; k < bound.launches.size(); ++k) {
    const BoundLaunch& launch = bound.launches[k];
    if (k > 0 && finds_tensor_maps(*launch.kernel)) {
      out.outcome.status = Status::NotLaunched;
      out.outcome.message = "the simulator does not model a tensor map that one kernel leaves for the next (" +
                            std::string(launch.kernel->kernel->name) + ")";
      return out;
    }
    simulate::Result result = simulate::run(*launch.kernel, inputs_of(bound, launch, contents, defined), options);
    out.outcome.printed += result.printed;
    if (result.verdict == simulate::Verdict::Error || result.verdict == simulate::Verdict::Incomplete) {
      bool error = result.verdict == simulate::Verdict::Error;
      auto severity = error ? simulate::Severity::Error : simulate::Severity::Incomplete;
      auto finding = std::ranges::find(result.findings, severity, &simulate::Finding::severity);
      out.outcome.status = error ? Status::Fault : Status::NotLaunched;
      out.outcome.message = finding == result.findings.end() ? "the simulator does not run it" : finding->message;
      if (error && finding != result.findings.end()) out.place = finding->origin.span;
      return out;
    }
    for (std::size_t i = 0; i < bound.job.buffers.size(); ++i) {
      auto left = result.tensors.find(bound.job.buffers[i].name);
      if (left == result.tensors.end()) continue;
      copy_bytes(contents[i].data(), reinterpret_cast<const char*>(left->second.bytes.data()),
                 bound.job.buffers[i].bytes);
      auto own = std::ranges::find(launch.tensors, bound.job.buffers[i].name, &BoundTensor::name);
      if (own != launch.tensors.end() && own->role != Role::Input) defined[i] = true;
    }
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const JobBuffer& b = bound.job.buffers[i];
    BufferOutcome& o = out.outcome.buffers.emplace_back();
    o.contents = contents[i];
    if (b.role == Role::Input) o.changed = count_different(b.contents.data(), contents[i].data(), b.bytes);
  }
  return out;
}

std::expected<DeviceInfo, std::string> SimulatedExecutor::device(const std::stop_token&) {
  DeviceInfo info;
  info.name = "simulator";
  return info;
}

Outcome SimulatedExecutor::execute(const Bound& bound, const std::stop_token& stop) {
  simulate::Options options = options_;
  options.stop = stop;
  Outcome out = simulate_bound(bound, options).outcome;
  if (stop.stop_requested()) out.status = Status::Stopped;
  return out;
}

}  // namespace tilewright::run
