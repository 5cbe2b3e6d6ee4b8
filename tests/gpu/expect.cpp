#include "tests/gpu/expect.h"

#include <algorithm>
#include <cstring>

#include "compiler/simulate/simulate.h"
#include "tests/simulate/meaning.h"

namespace tilewright::testing {
namespace {

const run::JobBuffer* buffer_of(const run::Job& job, std::string_view name) {
  auto at = std::ranges::find(job.buffers, name, &run::JobBuffer::name);
  return at == job.buffers.end() ? nullptr : &*at;
}

// Each byte of a trace names the byte that it came from, counted over all tensors in the order of their names.
Expectation by_meaning(const session::CompiledKernel& kernel, const run::Bound& bound) {
  const ir::Kernel& script = kernel.value->kernel;
  std::map<std::string, std::int64_t> extents(bound.extents.begin(), bound.extents.end());
  Meaning meaning(script, kernel.dispatched->launch, extents);
  meaning.run();
  std::map<std::string, const ir::Buffer*> tensors;
  for (const ir::Param& p : script.params)
    if (p.buffer) tensors.emplace(p.buffer->name, p.buffer);
  std::string all;
  for (const auto& [name, tensor] : tensors) {
    const run::JobBuffer* b = buffer_of(bound.job, name);
    if (!b) throw Unmodelled("tensor " + name + " is no buffer of the launch");
    std::string contents(b->contents.view());
    contents.resize(static_cast<std::size_t>(meaning.tensor_bytes(*tensor)));
    all += contents;
  }
  Expectation out;
  out.source = "meaning";
  for (const auto& [name, tensor] : tensors) {
    Expectation::Tensor& t = out.tensors[name];
    t.bytes = buffer_of(bound.job, name)->contents.view();  // what no copy means to touch stays
    t.defined.assign(t.bytes.size(), 1);
    const Bytes& trace = meaning.tensor(*tensor);
    for (std::size_t i = 0; i < trace.size() && i < t.bytes.size(); ++i) {
      t.defined[i] = trace[i] != 0;
      if (trace[i]) t.bytes[i] = trace[i] == kZero ? '\0' : all[trace[i] - 1];
    }
  }
  return out;
}

std::expected<Expectation, std::string> by_simulator(const session::CompiledKernel& kernel, const run::Bound& bound) {
  simulate::Inputs inputs;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const run::JobBuffer& b = bound.job.buffers[i];
    simulate::Tensor t;
    t.shape = bound.tensors[i].shape;
    t.defined = b.role != run::Role::Output;
    t.bytes.resize(static_cast<std::size_t>(b.bytes));
    if (t.defined) std::memcpy(t.bytes.data(), b.contents.data(), b.contents.size());
    inputs.tensors.emplace(b.name, std::move(t));
  }
  for (const auto& [name, value] : bound.extents) inputs.scalars.emplace(name, value);
  simulate::Result result = simulate::run(*kernel.lowered, inputs);
  if (result.verdict != simulate::Verdict::Clean && result.verdict != simulate::Verdict::Review) {
    return std::unexpected("the simulator: " +
                           (result.findings.empty() ? std::string("no verdict") : result.findings.front().message));
  }
  Expectation out;
  out.source = "simulator";
  for (const run::JobBuffer& b : bound.job.buffers) {
    const auto& bytes = result.tensors[b.name].bytes;
    Expectation::Tensor& t = out.tensors[b.name];
    t.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    t.defined.assign(bytes.size(), 1);
  }
  return out;
}

}  // namespace

std::expected<Expectation, std::string> expect(const session::CompiledKernel& kernel, const run::Bound& bound) {
  std::string why;
  bool all_defined =
      std::ranges::none_of(bound.job.buffers, [](const run::JobBuffer& b) { return b.role == run::Role::Output; });
  if (all_defined) {
    try {
      return by_meaning(kernel, bound);
    } catch (const std::exception& e) {
      why = std::string(e.what()) + "; ";
    }
  }
  auto simulated = by_simulator(kernel, bound);
  if (!simulated) return std::unexpected(why + simulated.error());
  return simulated;
}

}  // namespace tilewright::testing
