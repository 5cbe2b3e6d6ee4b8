// One run: memory, launch, scheduling, results.
#include "compiler/simulate/simulate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/shared_limit.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/hazards.h"
#include "compiler/simulate/machine/grid.h"
#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/number.h"

namespace tilewright::simulate {

using namespace ir;

namespace {

// Reads of one value by one call after which a thread is taken to wait for it to change; and rounds in which none
// does anything else.
constexpr std::uint32_t kPolls = 16;
constexpr int kIdleRounds = 4;

}  // namespace

Machine::Machine(const lower::LoweredKernel& kernel, const Program& program, const Options& options, Result& result)
    : kernel_(kernel), program_(program), options_(options), result_(result) {
  if (options.timeline) timeline_ = std::make_unique<Timeline>(result.timeline, options.timeline);
  if (!options.races) return;
  search_for_hazards(std::make_shared<History>());
}

void Machine::search_for_hazards(std::shared_ptr<History> history) {
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
      grid_(first.grid_),
      block_(first.block_),
      cluster_(first.cluster_),
      block_threads_(first.block_threads_),
      group_ctas_(first.group_ctas_),
      global_numbers_(first.global_numbers_),
      blocks_(first.blocks_.begin(), first.blocks_.begin() + static_cast<std::ptrdiff_t>(first.first_shared_)),
      register_image_(first.register_image_),
      watched_(first.watched_.begin(), first.watched_.begin() + static_cast<std::ptrdiff_t>(first.first_shared_)),
      by_kernel_(first.by_kernel_) {
  if (first.blame_) blame_ = std::make_unique<Blame>(*first.blame_);
  if (options.timeline) timeline_ = std::make_unique<Timeline>(result.timeline, options.timeline);
  if (first.hazards_) search_for_hazards(std::move(history));
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
  return is_kind && a.code == b.code && !a.related.empty() && !b.related.empty() &&
         ir::same_origin(a.related[0].origin, b.related[0].origin);
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

std::array<std::int64_t, 3> Machine::cta_of(const Thread& t) const {
  std::array<std::int64_t, 3> out = current_cta_;
  std::int64_t rest = t.cta;
  for (std::size_t d = 0; d < 3; ++d) {
    out[d] += rest % cluster_[d];
    rest /= cluster_[d];
  }
  return out;
}

std::optional<std::int64_t> Machine::evaluate(Expr e) const {
  if (!e) return 1;
  Expr known = substitute(e, [&](const Var* v) {
    auto found = values_.find(v);
    return found == values_.end() || !v->dtype.is_integral()
               ? Expr()
               : int_imm(v->dtype, static_cast<std::int64_t>(found->second));
  });
  known = simplify(known);
  const std::int64_t* value = constant(known);
  return value ? std::optional(*value) : std::nullopt;
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
  auto product = [](const std::array<std::int64_t, 3>& n, std::int64_t most) {
    std::int64_t all = 1;
    for (std::int64_t e : n) all = e < 1 || e > most ? most + 1 : std::min(most + 1, all * e);
    return all;
  };
  std::string why;
  if (product(block_, 1024) > 1024) why = "a CTA of more than 1024 threads";
  if (product(cluster_, 16) > 16) why = "a cluster of more than 16 CTAs";
  for (std::size_t d = 0; d < 3 && why.empty(); ++d) {
    if (grid_[d] < 0 || grid_[d] > INT32_MAX) why = "a grid of " + std::to_string(grid_[d]) + " CTAs";
    if (grid_[d] % cluster_[d] != 0)
      why = std::to_string(grid_[d]) + " CTAs in clusters of " + std::to_string(cluster_[d]);
  }
  const std::int64_t memory = kernel_.plan.static_shared_bytes + kernel_.plan.dynamic_shared_bytes;
  if (const std::int64_t limit = ir::shared_memory_limit(kernel_.kernel->target); memory > limit)
    why = std::to_string(memory) + " bytes of shared memory for a CTA, and " + kernel_.kernel->target.name() + " has " +
          std::to_string(limit);
  if (!why.empty()) {
    finding(code::kLaunch, Severity::Error, "the launch has " + why, nullptr, origin);
    return false;
  }
  std::int64_t ctas = product(cluster_, 16), each = 0, threads = 0, shared = 0;
  for (const Storage& s : program_.shared) shared += s.bytes;
  bool countable = !__builtin_mul_overflow(program_.frame_bytes, options_.trace ? 6 : 2, &each) &&
                   !__builtin_add_overflow(each, std::int64_t{program_.registers} * 16, &each) &&
                   !__builtin_mul_overflow(each, product(block_, 1024) * ctas, &threads);
  group_bytes_ = countable ? threads + shared * ctas : INT64_MAX;
  return afford(countable ? threads : INT64_MAX, origin) && afford(shared * ctas, origin);
}

std::uint32_t Machine::put(const Block& block, std::uint32_t place, bool written) {
  if (place == 0) {
    place = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
    watched_.emplace_back();
  }
  blocks_[place] = block;
  watched_[place] = written;
  return place;
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
  blocks_.resize(std::size_t{1} + wanted);
  watched_.resize(blocks_.size());
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
        auto value = evaluate(extent);
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
    global_numbers_.push_back(put(*block, tensor ? tensor->place : 0, !storage.is_map && (!tensor || tensor->written)));
    if (tensor && tensor->by_kernel) by_kernel_.insert(global_numbers_.back());
    globals_.push_back(std::move(block));
    for (std::size_t i = 0; i < options_.blame.size() && !storage.is_map; ++i) {
      const auto& [name, byte] = options_.blame[i];
      if (name != storage.name || byte < 0 || byte >= bytes) continue;
      if (!blame_) blame_ = std::make_unique<Blame>();
      blame_->ask(i, pointer_to(global_numbers_.back(), byte));
    }
  }
  // What only pointers and tensor maps lead to.
  for (const auto* tensors : {&inputs.tensors, &inputs.others}) {
    for (const auto& [name, tensor] : *tensors) {
      const std::int64_t bytes = size_of(tensor);
      if (placed.contains(&tensor)) continue;
      if (!tensor.made_up && !afford(bytes, whole)) return false;
      others_.push_back(filled(name, bytes, &tensor));
      put(*others_.back(), tensor.place, tensor.written);
    }
  }
  return true;
}

void Machine::place_shared() {
  first_shared_ = blocks_.size();
  const std::vector<std::int64_t> places = window_places(program_.shared, kernel_.shared);
  for (std::uint32_t cta = 0; cta < group_ctas_; ++cta) {
    for (std::size_t i = 0; i < program_.shared.size(); ++i) {
      const Storage& storage = program_.shared[i];
      shared_.push_back(std::make_unique<OwnedBlock>(storage.name, storage.bytes, options_.trace));
      shared_.back()->base = places[i];
      blocks_.push_back(*shared_.back());
      watched_.push_back(1);
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
    auto [known, added] = values_.try_emplace(binding.var, static_cast<std::uint64_t>(extent));
    if (!added && known->second != static_cast<std::uint64_t>(extent))
      missing("the tensors disagree about the extent `" + std::string(binding.var->name) + "`");
  }
  for (const auto& [name, value] : inputs.scalars) {
    for (const Param& param : kernel_.kernel->params)
      if (param.var && param.var->name == name) values_[param.var] = scalar_bits(param.var->dtype, value);
    for (const lower::KernelParam& param : kernel_.plan.params)
      if (param.kind == lower::ParamKind::Scalar && param.var->name == name)
        values_[param.var] = scalar_bits(param.dtype, value);
  }
  walk_stmts(kernel_.host, [&](const Stmt* s) {
    if (const Bind* bind = as<Bind>(s))
      if (auto value = evaluate(bind->value)) values_[bind->var] = static_cast<std::uint64_t>(*value);
    return true;
  });
  const scope::Launch& launch = kernel_.plan.launch;
  for (std::size_t d = 0; d < 3; ++d) {
    auto grid = evaluate(launch.grid[d]), block = evaluate(launch.block[d]), cluster = evaluate(launch.cluster[d]);
    if (!grid || !block || !cluster) {
      missing("the launch extents depend on values that were not given");
      return false;
    }
    grid_[d] = *grid;
    block_[d] = *block;
    cluster_[d] = std::max<std::int64_t>(1, *cluster);
  }
  if (!check_launch(whole)) return false;
  block_threads_ = static_cast<std::uint32_t>(block_[0] * block_[1] * block_[2]);
  group_ctas_ = static_cast<std::uint32_t>(cluster_[0] * cluster_[1] * cluster_[2]);

  if (!place_tensors(inputs, missing)) return false;
  if (good) good = encode_tensor_maps();
  if (options_.trace) {
    std::uint32_t next = 1;
    for (const auto& [name, tensor] : inputs.tensors) {
      if (!tensor.defined) continue;
      for (std::size_t i = 0; i < globals_.size(); ++i) {
        const Storage& storage = program_.globals[i];
        if (!(storage.tensor && storage.tensor->name == name) && storage.var->name != name) continue;
        for (std::size_t b = 0; b < tensor.bytes.size(); ++b)
          globals_[i]->origins[b] = next + static_cast<std::uint32_t>(b);
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
    auto value = values_.find(param.var);
    if (value == values_.end()) {
      missing("no value was given for `" + std::string(param.var->name) + "`");
    } else {
      register_image_[reg->second] = value->second;
    }
  }
  return good;
}

std::uint64_t Machine::clusters() const {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) all *= static_cast<std::uint64_t>(grid_[d] / cluster_[d]);
  return all;
}

// Clusters are numbered in the order of their CTAs, x first.
void Machine::begin(std::uint64_t cluster) {
  const std::array<std::int64_t, 3> first = first_cta_of(cluster);
  current_cta_ = first;
  std::size_t count = std::size_t{group_ctas_} * block_threads_;
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
  arrived_.assign(group_ctas_, {});
  for (auto& block : shared_) {
    std::ranges::fill(block->storage, std::byte{0});  // what was never written is the same in every cluster
    std::ranges::fill(block->shadow, 0);
    std::ranges::fill(block->origins, 0);
  }
  ended_.assign(group_ctas_, 0);
  cluster_phase_ = 0;
  engine_.start(count, options_.timing,
                options_.seed + static_cast<std::uint64_t>(first[0] + first[1] * 7 + first[2] * 49));
  warpgroups_.start(count, block_threads_);
  operations_ = 0;
  observers_.tell(&Observer::start_group, Group{.cluster = cluster,
                                                .threads = count,
                                                .ctas = group_ctas_,
                                                .warps = (block_threads_ + 31) / 32,
                                                .first_shared = first_shared_});
  barriers_.clear();
  tensor_memories_.clear();
  for (std::uint32_t cta = 0; cta < group_ctas_; ++cta) tensor_memories_.emplace_back(options_.trace);
  register_pools_.assign(group_ctas_, RegisterPool(block_threads_));
  idle_polls_ = 0;
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
    t.cta = static_cast<std::uint32_t>(n / block_threads_);
    t.linear = static_cast<std::uint32_t>(n % block_threads_);
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
      std::int64_t own = in_cluster % cluster_[d];
      in_cluster /= cluster_[d];
      set(t, kernel_.thread_idx[d], in_block % block_[d]);
      in_block /= block_[d];
      set(t, kernel_.block_idx[d], first[d] + own);
      set(t, kernel_.cta_in_cluster[d], own);
      set(t, kernel_.cluster_idx[d], first[d] / cluster_[d]);
    }
    set(t, kernel_.cta_rank_in_cluster, t.cta);
  }
}

// Lets the lanes of a warp run, and completes what they meet for, until all of them wait or have ended.
bool Machine::let_run(std::uint32_t cta, std::uint32_t warp) {
  std::span<Thread> block = cta_threads(cta);
  std::span<Thread> lanes = block.subspan(warp * 32, std::min<std::size_t>(32, block.size() - warp * 32));
  bool progress = false;
  do {
    for (Thread& t : lanes) {
      if (t.state != State::Ready) continue;
      budget_ = options_.max_steps - std::min(options_.max_steps, result_.steps);
      execute(t);
      progress |= !is_polling(t);
      if (stopped_) return true;
    }
    if (options_.stop.stop_requested()) {
      finding(code::kStepLimit, Severity::Incomplete, "stopped from outside", nullptr);
      stopped_ = true;
    }
    if (!stopped_ && !engine_.chance(*this)) stopped_ = true;
  } while (!stopped_ && complete_warp(cta, warp) && !stopped_);
  return progress;
}

bool Machine::is_polling(const Thread& t) const { return t.state == State::Ready && t.polls >= kPolls; }

bool Machine::polls(Thread& t, std::uint64_t pointer, std::uint64_t value) {
  if (t.polled_pc != t.pc || t.polled != pointer || t.polled_value != value) t.polls = 0;
  t.polled_pc = t.pc;
  t.polled = pointer;
  t.polled_value = value;
  return ++t.polls >= kPolls;
}

Machine::Pause Machine::go_on() {
  const Pause pause = run_on();
  if (timeline_ && (pause == Pause::Ended || pause == Pause::Stopped)) timeline_->end_group(now());
  return pause;
}

Machine::Pause Machine::run_on() {
  const std::uint32_t warps = (block_threads_ + 31) / 32, all = warps * group_ctas_;
  moved_ = at_grid_ = false;
  for (int idle = 0;;) {
    bool progress = false;
    // A rotated order, when it is drawn.
    const auto first = static_cast<std::uint32_t>(options_.timing == Timing::Random ? engine_.random(all) : 0);
    for (std::uint32_t n = 0; n < all; ++n) {
      const std::uint32_t warp = (n + first) % all;
      progress |= run_warp(warp / warps, warp % warps);
      if (stopped_) return Pause::Stopped;
    }
    for (std::uint32_t cta = 0; cta < group_ctas_; ++cta) {
      progress |= complete_cta(cta);
      if (!stopped_ && !ended_[cta]) leave_if_done(cta);
      if (stopped_) return Pause::Stopped;
    }
    progress |= complete_cluster();
    if (stopped_) return Pause::Stopped;
    // What happened beside the threads may have let a warp go on that had its turn.
    const bool polling = std::ranges::any_of(threads_, [&](const Thread& t) { return is_polling(t); });
    progress |=
        std::ranges::any_of(threads_, [&](const Thread& t) { return t.state == State::Ready && !is_polling(t); });
    moved_ |= progress;
    if (progress) continue;
    progress = engine_.step(*this);
    moved_ |= progress;
    if (stopped_) return Pause::Stopped;
    if (progress) continue;
    if (polling && ++idle >= kIdleRounds) return Pause::Polls;
    if (polling || release_pollers()) continue;
    if (std::ranges::all_of(threads_, [](const Thread& t) { return t.state == State::Done; })) {
      finish_group();
      return stopped_ ? Pause::Stopped : Pause::Ended;
    }
    at_grid_ = std::ranges::all_of(threads_, [&](const Thread& t) {
      return t.state == State::Done || (t.state == State::Waiting && site_of(t).kind == Site::Kind::GridSync);
    });
    if (at_grid_) return Pause::AtGrid;
    deadlock();
    return Pause::Stopped;
  }
}

const Thread* Machine::first_waiting() const {
  auto at = std::ranges::find_if(threads_, [&](const Thread& t) { return t.state == State::Waiting || is_polling(t); });
  return at == threads_.end() ? nullptr : &*at;
}

void Machine::leave_grid() {
  for (Thread& t : threads_)
    if (t.state == State::Waiting) release(t);
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
  observers_.tell(&Observer::end_cta, threads, first_shared_ + cta * program_.shared.size(), program_.shared.size());
  register_pools_[cta].end(*this, threads);
  if (!tensor_memories_[cta].any_allocated()) return;
  const TensorMemory::Left left = tensor_memories_[cta].left();
  Finding f;
  f.code = code::kTensorMemory;
  f.message = "the CTA ends and has not given back the " + std::to_string(left.columns) +
              " columns of tensor memory that it allocates here";
  f.hint = std::string("put {tmem_dealloc}(address, n_cols="_row_text) + std::to_string(left.columns) +
           std::string(") into the warp that allocated them, behind a {cta_sync}() at the kernel's end"_row_text);
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
    const Thread& owner = threads_[rank_of(pointer).value_or(0) * block_threads_];
    // An expectation of which nothing has come, and for whose phase nothing waits, does no harm.
    const bool unused = barrier.bytes > 0 && barrier.bytes == barrier.expected;
    finding(code::kBytes, unused ? Severity::Warning : Severity::Error,
            "at the end phase " + std::to_string(barrier.phase) + " of " + barrier.name + " " +
                (barrier.bytes > 0
                     ? "still expects " + std::to_string(barrier.bytes) + " bytes that nothing copies" +
                           (unused ? ", and nothing waits for it" : "")
                     : "received " + std::to_string(-barrier.bytes) + " bytes that expect_tx did not announce"),
            &owner, barrier.origin);
  }
}

std::array<std::int64_t, 3> Machine::first_cta_of(std::uint64_t cluster) const {
  std::array<std::int64_t, 3> first{};
  auto rest = static_cast<std::int64_t>(cluster);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t along = grid_[d] / cluster_[d];
    first[d] = rest % along * cluster_[d];
    rest /= along;
  }
  return first;
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
  std::vector<std::uint8_t> out(static_cast<std::size_t>(globals_[global]->size));
  hazards_->history()->memory.each_cell(
      [&](std::uint64_t block, std::int64_t offset, std::int64_t bytes, const Cell& cell) {
        if (block != global_numbers_[global] || cell.write.who == 0) return;
        for (std::int64_t b = offset; b < std::min(offset + bytes, globals_[global]->size); ++b)
          out[static_cast<std::size_t>(b)] = 1;
      });
  return out;
}

void Machine::finish() {
  if (hazards_) hazards_->take_causes();
  result_.finished = !stopped_;
  for (std::unique_ptr<OwnedBlock>& other : others_) {
    if (other->made_up) continue;
    Tensor tensor;
    tensor.bytes = std::move(other->storage);
    result_.tensors[std::string(other->name)] = std::move(tensor);
  }
  for (std::size_t i = 0; i < globals_.size(); ++i) {
    if (program_.globals[i].is_map || globals_[i]->made_up) continue;
    std::string name(program_.globals[i].name);
    Tensor tensor;
    tensor.bytes = std::move(globals_[i]->storage);
    tensor.defined = std::ranges::all_of(globals_[i]->shadow, [](std::uint8_t d) { return d != 0; });
    if (const Buffer* shape = program_.globals[i].tensor)
      for (Expr extent : shape->shape) tensor.shape.push_back(evaluate(extent).value_or(0));
    if (options_.trace) result_.traces[name] = std::move(globals_[i]->origins);
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

Result run(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options) {
  ScratchArena scratch;
  ArenaScope scope(scratch);
  Program program = compile(kernel);
  Result result;
  for (bool beside : {true, false}) {
    result = {};
    result.produced.resize(options.blame.size());
    Machine machine(kernel, program, options, result);
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
  put_causes_first(result.findings);
  for (Finding& f : result.findings) f.hint = intrinsics::say(f.hint, kernel.kernel->dialect);
  for (const Finding& f : result.findings) {
    Verdict v = f.severity == Severity::Error        ? Verdict::Error
                : f.severity == Severity::Incomplete ? Verdict::Incomplete
                                                     : Verdict::Review;
    result.verdict = std::max(result.verdict, v);
  }
  return result;
}

}  // namespace tilewright::simulate
