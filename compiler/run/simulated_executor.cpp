#include "compiler/run/simulated_executor.h"

#include <algorithm>
#include <cstring>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"
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

Outcome simulate_bound(const Bound& bound, const simulate::Options& options, unsigned char poison) {
  Outcome out;
  std::vector<Contents> contents;
  std::vector<bool> defined;
  for (const JobBuffer& b : bound.job.buffers) {
    contents.push_back(Contents::of_size(b.bytes));
    defined.push_back(b.role != Role::Output);
    if (b.role == Role::Output) {
      std::memset(contents.back().data(), poison, contents.back().size());
    } else {
      copy_bytes(contents.back().data(), b.contents.data(), b.bytes);
    }
  }
  for (std::size_t k = 0; k < bound.launches.size(); ++k) {
    const BoundLaunch& launch = bound.launches[k];
    if (k > 0 && finds_tensor_maps(*launch.kernel)) {
      out.status = Status::Incomplete;
      out.message = "the simulator does not model a tensor map that one kernel leaves for the next (" +
                    std::string(launch.kernel->kernel->name) + ")";
      return out;
    }
    simulate::Result result = simulate::run(*launch.kernel, inputs_of(bound, launch, contents, defined), options);
    out.printed += result.printed;
    out.findings.insert(out.findings.end(), result.findings.begin(), result.findings.end());
    if (result.verdict == simulate::Verdict::Error || result.verdict == simulate::Verdict::Incomplete) {
      bool error = result.verdict == simulate::Verdict::Error;
      auto severity = error ? simulate::Severity::Error : simulate::Severity::Incomplete;
      auto finding = std::ranges::find(result.findings, severity, &simulate::Finding::severity);
      out.status = error ? Status::Fault : Status::Incomplete;
      out.message = finding == result.findings.end() ? "the simulator does not run it" : finding->message;
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
    BufferOutcome& o = out.buffers.emplace_back();
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

namespace {

// What another schedule adds to the first: findings, bytes that differ, bytes that kept the poison of each.
void add(Outcome& out, Outcome other, const Job& job, std::array<unsigned char, 2> poisons) {
  for (simulate::Finding& f : other.findings) {
    const bool known = std::ranges::any_of(out.findings, [&](const simulate::Finding& had) {
      return had.code == f.code && ir::same_origin(had.origin, f.origin);
    });
    if (!known) out.findings.push_back(std::move(f));
  }
  if (other.status != Status::Done) {
    other.findings = std::move(out.findings);
    out = std::move(other);
    return;
  }
  for (std::size_t i = 0; i < out.buffers.size(); ++i) {
    const char *one = out.buffers[i].contents.data(), *two = other.buffers[i].contents.data();
    const std::int64_t bytes = job.buffers[i].bytes;
    std::int64_t unwritten = 0;
    if (job.buffers[i].role == Role::Output) {
      for (std::int64_t at = 0; at < bytes; ++at)
        unwritten += one[at] == static_cast<char>(poisons[0]) && two[at] == static_cast<char>(poisons[1]);
    }
    out.buffers[i].unwritten = unwritten;
    out.buffers[i].unstable = std::max(out.buffers[i].unstable, count_different(one, two, bytes) - unwritten);
  }
}

}  // namespace

Outcome SimulatedExecutor::execute(const Bound& bound, const std::stop_token& stop) {
  constexpr std::array<unsigned char, 2> kPoisons = {0xFF, 0x7B};
  Outcome out;
  for (int schedule = 0; schedule < schedules_ && out.status == Status::Done; ++schedule) {
    using enum simulate::Timing;
    simulate::Options options = options_;
    options.stop = stop;
    options.timing = schedule == 0 ? Latest : schedule == 1 ? Earliest : Random;
    options.seed = static_cast<std::uint64_t>(schedule);
    Outcome one = simulate_bound(bound, options, kPoisons[schedule == 0 ? 0 : 1]);
    if (stop.stop_requested()) {
      one.status = Status::Stopped;
      return one;
    }
    if (schedule == 0) {
      out = std::move(one);
    } else {
      add(out, std::move(one), bound.job, kPoisons);
    }
  }
  return out;
}

}  // namespace tilewright::run
