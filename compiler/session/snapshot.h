// One version of one document, and what is known of it.
//
// A snapshot never changes: an edit makes another one, which shares the statements whose text is the same and, through
// the document's cache, the kernels that came out the same. A holder of a snapshot may ask it from any thread while
// the document goes on; its analysis is made once, by the first who asks, and the others wait for that one.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/script/probe.h"
#include "compiler/script/surface.h"
#include "compiler/session/compile.h"
#include "compiler/session/findings.h"
#include "compiler/session/order_verdicts.h"
#include "compiler/session/symbols.h"

namespace tilewright::session {

// What the analysis of a document depends on besides its text. Immutable; a change of settings is another object.
struct Settings {
  text::Limits limits;
  std::optional<script::DialectHints> dialect_hints;  // what stands around scripts that do not say their release
  std::vector<std::string> architectures;             // asked for; empty: as the script and the project say
  std::vector<ir::Target> project_targets;            // of scripts that do not say; empty: none
  std::vector<std::string> entries;                   // empty: all that are found
  bool deny_fallback = false;
  // Changes severities and removes what is switched off. May be empty.
  std::function<void(std::vector<text::Diagnostic>&)> severity;
};

struct Analysis {
  std::vector<Compiled> compiled;  // one an architecture; never empty
  std::vector<Finding> findings;   // each cause once, in the order of the text
  std::size_t kernels_made = 0, kernels_reused = 0;
  bool order_assumed = false;  // that no order of a set matters is taken from an earlier text of the document
  const Compiled& first() const { return compiled.front(); }
  // Entries that were left out: of a list of arguments for one factory only the first is looked at while one types.
  const std::vector<script::Entry>& others() const { return first().evaluation->other_entries; }
};

// What an expression of the document was while it was evaluated. Values live as long as this does.
struct Probed {
  std::unique_ptr<script::Evaluation> evaluation;
  script::Probe probe;
};

class Snapshot {
 public:
  Snapshot(std::shared_ptr<const syntax::Tree> tree, std::int64_t version, std::shared_ptr<const Settings> settings,
           std::shared_ptr<script::Loader> loader, std::shared_ptr<KernelCache> cache,
           std::shared_ptr<KnownStatements> names = nullptr, std::shared_ptr<OrderVerdicts> orders = nullptr);

  const std::shared_ptr<const syntax::Tree>& tree() const { return tree_; }
  const text::Source& source() const { return *tree_->source(); }
  const std::string& path() const { return source().path(); }
  std::int64_t version() const { return version_; }
  const std::shared_ptr<const Settings>& settings() const { return settings_; }

  // Null only when `stop` was requested before it was there.
  std::shared_ptr<const Analysis> analyse(const std::stop_token& stop) const;
  // Finds out what the analysis has assumed of the order of sets (Analysis::order_assumed). True if that was wrong:
  // `analyse` has another analysis from then on.
  bool judge_orders(const std::stop_token& stop) const;
  // With the entries that `analyse` leaves out (Analysis::others), for who asks for one of them. Made by the first who
  // does. Null as above.
  std::shared_ptr<const Analysis> analyse_all(const std::stop_token& stop) const;
  // The analysis if it is there already, else null: for features that would rather say little than wait.
  std::shared_ptr<const Analysis> analysed() const;

  // The names that it may use: those of its release as far as that is known, else of what the settings say.
  const script::Surface& surface() const;
  // What its names stand for; made by the first who asks.
  const SymbolIndex& symbols() const;
  // What a name would mean at a place, without its occurrences; for who asks after this one. None: nothing.
  std::optional<Symbol> meaning(std::string_view name, std::uint32_t offset) const;
  // The script that an import of this one finds. Null: it is none of ours.
  std::shared_ptr<const syntax::Tree> import(std::string_view module, int level) const;
  // The document as it would be after one edit, which was not made: bytes [begin, end) become `text`. It shares all
  // that a snapshot shares, so that trying an edit costs what making it would.
  std::shared_ptr<const Snapshot> after(std::uint32_t begin, std::uint32_t end, std::string_view text) const;
  // Evaluates the document once more, for its first architecture, and watches one expression of it. Kernels that do not
  // use the top-level statement which holds `node` come from the cache, so that it costs about one kernel. `values` is
  // empty where nothing evaluates the expression.
  std::unique_ptr<Probed> probe(const syntax::Node* node, const syntax::TopLevel& statement,
                                std::stop_token stop) const;

 private:
  NamedTargets targets() const;
  // `judges`: what an order of a set decides is found out now.
  std::shared_ptr<const Analysis> run(const std::stop_token& stop, bool all_entries, bool judges = false) const;

  std::shared_ptr<const syntax::Tree> tree_;
  std::int64_t version_;
  std::shared_ptr<const Settings> settings_;
  std::shared_ptr<script::Loader> loader_;
  std::shared_ptr<KernelCache> cache_;
  std::shared_ptr<KnownStatements> names_;  // of the document; may be null
  std::shared_ptr<OrderVerdicts> orders_;   // of the document; null: each analysis finds out
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  mutable bool running_ = false;
  mutable std::shared_ptr<const Analysis> analysis_;
  mutable std::atomic<bool> orders_judged_ = false;
  mutable std::mutex all_mutex_;
  mutable std::shared_ptr<const Analysis> all_;
  mutable std::once_flag symbols_once_;
  mutable std::atomic<bool> has_symbols_ = false;
  mutable SymbolIndex symbols_;
};

}  // namespace tilewright::session
