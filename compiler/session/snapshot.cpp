#include "compiler/session/snapshot.h"

#include <malloc.h>

#include <algorithm>

#include "compiler/script/dialect.h"
#include "compiler/script/much_memory.h"
#include "compiler/session/statement_symbols.h"

namespace tilewright::session {
namespace {

// Finds the kernels of the document's cache, except those that were made from `statement`: these are evaluated, so that
// the probe sees them, and not kept.
class ProbeMemo final : public script::KernelMemo {
 public:
  ProbeMemo(KernelCache& cache, const syntax::TopLevel& statement, const script::Probe& probe)
      : use_(cache), statement_(statement), probe_(probe) {}
  std::shared_ptr<script::KernelRecord> make() override { return use_.make(); }
  std::vector<std::shared_ptr<script::KernelRecord>> find(const text::Digest& key) override {
    auto found = use_.find(key);
    if (probe_.values.empty()) {
      std::erase_if(found, [&](const auto& record) {
        return std::ranges::any_of(record->statements, [&](const auto& s) { return s->digest == statement_.digest; });
      });
    }
    return found;
  }
  void keep(std::shared_ptr<script::KernelRecord>) override {}

 private:
  KernelCache::Use use_;
  const syntax::TopLevel& statement_;
  const script::Probe& probe_;
};

// Evaluations of documents that take much memory, one at a time: several searches for configurations beside one another
// would hold hundreds of megabytes each. While it lives, an evaluation of this thread waits where it begins to take
// much, and has its turn until this ends. A stop ends the waiting.
class LargeTurn {
 public:
  explicit LargeTurn(const std::stop_token& stop) : reached_([this, &stop] { take(stop); }) {}
  ~LargeTurn() {
    if (!has_it_) return;
    std::lock_guard lock(mutex);
    taken = false;
    ended.notify_one();
  }
  LargeTurn(const LargeTurn&) = delete;
  LargeTurn& operator=(const LargeTurn&) = delete;

 private:
  void take(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    if (!ended.wait(lock, stop, [] { return !taken; })) return;
    has_it_ = taken = true;
    ::malloc_trim(0);  // what others left free goes back to the system first
  }

  static inline std::mutex mutex;
  static inline std::condition_variable_any ended;
  static inline bool taken = false;
  bool has_it_ = false;
  script::MuchMemory reached_;
};

}  // namespace

Snapshot::Snapshot(std::shared_ptr<const syntax::Tree> tree, std::int64_t version,
                   std::shared_ptr<const Settings> settings, std::shared_ptr<script::Loader> loader,
                   std::shared_ptr<KernelCache> cache, std::shared_ptr<KnownStatements> names,
                   std::shared_ptr<OrderVerdicts> orders)
    : tree_(std::move(tree)),
      version_(version),
      settings_(std::move(settings)),
      loader_(std::move(loader)),
      cache_(std::move(cache)),
      names_(std::move(names)),
      orders_(std::move(orders)) {}

const SymbolIndex& Snapshot::symbols() const {
  std::call_once(symbols_once_, [&] {
    symbols_ = index_symbols(tree_, names_.get());
    has_symbols_ = true;
  });
  return symbols_;
}

std::optional<Symbol> Snapshot::meaning(std::string_view name, std::uint32_t offset) const {
  auto look_up = [&](const SymbolIndex& index) -> std::optional<Symbol> {
    const Symbol* found = index.lookup(name, index.scope_at(offset));
    if (!found) return std::nullopt;
    Symbol out = *found;
    out.occurrences = {};
    return out;
  };
  return has_symbols_ ? look_up(symbols_) : look_up(index_symbols_around(tree_, offset, names_.get()));
}

std::shared_ptr<const syntax::Tree> Snapshot::import(std::string_view module, int level) const {
  return loader_ ? loader_->load(module, level, path()) : nullptr;
}

std::shared_ptr<const Analysis> Snapshot::analysed() const {
  std::lock_guard lock(mutex_);
  return analysis_;
}

std::shared_ptr<const Analysis> Snapshot::analyse(const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  // The one who runs it may be stopped while others still want it: then one of those takes over.
  if (!changed_.wait(lock, stop, [&] { return !running_ || analysis_; })) return nullptr;
  if (analysis_) return analysis_;
  if (stop.stop_requested()) return nullptr;
  running_ = true;
  lock.unlock();
  std::shared_ptr<const Analysis> made;
  try {
    made = run(stop, false);
  } catch (...) {
    lock.lock();
    running_ = false;
    changed_.notify_all();
    throw;
  }
  lock.lock();
  running_ = false;
  analysis_ = made;
  changed_.notify_all();
  return made;
}

NamedTargets Snapshot::targets() const {
  NamedTargets asked{{}, ArchitectureSource::Asked};
  for (const std::string& name : settings_->architectures) {
    auto target = ir::parse_target(name);
    if (target && std::ranges::find(asked.targets, *target) == asked.targets.end()) asked.targets.push_back(*target);
  }
  return asked.targets.empty() ? named_targets(*tree_, settings_->project_targets) : asked;
}

const script::Surface& Snapshot::surface() const {
  auto analysis = analysed();
  if (analysis) return script::surface_of(analysis->first().dialect);
  return script::surface_of(script::find_dialect(*tree_, {}, settings_->dialect_hints, loader_.get()).choice.dialect);
}

std::shared_ptr<const Analysis> Snapshot::analyse_all(const std::stop_token& stop) const {
  auto first = analyse(stop);
  if (!first || first->others().empty()) return first;
  std::lock_guard lock(all_mutex_);
  if (!all_) all_ = run(stop, true);
  return all_;
}

bool Snapshot::judge_orders(const std::stop_token& stop) const {
  const auto before = analysed();
  if (!before || !before->order_assumed || orders_judged_) return false;
  auto judged = run(stop, false, true);
  if (!judged) return false;
  orders_judged_ = true;
  if (std::ranges::none_of(judged->compiled, [](const Compiled& c) { return c.evaluation->order_matters; }))
    return false;
  std::lock_guard lock(mutex_);
  analysis_ = std::move(judged);
  return true;
}

std::shared_ptr<const Analysis> Snapshot::run(const std::stop_token& stop, bool all_entries, bool judges) const {
  auto analysis = std::make_shared<Analysis>();
  text::Context context;
  context.stop = stop;
  context.limits = settings_->limits;
  // Other documents hold memory, too; a search for configurations may take all that it may have.
  if (!all_entries) context.limits.memory_bytes -= context.limits.memory_bytes / 4;
  KernelCache::Use use(*cache_);
  CompileOptions options;
  options.dialect_hints = settings_->dialect_hints;
  options.entries = settings_->entries;
  options.deny_fallback = settings_->deny_fallback;
  options.cache = &use;
  options.all_entries = all_entries;
  const NamedTargets named = targets();
  options.architecture_source = named.source;
  for (ir::Target target : named.targets) {
    const LargeTurn turn(stop);  // until the values of the evaluation are forgotten
    options.target = target;
    // One that matters is an error, which must go with its cause.
    options.order_matters = {};
    if (orders_ && !judges && orders_->find(target.name()) == false) options.order_matters = false;
    Compiled& c = analysis->compiled.emplace_back(compile(tree_, loader_.get(), context, options));
    if (c.stopped) return nullptr;
    if (c.evaluation->walks_drawn_set && options.order_matters) analysis->order_assumed = true;
    if (c.evaluation->walks_drawn_set && !options.order_matters && orders_)
      orders_->keep(target.name(), c.evaluation->order_matters);
    if (settings_->severity) settings_->severity(c.diagnostics);
  }
  use.finish();
  analysis->kernels_made = use.made();
  analysis->kernels_reused = use.reused();
  analysis->findings = session::findings(analysis->compiled, source().path());
  return analysis;
}

std::shared_ptr<const Snapshot> Snapshot::after(std::uint32_t begin, std::uint32_t end, std::string_view text) const {
  const text::Edit edit{begin, end, begin + static_cast<std::uint32_t>(text.size())};
  auto tree = syntax::Tree::reparse(*tree_, std::make_shared<text::Source>(source(), begin, end, text), edit);
  return std::make_shared<Snapshot>(std::move(tree), version_, settings_, loader_, cache_, names_);
}

std::unique_ptr<Probed> Snapshot::probe(const syntax::Node* node, const syntax::TopLevel& statement,
                                        std::stop_token stop) const {
  auto made = std::make_unique<Probed>();
  made->probe.node = node;
  text::Context context;
  context.stop = std::move(stop);
  context.limits = settings_->limits;
  context.limits.memory_bytes /= 4;  // beside the analysis, whose objects are kept
  ProbeMemo memo(*cache_, statement, made->probe);
  script::EvaluateOptions options;
  const NamedTargets named = targets();
  options.target = named.targets.front();
  options.find_target = named.source == ArchitectureSource::Default;
  options.dialect_hints = settings_->dialect_hints;
  options.entries = settings_->entries;
  options.all_entries = false;
  options.memo = &memo;
  options.probe = &made->probe;
  options.order_matters = false;  // of a value that is looked at nothing of the kind is said
  made->evaluation = script::evaluate(tree_, loader_.get(), context, options);
  return made;
}

}  // namespace tilewright::session
