#include "server/work/run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <future>

#include "compiler/run/simulated_executor.h"
#include "compiler/session/run_comments.h"
#include "compiler/session/silence.h"
#include "compiler/simulate/profile/details.h"
#include "compiler/text/escape.h"
#include "compiler/toolchain/toolchain.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/opened.h"
#include "server/work/compiler_notes.h"
#include "server/work/executors.h"
#include "server/work/known_references.h"
#include "server/work/machine_accesses.h"
#include "server/work/marks.h"
#include "server/work/python_reference.h"
#include "server/work/run_source.h"
#include "server/work/runnables.h"

namespace tilewright::work {
namespace {

using End = RunAnswer::End;

class Run {
 public:
  Run(const project::LoadedFile& file, const RunRequest& request, run::Executor& executor, std::stop_token stop,
      const std::function<void(const std::string&)>& progress)
      : file_(file),
        request_(request),
        executor_(executor),
        stop_(std::move(stop)),
        progress_(progress),
        wanted_(request.wanted) {}

  RunAnswer answer() {
    try {
      find_device();
      compile();
      experiment();
    } catch (const Ended& e) {
      answer_.end = e.end;
      answer_.failure = e.failure;
    }
    return std::move(answer_);
  }

 private:
  struct Ended {
    End end;
    run::Failure failure{};
  };
  [[noreturn]] static void unusable(std::string message, std::string hint = {}) {
    throw Ended{End::Unusable, {std::move(message), std::move(hint)}};
  }
  void stop_here() const {
    if (stop_.stop_requested()) throw Ended{End::Stopped};
  }
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }

  [[noreturn]] void no_device(const std::string& why) const {
    if (executor_.place().empty()) throw Ended{End::NoDevice, no_gpu(why)};
    throw Ended{End::NoDevice, {executor_.place() + ": " + why, "`tilewright remotes` shows what each remote has"}};
  }

  void find_device() {
    auto device = executor_.device(stop_);
    stop_here();
    if (!device) no_device(device.error());
    device_ = *device;
    if (executor_.runs_cubins() || !request_.arch.empty()) {
      arch_ = request_.arch.empty() ? device->arch() : request_.arch;
      auto target = ir::parse_target(arch_);
      if (!target) unusable("unknown architecture '" + arch_ + "'", "for example sm_80, sm_90a, sm_100a");
      named_ = {{*target}, session::ArchitectureSource::Asked};
    } else {
      named_ = project::one_architecture(file_);
    }
    if (!executor_.runs_cubins() && !request_.cubins.empty())
      unusable("the simulator executes the script, not compiled kernels", "leave out --cubin, or run --on gpu");
  }

  void compile() {
    const std::vector<RunDirective> comments = run_comments(file_);
    if (request_.comment) {
      for (const RunDirective& c : comments)
        if (c.directive->offset == *request_.comment) comment_ = c;
    } else if (request_.entry.empty() && comments.size() == 1) {
      comment_ = comments.front();
    }
    std::string entry = request_.entry;
    if (entry.empty() && comment_.directive) entry = entry_of(comment_.run);
    if (entry.empty() && !comment_.directive) entry = text_of_comment(file_, kSequence);
    std::vector<std::string> parts = kernels_in_turn(entry);
    answer_.compiled = project::compile(file_, project::options_for(named_, parts), stop_);
    stop_here();
    const auto& all = answer_.compiled.kernels;
    if (parts.size() > 1) {
      for (const std::string& part : parts) {
        auto found = std::ranges::find_if(all, [&](const auto& k) { return k.entry->expression == part; });
        if (found == all.end()) {
          if (answer_.compiled.has_errors()) errors(parts);
          unusable(part + " yields no kernel");
        }
        kernels_.push_back(&*found);
      }
    } else {
      kernels_ = kernels_of_one_entry(parts);
    }
    for (const session::CompiledKernel* k : kernels_)
      if (!k->cuda) errors(parts);
    arch_ = kernels_.back()->target.name();
    if (!comment_.directive) find_comment(comments, entry);
    take_comment();
  }

  // What the comment names, where that is an expression and not a function that others call.
  static std::string entry_of(const syntax::RunComment& comment) {
    const bool names_kernels = comment.kernels().size() > 1 || comment.entry.find('(') != comment.entry.npos;
    return names_kernels ? std::string(comment.entry) : std::string();
  }

  std::vector<const session::CompiledKernel*> spoken_of(const RunDirective& comment) const {
    return session::kernels_of(*comment.directive, comment.run, answer_.compiled.kernels, *file_.tree,
                               answer_.compiled.evaluation->anchors);
  }

  // The comment that speaks of the kernels: by their entry before by the function's name before by its place.
  void find_comment(const std::vector<RunDirective>& comments, const std::string& entry) {
    int best = 3, found = 0;
    for (const RunDirective& c : comments) {
      const auto kernels = spoken_of(c);
      if (kernels.empty() || !std::ranges::is_permutation(kernels, kernels_)) continue;
      const int rank = c.run.entry.empty() ? 2 : session::same_entry(c.run.entry, entry) ? 0 : 1;
      if (rank > best) continue;
      found = rank == best ? found + 1 : 1;
      if (rank < best) {
        best = rank;
        comment_ = c;
      }
    }
    if (found > 1)
      notes_.push_back(std::to_string(found) + " comments speak of this entry: the first was followed; --entry all " +
                       "runs each of them");
  }

  // What the comment says and the request does not.
  void take_comment() {
    wanted_.seed = request_.seed.value_or(1);
    session::RunSettings settings;
    if (comment_.directive) {
      std::vector<session::MisreadWord> wrong;
      settings = session::read_run_comment(comment_.run, wrong);
      std::vector<const ir::Kernel*> values;
      for (const session::CompiledKernel* k : kernels_) values.push_back(&k->value->kernel);
      session::check_run_names(settings, values, wrong);
      if (!wrong.empty()) {
        const auto line = file_.source->position(comment_.directive->offset).line + 1;
        const session::MisreadWord& w = wrong.front();
        unusable(file_.source->path() + ":" + std::to_string(line) + ": " + w.message,
                 w.meant.empty() ? w.hint : "did you mean " + w.meant + "?");
      }
      for (const auto& c : settings.given) given(c, values);
      for (const auto& u : settings.unordered)
        wanted_.unordered.emplace(u.name, run::Unordered{std::string(u.from), std::string(u.to)});
      for (const auto& c : settings.expected) {
        const std::string name(c.name);
        if (wanted_.expected.contains(name) || wanted_.expected_fills.contains(name)) continue;
        contents(c, wanted_.expected, wanted_.expected_fills);
      }
    }
    const bool drawn = request_.secret_seed || (!request_.seed && settings.secret_seed);
    if (settings.seed && !request_.seed) wanted_.seed = *settings.seed;
    if (drawn) wanted_.seed = drawn_seed();
    secret_ = drawn;
    if (!wanted_.relative) wanted_.relative = settings.relative;
    if (!wanted_.absolute) wanted_.absolute = settings.absolute;
    auto number = [](const std::optional<int>& asked, const std::optional<int>& said, int usual) {
      return asked ? *asked : said.value_or(usual);
    };
    constexpr int kPairs = 30;  // enough to see a difference of a part in a hundred
    wanted_.repeats = number(request_.repeats, settings.repeats, request_.against.empty() ? wanted_.repeats : kPairs);
    wanted_.warmups = number(request_.warmups, settings.warmups, wanted_.warmups);
    wanted_.schedules = number(request_.schedules, settings.schedules, wanted_.schedules);
    reference_ = request_.reference;
    if (reference_.empty()) reference_ = with_arguments(settings.reference, kernels_.back()->entry->expression);
    if (reference_.empty())
      reference_ = reference_comment(file_, *kernels_.back(), answer_.compiled.evaluation->anchors);
    if (reference_ == "none") {
      reference_.clear();
      wanted_.expected.clear();
      wanted_.expected_fills.clear();
    }
  }

  // 53 bits: every reader of JSON keeps them.
  static std::uint64_t drawn_seed() { return (project::random_bits() >> 11) | 1; }

  void given(const session::RunSettings::Contents& c, std::span<const ir::Kernel* const> kernels) {
    const std::string name(c.name);
    if (wanted_.inputs.contains(name) || wanted_.fills.contains(name) || wanted_.values.contains(name)) return;
    const bool tensor = std::ranges::any_of(kernels, [&](const ir::Kernel* k) {
      return std::ranges::any_of(k->params, [&](const ir::Param& p) {
        return p.buffer ? p.buffer->name == name : p.var && p.var->dtype.is_handle() && p.var->name == name;
      });
    });
    if (!tensor && c.number) {
      wanted_.values.emplace(name, *c.number);
    } else {
      contents(c, wanted_.inputs, wanted_.fills);
    }
  }

  // Files of a comment lie beside its script.
  template <class Arrays, class Fills>
  void contents(const session::RunSettings::Contents& c, Arrays& arrays, Fills& fills) {
    const std::string name(c.name);
    if (c.file.empty()) {
      fills.emplace(name, c.fill);
      return;
    }
    const auto file = project::file_below(project::import_root(file_.place), file_.place.parent_path(), c.file);
    if (!file) unusable(file.error(), "--input " + name + "=FILE.npy names any file");
    auto array = given_array((std::filesystem::path(file_.source->path()).parent_path() / c.file).string());
    if (!array) unusable(array.error());
    arrays.emplace(name, std::move(*array));
  }

  // The script has errors, for the architecture of the device. Where it has none for the one that it is written for,
  // the device is what lacks something.
  [[noreturn]] void errors(const std::vector<std::string>& parts) const {
    if (!executor_.runs_cubins() || !request_.arch.empty()) throw Ended{End::Errors};
    const session::NamedTargets named = project::one_architecture(file_);
    const session::Compiled own = project::compile(file_, project::options_for(named, parts), stop_);
    stop_here();
    const session::CompiledKernel* other = nullptr;
    for (const session::CompiledKernel& k : own.kernels)
      if (k.target.name() != arch_) other = &k;
    if (own.has_errors() || !other) throw Ended{End::Errors};
    const bool by_comment = named.source == session::ArchitectureSource::Comment;
    throw Ended{End::Skipped,
                {"needs " + session::architecture_words(*other, own.evaluation->anchors) +
                     (by_comment ? ", as its comment says" : "") + "; the device has " + arch_,
                 "run it on a device of that architecture, or --on sim"}};
  }

  // The kernels that one entry yields run in the order in which it does, as those of a library's get_kernel() that
  // returns the launches of one computation.
  std::vector<const session::CompiledKernel*> kernels_of_one_entry(const std::vector<std::string>& parts) {
    const bool any = parts.empty();
    std::vector<const session::CompiledKernel*> found;
    std::string names;
    const bool by_comment = any && comment_.directive;
    const auto spoken = by_comment ? spoken_of(comment_) : std::vector<const session::CompiledKernel*>();
    for (const session::CompiledKernel& k : answer_.compiled.kernels) {
      if (by_comment ? std::ranges::find(spoken, &k) == spoken.end()
                     : any && named_by_comment(file_, k.entry->expression))
        continue;
      found.push_back(&k);
      if (found.size() == 1 || found[found.size() - 2]->entry != k.entry)
        names += "\n    --entry '" + text::visible(k.entry->expression) + "'";
    }
    if (found.empty()) {
      if (answer_.compiled.has_errors()) errors(parts);
      const auto reference = std::ranges::find_if(answer_.compiled.kernels, [&](const session::CompiledKernel& k) {
        return named_by_comment(file_, k.entry->expression);
      });
      if (any && !by_comment && reference != answer_.compiled.kernels.end()) {
        const run::Failure why = only_references(file_, reference->entry->expression);
        unusable(why.message, why.hint);
      }
      unusable(file_.source->path() + " has no kernel to run",
               "name one with --entry EXPR; `tilewright entries FILE` lists them");
    }
    const script::Entry* entry = found.front()->entry;
    if (!std::ranges::all_of(found, [&](const session::CompiledKernel* k) { return k->entry == entry; }))
      unusable("there are several kernels; choose one:" + names);
    share_entry_ = found.size() > 1;
    if (share_entry_)
      notes_.push_back(text::visible(entry->expression) + " makes " + std::to_string(found.size()) +
                       " kernels, which run in this order on the same tensors; --entry '" +
                       text::visible(entry->expression) + "[0]' is the first alone");
    return found;
  }

  std::expected<std::string, run::Failure> cubin_of(const session::CompiledKernel& kernel) {
    auto made = made_of(kernel, false);
    if (!made) return std::unexpected(std::move(made.error()));
    return std::move(made->cubin);
  }

  // `text`: what is compiled in the place of the kernel's CUDA text; null: that.
  std::expected<toolchain::Artifacts, run::Failure> made_of(const session::CompiledKernel& kernel, bool sass,
                                                            const std::string* text = nullptr) {
    if (!request_.tools && !tools_) tools_ = std::make_unique<toolchain::Toolchain>(project::toolchain_options());
    toolchain::Toolchain& tools = request_.tools ? *request_.tools : *tools_;
    toolchain::Request request;
    request.cuda_source = text ? *text : kernel.cuda->text;
    request.arch = arch_;
    request.want_ptx = false;
    request.want_sass = sass;
    request.stop = stop_;
    auto made = tools.compile(request);
    if (!made && made.error().kind == toolchain::Error::Kind::NoCuda) {
      // The side that executes may compile as well; what is said otherwise is about this machine.
      auto there = executor_.compile(request);
      if (there || there.error().kind != toolchain::Error::Kind::NoCuda) made = std::move(there);
    }
    if (made) return std::move(*made);
    bool none = made.error().kind == toolchain::Error::Kind::NoCuda;
    return std::unexpected(run::Failure{
        made.error().message,
        none ? "install CUDA and set CUDA_HOME, or give a compiled kernel with --cubin" : made.error().log});
  }

  void experiment() {
    std::vector<const lower::LoweredKernel*> lowered;
    std::string name, entry;
    for (const session::CompiledKernel* k : kernels_) {
      lowered.push_back(k->lowered.get());
      name += (name.empty() ? "" : " then ") + std::string(k->value->kernel.name);
      if (!share_entry_ || entry.empty()) entry += (entry.empty() ? "" : " then ") + k->entry->expression;
    }
    if (!request_.watches.empty()) add_watches(lowered);
    auto made = run::Experiment::set_up(lowered, wanted_, name);
    if (!made) unusable(made.error().message, made.error().hint);
    run::Experiment& e = *made;
    e.report.kernel = name;
    e.report.entry = entry;
    e.report.arch = arch_;
    e.report.device = device_;
    e.report.secret_seed = secret_;
    e.report.notes = notes_;
    e.report.bound.script = std::make_shared<RunSource>(file_, answer_.compiled, entries_of_kernels(), arch_);
    e.report.watches = watches_;
    e.report.watch_points = watch_points_;
    if (request_.room) answer_.room = request_.room(e.report.bound.job.host_bytes());
    stop_here();

    if (executor_.runs_cubins()) {
      // Contents are made up while NVIDIA's compiler works.
      tell("compiling " + entry);
      std::future<void> filled = std::async(std::launch::async, [&e] { e.fill(); });
      take_cubins(e.report.bound.job);
      filled.get();
    } else {
      e.fill();
      take_details(lowered);
    }
    if (!request_.against.empty()) add_rival(e, lowered);
    tell("running " + entry);
    e.execute(executor_, stop_);
    answer_.where = executor_.place();
    if (e.report.outcome.status == run::Status::Stopped) throw Ended{End::Stopped};
    if (e.report.outcome.status == run::Status::NoDriver) no_device(e.report.outcome.message);
    if (wanted_.samples && e.report.outcome.status == run::Status::Done && !e.report.outcome.samples)
      e.report.outcome.samples.emplace().absent = executor_.place() + " is an older release, which takes none";
    if (e.report.outcome.status == run::Status::Done) compare(e);
    silence(e.report);
    e.judge();
    for (std::vector<std::string>* all : {&e.report.problems, &e.report.rival_problems})
      all->insert(all->end(), rival_problems_.begin(), rival_problems_.end());
    answer_.report = std::move(e.report);
    if (!answer_.marked.empty() && answer_.report.outcome.status == run::Status::Done)
      answer_.report.outcome.timeline = marks_of(answer_).timeline;
  }

  // Takes out what the script's comments and settings silence, and gives the rest the severity that they say.
  void silence(run::Report& report) const {
    const text::Anchors& anchors = answer_.compiled.evaluation->anchors;
    std::vector<simulate::Finding> kept;
    for (simulate::Finding& f : report.outcome.findings) {
      auto reason = session::reason_for(*file_.tree, run::diagnostic_of(f, anchors), anchors);
      const auto set = file_.config.severity.find(f.code);
      const bool is_set = set != file_.config.severity.end() && f.severity != simulate::Severity::Incomplete;
      if (!reason && is_set && !set->second) reason = "[severity] of " + file_.config.file.filename().string();
      if (f.severity == simulate::Severity::Incomplete) reason.reset();  // no finding, but the end of the run
      if (reason) {
        report.silenced.push_back({std::move(f), std::move(*reason)});
        continue;
      }
      if (is_set)
        f.severity = *set->second == text::Severity::Error ? simulate::Severity::Error : simulate::Severity::Warning;
      kept.push_back(std::move(f));
    }
    report.outcome.findings = std::move(kept);
  }

  // Puts the watches into the kernels that are executed. A watch speaks of the kernel in which its line is.
  void add_watches(std::vector<const lower::LoweredKernel*>& lowered) {
    if (executor_.runs_cubins()) unusable("only the simulator shows what a watch asks for", "run it with --on sim");
    const text::Anchors& anchors = answer_.compiled.evaluation->anchors;
    auto line_of = [&anchors, this](const text::Span& span) {
      const text::Anchors::Place at = anchors.resolve(span);
      return at.source == file_.source.get() ? static_cast<int>(at.source->position(at.begin).line) + 1 : 0;
    };
    std::vector<simulate::Watch> asked;
    for (const std::string& text : request_.watches) {
      const std::size_t sign = text.rfind('@');
      auto line = run::parse_number(sign == text.npos ? std::string_view() : std::string_view(text).substr(sign + 1));
      if (!line || line->real || line->integer < 1 || sign == 0)
        unusable("--watch " + text + ": write EXPRESSION@LINE", "for example --watch 'smem[3, 0:8]@14'");
      const int number = static_cast<int>(line->integer);
      watches_.push_back({text.substr(0, sign), number});
      asked.push_back({watches_.back().expression, [=](const ir::Origin& origin) {
                         if (line_of(origin.span) == number) return true;
                         for (const ir::CallSite* site = origin.chain; site; site = site->outer)
                           if (line_of(site->span) == number) return true;
                         return false;
                       }});
    }
    watched_.reserve(lowered.size());
    std::vector<bool> placed(asked.size());
    std::string why;
    for (const lower::LoweredKernel*& kernel : lowered) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        auto one = simulate::with_watches(*kernel, std::span(asked).subspan(i, 1), watch_points_.size());
        if (!one) {
          why = one.error();
          continue;
        }
        placed[i] = true;
        for (simulate::WatchPoint& p : one->points) {
          p.watch = i;
          watch_points_.push_back(std::move(p));
        }
        watched_.push_back(std::make_unique<lower::LoweredKernel>(std::move(one->kernel)));
        kernel = watched_.back().get();
      }
    }
    if (std::ranges::find(placed, false) != placed.end()) unusable("--watch " + why);
  }

  // What is timed beside the kernels is verified first, by an experiment of its own.
  void add_rival(run::Experiment& e, std::vector<const lower::LoweredKernel*> lowered) {
    if (!executor_.runs_cubins())
      unusable("the simulator does not measure times, so there is nothing to hold against " + request_.against,
               "run it on a GPU, with --on gpu");
    std::vector<std::string> cubins;
    if (request_.against.ends_with(".cubin")) {
      if (lowered.size() != 1) unusable("one compiled form stands for one kernel, not for several in turn");
      auto cubin = project::read_file(request_.against, std::uintmax_t{1} << 30);
      if (!cubin) unusable(cubin.error());
      cubins.push_back(std::move(*cubin));
    } else {
      const std::vector<std::string> parts = kernels_in_turn(request_.against);
      answer_.rival = project::compile(file_, project::options_for(named_, parts), stop_);
      stop_here();
      lowered.clear();
      for (const session::CompiledKernel& k : answer_.rival.kernels) {
        if (!k.cuda) unusable(request_.against + " has errors", "`tilewright check` lists them");
        tell("compiling " + k.entry->expression);
        auto cubin = cubin_of(k);
        stop_here();
        if (!cubin) unusable(cubin.error().message, cubin.error().hint);
        lowered.push_back(k.lowered.get());
        cubins.push_back(std::move(*cubin));
      }
      if (lowered.size() != parts.size()) unusable(request_.against + " does not yield one kernel");
    }
    run::Wanted wanted = wanted_;
    wanted.repeats = 0;
    wanted.samples = false;
    auto alone = run::Experiment::set_up(lowered, std::move(wanted), request_.against);
    if (!alone) unusable(alone.error().message, alone.error().hint);
    auto beside = e.set_rivals(lowered, request_.against);
    if (!beside) unusable(beside.error().message, beside.error().hint);
    for (std::size_t i = 0; i < cubins.size(); ++i)
      alone->report.bound.job.launches[i].cubin = e.report.bound.job.rivals[i].cubin = cubins[i];
    tell("verifying " + request_.against);
    alone->fill();
    alone->execute(executor_, stop_);
    stop_here();
    const bool done = alone->report.outcome.status == run::Status::Done;
    if (done && !reference_.empty() && alone->lacks_expectations()) compare_with_reference(*alone);
    alone->judge();
    for (const std::string& problem : alone->report.problems)
      rival_problems_.push_back(request_.against + ": " + problem);
    if (alone->report.outcome.status != run::Status::Done) e.report.bound.job.rivals.clear();
  }

  // An expression for each kernel.
  std::vector<std::string> entries_of_kernels() const {
    std::vector<std::string> out;
    for (const session::CompiledKernel* k : kernels_)
      out.push_back(k->entry->expression + (share_entry_ ? "[" + std::to_string(out.size()) + "]" : ""));
    return out;
  }

  // Makes room for what a profile finds, with what NVIDIA's compiler makes of the accesses that it counts.
  void take_details(const std::vector<const lower::LoweredKernel*>& launched) {
    auto* simulator = dynamic_cast<run::SimulatedExecutor*>(&executor_);
    if (!simulator || !simulator->profiles()) return;
    answer_.details = std::make_shared<simulate::DetailsByKernel>();
    simulator->add_details_to(answer_.details.get());
    if (request_.as_written) return;
    std::vector<simulate::MachineAccesses> known;
    for (const session::CompiledKernel* kernel : kernels_) {
      tell("reading the machine code of " + kernel->entry->expression);
      auto made = made_of(*kernel, true);
      stop_here();
      if (!made || made->sass.empty()) {
        answer_.accesses_missing = made ? made->sass_missing : made.error().message;
        return;
      }
      take_notes(*made, *kernel);
      known.push_back(machine_accesses_of(made->sass, kernel->lowered->symbol, *kernel->cuda));
    }
    for (std::size_t i = 0; i < known.size(); ++i) (*answer_.details)[launched[i]].accesses = std::move(known[i]);
  }

  void take_notes(const toolchain::Artifacts& made, const session::CompiledKernel& kernel) {
    const auto own = std::ranges::find(made.kernels, kernel.lowered->symbol, &toolchain::KernelResources::name);
    answer_.resources.push_back(own != made.kernels.end() ? *own : toolchain::KernelResources{});
    for (const toolchain::LogEntry& entry : made.entries)
      if (auto note = performance_note(entry, kernel)) add_note(answer_.notes, std::move(*note));
    if (own == made.kernels.end()) return;
    for (text::Diagnostic& note : resource_notes(*own, kernel)) add_note(answer_.notes, std::move(note));
  }

  void take_cubins(run::Job& job) {
    if (!request_.cubins.empty() && request_.cubins.size() != kernels_.size())
      unusable(std::to_string(request_.cubins.size()) + " compiled kernels are given for " +
               std::to_string(kernels_.size()));
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (!request_.cubins.empty()) {
        job.launches[i].cubin = request_.cubins[i];
        continue;
      }
      auto made = made_of(*kernels_[i], wanted_.samples);
      stop_here();
      if (!made) unusable(made.error().message, made.error().hint);
      job.launches[i].cubin = std::move(made->cubin);
      if (!wanted_.samples) continue;
      if (made->sass.empty()) answer_.sass_missing = made->sass_missing;
      answer_.sass.push_back(std::move(made->sass));
    }
    if (wanted_.marks) take_marked(job);
  }

  // The kernels once more, with marks for the timeline.
  void take_marked(run::Job& job) {
    job.marked = job.launches;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      std::uint64_t ctas = 1;
      for (const std::int64_t extent : job.launches[i].grid) ctas *= static_cast<std::uint64_t>(extent);
      auto marked = cuda::with_marks(*kernels_[i]->cuda, *kernels_[i]->lowered, ctas);
      if (!marked)
        unusable("--trace: the block of " + job.launches[i].symbol +
                 " has no number of threads that is known before "
                 "the launch, so that its warps have no room for their marks");
      auto made = made_of(*kernels_[i], false, &marked->text);
      stop_here();
      if (!made) unusable("--trace: with marks, " + made.error().message, made.error().hint);
      job.marked[i].cubin = std::move(made->cubin);
      answer_.marked.push_back(std::move(*marked));
    }
  }

  void compare(run::Experiment& e) {
    std::future<void> digests;
    if (request_.digests) digests = std::async(std::launch::async, [&e] { e.digest(); });
    if (!reference_.empty()) {
      if (e.lacks_expectations()) compare_with_reference(e);
    } else if (request_.reference == "none") {
      e.report.notes.emplace_back("nothing is expected of the outputs, as asked for");
    } else if (wanted_.expected.empty() && wanted_.expected_fills.empty()) {
      e.report.notes.push_back(
          "nothing says what the outputs should be: name a kernel that computes them in a comment "
          "`# tilewright: reference EXPR`, or give them with --expect NAME=FILE.npy");
    }
    if (digests.valid()) digests.get();
    e.locate_mismatches(stop_);
    stop_here();
  }

  void compare_with_reference(run::Experiment& e) {
    const auto function = python_function(reference_, file_.source->path());
    if (!function) return compare_with(e, reference_);
    if (request_.python.empty()) {
      e.report.notes.push_back("the reference " + reference_ +
                               " is not computed here: code in Python is executed by `tilewright run` and `tilewright "
                               "build --test` alone");
      return;
    }
    tell("computing " + reference_);
    const std::string key = reference_ + tensors_of(e);
    std::unique_lock<std::mutex> lock;
    if (request_.known) lock = std::unique_lock(request_.known->mutex);
    if (request_.known && request_.known->in_python.contains(key)) return expect(e, request_.known->in_python[key]);
    auto arrays = python_reference(*function, request_.python, e.report.bound, stop_);
    stop_here();
    if (!arrays && arrays.error().missing && request_.reference.empty()) {
      e.report.notes.push_back(arrays.error().message);
      return;
    }
    if (!arrays) unusable(arrays.error().message, arrays.error().hint);
    if (request_.known) request_.known->in_python[key] = *arrays;
    expect(e, *arrays);
  }

  static void expect(run::Experiment& e, const std::map<std::string, run::GivenArray>& arrays) {
    for (const auto& [tensor, array] : arrays)
      if (auto good = e.expect(tensor, array); !good) unusable(good.error().message, good.error().hint);
  }

  // Their names, types, sizes and roles: what contents of one seed follow from.
  static std::string tensors_of(const run::Experiment& e) {
    std::string out;
    for (const run::BoundTensor& t : e.report.bound.tensors)
      out += "\n" + t.name + " " + ir::dtype_name(t.dtype) + " " + std::to_string(t.bytes) + " " +
             std::to_string(static_cast<int>(t.role));
    return out;
  }

  void compare_with(run::Experiment& e, const std::string& expression) {
    tell("comparing with " + expression);
    answer_.reference = project::compile(file_, project::options_for(named_, {expression}), stop_);
    stop_here();
    const auto& found = answer_.reference.kernels;
    if (found.size() != 1 || !found.front().cuda) {
      const auto error =
          std::ranges::find(answer_.reference.diagnostics, text::Severity::Error, &text::Diagnostic::severity);
      unusable("the reference " + expression + " does not yield one kernel that compiles" +
                   (error == answer_.reference.diagnostics.end() ? "" : ": " + error->message),
               error == answer_.reference.diagnostics.end() ? "" : error->hint);
    }
    e.report.own_reference =
        kernels_.size() == 1 && kernels_.front()->cuda && kernels_.front()->cuda->text == found.front().cuda->text;
    if (e.report.own_reference)
      e.report.notes.push_back("the reference " + text::visible(expression) +
                               " is the kernel itself: it leaves the same again, which does not say that it is right");
    // Variants of a kernel name a reference with their own settings, and mean the same code.
    const std::string key = found.front().cuda->text + tensors_of(e);
    std::unique_lock<std::mutex> lock;
    if (request_.known) lock = std::unique_lock(request_.known->mutex);
    if (request_.known && request_.known->of_kernels.contains(key)) return e.expect(request_.known->of_kernels[key]);
    auto left = e.results_of(
        *found.front().lowered, expression, executor_, [&] { return cubin_of(found.front()); },
        request_.reference_steps, stop_);
    stop_here();
    if (!left) unusable(left.error().message, left.error().hint);
    e.expect(*left);
    if (request_.known) request_.known->of_kernels[key] = std::move(*left);
  }

  const project::LoadedFile& file_;
  const RunRequest& request_;
  run::Executor& executor_;
  std::stop_token stop_;
  const std::function<void(const std::string&)>& progress_;
  run::Wanted wanted_;    // of the request and the comment
  RunDirective comment_;  // without a directive: none speaks of the kernels
  std::string reference_;
  std::vector<std::string> notes_;
  bool secret_ = false;  // the seed
  std::vector<std::string> rival_problems_;
  std::vector<run::Report::Watching> watches_;
  std::vector<simulate::WatchPoint> watch_points_;
  std::vector<std::unique_ptr<lower::LoweredKernel>> watched_;  // kernels with watches in them
  run::DeviceInfo device_;
  std::string arch_;
  session::NamedTargets named_;
  std::vector<const session::CompiledKernel*> kernels_;
  bool share_entry_ = false;  // one entry yields all of them
  std::unique_ptr<toolchain::Toolchain> tools_;
  RunAnswer answer_;
};

}  // namespace

RunAnswer run_script(const project::LoadedFile& file, const RunRequest& request, run::Executor& executor,
                     const std::stop_token& stop, const std::function<void(const std::string&)>& progress) {
  return Run(file, request, executor, stop, progress).answer();
}

std::expected<run::GivenArray, std::string> given_array(const std::string& path) {
  const auto file = project::open_file(path);
  if (!file) return std::unexpected(file.error());
  auto array = run::read_npy_file(file->get());
  if (!array) return std::unexpected(path + ": " + array.error());
  return run::GivenArray{path, std::move(*array)};
}

}  // namespace tilewright::work
