#include "server/ide/sync_lines.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/text/letters.h"

namespace tilewright::ide {
namespace {

namespace code = simulate::code;

// Where the bracket at `open` is closed; npos: nowhere.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) return i;
  }
  return text.npos;
}

// Are the arguments numbers, texts, True and False, with or without a keyword?
bool is_complete(std::string_view arguments) {
  char quote = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (quote) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      std::size_t end = i;
      while (end < arguments.size() && text::is_ascii_name_byte(arguments[end])) ++end;
      const std::string_view word = arguments.substr(i, end - i);
      const bool keyword = end < arguments.size() && arguments[end] == '=';
      if (word != "True" && word != "False" && !keyword) return false;
      i = end - 1;
    }
  }
  return true;
}

// A text of rows in braces, its statements separated by "; ".
SyncLines split(std::string_view statements, text::Dialect release) {
  SyncLines out;
  const std::string said = intrinsics::say(statements, release);
  for (std::size_t from = 0; from < said.size();) {
    const std::size_t end = std::min(said.find("; ", from), said.size());
    out.push_back(said.substr(from, end - from));
    from = end + 2;
  }
  return out;
}

struct Usual {
  std::string_view code, lines;
};
constexpr Usual kUsual[] = {
    {code::kRace, "{cta_sync}()"_row_text},
    {code::kRace, "{warp_sync}()"_row_text},
    {code::kRace, "{bulk_commit}(); {bulk_wait}(0)"_row_text},
    {code::kRace, "{bulk_wait}(0)"_row_text},
    {code::kRace, "{cluster_sync}()"_row_text},
    {code::kRace, "{warpgroup_sync}(1)"_row_text},
    {code::kUnawaited, "{cp_async_wait}(0)"_row_text},
    {code::kUnawaited, "{cp_async_commit}()"_row_text},
    {code::kUnawaited, "{cp_async_commit}(); {cp_async_wait}(0)"_row_text},
    {code::kUnawaited, "{bulk_wait}(0)"_row_text},
    {code::kUnawaited, "{bulk_wait}(0, read=False)"_row_text},
    {code::kUnawaited, "{bulk_commit}()"_row_text},
    {code::kUnawaited, "{wgmma_wait}(0)"_row_text},
    {code::kUnawaited, "{wgmma_commit}()"_row_text},
    {code::kUnawaited, "{tmem_wait_load}()"_row_text},
    {code::kUnawaited, "{tmem_wait_store}()"_row_text},
    {code::kUnawaited, "{cp_async_wait}(0); {cta_sync}()"_row_text},
    {code::kProxy, "{fence_proxy_async}(\"shared::cta\")"_row_text},
    {code::kProxy, "{fence_proxy_async}(\"shared::cta\"); {cta_sync}()"_row_text},
    {code::kProxy, "{fence_proxy_async}(\"global\")"_row_text},
    {code::kProxy, "{fence_proxy_async}()"_row_text},
    {code::kTensorFence, "{tmem_fence_after}()"_row_text},
    {code::kTensorFence, "{tmem_fence_before}()"_row_text},
    {code::kTensorMemory, "{cta_sync}()"_row_text},
    {code::kTensorMemory, "{tmem_wait_load}()"_row_text},
    {code::kUnfinished, "{bulk_commit}()"_row_text},
    {code::kUnfinished, "{bulk_wait}(0)"_row_text},
    {code::kUnfinished, "{bulk_commit}(); {bulk_wait}(0)"_row_text},
    {code::kUnfinished, "{cp_async_commit}(); {cp_async_wait}(0)"_row_text},
    {code::kUnfinished, "{wgmma_commit}(); {wgmma_wait}(0)"_row_text},
    {code::kEndedCta, "{cluster_sync}()"_row_text},
    {code::kMbarrier, "{cta_sync}()"_row_text},
    {code::kMbarrier, "{cluster_sync}()"_row_text},
    {code::kUnwritten, "{cta_sync}()"_row_text},
    {code::kUnwritten, "{cp_async_wait}(0)"_row_text},
    {code::kWarpgroup, "{wgmma_fence}()"_row_text},
    {code::kWarpgroup, "{wgmma_wait}(0)"_row_text},
    {code::kWarpgroup, "{wgmma_commit}()"_row_text},
};

// Since 0.27 the words of an instruction follow what it does: T.ptx.mbarrier.arrive.expect_tx.shared.b64.
bool is_sync_name(std::string_view callee) {
  const std::string_view last = operation_of(callee);
  constexpr std::string_view kParts[] = {"wait", "arrive", "expect_tx", "commit", "complete_tx", "sync"};
  if (std::ranges::any_of(kParts, [&](std::string_view part) { return last.find(part) != last.npos; })) return true;
  constexpr std::string_view kWords[] = {"ptx.mbarrier.",    "ptx[\"mbarrier.", "wait_group",
                                         "mbarrier.arrive.", "tcgen05.commit",  "tcgen05.wait"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return callee.find(word) != callee.npos; });
}

bool copies(std::string_view callee) {
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  constexpr std::string_view kParts[] = {"cp_async", "g2s", "st_async"};
  return last == "copy_async" || callee.find("ptx.cp.") != callee.npos || callee.find("ptx[\"cp.") != callee.npos ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return last.find(part) != last.npos; });
}

// What the lines say of barriers.
struct Barriers {
  std::set<std::string> pointers;  // of mbarriers, as they are initialised: "bar.ptr_to([0])"
  std::set<std::string> objects;   // with methods: "ring.full", "arrived"
  std::set<std::string> states;    // "use" of use.stage
  std::vector<std::string> calls;  // statements that wait or arrive, each once
};

std::string_view callee_of(std::string_view text, std::size_t open) {
  std::size_t begin = open;
  // T.ptx["mbarrier.init.shared.b64"](bar, n)
  const std::size_t bracket = begin > 1 && text.substr(begin - 2, 2) == "\"]" ? text.rfind("[\"", begin) : text.npos;
  if (bracket != text.npos) begin = bracket;
  while (begin > 0 && (text::is_ascii_name_byte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin, open - begin);
}

void read_line(std::string_view line, Barriers& b) {
  for (std::size_t at = line.find(".stage"); at != line.npos; at = line.find(".stage", at + 1)) {
    const std::string_view name = callee_of(line, at);
    if (!name.empty() && name.find('.') == name.npos) b.states.emplace(name);
  }
  for (std::size_t open = line.find('('); open != line.npos; open = line.find('(', open + 1)) {
    const std::string_view callee = callee_of(line, open);
    const std::size_t close = closing(line, open);
    if (callee.empty() || close == line.npos) continue;
    const std::size_t dot = callee.rfind('.');
    const std::string_view last = operation_of(callee);
    const std::string_view inner = line.substr(open + 1, close - open - 1);
    if (initialises(callee) && callee.find("mbarrier") != callee.npos)
      b.pointers.emplace(inner.substr(0, inner.rfind(',')));
    const bool own = dot != callee.npos && callee.find("ptx") == callee.npos && callee.find("cuda") == callee.npos;
    if (own && (last == "init" || last == "wait" || last == "arrive")) b.objects.emplace(callee.substr(0, dot));
    const bool whole = open == callee.size() && close + 1 == line.size();
    if (whole && is_sync_name(callee) && std::ranges::find(b.calls, line) == b.calls.end()) b.calls.emplace_back(line);
  }
}

// Does a text name the barrier of a call or a pointer: `ready` of "ready.ptr_to([0])", `ring_full_buf` of "ring.full"?
bool speaks_of(std::string_view text, std::string_view barrier) {
  std::size_t open = barrier.find('(');
  // Of a call its first argument, or the object before its method.
  std::string name(barrier.substr(0, open));
  if (name.starts_with("T.") && open != barrier.npos) {
    barrier.remove_prefix(open + 1);
    name = barrier.substr(0, barrier.find_first_of("(,)"));
  }
  const std::size_t last = name.rfind('.');
  if (last != name.npos && open != barrier.npos) name = name.substr(0, last);
  if (name.ends_with(".ptr_to")) name = name.substr(0, name.size() - 7);
  if (name.empty()) return false;
  std::string joined = name;
  std::ranges::replace(joined, '.', '_');
  return text.find(name) != text.npos || text.find(joined + "_buf") != text.npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// The numbers that stand before "bytes" in a message.
std::vector<std::string> byte_counts(std::string_view message) {
  std::vector<std::string> out;
  for (std::size_t at = message.find(" bytes"); at != message.npos; at = message.find(" bytes", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(message[begin - 1]))) --begin;
    if (begin < at) out.emplace_back(message.substr(begin, at - begin));
  }
  return out;
}

}  // namespace

std::string_view operation_of(std::string_view callee) {
  constexpr std::string_view kModifiers[] = {"shared",  "shared__cta", "global_", "b64",  "b32",
                                             "u32",     "sync",        "aligned", "cta",  "cluster",
                                             "release", "acquire",     "relaxed", "noinc"};
  while (callee.starts_with("T.ptx.")) {
    const std::size_t dot = callee.rfind('.');
    if (std::ranges::find(kModifiers, callee.substr(dot + 1)) == std::end(kModifiers)) break;
    callee = callee.substr(0, dot);
  }
  return callee.substr(callee.rfind('.') + 1);
}

bool initialises(std::string_view callee) {
  return callee == "init" || callee.ends_with(".init") || callee.find("mbarrier.init") != callee.npos;
}

std::vector<SyncLines> lines_of_hint(std::string_view hint) {
  std::vector<SyncLines> out;
  SyncLines all;
  std::size_t last_end = hint.npos;
  for (std::size_t at = hint.find("T."); at != hint.npos; at = hint.find("T.", at + 1)) {
    if (at > 0 && text::is_ascii_name_byte(hint[at - 1])) continue;
    std::size_t open = at;
    while (open < hint.size() && (text::is_ascii_name_byte(hint[open]) || hint[open] == '.')) ++open;
    if (open < hint.size() && hint[open] == '[') open = std::min(closing(hint, open), hint.size() - 1) + 1;
    const std::size_t close = open < hint.size() && hint[open] == '(' ? closing(hint, open) : hint.npos;
    if (close == hint.npos || !is_complete(hint.substr(open + 1, close - open - 1))) continue;
    const std::string call(hint.substr(at, close + 1 - at));
    const bool joined = last_end != hint.npos && hint.substr(last_end, at - last_end) == " and ";
    if (joined) {
      all = out.empty() ? SyncLines{} : out.back();
      all.push_back(call);
      out.insert(out.begin(), all);
    }
    out.push_back({call});
    last_end = close + 1;
  }
  return out;
}

std::vector<SyncLines> usual_lines(std::string_view finding, text::Dialect release) {
  std::vector<SyncLines> out;
  auto add = [&](SyncLines lines) {
    if (std::ranges::find(out, lines) == out.end()) out.push_back(std::move(lines));
  };
  for (const Usual& u : kUsual)
    if (u.code == finding) add(split(u.lines, release));
  constexpr std::string_view kAll[] = {
      "{cta_sync}()"_row_text,          "{cp_async_wait}(0)"_row_text, "{bulk_wait}(0)"_row_text,
      "{cp_async_commit}()"_row_text,   "{bulk_commit}()"_row_text,    "{fence_proxy_async}(\"shared::cta\")"_row_text,
      "{cluster_sync}()"_row_text,      "{warp_sync}()"_row_text,      "{tmem_wait_load}()"_row_text,
      "{wgmma_wait}(0)"_row_text,       "{wgmma_commit}()"_row_text,   "{tmem_fence_after}()"_row_text,
      "{tmem_fence_before}()"_row_text, "{tmem_wait_store}()"_row_text};
  for (std::string_view lines : kAll) add(split(lines, release));
  return out;
}

std::vector<RankedLines> barrier_lines(std::string_view text, const std::vector<LogicalLine>& lines,
                                       const std::vector<std::uint32_t>& near, std::string_view message,
                                       text::Dialect release) {
  Barriers b;
  std::string meant(message);  // names of barriers that the finding is about, or that stand beside its places
  for (const LogicalLine& l : lines) {
    const std::string_view line = trimmed(text.substr(l.begin, l.end - l.begin));
    read_line(line, b);
    if (std::ranges::any_of(near, [&](std::uint32_t at) { return at >= l.begin && at < l.end; }))
      meant.append(" ").append(line);
  }
  std::vector<RankedLines> out;
  auto add = [&](std::string line, std::string_view barrier) {
    const bool known = std::ranges::any_of(out, [&](const RankedLines& r) { return r.lines.front() == line; });
    if (!known) out.push_back({{std::move(line)}, speaks_of(meant, barrier)});
  };
  auto call = [&](std::string_view id, const std::string& arguments) {
    return intrinsics::say_call(*intrinsics::row_of_id(id), "(" + arguments + ")", release);
  };
  const std::vector<std::string> counts = byte_counts(message);
  const bool lacks_bytes =
      message.find("did not announce") != message.npos || message.find("never initialised") != message.npos;
  for (const std::string& pointer : b.pointers) {
    for (const std::string& n : counts)
      if (lacks_bytes) add(call("P6", pointer + ", " + n), pointer);
    add(call("P8", pointer + ", 0"), pointer);
    add(call("P2", pointer), pointer);
    add(call("E1", pointer + ", noinc=True"), pointer);
  }
  for (const std::string& object : b.objects) {
    for (const std::string& state : b.states) {
      for (const std::string& n : counts)
        if (lacks_bytes) add(object + ".arrive(" + state + ".stage, " + n + ")", object);
      add(object + ".wait(" + state + ".stage, " + state + ".phase)", object);
      add(object + ".arrive(" + state + ".stage)", object);
    }
    for (const std::string& n : counts)
      if (lacks_bytes) add(object + ".arrive(0, " + n + ")", object);
    add(object + ".wait(0, 0)", object);
    add(object + ".arrive(0)", object);
  }
  for (const std::string& call : b.calls) add(call, call);
  std::ranges::stable_partition(out, &RankedLines::meant);
  return out;
}

std::vector<SyncArgument> sync_arguments(std::string_view text, const LogicalLine& line) {
  std::vector<SyncArgument> out;
  const std::string_view all = text.substr(0, line.end);
  for (std::size_t open = all.find('(', line.begin); open != all.npos; open = all.find('(', open + 1)) {
    const std::string_view callee = callee_of(all, open);
    const std::size_t close = closing(all, open);
    const std::string_view last = operation_of(callee);
    const bool takes = is_sync_name(callee) || initialises(callee) || copies(callee) ||
                       last.find("Pipeline") != last.npos || last == "sync" || last == "ptr_to";
    if (callee.empty() || close == all.npos || !takes) continue;
    std::size_t index = 0;
    for (std::size_t from = open + 1; from < close; ++index) {
      std::size_t end = from;
      for (int depth = 0; end < close && (depth > 0 || all[end] != ','); ++end) {
        if (all[end] == '(' || all[end] == '[') ++depth;
        if (all[end] == ')' || all[end] == ']') --depth;
      }
      std::string_view argument = all.substr(from, end - from), keyword;
      const std::size_t equals = argument.find('=');
      if (equals != argument.npos && equals + 1 < argument.size() && argument[equals + 1] != '=' &&
          std::ranges::all_of(trimmed(argument.substr(0, equals)), text::is_ascii_name_byte)) {
        keyword = trimmed(argument.substr(0, equals));
        argument = argument.substr(equals + 1);
      }
      argument = trimmed(argument);
      if (last == "ptr_to" && argument.starts_with('[') && argument.ends_with(']') &&
          argument.find(',') == argument.npos)
        argument = argument.substr(1, argument.size() - 2);
      if (!argument.empty())
        out.push_back({callee, argument, static_cast<std::uint32_t>(argument.data() - text.data()), index, keyword});
      from = end + 1;
    }
  }
  return out;
}

}  // namespace tilewright::ide
