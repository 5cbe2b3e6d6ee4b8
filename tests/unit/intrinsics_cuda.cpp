// Effects as CUDA C++ says them: its functions by their documented meaning, pointers that are read and written through,
// and asm statements by their PTX.
#include <algorithm>
#include <regex>

#include "tests/unit/intrinsics_acts.h"

namespace tilewright::intrinsics::acts {
namespace {

using Strings = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The position behind the bracket that closes the one at `from`.
std::size_t behind(const std::string& text, std::size_t from) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
    if (depth == 0) return i + 1;
  }
  return text.size();
}

Strings split(const std::string& text, char at) {
  Strings out(1);
  int depth = 0;
  bool quoted = false;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c == at && depth == 0 && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

int bytes_of_word(const std::string& type) {
  constexpr std::pair<std::string_view, int> kTypes[] = {{"unsigned char", 1}, {"unsigned short", 2},
                                                         {"unsigned int", 4},  {"float", 4},
                                                         {"half2", 4},         {"float2", 8},
                                                         {"uint2", 8},         {"double", 8},
                                                         {"uint4", 16},        {"unsigned long long", 8},
                                                         {"uint64_t", 8},      {"int", 4},
                                                         {"nv_bfloat162", 4},  {"nv_bfloat16", 2},
                                                         {"half", 2},          {"long long", 8},
                                                         {"signed char", 1},   {"short", 2},
                                                         {"int2", 8},          {"int4", 16},
                                                         {"float4", 16},       {"void", 0}};
  for (auto [name, bytes] : kTypes) {
    if (type == name) return bytes;
  }
  return 0;
}

class Reader {
 public:
  Reader(const Arguments& a, Reading& out) : args_(a), out_(out) {}

  void read(std::string text) {
    statements_of_asm(text);
    aliases(text);
    functions(text);
    accesses(text);
    join_meetings(out_.acts);
  }

 private:
  Act& act(std::string verb, std::string what, const Origin& on = {}) {
    Act a;
    a.verb = std::move(verb);
    a.what = std::move(what);
    a.operand = on.operand;
    a.offset = on.offset;
    (condition_.starts_with("!") ? a.excluding : a.predicate) = condition_.substr(condition_.starts_with("!"));
    out_.acts.push_back(a);
    return out_.acts.back();
  }

  void together(const std::string& who, const std::string& mask = {}) {
    if (out_.together == "cta") return;  // the widest of those that meet within a function
    out_.together = who;
    out_.mask = mask;
  }

  // The first operand of the row in an expression, and what is added to it.
  Origin origin(const std::string& expression) const {
    Origin out;
    for (std::size_t i = 0; i < expression.size();) {
      if (!is_word(expression[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < expression.size() && is_word(expression[end])) ++end;
      const std::string word = expression.substr(i, end - i);
      i = end;
      auto known = names_.find(word);
      if (known != names_.end() && out.operand.empty()) {
        out = known->second;
      } else if (const Operand* o = operand_of(args_, word)) {
        (out.operand.empty() ? out.operand : out.offset) = o->name;
        if (!out.offset.empty()) break;
      }
    }
    return out;
  }

  // ---- asm ----

  // Reads asm statements and takes them out of the text.
  void statements_of_asm(std::string& text) {
    aliases(text);
    for (std::size_t at; (at = text.find("asm volatile(")) != text.npos;) {
      const std::size_t open = at + 12, end = behind(text, open);
      condition_ = condition_at(text, at);
      const std::size_t before = out_.acts.size();
      one_asm(text.substr(open + 1, end - open - 2));
      for (std::size_t i = before; i < out_.acts.size(); ++i) {
        (condition_.starts_with("!") ? out_.acts[i].excluding : out_.acts[i].predicate) +=
            condition_.substr(condition_.starts_with("!"));
      }
      condition_ = {};
      text.replace(at, end - at, "/* asm */");
    }
  }

  void one_asm(const std::string& inside) {
    Strings sections = split(inside, ':');
    // Colons within identifiers of PTX are quoted; `::` of C++ does not occur.
    std::string ptx;
    bool quoted = false;
    for (std::size_t i = 0; i < sections[0].size(); ++i) {
      const char c = sections[0][i];
      if (c == '"') {
        quoted = !quoted;
      } else if (quoted && c == '\\') {
        ptx += ' ', ++i;
      } else if (quoted) {
        ptx += c;
      }
    }
    Names names;
    int number = 0;
    for (std::size_t s = 1; s < sections.size() && s < 3; ++s) {
      for (const std::string& constraint : split(sections[s], ',')) {
        const std::size_t open = constraint.find('(');
        if (open == constraint.npos) continue;
        const std::string code = constraint.substr(0, open), expression = constraint.substr(open);
        Origin on = origin(expression);
        if (on.operand.empty() && s == 1) on.operand = "result";
        // Registers that stand behind a pointer: written or read as a whole.
        const bool address = expression.find("__cvta") != expression.npos || code.find('l') != code.npos;
        const bool memory = expression.find('[') != expression.npos || expression.find("*(") != expression.npos ||
                            expression.starts_with("(*");
        on.bytes = !address && memory ? (code.find('d') != code.npos ? 8 : 4) : 0;
        const std::string name = "arg" + std::to_string(number);
        const std::string sign = "%" + std::to_string(number++);
        for (std::size_t at = 0; (at = ptx.find(sign, at)) != ptx.npos;) {
          const bool whole = at + sign.size() >= ptx.size() || !is_word(ptx[at + sign.size()]);
          if (whole) ptx.replace(at, sign.size(), name);
          ++at;
        }
        names[name] = on;
      }
    }
    // A reading of a special register for C++'s own use.
    if (std::size_t at = ptx.find("%%"); at != ptx.npos) {
      if (ptx.find("mov.u32 arg0, %%globaltimer") != ptx.npos || names["arg0"].operand == "result") {
        Act a;
        a.verb = "reads", a.what = "machine";
        out_.acts.push_back(a);
        return;
      }
    }
    read_ptx(args_, ptx, names, out_);
  }

  // ---- pointers ----

  // The operand that an `if` around this place asks for, "!" before it where it must not hold; others ask for nothing
  // that an operand says.
  std::string condition_at(const std::string& text, std::size_t at) const {
    static const std::regex pattern(R"(if \((!?\w+)\) (\{)?)");
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      const std::size_t from = static_cast<std::size_t>(it->position());
      const std::size_t stop = text.find((*it)[2].matched ? '}' : ';', from);
      const std::string name = (*it)[1];
      if (from < at && at < stop && args_.operand(name.substr(name.starts_with("!")))) return name;
    }
    return {};
  }

  // "T* name = (T*)(operand + offset);" gives a pointer another name.
  void aliases(const std::string& text) {
    static const std::regex pattern(R"(([\w ]+)\* (\w+) = \(([\w ]+)\*\)([^;]*);)");
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      Origin on = origin((*it)[4]);
      on.bytes = bytes_of_word((*it)[3]);
      names_[(*it)[2]] = on;
    }
  }

  // Loops of constant length; the length of the one around `at`, else 1.
  static int repeated(const std::string& text, std::size_t at) {
    static const std::regex pattern(R"(for \(int i = 0; i < (\w+); \+\+i\))");
    int times = 1;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      const std::size_t loop = static_cast<std::size_t>(it->position());
      std::size_t stop = text.find(';', loop + it->length());
      if (const std::size_t brace = text.find('{', loop); brace < stop) stop = text.find('}', brace);
      const std::string n = (*it)[1];
      if (loop < at && at < stop && std::isdigit(static_cast<unsigned char>(n[0]))) times = std::stoi(n);
    }
    return times;
  }

  // Dereferences: what stands before a plain `=` is written, the rest is read; `+=` does both.
  void accesses(const std::string& text) {
    if (text.find("threadIdx.x % 32") != text.npos) out_.fragment = true;
    static const std::regex pattern(
        R"(\*\((?:const )?([\w ]+)\*\)(\w+)|\(\((?:const )?([\w ]+)\*\)(\w+)\)\[i\]|\*(\w+)(?= =)|\(\*(\w+) &|(\w+)\[)");
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      const std::smatch& m = *it;
      std::string name, type;
      for (int i : {2, 4, 5, 6, 7}) {
        if (m[i].matched) name = m[i];
      }
      for (int i : {1, 3}) {
        if (m[i].matched) type = m[i];
      }
      const std::size_t at = static_cast<std::size_t>(m.position());
      std::size_t stop = at + m.length();
      if (m[7].matched) stop = behind(text, stop - 1);
      // A declaration is no access: "unsigned int* d = ...".
      if (m[5].matched && at > 0 && is_word(text[at - 1])) continue;
      if (name.empty() || std::ranges::find(fragments_, name) != fragments_.end()) continue;
      Origin on;
      if (auto known = names_.find(name); known != names_.end()) {
        on = known->second;
      } else if (const Operand* o = operand_of(args_, name); o && o->kind != OperandKind::Attribute) {
        on.operand = o->name;
      } else {
        continue;
      }
      // Behind the subscript an element; `origin` finds a run-time offset in it.
      if (m[7].matched) {
        const Origin index = origin(text.substr(at + m.length(), stop - at - m.length()));
        if (on.offset.empty()) on.offset = index.operand;
      }
      std::size_t next = text.find_first_not_of(' ', stop);
      if (next == text.npos) next = text.size();
      const bool assigned = text.compare(next, 1, "=") == 0 && text.compare(next, 2, "==") != 0;
      const bool added = text.compare(next, 2, "+=") == 0;
      int bytes = on.bytes ? on.bytes : bytes_of_word(type);
      const int times = repeated(text, at);
      condition_ =
          text.rfind("if (leader_cond)", at) != text.npos && text.find('}', text.rfind("if (leader_cond)", at)) > at
              ? "leader_cond"
              : "";
      for (const char* verb : {"reads", "writes"}) {
        const bool does = std::string_view(verb) == "writes" ? assigned || added : !assigned;
        if (!does) continue;
        act(verb, "*", on).amount = bytes ? std::to_string(bytes * times) : "";
      }
      condition_ = {};
    }
  }

  // ---- functions ----
  void functions(const std::string& text) {
    static const std::regex pattern(R"((?:nvcuda::wmma::|cooperative_groups::)?\b([A-Za-z_]\w*)\()");
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      const std::string name = (*it)[1];
      const std::size_t open = static_cast<std::size_t>(it->position() + it->length() - 1);
      const std::size_t close = behind(text, open);
      function(name, split(text.substr(open + 1, close - open - 2), ','));
    }
  }

  std::string argument(const Strings& args, std::size_t i) const {
    return i < args.size() ? origin(args[i]).operand : std::string();
  }

  void function(const std::string& name, const Strings& args) {
    auto lanes = [&] {
      act("exchanges", "lanes");
      const std::string mask = argument(args, 0);
      if (out_.together != "cta") together("lanes", mask);
    };
    if (name.starts_with("__shfl_") || name.starts_with("__reduce_") || name == "__ballot_sync" ||
        name == "__any_sync") {
      lanes();
    } else if (name == "__syncthreads" || name == "__syncthreads_and" || name == "__syncthreads_or") {
      act("meets", "cta").order = "acq_rel.cta";
      together("cta");
    } else if (name == "__syncwarp") {
      act("meets", "lanes").order = "acq_rel.warp";
      together("lanes");
    } else if (name == "this_grid") {
      act("meets", "grid").order = "acq_rel.gpu";
      together("grid");
    } else if (name == "__threadfence" || name == "__threadfence_block") {
      act("fences", "memory").order = name == "__threadfence" ? "sc.gpu" : "sc.cta";
    } else if (name == "atomicAdd" || name == "atomicCAS") {
      Act& a = act("updates", "generic", origin(args[0]));
      a.order = "relaxed.gpu";
      a.amount = pointee_bytes(a.operand);
    } else if (name == "__ldg") {
      Act& a = act("reads", "global", origin(args[0]));
      static const std::regex cast(R"(\(const ([\w ]+)\*\))");
      std::smatch m;
      if (std::regex_search(args[0], m, cast)) a.amount = std::to_string(bytes_of_word(m[1]));
    } else if (name == "__activemask" || name == "clock64" || name == "nvshmem_my_pe" || name == "nvshmem_n_pes") {
      act("reads", "machine");
    } else if (name == "__nanosleep") {
      act("schedules", "threads");
    } else if (name == "printf") {
      act("writes", "console");
    } else if (name.starts_with("nvshmem")) {
      nvshmem(name, args);
    } else if (name == "fill_fragment") {
      fragment("writes", args[0]);
    } else if (name == "load_matrix_sync") {
      fragment("writes", args[0]);
      act("reads", "*", origin(args[1]));
    } else if (name == "store_matrix_sync") {
      act("writes", "*", origin(args[0]));
      fragment("reads", args[1]);
    } else if (name == "mma_sync" || name == "bmma_sync") {
      fragment("writes", args[0]);
      for (std::size_t i : {1u, 2u, 3u}) fragment("reads", args[i]);
    } else if (!is_plain(name)) {
      out_.unknown.push_back(name);
    }
  }

  // Functions of their arguments, and words of the language that take parentheses.
  static bool is_plain(const std::string& name) {
    constexpr std::string_view kPlain[] = {"if",
                                           "for",
                                           "int",
                                           "decltype",
                                           "T",
                                           "sync",
                                           "r",
                                           "make_float2",
                                           "make_float4",
                                           "make_uint2",
                                           "make_uint4",
                                           "__ffs",
                                           "__cvta_generic_to_shared",
                                           "__uint_as_float",
                                           "__float_as_uint",
                                           "__int_as_float",
                                           "__half2float",
                                           "__bfloat162float",
                                           "__float22half2_rn",
                                           "__half22float2",
                                           "__fmul2_rn",
                                           "__fadd2_rn",
                                           "__float22bfloat162_rn",
                                           "__bfloat1622float2",
                                           "__fdividef",
                                           "__hmin2",
                                           "__hmax2"};
    return std::ranges::find(kPlain, name) != std::end(kPlain);
  }

  // A wmma fragment is taken by the warp together.
  void fragment(const char* verb, const std::string& argument) {
    const std::string array = argument.substr(0, argument.find('['));
    act(verb, "register", origin(array));
    fragments_.push_back(array);
    together("warp");
  }

  std::string pointee_bytes(const std::string& operand) const {
    const auto* var = args_[operand].as<ir::Var>();
    return var && !var->pointee.is_void() ? std::to_string(var->pointee.storage_bits() / 8) : "";
  }

  // nvshmem_NAME, nvshmemx_NAME_warp, nvshmemx_NAME_block
  void nvshmem(const std::string& name, const Strings& args) {
    if (name.ends_with("_warp")) together("warp");
    if (name.ends_with("_block")) together("cta");
    auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
    if (has("putmem") || has("getmem")) {
      // (dst, src, bytes, {signal address, signal, operation, }processor)
      const std::string rank = argument(args, args.size() - 1);
      for (std::size_t i : {0u, 1u}) {
        Act& a = act(i == 0 ? "writes" : "reads", "global", origin(args[i]));
        a.amount = argument(args, 2);
        a.until = "processors";
        if ((i == 0) == has("putmem")) a.rank = rank;
      }
      if (has("signal")) {
        Act& a = act("updates", "global", origin(args[3]));
        a.amount = "8";
        a.until = "processors";
        a.rank = rank;
      }
    } else if (has("signal_op")) {
      Act& a = act("updates", "global", origin(args[0]));
      a.amount = "8";
      a.rank = argument(args, 3);
    } else if (has("wait_until")) {
      act("reads", "global", origin(args[0])).amount = "8";
      act("waits", "processors");
    } else if (has("quiet")) {
      act("waits", "processors");
    } else if (has("fence")) {
      act("fences", "processors");
    } else if (has("barrier_all")) {
      act("meets", "processors");
      together("processors");
    } else {
      out_.unknown.push_back(name);
    }
  }

  Arguments args_;
  Reading& out_;
  Names names_;
  std::string condition_;
  Strings fragments_;
};

}  // namespace

void read_cuda(const Arguments& a, std::string text, Reading& out) { Reader(a, out).read(std::move(text)); }

}  // namespace tilewright::intrinsics::acts
