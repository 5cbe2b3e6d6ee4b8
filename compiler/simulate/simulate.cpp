// One run: memory, launch, scheduling, results.
#include "compiler/simulate/simulate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/hazards.h"
#include "compiler/simulate/machine/grid.h"
#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/number.h"
#include "compiler/simulate/profile/pace.h"
#include "compiler/simulate/profile/profile.h"
#include "compiler/simulate/profile/spare_barriers.h"

namespace tilewright::simulate {

using namespace ir;

Machine::Machine(const lower::LoweredKernel& kernel, const Program& program, const Options& options, Result& result,
                 PaceRecord* pace)
    : kernel_(kernel), program_(program), options_(options), result_(result), paced_(pace) {
  add_observers(std::make_shared<History>());
}

void Machine::add_observers(std::shared_ptr<History> history) {
  if (options_.timeline) timeline_ = std::make_unique<Timeline>(result_.timeline, options_.timeline);
  ProfileDetails* const details = paced_ ? paced_->details : nullptr;
  if (options_.profile) observers_.add(std::make_unique<Profile>(*this, result_.profile, details));
  if (options_.profile && details) observers_.add(std::make_unique<SpareBarriers>(*this, *details));
  if (paced_ && paced_->is_modelled) {
    auto pace = std::make_unique<Pace>(*this, program_, kH100, *paced_);
    executed_ = pace->executed();
    pace_ = pace.get();
    observers_.add(std::move(pace));
  }
  if (!options_.races) return;
  auto search = std::make_unique<Hazards>(*this, std::move(history));
  hazards_ = search.get();
  observers_.add(std::move(search));
}

Machine::Machine(const Machine& first, const Options& options, Result& result, std::shared_ptr<History> history)
    : kernel_(first.kernel_),
      program_(first.program_),
      options_(options),
      result_(result),
      group_bytes_(first.group_bytes_),
      launch_(first.launch_),
      memory_(first.memory_.global_only()),
      register_image_(first.register_image_),
      paced_(first.paced_) {
  if (first.blame_) blame_ = std::make_unique<Blame>(*first.blame_);
  add_observers(std::move(history));
  place_shared();
}

void Machine::finding(std::string_view code, Severity severity, std::string message, const Thread* thread,
                      std::optional<Origin> origin) {
  Finding f;
  f.code = code;
  f.severity = severity;
  f.message = std::move(message);
  report(std::move(f), thread, origin);
}

namespace {

// Places that an operation is not waited for at, or copies that no wait on one barrier counts: one cause.
bool of_one_operation(const Finding& a, const Finding& b) {
  const bool is_kind = a.code == code::kUnawaited || a.code == code::kUnfinished;
  if (!is_kind || a.code != b.code || a.related.empty() || b.related.empty()) return false;
  return ir::same_origin(a.related[0].origin, b.related[0].origin) ||
         (a.code == code::kUnawaited &&
          (ir::same_origin(a.origin, b.related[0].origin) || ir::same_origin(a.related[0].origin, b.origin)));
}

// The first place stays; the next ones are related to it.
void add_place(Finding& known, const Finding& f) {
  constexpr std::size_t kMost = 4;
  const auto same = [&](const auto& r) { return ir::same_origin(r.origin, f.origin); };
  if (ir::same_origin(known.origin, f.origin) || known.related.size() >= kMost ||
      std::ranges::any_of(known.related, same))
    return;
  known.related.push_back({f.origin, f.code == code::kUnfinished ? "and this copy" : "and touched here"});
}

}  // namespace

bool tell_the_same(const Finding& a, const Finding& b) {
  auto is_race = [](const Finding& f) { return f.code == code::kRace || f.code == code::kUnawaited; };
  const bool races = is_race(a) && is_race(b);
  if (of_one_operation(a, b)) return true;
  if (a.code != b.code && !races) return false;
  if (races && a.related.size() == 1 && b.related.size() == 1 && ir::same_origin(a.origin, b.related[0].origin) &&
      ir::same_origin(a.related[0].origin, b.origin))
    return true;
  return ir::same_origin(a.origin, b.origin) &&
         std::ranges::equal(a.related, b.related,
                            [](const auto& x, const auto& y) { return ir::same_origin(x.origin, y.origin); });
}

void Machine::report(Finding f, const Thread* thread, std::optional<Origin> origin) {
  if (foresees() || gave_up_) return;
  if (f.hint.empty() && f.severity != Severity::Incomplete) f.hint = usual_hint(f.code);
  if (!origin && acting_) origin = acting_->origin;
  f.origin = origin.value_or(Origin{});
  f.cta = current_cta_;
  if (thread) {
    f.thread = thread->linear;
    if (!origin && thread->pc < program_.origin_of.size()) f.origin = program_.origins[program_.origin_of[thread->pc]];
    f.cta = cta_of(*thread);
  }
  for (Finding& known : result_.findings) {
    if (!tell_the_same(known, f)) continue;
    f.times = known.times + 1;
    const bool one = of_one_operation(known, f);
    if (one) add_place(known, f);
    if (f.weight > known.weight && known.code == f.code && (!one || ir::same_origin(f.origin, known.origin))) {
      for (std::size_t r = f.related.size(); r < known.related.size(); ++r) f.related.push_back(known.related[r]);
      known = std::move(f);
    } else {
      known.times = f.times;
    }
    return;
  }
  if (result_.findings.size() < options_.max_findings) result_.findings.push_back(std::move(f));
}

namespace {

template <class Map>
auto find_input(Map& map, const Storage& storage) {
  auto found = storage.tensor ? map.find(storage.tensor->name) : map.end();
  return found != map.end() ? found : map.find(storage.var->name);
}

// Shared allocations in their window: static ones in their order, then the dynamic one. Each starts on a multiple of
// its alignment and of no higher power of two, so that nothing is aligned by luck.
std::vector<std::int64_t> window_places(std::span<const Storage> shared, std::span<const lower::SharedBlock> blocks) {
  std::vector<std::int64_t> out(shared.size());
  std::int64_t next = kWindowStart;
  for (bool dynamic : {false, true}) {
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (blocks[i].dynamic != dynamic) continue;
      const std::int64_t align = std::max(1, shared[i].align);
      next = (next + align - 1) / align * align;
      if (next / align % 2 == 0) next += align;
      out[i] = next;
      next += shared[i].bytes;
    }
  }
  return out;
}

std::uint64_t scalar_bits(DataType d, const Scalar& value) {
  double as_double = std::visit([](auto v) { return static_cast<double>(v); }, value);
  if (d.is_floating() && d.bits == 64) return std::bit_cast<std::uint64_t>(as_double);
  if (d.is_floating()) {
    float f = static_cast<float>(as_double);
    return std::bit_cast<std::uint32_t>(d.bits < 32 ? rounded(d, f) : f);
  }
  return static_cast<std::uint64_t>(std::holds_alternative<double>(value) ? static_cast<std::int64_t>(as_double)
                                                                          : std::get<std::int64_t>(value));
}

}  // namespace

// Counts memory against the limit.
bool Machine::afford(std::int64_t bytes, const Origin& origin) {
  if (bytes <= options_.max_bytes - allocated_) {
    allocated_ += bytes;
    return true;
  }
  finding(code::kStepLimit, Severity::Incomplete,
          "the run needs more than " + std::to_string(options_.max_bytes) + " bytes of memory", nullptr, origin);
  return false;
}

bool Machine::affords(std::int64_t bytes) {
  if (bytes > options_.max_bytes - allocated_) return false;
  allocated_ += bytes;
  return true;
}

bool Machine::check_launch(const Origin& origin) {
  const std::string why = launch_.refusal(kernel_);
  if (!why.empty()) {
    finding(code::kLaunch, Severity::Error, "the launch has " + why, nullptr, origin);
    return false;
  }
  const auto count = [](const Launch::Extents& n) { return n[0] * n[1] * n[2]; };
  std::int64_t ctas = count(launch_.cluster), each = 0, threads = 0, shared = 0;
  for (const Storage& s : program_.shared) shared += s.bytes;
  bool countable = !__builtin_mul_overflow(program_.frame_bytes, options_.trace ? 6 : 2, &each) &&
                   !__builtin_add_overflow(each, std::int64_t{program_.registers} * 16, &each) &&
                   !__builtin_mul_overflow(each, count(launch_.block) * ctas, &threads);
  group_bytes_ = countable ? threads + shared * ctas : INT64_MAX;
  return afford(countable ? threads : INT64_MAX, origin) && afford(shared * ctas, origin);
}

namespace {
std::int64_t size_of(const Tensor& t) { return t.made_up ? t.made_up : static_cast<std::int64_t>(t.bytes.size()); }
}  // namespace

bool Machine::place_tensors(const Inputs& inputs, const std::function<void(std::string)>& missing) {
  const Origin whole{kernel_.kernel->span, nullptr};
  // Null, and the places that were asked for.
  std::uint32_t wanted = 0;
  for (const auto* tensors : {&inputs.tensors, &inputs.others})
    for (const auto& [name, tensor] : *tensors) wanted = std::max(wanted, tensor.place);
  memory_.blocks.resize(std::size_t{1} + wanted);
  memory_.watched.resize(memory_.blocks.size());
  auto filled = [&](std::string_view name, std::int64_t bytes, const Tensor* given) {
    if (given && given->made_up) return std::make_unique<OwnedBlock>(name, bytes, given->pattern, given->defined);
    auto block = std::make_unique<OwnedBlock>(name, bytes, options_.trace);
    if (!given) return block;
    std::ranges::copy(given->bytes, block->bytes);
    if (given->defined) std::ranges::fill(block->shadow, 1);
    return block;
  };
  std::unordered_set<const Tensor*> placed;
  for (const Storage& storage : program_.globals) {
    auto given = storage.is_map ? inputs.tensors.end() : find_input(inputs.tensors, storage);
    std::int64_t bytes = storage.bytes;
    if (storage.tensor) {
      bytes = lower::element_bits(storage.tensor->dtype);
      for (Expr extent : storage.tensor->shape) {
        auto value = launch_.evaluate(extent);
        if (!value) missing("the shape of `" + std::string(storage.name) + "` is not known");
        if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(0, value.value_or(0)), &bytes)) bytes = INT64_MAX - 7;
      }
      bytes = (bytes + 7) / 8;
    }
    const bool made_up = given != inputs.tensors.end() && given->second.made_up;
    if (!made_up && !afford(bytes, whole)) return false;
    if (given != inputs.tensors.end()) {
      const std::int64_t there = size_of(given->second);
      if (there < bytes && storage.tensor)
        missing("`" + std::string(storage.name) + "` needs " + std::to_string(bytes) + " bytes, " +
                std::to_string(there) + " were given");
      bytes = there;
    } else if (bytes == 0 && !storage.tensor) {
      missing("no memory was given for the pointer `" + std::string(storage.name) + "`");
    }
    const Tensor* tensor = given == inputs.tensors.end() ? nullptr : &given->second;
    placed.insert(tensor);
    auto block = filled(storage.name, bytes, tensor);
    memory_.global_numbers.push_back(
        memory_.put(*block, tensor ? tensor->place : 0, !storage.is_map && (!tensor || tensor->written)));
    if (tensor && tensor->by_kernel) memory_.by_kernel.insert(memory_.global_numbers.back());
    memory_.globals.push_back(std::move(block));
    for (std::size_t i = 0; i < options_.blame.size() && !storage.is_map; ++i) {
      const auto& [name, byte] = options_.blame[i];
      if (name != storage.name || byte < 0 || byte >= bytes) continue;
      if (!blame_) blame_ = std::make_unique<Blame>();
      blame_->ask(i, pointer_to(memory_.global_numbers.back(), byte));
    }
  }
  // What only pointers and tensor maps lead to.
  for (const auto* tensors : {&inputs.tensors, &inputs.others}) {
    for (const auto& [name, tensor] : *tensors) {
      const std::int64_t bytes = size_of(tensor);
      if (placed.contains(&tensor)) continue;
      if (!tensor.made_up && !afford(bytes, whole)) return false;
      memory_.others.push_back(filled(name, bytes, &tensor));
      memory_.put(*memory_.others.back(), tensor.place, tensor.written);
    }
  }
  return true;
}

std::int64_t Machine::global_bytes() const {
  std::int64_t out = 0;
  for (const std::unique_ptr<OwnedBlock>& block : memory_.globals) out += block->size;
  return out;
}

void Machine::place_shared() {
  memory_.first_shared = memory_.blocks.size();
  memory_.shared_each = program_.shared.size();
  memory_.ctas = launch_.cluster_ctas;
  const std::vector<std::int64_t> places = window_places(program_.shared, kernel_.shared);
  for (std::uint32_t cta = 0; cta < launch_.cluster_ctas; ++cta) {
    for (std::size_t i = 0; i < program_.shared.size(); ++i) {
      const Storage& storage = program_.shared[i];
      // The pool of a traced kernel has no name.
      const std::string_view name = storage.name.empty() ? std::string_view("shared memory") : storage.name;
      memory_.shared.push_back(std::make_unique<OwnedBlock>(name, storage.bytes, options_.trace));
      memory_.shared.back()->base = places[i];
      memory_.blocks.push_back(*memory_.shared.back());
      memory_.watched.push_back(1);
    }
  }
}

bool Machine::prepare(const Inputs& inputs) {
  Origin whole{kernel_.kernel->span, nullptr};
  bool good = true;
  auto missing = [&](std::string text) {
    finding(code::kInputMissing, Severity::Error, std::move(text), nullptr, whole);
    good = false;
  };
  // Extents by the shapes given, then scalars by name, then what the host part computes from them.
  for (const lower::ExtentBinding& binding : kernel_.plan.extents) {
    auto tensor = inputs.tensors.find(binding.tensor->name);
    if (tensor == inputs.tensors.end()) tensor = inputs.tensors.find(binding.tensor->data->name);
    if (tensor == inputs.tensors.end() || tensor->second.shape.size() <= static_cast<std::size_t>(binding.dimension))
      continue;
    std::int64_t extent = tensor->second.shape[static_cast<std::size_t>(binding.dimension)];
    auto [known, added] = launch_.values.try_emplace(binding.var, static_cast<std::uint64_t>(extent));
    if (!added && known->second != static_cast<std::uint64_t>(extent))
      missing("the tensors disagree about the extent `" + std::string(binding.var->name) + "`");
  }
  for (const auto& [name, value] : inputs.scalars) {
    for (const Param& param : kernel_.kernel->params)
      if (param.var && param.var->name == name) launch_.values[param.var] = scalar_bits(param.var->dtype, value);
    for (const lower::KernelParam& param : kernel_.plan.params)
      if (param.kind == lower::ParamKind::Scalar && param.var->name == name)
        launch_.values[param.var] = scalar_bits(param.dtype, value);
  }
  walk_stmts(kernel_.host, [&](const Stmt* s) {
    if (const Bind* bind = as<Bind>(s))
      if (auto value = launch_.evaluate(bind->value)) launch_.values[bind->var] = static_cast<std::uint64_t>(*value);
    return true;
  });
  if (!launch_.read(kernel_.plan.launch)) {
    missing("the launch extents depend on values that were not given");
    return false;
  }
  if (!check_launch(whole)) return false;
  launch_.cta_threads = static_cast<std::uint32_t>(launch_.block[0] * launch_.block[1] * launch_.block[2]);
  launch_.cluster_ctas = static_cast<std::uint32_t>(launch_.cluster[0] * launch_.cluster[1] * launch_.cluster[2]);

  if (!place_tensors(inputs, missing)) return false;
  if (good) good = encode_tensor_maps();
  if (options_.trace) {
    std::uint32_t next = 1;
    for (const auto& [name, tensor] : inputs.tensors) {
      if (!tensor.defined) continue;
      for (std::size_t i = 0; i < memory_.globals.size(); ++i) {
        const Storage& storage = program_.globals[i];
        if (!(storage.tensor && storage.tensor->name == name) && storage.var->name != name) continue;
        for (std::size_t b = 0; b < tensor.bytes.size(); ++b)
          memory_.globals[i]->origins[b] = next + static_cast<std::uint32_t>(b);
      }
      next += static_cast<std::uint32_t>(tensor.bytes.size());
    }
  }
  place_shared();

  register_image_.assign(program_.registers, 0);
  for (const auto& [reg, value] : program_.constants) register_image_[reg] = value;
  for (const lower::KernelParam& param : kernel_.plan.params) {
    if (param.kind != lower::ParamKind::Scalar) continue;
    auto reg = program_.variables.find(param.var);
    if (reg == program_.variables.end()) continue;
    auto value = launch_.values.find(param.var);
    if (value == launch_.values.end()) {
      missing("no value was given for `" + std::string(param.var->name) + "`");
    } else {
      register_image_[reg->second] = value->second;
    }
  }
  return good;
}

void Machine::begin(std::uint64_t cluster) {
  const std::array<std::int64_t, 3> first = first_cta_of(cluster);
  current_cta_ = first;
  std::size_t count = std::size_t{launch_.cluster_ctas} * launch_.cta_threads;
  threads_.assign(count, {});
  registers_.resize(count * program_.registers);
  registers_defined_.assign(count * program_.registers, 0);
  registers_undefined_.assign(count * program_.registers, 0);
  undefined_reads_.clear();
  reads_without_value_.clear();
  stored_reads_.clear();
  unknown_results_.clear();
  gave_up_ = false;
  has_unknown_ = false;
  frames_.assign(count * static_cast<std::size_t>(program_.frame_bytes), std::byte{0});
  frames_defined_.assign(frames_.size(), 0);
  if (options_.trace) {
    register_tags_.assign(registers_.size(), 0);
    frame_tags_.assign(frames_.size(), 0);
  }
  scheduler_.start(launch_.cluster_ctas);
  for (auto& block : memory_.shared) {
    std::ranges::fill(block->storage, std::byte{0});  // what was never written is the same in every cluster
    std::ranges::fill(block->shadow, 0);
    std::ranges::fill(block->origins, 0);
  }
  ended_.assign(launch_.cluster_ctas, 0);
  engine_.start(count, options_.timing,
                options_.seed + static_cast<std::uint64_t>(first[0] + first[1] * 7 + first[2] * 49));
  warpgroups_.start(count, launch_.cta_threads);
  operations_ = 0;
  observers_.tell(&Observer::start_group, Group{.cluster = cluster,
                                                .threads = count,
                                                .ctas = launch_.cluster_ctas,
                                                .warps = (launch_.cta_threads + 31) / 32,
                                                .first_shared = memory_.first_shared});
  barriers_.clear();
  tensor_memories_.clear();
  for (std::uint32_t cta = 0; cta < launch_.cluster_ctas; ++cta) tensor_memories_.emplace_back(options_.trace);
  register_pools_.assign(launch_.cluster_ctas, RegisterPool(launch_.cta_threads));
  set_up_threads(first);
  start_timeline();
}

void Machine::set_up_threads(std::array<std::int64_t, 3> first) {
  const std::size_t count = threads_.size();
  auto set = [&](Thread& t, const Var* var, std::int64_t value) {
    if (!var) return;
    if (auto reg = program_.variables.find(var); reg != program_.variables.end())
      t.registers[reg->second] = static_cast<std::uint64_t>(value);
  };
  for (std::size_t n = 0; n < count; ++n) {
    Thread& t = threads_[n];
    t.cta = static_cast<std::uint32_t>(n / launch_.cta_threads);
    t.linear = static_cast<std::uint32_t>(n % launch_.cta_threads);
    t.number = static_cast<std::uint32_t>(n);
    t.registers = registers_.data() + n * program_.registers;
    t.defined = registers_defined_.data() + n * program_.registers;
    t.undefined = registers_undefined_.data() + n * program_.registers;
    t.frame = frames_.data() + n * static_cast<std::size_t>(program_.frame_bytes);
    t.frame_defined = frames_defined_.data() + n * static_cast<std::size_t>(program_.frame_bytes);
    if (options_.trace) {
      t.tags = register_tags_.data() + n * program_.registers;
      t.frame_tags = frame_tags_.data() + n * static_cast<std::size_t>(program_.frame_bytes);
    }
    std::ranges::copy(register_image_, t.registers);
    std::int64_t in_block = t.linear, in_cluster = t.cta;
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t own = in_cluster % launch_.cluster[d];
      in_cluster /= launch_.cluster[d];
      set(t, kernel_.thread_idx[d], in_block % launch_.block[d]);
      in_block /= launch_.block[d];
      set(t, kernel_.block_idx[d], first[d] + own);
      set(t, kernel_.cta_in_cluster[d], own);
      set(t, kernel_.cluster_idx[d], first[d] / launch_.cluster[d]);
    }
    set(t, kernel_.cta_rank_in_cluster, t.cta);
  }
}

Machine::Pause Machine::go_on() {
  const Pause pause = scheduler_.run_on();
  if (timeline_ && (pause == Pause::Ended || pause == Pause::Stopped)) timeline_->end_group(now());
  return pause;
}

// A CTA whose threads have all ended takes its shared and tensor memory along.
void Machine::leave_if_done(std::uint32_t cta) {
  std::span<Thread> threads = cta_threads(cta);
  if (!std::ranges::all_of(threads, [](const Thread& t) { return t.state == State::Done; })) return;
  if (!engine_.leave(*this, cta)) {
    stopped_ = true;
    return;
  }
  warpgroups_.leave(*this, threads);
  ended_[cta] = 1;
  observers_.tell(&Observer::end_cta, threads, memory_.first_shared + cta * program_.shared.size(),
                  program_.shared.size());
  register_pools_[cta].end(*this, threads);
  if (!tensor_memories_[cta].any_allocated()) return;
  const TensorMemory::Left left = tensor_memories_[cta].left();
  Finding f;
  f.code = code::kTensorMemory;
  f.message = "the CTA ends and has not given back the " + std::to_string(left.columns) +
              " columns of tensor memory that it allocates here";
  f.hint = std::string("put {tmem_dealloc}(address, n_cols="_row_text) + std::to_string(left.columns) +
           std::string(") into the warp that allocated them, after a {cta_sync}() at the kernel's end"_row_text);
  report(std::move(f), &threads[0], left.origin.span ? left.origin : Origin{kernel_.kernel->span, nullptr});
}

// Every thread has ended: copies out of shared memory land now at the latest, and the byte counts have to add up.
void Machine::finish_group() {
  if (!engine_.land_everything(*this)) {
    stopped_ = true;
    return;
  }
  for (const auto& [pointer, barrier] : barriers_) {
    if (barrier.bytes == 0) continue;
    const Thread& owner = threads_[rank_of(pointer).value_or(0) * launch_.cta_threads];
    // An expectation of which nothing has come, and for whose phase nothing waits, does no harm.
    const bool unused = barrier.bytes > 0 && barrier.bytes == barrier.expected;
    Finding f;
    f.code = code::kBytes;
    f.severity = unused ? Severity::Warning : Severity::Error;
    f.message =
        "at the end phase " + std::to_string(barrier.phase) + " of " + barrier.name + " " +
        (barrier.bytes > 0 ? "still expects " + std::to_string(barrier.bytes) + " bytes that nothing copies" +
                                 (unused ? ", and nothing waits for it" : "")
                           : "received " + std::to_string(-barrier.bytes) + " bytes that expect_tx did not announce");
    f.barriers = {barrier.name};
    report(std::move(f), &owner, barrier.origin);
  }
}

std::optional<std::array<std::int64_t, 3>> Machine::take_over() {
  joined_ = true;  // who gets which cluster is a matter of their order
  if (!next_cluster_) return std::nullopt;
  const bool lets = options_.timing == Timing::Latest || (options_.timing == Timing::Random && engine_.random(2) == 0);
  if (!lets) return std::nullopt;
  const std::optional<std::uint64_t> next = next_cluster_();
  return next ? std::optional(first_cta_of(*next)) : std::nullopt;
}

std::vector<std::uint8_t> Machine::written_bytes(std::size_t global) const {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(memory_.globals[global]->size));
  hazards_->history()->memory.each_cell(
      [&](std::uint64_t block, std::int64_t offset, std::int64_t bytes, const Cell& cell) {
        if (block != memory_.global_numbers[global] || cell.write.who == 0) return;
        for (std::int64_t b = offset; b < std::min(offset + bytes, memory_.globals[global]->size); ++b)
          out[static_cast<std::size_t>(b)] = 1;
      });
  return out;
}

void Machine::finish() {
  if (hazards_) hazards_->take_causes();
  result_.finished = !stopped_;
  for (std::unique_ptr<OwnedBlock>& other : memory_.others) {
    if (other->made_up) continue;
    Tensor tensor;
    tensor.bytes = std::move(other->storage);
    result_.tensors[std::string(other->name)] = std::move(tensor);
  }
  for (std::size_t i = 0; i < memory_.globals.size(); ++i) {
    if (program_.globals[i].is_map || memory_.globals[i]->made_up) continue;
    std::string name(program_.globals[i].name);
    Tensor tensor;
    tensor.bytes = std::move(memory_.globals[i]->storage);
    tensor.defined = std::ranges::all_of(memory_.globals[i]->shadow, [](std::uint8_t d) { return d != 0; });
    if (const Buffer* shape = program_.globals[i].tensor)
      for (Expr extent : shape->shape) tensor.shape.push_back(launch_.evaluate(extent).value_or(0));
    if (options_.trace) result_.traces[name] = std::move(memory_.globals[i]->origins);
    if (hazards_ && !options_.clusters.is_all()) result_.written[name] = written_bytes(i);
    result_.tensors[name] = std::move(tensor);
  }
}

namespace {

// A read that comes too early is one cause, whether the bytes were there or not: the race says more.
void drop_echoes(std::vector<Finding>& findings) {
  auto races_there = [&](const Finding& f) {
    return std::ranges::any_of(findings, [&](const Finding& race) {
      if (race.code != code::kRace && race.code != code::kUnawaited && race.code != code::kProxy) return false;
      return same_origin(race.origin, f.origin) ||
             std::ranges::any_of(race.related, [&](const auto& r) { return same_origin(r.origin, f.origin); });
    });
  };
  // A copy whose barrier nothing waits on, and whose bytes are touched before its end: that is told.
  auto is_touched = [&](const Finding& f) {
    return std::ranges::any_of(findings, [&](const Finding& race) {
      return race.code == code::kUnawaited && !race.related.empty() && same_origin(race.related[0].origin, f.origin);
    });
  };
  std::vector<Finding> kept;
  for (Finding& f : findings)
    if (!(f.code == code::kUnwritten && races_there(f)) &&
        !(f.code == code::kUnfinished && !f.related.empty() && is_touched(f)))
      kept.push_back(f);
  findings = std::move(kept);
}

}  // namespace

namespace {

Result run_with(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options, PaceRecord* pace) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  Program program = compile(kernel);
  Result result;
  for (bool beside : {true, false}) {
    result = {};
    result.produced.resize(options.blame.size());
    Machine machine(kernel, program, options, result, pace);
    if (!machine.prepare(inputs)) break;
    Grid grid(machine, options, result);
    if (!beside || !grid.may_run_beside()) {
      grid.run_in_turn();
    } else if (!grid.run_beside()) {
      continue;  // they depend on one another: once more, in their order
    }
    machine.finish();
    break;
  }
  drop_echoes(result.findings);
  put_causes_first(result.findings, &kernel);
  for (Finding& f : result.findings) f.hint = intrinsics::say(f.hint, kernel.kernel->dialect);
  for (const Finding& f : result.findings) {
    Verdict v = f.severity == Severity::Error        ? Verdict::Error
                : f.severity == Severity::Incomplete ? Verdict::Incomplete
                                                     : Verdict::Review;
    result.verdict = std::max(result.verdict, v);
  }
  return result;
}

}  // namespace

Result run(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options) {
  return run_with(kernel, inputs, options, nullptr);
}

Result run_paced(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options, PaceRecord& pace) {
  Options alone = options;
  alone.jobs = 1;
  alone.profile = true;
  return run_with(kernel, inputs, alone, &pace);
}

Result run_profiled(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options,
                    ProfileDetails& details) {
  Options alone = options;
  alone.jobs = 1;
  alone.profile = true;
  PaceRecord beside;
  beside.is_modelled = false;
  beside.details = &details;
  Result out = run_with(kernel, inputs, alone, &beside);
  settle(details, out.profile);
  return out;
}

}  // namespace tilewright::simulate
