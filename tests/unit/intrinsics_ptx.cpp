// Effects as PTX says them (PTX ISA 9.0).
#include <algorithm>
#include <cctype>
#include <regex>

#include "tests/unit/intrinsics_acts.h"

namespace tilewright::intrinsics::acts {
namespace {

using Strings = std::vector<std::string>;

std::string trimmed(std::string s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.erase(0, 1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
  return s;
}

// At commas outside brackets and braces.
Strings split_operands(const std::string& text) {
  Strings out;
  int depth = 0;
  std::string one;
  for (char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == ',' && depth == 0) {
      out.push_back(trimmed(one));
      one.clear();
    } else {
      one += c;
    }
  }
  if (!trimmed(one).empty()) out.push_back(trimmed(one));
  return out;
}

// Names between the brackets or braces, or the token itself.
Strings names_in(std::string token) {
  std::erase_if(token, [](char c) { return c == '[' || c == ']' || c == '{' || c == '}' || c == ' '; });
  return split_operands(token);
}

// "mbarrier" ".try_wait" ".shared::cta" ...
Strings split_opcode(const std::string& opcode) {
  Strings out(1);
  for (char c : opcode) {
    if (c == '.') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// "b32" -> 4, "f32x2" -> 8; 0 for what is no type.
int bytes_of_type(const std::string& part) {
  if (part.size() < 2 || !std::isdigit(static_cast<unsigned char>(part.back()))) return 0;
  const std::size_t digit = part.find_first_of("0123456789");
  const std::string kind = part.substr(0, digit);
  if (kind != "b" && kind != "u" && kind != "s" && kind != "f" && kind != "bf" && kind != "tf" && kind != "e" &&
      kind != "e4m") {
    return 0;
  }
  if (part == "e4m3" || part == "e5m2") return 1;
  const int bits = std::stoi(part.substr(digit));
  return bits * (part.ends_with("x2") ? 2 : 1) / 8;
}

class Reader {
 public:
  Reader(const Arguments& a, Names names, Reading& out) : args_(a), names_(std::move(names)), out_(out) {}

  void read(std::string text) {
    spins_ = text.find("bra LAB_WAIT") != text.npos;
    std::ranges::replace(text, '\n', ' ');
    for (std::size_t at; (at = text.find("LAB_")) != text.npos && text.find(':', at) != text.npos;) {
      const std::size_t end = text.find_first_of(":; ", at);
      // A label ends with a colon, a jump to it with a semicolon.
      text.erase(at, text[end] == ':' ? end + 1 - at : end - at);
    }
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(';'), text.size());
      statement(trimmed(text.substr(0, end)));
      text.erase(0, end + 1);
    }
    join_meetings(out_.acts);
  }

 private:
  bool has(std::string_view part) const { return std::ranges::find(parts_, part) != parts_.end(); }
  bool opens(std::string_view opcode) const { return (opcode_ + ".").starts_with(std::string(opcode) + "."); }

  void statement(std::string s) {
    while (s.starts_with("{") || s.starts_with("}")) s = trimmed(s.substr(1));
    if (s.starts_with("//")) return comment(trimmed(s.substr(2)));
    if (s.empty() || s.starts_with(".reg")) return;
    predicate_ = {};
    negated_ = false;
    if (s.starts_with("@")) {
      const std::size_t end = s.find(' ');
      std::string p = s.substr(1, end - 1);
      negated_ = p.starts_with("!");
      predicate_ = origin(negated_ ? p.substr(1) : p);
      s = trimmed(s.substr(end));
    }
    const std::size_t end = std::min(s.find(' '), s.size());
    opcode_ = s.substr(0, end);
    parts_ = split_opcode(opcode_);
    operands_ = split_operands(s.substr(end));
    participants();
    registers();
    instruction();
  }

  // "// reg": the instruction that is none, which uses a register.
  void comment(const std::string& name) {
    const Operand* o = operand_of(args_, name);
    if (!o) return;
    for (const char* verb : {"reads", "writes"}) {
      act(verb, "register", {std::string(o->name)}).amount = std::to_string(args_[o->name].dtype().storage_bits() / 8);
    }
  }

  // What a token stands for: an operand of the row, or a register that holds one.
  Origin origin(const std::string& token) const {
    Strings names = names_in(token);
    if (names.empty()) return {};
    if (auto known = names_.find(names[0]); known != names_.end()) return known->second;
    if (const Operand* o = operand_of(args_, names[0])) return {std::string(o->name), {}, {}, 0, 0};
    return {};
  }
  std::string name_or_text(const std::string& token) const {
    Origin o = origin(token);
    return o.operand.empty() ? names_in(token).empty() ? "" : names_in(token)[0] : o.operand;
  }
  const std::string& operand(std::size_t i) const {
    static const std::string none;
    return i < operands_.size() ? operands_[i] : none;
  }

  Act& act(std::string verb, std::string what, const Origin& on) {
    Act a;
    a.verb = std::move(verb);
    a.what = std::move(what);
    a.operand = on.operand;
    a.offset = on.offset;
    a.rank = on.rank;
    if (a.what != "register" && predicate_.lanes == 0) (negated_ ? a.excluding : a.predicate) = predicate_.operand;
    out_.acts.push_back(a);
    return out_.acts.back();
  }
  void unknown() { out_.unknown.push_back(opcode_); }

  void together(const std::string& who, const std::string& mask = {}) {
    constexpr std::string_view kOrder[] = {"thread", "one", "lanes", "warp", "warpgroup", "cta", "grid", "processors"};
    auto rank = [&](std::string_view w) { return std::ranges::find(kOrder, w) - std::begin(kOrder); };
    if (rank(who) <= rank(out_.together)) return;
    out_.together = who;
    out_.mask = mask;
  }

  void participants() {
    out_.pair = out_.pair || has("cta_group::2");
    const bool aligned = has("aligned");
    if (opens("wgmma") || opens("setmaxnreg")) return together("warpgroup");
    if (opens("bar.sync") || opens("bar.arrive") || aligned) return together("warp");
    if (opens("elect.sync")) {
      const std::string mask = operand(1);
      return together("lanes", mask == "0xffffffff" ? "" : name_or_text(mask));
    }
    if (opens("bar.warp.sync")) return together("lanes", operand(0) == "0xffffffff" ? "" : name_or_text(operand(0)));
    const bool one = opens("mbarrier.init") || opens("mbarrier.inval") || opens("tensormap.replace") ||
                     opens("clusterlaunchcontrol.try_cancel") || opens("cp.reduce.async.bulk") ||
                     (opens("cp.async.bulk") && !has("commit_group") && !has("wait_group")) || opens("tcgen05.mma") ||
                     opens("tcgen05.cp") || opens("tcgen05.shift") || opens("tcgen05.commit");
    if (one) together("one");
  }

  // Registers that stand for operands of the row: the first operand is written, the others are read.
  void registers() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (operands_[i].starts_with("[")) continue;
      Strings names = names_in(operands_[i]);
      std::map<std::string, std::pair<Origin, int>> seen;
      for (const std::string& n : names) {
        const Operand* o = operand_of(args_, n);
        auto known = names_.find(n);
        const bool alias = known != names_.end() && known->second.bytes > 0;
        if (!alias && !(o && o->is_register)) continue;
        auto& [on, count] = seen[alias ? known->second.operand : std::string(o->name)];
        on = alias ? known->second : Origin{std::string(o->name), {}, {}, 0, 0};
        ++count;
      }
      for (auto& [name, found] : seen) {
        const bool accumulates = opens("wgmma.mma_async") && i == 0;
        if (i > 0 || accumulates) use_register("reads", found.first, found.second);
        if (i == 0) use_register("writes", found.first, found.second);
      }
    }
  }
  void use_register(const char* verb, const Origin& on, int count) {
    int bytes = on.bytes;
    if (bytes == 0) {
      for (const std::string& p : parts_) bytes = bytes_of_type(p) > 0 ? bytes_of_type(p) : bytes;
    }
    if (opens("ldmatrix") || opens("stmatrix")) bytes = 4;
    act(verb, "register", on).amount = std::to_string(bytes * count);
  }

  // ".shared::cta", or nothing.
  static std::string space_of(const std::string& part) {
    if (part == "shared" || part == "shared::cta") return "shared";
    if (part == "shared::cluster" || part == "global" || part == "local" || part == "const") return part;
    if (part.starts_with("param::")) return "param";
    return {};
  }
  Strings spaces() const {
    Strings out;
    for (const std::string& p : parts_) {
      if (std::string s = space_of(p); !s.empty()) out.push_back(s);
    }
    if (out.empty()) out.push_back("generic");
    return out;
  }
  std::string space() const { return spaces()[0]; }

  std::string order(const std::string& semantics, const std::string& scope) const {
    std::string sem = semantics, at = scope;
    for (const std::string& p : parts_) {
      if (p == "relaxed" || p == "acquire" || p == "release" || p == "acq_rel" || p == "sc") sem = p;
      if (p == "cta" || p == "cluster" || p == "gpu" || p == "sys") at = p;
    }
    if (has("volatile")) return "relaxed.sys";
    return sem.empty() ? "" : sem + "." + at;
  }

  // The size of the value that the instruction moves: its type, once for each element of a vector.
  int value_bytes() const {
    int bytes = 0, lanes = 1;
    for (const std::string& p : parts_) {
      bytes = bytes_of_type(p) > 0 ? bytes_of_type(p) : bytes;
      if (p == "v2" || p == "v4" || p == "v8") lanes = p[1] - '0';
    }
    return bytes * lanes;
  }

  // ---- instructions ----
  void instruction() {
    if (opens("mbarrier")) return mbarrier();
    if (opens("bar") || opens("barrier")) return barrier();
    if (opens("fence")) return fence();
    if (opens("cp") && has("bulk")) return bulk();
    if (opens("cp.async")) return copy();
    if (opens("ld") || opens("st") || opens("red") || opens("atom")) return memory();
    if (opens("tcgen05")) return tcgen05();
    if (opens("wgmma")) return wgmma();
    if (opens("ldmatrix")) {
      act("reads", space(), origin(operand(1))).amount = "16";
    } else if (opens("stmatrix")) {
      act("writes", space(), origin(operand(0))).amount = "16";
    } else if (opens("griddepcontrol.wait")) {
      act("waits", "dependency", {}).order = "acquire.gpu";
    } else if (opens("griddepcontrol.launch_dependents")) {
      act("schedules", "dependency", {});
    } else if (opens("setmaxnreg")) {
      act("schedules", "threads", {});
    } else if (opens("elect.sync")) {
      act("elects", "lanes", {});
    } else if (opens("prefetch.tensormap") || (opens("prefetch") && has("tensormap"))) {
      Act& a = act("prefetches", "map", origin(operand(0)));
      a.amount = "128";
      a.proxy = "map";
    } else if (opens("prefetch")) {
      act("prefetches", space(), origin(operand(0)));
    } else if (opens("tensormap.replace")) {
      act("writes", space(), origin(operand(0))).amount = "128";
    } else if (opens("tensormap.cp_fenceproxy")) {
      act("writes", spaces()[0], origin(operand(0))).amount = operand(2);
      act("reads", spaces()[1], origin(operand(1))).amount = operand(2);
      act("fences", "tensormap", {}).order = order("", "");
    } else if (opens("clusterlaunchcontrol.try_cancel")) {
      Act& a = act("writes", has("multicast::cluster::all") ? "shared::cluster" : space(), origin(operand(0)));
      a.amount = std::to_string(value_bytes());
      a.proxy = "async";
      a.until = "mbarrier " + origin(operand(1)).operand;
    } else if (opens("mov") && operand(1).starts_with("%")) {
      if (operand(0) == "result") act("reads", "machine", {});
    } else if (opens("trap")) {
      act("stops", "threads", {});
    } else {
      arithmetic();
    }
  }

  // Instructions between registers; those that pass an operand on make its name known.
  void arithmetic() {
    constexpr std::string_view kKnown[] = {"mov",
                                           "setp",
                                           "selp",
                                           "cvt",
                                           "shl",
                                           "shr",
                                           "and",
                                           "or",
                                           "add",
                                           "sub",
                                           "mul",
                                           "fma",
                                           "ex2",
                                           "rcp",
                                           "max",
                                           "min",
                                           "fns",
                                           "bra",
                                           "mma",
                                           "mapa",
                                           "getctarank",
                                           "createpolicy",
                                           "clusterlaunchcontrol"};
    if (std::ranges::find(kKnown, parts_[0]) == std::end(kKnown)) return unknown();
    if (parts_[0] == "bra" || parts_[0] == "mma" || operands_.empty()) return;
    Origin made;
    if (parts_[0] == "setp") {
      made = origin(operand(1));
      if (has("lt") && !operand(2).empty() && std::isdigit(static_cast<unsigned char>(operand(2)[0]))) {
        made.lanes = std::stoi(operand(2));
      }
    } else {
      for (std::size_t i = 1; i < operands_.size() && made.operand.empty(); ++i) made = origin(operand(i));
      // A size that a predicate chooses between n and 0.
      if (parts_[0] == "selp") made = origin(operand(3));
    }
    if (opens("mapa")) made.rank = origin(operand(2)).operand;
    for (const std::string& name : names_in(operand(0))) names_.insert_or_assign(name, made);
  }

  void mbarrier() {
    const std::string& op = parts_[1];
    const bool state = op == "arrive" || op == "arrive_drop" || op == "test_wait" || op == "try_wait";
    const std::size_t at = state ? 1 : 0;
    const Origin bar = origin(operand(at));
    const std::string what = "mbarrier " + (bar.rank.empty() ? space() : "shared::cluster");
    const std::string count = name_or_text(operand(at + 1));
    if (op == "init") {
      act("inits", what, bar).amount = count;
    } else if (op == "inval") {
      act("invalidates", what, bar);
    } else if (op == "arrive" && has("expect_tx")) {
      act("expects", what, bar).amount = count;
      Act& a = act("arrives", what, bar);
      a.amount = "1";
      a.order = order("release", "cta");
    } else if (op == "arrive" || op == "arrive_drop") {
      Act& a = act(op == "arrive" ? "arrives" : "drops", what, bar);
      a.amount = count.empty() ? "1" : count;
      a.order = order("release", "cta");
    } else if (op == "expect_tx" || op == "complete_tx") {
      Act& a = act(op == "expect_tx" ? "expects" : "completes", what, bar);
      a.amount = count;
      a.order = order("", "");
    } else if (op == "test_wait" || op == "try_wait") {
      act(spins_ ? "waits" : "tests", what, bar).order = order("acquire", "cta");
    } else if (op != "pending_count") {
      unknown();
    }
  }

  void barrier() {
    if (opens("bar.warp.sync")) {
      act("meets", "lanes", {}).order = "acq_rel.warp";
    } else if (opens("barrier.cluster.arrive")) {
      act("arrives", "cluster", {}).order = order("release", "cluster");
    } else if (opens("barrier.cluster.wait")) {
      act("waits", "cluster", {}).order = order("acquire", "cluster");
    } else if (has("sync") || has("arrive")) {
      Act& a = act(has("sync") ? "meets" : "arrives", "barrier", origin(operand(0)));
      a.amount = name_or_text(operand(1));
      a.order = has("sync") ? "acq_rel.cta" : "release.cta";
    } else {
      unknown();
    }
  }

  void fence() {
    if (opens("fence.proxy.async")) {
      act("fences", "async" + (space() == "generic" ? "" : " " + space()), {});
    } else if (opens("fence.proxy.alias")) {
      act("fences", "alias", {});
    } else if (opens("fence.proxy")) {
      Act& a = act("fences", "tensormap", origin(operand(0)));
      a.amount = operand(1);
      a.order = order("", "");
    } else if (opens("fence.mbarrier_init")) {
      act("fences", "mbarrier_init", {}).order = order("", "");
    } else {
      act("fences", "memory", {}).order = order("", "");
    }
  }

  void copy() {
    if (has("commit_group")) {
      act("commits", "cp.async", {});
    } else if (has("wait_group")) {
      act("waits", "cp.async", origin(operand(0))).operand = groups("num");
    } else if (has("wait_all")) {
      act("waits", "cp.async", {});
    } else if (has("mbarrier")) {
      if (!has("noinc")) act("defers", "mbarrier " + space(), origin(operand(0)));
      Act& a = act("arrives", "mbarrier " + space(), origin(operand(0)));
      a.amount = "1";
      a.order = "release.cta";
      a.after = "cp.async";
    } else {
      // ".shared.global [dst], [src], n{, size | p}{, policy}"
      Act& to = act("writes", spaces()[0], origin(operand(0)));
      to.amount = operand(2);
      to.until = "cp.async";
      Act& from = act("reads", spaces()[1], origin(operand(1)));
      from.amount = operand(2);
      from.until = "cp.async";
      const std::string chosen = origin(operand(3)).operand;
      if (operand(3) == "size") from.predicate = chosen;
      if (operand(3) == "p") from.excluding = chosen;
    }
  }

  // The attribute that a number in the text is made of.
  std::string groups(std::string_view attribute) const { return std::string(attribute); }

  void bulk() {
    if (has("commit_group")) {
      act("commits", "bulk", {});
      return;
    }
    if (has("wait_group")) {
      act("waits", has("read") ? "bulk.read" : "bulk", {}).operand = groups("n");
      return;
    }
    const bool tensor = has("tensor"), reduces = opens("cp.reduce");
    const std::string box = has("tile::gather4") || has("tile::scatter4") ? "rows" : "box";
    Strings in = spaces();
    auto finish = [&](Act& a, const std::string& amount, const std::string& until) -> Act& {
      a.amount = amount;
      a.proxy = a.what == "map" ? "map" : "async";
      a.until = until;
      return a;
    };
    if (has("prefetch")) {
      if (tensor) finish(act("reads", "map", origin(operand(0))), "128", "");
      finish(act("prefetches", "global", origin(operand(0))), tensor ? box : name_or_text(operand(1)), "");
      return;
    }
    const std::string amount = tensor ? box : name_or_text(operand(2));
    const std::size_t barrier_at = tensor ? 2 : 3;
    const bool counted = has("mbarrier::complete_tx::bytes");
    const std::string until = counted             ? "mbarrier " + origin(operand(barrier_at)).operand
                              : has("bulk_group") ? "bulk"
                                                  : "";
    Act& to = finish(act(reduces ? "updates" : "writes", in[0], origin(operand(0))), amount, until);
    if (reduces) to.order = "relaxed.gpu";
    if (has("multicast::cluster")) {
      const std::size_t offsets = operand(barrier_at + 1).starts_with("{") ? 1 : 0;
      to.mask = name_or_text(operand(barrier_at + 1 + offsets));
    }
    finish(act("reads", in[1], origin(operand(1))), amount, until);
    if (tensor) finish(act("reads", "map", origin(operand(in[0] == "global" ? 0 : 1))), "128", until);
  }

  void memory() {
    const bool load = parts_[0] == "ld", async = has("async");
    const std::size_t at = load || parts_[0] == "atom" ? 1 : 0;
    const std::string verb = load ? "reads" : parts_[0] == "st" ? "writes" : "updates";
    Act& a = act(verb, space(), origin(operand(at)));
    a.amount = has("bulk") ? name_or_text(operand(1)) : std::to_string(value_bytes() * std::max(1, predicate_.lanes));
    a.order = verb == "updates" ? order("relaxed", async ? "cluster" : "gpu") : order("", "");
    if (async) a.until = "mbarrier " + origin(operand(2)).operand;
  }

  void wgmma() {
    if (has("fence")) {
      act("fences", "accumulators", {});
    } else if (has("commit_group")) {
      act("commits", "wgmma", {});
    } else if (has("wait_group")) {
      act("waits", "wgmma", {}).operand = groups("n");
    } else {
      // ".mMnNkK.f32.T.T {d}, {a} | a_desc, b_desc, ..."
      int m = 0, n = 0, k = 0;
      for (const std::string& p : parts_) std::sscanf(p.c_str(), "m%dn%dk%d", &m, &n, &k);
      const int bits = has("popc") ? 1 : bytes_of_type(parts_.back()) * 8;
      for (std::size_t i : {1u, 2u}) {
        if (operand(i).starts_with("{")) continue;
        Act& a = act("reads", "shared", origin(operand(i)));
        a.amount = std::to_string((i == 1 ? m : n) * k * bits / 8);
        a.proxy = "async";
        a.until = "wgmma";
      }
      for (Act& a : out_.acts) {
        if (a.what == "register") a.until = "wgmma";
      }
    }
  }

  void tcgen05() {
    const std::string& op = parts_[1];
    const Origin first = origin(operand(0));
    auto tensor = [&](const char* verb, const Origin& on, const std::string& until, const std::string& amount) {
      Act& a = act(verb, "tensor", on);
      a.proxy = "tensor";
      a.until = until;
      a.amount = amount;
      return &a;
    };
    auto shared = [&](const Origin& on, const std::string& amount) {
      Act& a = act("reads", "shared", on);
      a.proxy = "async";
      a.until = "tcgen05";
      a.amount = amount;
    };
    if (op == "alloc") {
      act("writes", space(), first).amount = std::to_string(value_bytes());
      act("allocates", "columns", first).amount = name_or_text(operand(1));
    } else if (op == "dealloc") {
      act("frees", "columns", first).amount = name_or_text(operand(1));
    } else if (op == "relinquish_alloc_permit") {
      act("frees", "permit", {});
    } else if (op == "shift") {
      tensor("reads", first, "tcgen05", "");
      tensor("writes", first, "tcgen05", "");
    } else if (op == "ld" || op == "st") {
      // 32 lanes, a register of four bytes each.
      const bool load = op == "ld";
      const std::string registers = operand(load ? 0 : operands_.size() - 1),
                        until = load ? "tcgen05.ld" : "tcgen05.st";
      tensor(load ? "reads" : "writes", origin(operand(load ? 1 : 0)), until,
             std::to_string(128 * names_in(registers).size()));
      for (Act& a : out_.acts) {
        if (a.what == "register" && load) a.until = until;
      }
    } else if (op == "wait::ld" || op == "wait::st") {
      act("waits", op == "wait::ld" ? "tcgen05.ld" : "tcgen05.st", {});
    } else if (op.starts_with("fence::")) {
      act("fences", op.substr(7), {});
    } else if (op == "cp") {
      tensor("writes", first, "tcgen05", "");
      int rows = 0, bits = 0;
      for (const std::string& p : parts_) {
        if (std::sscanf(p.c_str(), "%dx%db", &rows, &bits) == 2) break;
      }
      shared(origin(operand(1)), std::to_string(rows * bits / 8));
    } else if (op == "commit") {
      Act& a = act("arrives", "mbarrier " + space(), first);
      a.amount = "1";
      a.order = "release.cluster";
      a.after = "tcgen05";
      if (has("multicast::cluster")) a.mask = name_or_text(operand(1));
    } else if (op == "mma") {
      // "[d], a | [a], b_desc, {[sp], }i_desc, ({lanes} | [sfa], [sfb] | nothing of .ws), enable"
      const bool scaled = has("block_scale");
      tensor("writes", first, "tcgen05", "tile");
      if (operand(1).starts_with("[")) {
        tensor("reads", origin(operand(1)), "tcgen05", "tile");
      } else {
        shared(origin(operand(1)), "tile");
      }
      shared(origin(operand(2)), "tile");
      const std::size_t i_desc = has("sp") ? 4 : 3;
      if (has("sp")) tensor("reads", origin(operand(3)), "tcgen05", "tile");
      if (scaled) {
        tensor("reads", origin(operand(i_desc + 1)), "tcgen05", "tile");
        tensor("reads", origin(operand(i_desc + 2)), "tcgen05", "tile");
      }
      Act& old = *tensor("reads", first, "tcgen05", "tile");
      old.predicate += (old.predicate.empty() ? "" : " ") + origin(operand(i_desc + (scaled      ? 3
                                                                                     : has("ws") ? 1
                                                                                                 : 2)))
                                                                .operand;
    } else {
      unknown();
    }
  }

  Arguments args_;
  Names names_;
  Reading& out_;
  bool spins_ = false, negated_ = false;
  Origin predicate_;
  std::string opcode_;
  Strings parts_, operands_;
};

}  // namespace

void read_ptx(const Arguments& a, std::string text, Names names, Reading& out) {
  // Registers behind one pointer are one operand.
  text = std::regex_replace(text, std::regex("([a-z_0-9])\\[\\d+\\]"), "$1");
  Reader(a, std::move(names), out).read(std::move(text));
}

}  // namespace tilewright::intrinsics::acts
