#include "server/ide/sync_fixes.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "server/ide/logical_lines.h"
#include "server/ide/sync_lines.h"

namespace tilewright::ide {
namespace {

namespace code = simulate::code;

struct Candidate {
  int cost = 0;  // the lower the likelier
  QuickFix fix;
};

bool is_number(std::string_view s) {
  return !s.empty() && s.size() < 10 &&
         std::ranges::all_of(s, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

// The first number in a text after `word`; empty: there is none.
std::string number_after(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  if (at == text.npos) return {};
  at += word.size();
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return std::string(text.substr(at, end - at));
}

// "(x) + 1" without what is added: "x".
std::string without_addend(std::string_view s) {
  const std::size_t sign = s.find_last_of("+-");
  if (sign == s.npos || sign == 0) return {};
  std::size_t number = sign + 1;
  while (number < s.size() && s[number] == ' ') ++number;
  if (!is_number(s.substr(number))) return {};
  std::size_t end = sign;
  while (end > 0 && s[end - 1] == ' ') --end;
  std::string_view rest = s.substr(0, end);
  if (rest.starts_with('(') && rest.ends_with(')') && rest.find(')') == rest.size() - 1)
    rest = rest.substr(1, rest.size() - 2);
  return std::string(rest);
}

// "1 - (x)" as "x".
std::string without_flip(std::string_view s) {
  if (!s.starts_with("1 - ")) return {};
  std::string_view rest = s.substr(4);
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  return std::string(rest);
}

// Lines that are guarded together: siblings, with the blocks that they open.
struct Block {
  std::size_t first = 0, last = 0;
};

// The last line of what line i opens; `i` itself: it opens nothing.
std::size_t end_of(const std::vector<LogicalLine>& lines, std::size_t i) {
  std::size_t last = i;
  while (last + 1 < lines.size() && lines[last + 1].indent > lines[i].indent) ++last;
  return last;
}

// The line alone, with its neighbours before and after, all of its block, then the same of the line that opens it.
std::vector<Block> blocks_around(const std::vector<LogicalLine>& lines, std::size_t inner) {
  std::vector<Block> out;
  auto add = [&](Block b) {
    const bool known = std::ranges::any_of(out, [&](const Block& o) { return o.first == b.first && o.last == b.last; });
    if (!known && out.size() < 24) out.push_back(b);
  };
  for (std::size_t i = inner; lines[i].indent > lines.front().indent;) {
    const std::uint32_t indent = lines[i].indent;
    std::vector<std::size_t> before{i}, after{end_of(lines, i)};
    for (std::size_t up = i; up > 0 && lines[up - 1].indent >= indent; --up)
      if (lines[up - 1].indent == indent) before.push_back(up - 1);
    for (std::size_t next = after.back() + 1; next < lines.size() && lines[next].indent == indent;) {
      after.push_back(end_of(lines, next));
      next = after.back() + 1;
    }
    add({before.front(), after.front()});
    add({before.back(), after.back()});
    for (std::size_t b : before) add({b, after.front()});
    for (std::size_t b : before) add({b, after.back()});
    std::size_t opener = i;
    for (std::size_t up = i; up-- > 0;) {
      if (lines[up].indent >= indent) continue;
      opener = up;
      break;
    }
    if (opener == i) break;
    i = opener;
  }
  return out;
}

class Guesses {
 public:
  Guesses(const ScriptState& state, const FoundHere& finding)
      : state_(state), finding_(finding), text_(state.text()), release_(state.analysis().first().dialect) {
    std::vector<std::uint32_t> near{finding.at->begin};
    for (Stretch r : finding.related) near.push_back(r.begin);
    for (const syntax::Tree::Statement& s : state.query({}).snapshot->tree()->statements()) {
      const Stretch range{s.offset, static_cast<std::uint32_t>(s.offset + s.node->text.size())};
      const bool meant =
          std::ranges::any_of(near, [&](std::uint32_t at) { return at >= range.begin && at < range.end; });
      if (!meant) continue;
      const Stretch lines{line_start(range.begin), range.end};
      const std::vector<LogicalLine> more = logical_lines(text_, lines);
      lines_.insert(lines_.end(), more.begin(), more.end());
    }
    near_ = std::move(near);
  }

  std::vector<QuickFix> all() {
    numbers();
    guard();
    insertions();
    changes();
    return sorted();
  }
  std::vector<QuickFix> all_guards() {
    guards();
    return sorted();
  }

 private:
  std::uint32_t line_start(std::uint32_t at) const {
    const std::size_t newline = at ? text_.rfind('\n', at - 1) : text_.npos;
    return newline == text_.npos ? 0 : static_cast<std::uint32_t>(newline + 1);
  }
  std::vector<QuickFix> sorted() {
    std::ranges::stable_sort(out_, {}, &Candidate::cost);
    std::vector<QuickFix> out;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> seen;
    for (Candidate& c : out_)
      if (seen.emplace(c.fix.at.begin, c.fix.at.end, c.fix.text).second) out.push_back(std::move(c.fix));
    return out;
  }
  void add(int cost, std::string title, Stretch at, std::string text) {
    out_.push_back({cost, {std::move(title), at, std::move(text), false}});
  }
  bool is(std::string_view c) const { return finding_.code == c; }
  // Findings of something that is missing rather than wrong.
  bool lacks() const {
    return is(code::kRace) || is(code::kUnawaited) || is(code::kProxy) || is(code::kTensorFence) ||
           is(code::kUnfinished) || is(code::kTensorMemory) || is(code::kEndedCta) || is(code::kWarpgroup);
  }
  const LogicalLine* line_of(std::uint32_t at) const {
    auto line = std::ranges::find_if(lines_, [&](const LogicalLine& l) { return at >= l.begin && at < l.end; });
    return line == lines_.end() ? nullptr : &*line;
  }

  void guards() {
    const Query q = state_.query({});
    const std::string elect = intrinsics::say(intrinsics::row_of("elect"), release_) + "()";
    std::vector<std::string> conditions{elect};
    const std::uint32_t at = finding_.at->begin;
    if (std::string warp = variable_with(q, "T.warp_id", at); !warp.empty())
      conditions.push_back(warp + " == 0 and " + elect);
    if (std::string thread = variable_with(q, "T.thread_id", at); !thread.empty())
      conditions.push_back(thread + " == 0");
    if (std::string lane = variable_with(q, "T.lane_id", at); !lane.empty()) conditions.push_back(lane + " == 0");
    auto line = std::ranges::find_if(lines_, [&](const LogicalLine& l) { return at >= l.begin && at < l.end; });
    if (line == lines_.end()) return;
    const std::size_t inner = static_cast<std::size_t>(line - lines_.begin());
    int cost = 0;
    for (const Block& b : blocks_around(lines_, inner)) {
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        add(cost + static_cast<int>(i), "Guard with " + (i == 0 ? std::string("one elected lane") : conditions[i]),
            {lines_[b.first].begin, lines_[b.last].end}, guarded(b, conditions[i]));
      }
      cost += 2;
    }
  }

  // The lines of a block below a test.
  std::string guarded(const Block& b, const std::string& condition) const {
    const std::uint32_t begin = lines_[b.first].begin, end = lines_[b.last].end;
    std::string out(lines_[b.first].indent, ' ');
    out += "if " + condition + ":\n";
    for (std::uint32_t at = begin; at < end;) {
      const auto stop = static_cast<std::uint32_t>(std::min<std::size_t>(text_.find('\n', at), end - 1)) + 1;
      const std::string_view line = text_.substr(at, stop - at);
      out += line.find_first_not_of(" \t\r\n") == line.npos ? std::string(line) : "    " + std::string(line);
      at = stop;
    }
    return out;
  }

  // What the finding says in numbers: bytes to announce, arrivals to initialise for.
  void numbers() {
    const std::string bytes = number_after(finding_.hint, "announce "),
                      arrivals = number_after(finding_.hint, "initialise it for ");
    for (const LogicalLine& line : lines_) {
      const bool near = std::ranges::any_of(near_, [&](std::uint32_t at) { return at >= line.begin && at < line.end; });
      for (const SyncArgument& a : sync_arguments(text_, line)) {
        const std::string_view last = operation_of(a.callee);
        const Stretch at{a.at, a.at + static_cast<std::uint32_t>(a.text.size())};
        if (!bytes.empty() && a.index >= 1 && (a.callee.find("expect_tx") != a.callee.npos || last == "arrive"))
          add(near ? 0 : 6, "Announce " + bytes + " bytes", at, bytes);
        if (!arrivals.empty() && initialises(a.callee) && a.index + 1 > 0 && a.text != arrivals && a.index > 0)
          add(near ? 0 : 6, "Initialise it for " + arrivals + " arrivals", at, arrivals);
      }
    }
  }

  // The statement goes below a test that one lane passes.
  void guard() {
    if (finding_.hint.find("let one lane") == finding_.hint.npos && !is(code::kMbarrier) && !is(code::kBytes)) return;
    const bool said = finding_.hint.find("let one lane") != finding_.hint.npos;
    for (std::uint32_t at : near_) {
      const LogicalLine* line = line_of(at);
      if (!line || line->opens) continue;
      const std::string indent(line->indent, ' ');
      const std::string statement(text_.substr(line->begin + line->indent, line->end - line->begin - line->indent));
      if (statement.find('\n') + 1 != statement.size()) continue;
      const std::string elect = intrinsics::say(intrinsics::row_of("elect"), release_) + "()";
      add(said ? 0 : 25, "Guard with one elected lane", {line->begin, line->end},
          indent + "if " + elect + ":\n" + indent + "    " + statement);
    }
  }

  // Before the barriers of threads that are nearest to the finding, those above it first: what one thread waits for or
  // fences there, the others see after the barrier.
  std::vector<StatementPlace> before_barriers() const {
    constexpr std::size_t kMost = 3;
    std::vector<StatementPlace> above, below;
    for (const LogicalLine& l : lines_) {
      const std::string_view line = text_.substr(l.begin, l.end - l.begin);
      if (l.opens || line.find("_sync(") == line.npos || line.find("elect") != line.npos) continue;
      (l.begin < finding_.at->begin ? above : below).push_back({l.begin, l.indent});
    }
    std::vector<StatementPlace> out(above.rbegin(), above.rend());
    out.resize(std::min(out.size(), kMost));
    if (!below.empty()) out.push_back(below.front());
    return out;
  }

  // The ends of the blocks that a line stands in, two outward, and of the blocks within them: where what follows a step
  // of the work is written.
  void add_block_ends(std::uint32_t at, std::vector<StatementPlace>& out) const {
    const LogicalLine* line = line_of(at);
    if (!line) return;
    auto i = static_cast<std::size_t>(line - lines_.data());
    for (int level = 0; level < 2 && lines_[i].indent > lines_.front().indent; ++level) {
      const std::uint32_t indent = lines_[i].indent;
      std::size_t first = i, last = i;
      while (first > 0 && lines_[first - 1].indent >= indent) --first;
      while (last + 1 < lines_.size() && lines_[last + 1].indent >= indent) ++last;
      auto put = [&](StatementPlace p) {
        if (std::ranges::find(out, p) == out.end()) out.push_back(p);
      };
      put({lines_[last].end, indent});
      for (std::size_t k = first; k <= last; ++k)
        if (k == last || lines_[k + 1].indent < lines_[k].indent) put({lines_[k].end, lines_[k].indent});
      if (first == 0) break;
      i = first - 1;
    }
  }

  // Arrivals at the barrier that the finding waits at, where the others that wait have done their work.
  void arrivals(const std::vector<RankedLines>& barriers) {
    if (!is(code::kDeadlock) || finding_.message.find(" arrivals") == finding_.message.npos) return;
    std::vector<StatementPlace> places;
    for (std::size_t n = 1; n < near_.size(); ++n) add_block_ends(near_[n], places);
    add_block_ends(near_.front(), places);
    constexpr std::size_t kMostPlaces = 10;
    constexpr int kMostArrivals = 3;
    places.resize(std::min(places.size(), kMostPlaces));
    int arrival = 0;
    for (const RankedLines& r : barriers) {
      const std::string& text = r.lines.front();
      const std::size_t arrive = text.find("arrive");
      if (r.lines.size() != 1 || arrive == text.npos || arrival == kMostArrivals) continue;
      // "ring.empty" of ring.empty.arrive(...) is `ring_empty_buf`, "ready" of ready.ptr_to([0]) is `ready[0]`.
      const bool of_pointer = text.starts_with("T.");
      std::string barrier = of_pointer ? text.substr(text.find('(') + 1) : text.substr(0, arrive > 0 ? arrive - 1 : 0);
      barrier = barrier.substr(0, of_pointer ? barrier.find(".ptr_to") : barrier.npos);
      std::ranges::replace(barrier, '.', '_');
      if (barrier.empty() || finding_.message.find("`" + barrier) == finding_.message.npos) continue;
      for (std::size_t p = 0; p < places.size(); ++p)
        add(1 + static_cast<int>(p) + 2 * arrival, "Insert " + text, {places[p].at, places[p].at},
            (places[p].at > 0 && text_[places[p].at - 1] != '\n' ? "\n" : "") + std::string(places[p].indent, ' ') +
                text + "\n");
      ++arrival;
    }
  }

  // Statements that are missing.
  void insertions() {
    std::vector<SyncLines> lines = lines_of_hint(finding_.hint);
    const std::size_t hinted = lines.size();
    const bool clusters = text_.find("cluster") != text_.npos;
    for (SyncLines& l : usual_lines(finding_.code, release_)) {
      if (!clusters && std::ranges::any_of(l, [](const std::string& s) { return s.find("cluster_sync") != s.npos; }))
        continue;
      if (std::ranges::find(lines, l) == lines.end()) lines.push_back(std::move(l));
    }
    const std::vector<RankedLines> barriers = barrier_lines(text_, lines_, near_, finding_.message, release_);
    const std::vector<StatementPlace> places = statement_places(text_, lines_, near_);
    arrivals(barriers);
    const int first = lacks() ? 0 : 12;
    auto put = [&](const SyncLines& what, const std::vector<StatementPlace>& where, int cost) {
      for (std::size_t p = 0; p < where.size(); ++p) {
        std::string text, title;
        for (const std::string& line : what) {
          text += std::string(where[p].indent, ' ') + line + "\n";
          title += (title.empty() ? "Insert " : " and ") + line;
        }
        if (where[p].at > 0 && text_[where[p].at - 1] != '\n') text = "\n" + text;
        add(cost + static_cast<int>(p) * 2, title, {where[p].at, where[p].at}, text);
      }
    };
    if (is(code::kUnawaited) || is(code::kProxy))
      for (std::size_t i = 0; i < hinted; ++i) put(lines[i], before_barriers(), first + static_cast<int>(i));
    for (std::size_t i = 0; i < lines.size(); ++i)
      put(lines[i], places, first + (i < hinted ? static_cast<int>(i) : 3 + static_cast<int>(i - hinted) * 3));
    const bool of_barriers = is(code::kDeadlock) || is(code::kBytes) || is(code::kMbarrier) ||
                             is(code::kInterleaving) || is(code::kUnawaited) || is(code::kUnfinished) ||
                             is(code::kRace) || is(code::kUnwritten);
    if (!of_barriers) return;
    // Beside the copies that a barrier counts, too.
    std::vector<std::uint32_t> beside = near_;
    for (const LogicalLine& l : lines_) {
      const std::string_view line = text_.substr(l.begin, l.end - l.begin);
      for (std::string_view copy : {"copy_async(", "g2s", "g2c", "gemm_async("})
        if (line.find(copy) != line.npos && !l.opens) beside.push_back(l.begin + l.indent);
    }
    const std::vector<StatementPlace> all = statement_places(text_, lines_, beside);
    int meant = 0, others = 0;
    for (const RankedLines& r : barriers) {
      const int cost = r.meant ? (lacks() ? 3 : 1) + 2 * meant++ : (lacks() ? 14 : 10) + 3 * others++;
      if (meant + others < 24) put(r.lines, all, cost);
    }
  }

  // Counts, phases and indices that are one off or turned round.
  void changes() {
    const int first = lacks() ? 8 : 2;
    for (const LogicalLine& line : lines_) {
      const bool near = std::ranges::any_of(near_, [&](std::uint32_t at) { return at >= line.begin && at < line.end; });
      for (const SyncArgument& a : sync_arguments(text_, line)) {
        const Stretch at{a.at, a.at + static_cast<std::uint32_t>(a.text.size())};
        const int cost = first + (near ? 0 : 8);
        auto offer = [&](int more, const std::string& to) {
          if (to.empty() || to == a.text) return;
          add(cost + more, "Write " + to + " in place of " + std::string(a.text), at, to);
        };
        // An addend and a phase turned round are what slips leave; of a state in a ring the finding says it.
        const bool states = finding_.hint.find("PipelineState(") != finding_.hint.npos;
        const bool of_state = states && a.callee.ends_with("PipelineState");
        const int slip = (near ? 1 : 3) - cost;
        offer(slip, without_addend(a.text));
        offer(slip, without_flip(a.text));
        if (of_state && a.keyword == "phase" && is_number(a.text)) offer(1 - cost, a.text == "0" ? "1" : "0");
        const std::string_view last = operation_of(a.callee);
        const bool phase = (last.find("wait") != last.npos && a.index == 1) || a.keyword == "phase";
        if (is_number(a.text)) {
          const int n = std::stoi(std::string(a.text));
          if (phase && n <= 1) offer(2, std::to_string(1 - n));
          if (n > 0 && n < 4) offer(4, std::to_string(n - 1));
          if (n < 3) offer(6, std::to_string(n + 1));
        } else if (phase && a.text.size() < 40) {
          const bool simple = std::ranges::all_of(
              a.text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
          offer(5, simple ? "1 - " + std::string(a.text) : "1 - (" + std::string(a.text) + ")");
        }
      }
    }
  }

  const ScriptState& state_;
  const FoundHere& finding_;
  std::string_view text_;
  text::Dialect release_;
  std::vector<LogicalLine> lines_;  // of the statements that the finding and its places stand in
  std::vector<std::uint32_t> near_;
  std::vector<Candidate> out_;
};

}  // namespace

bool is_of_simulator(std::string_view code) { return code.starts_with("TW50"); }

std::vector<QuickFix> sync_candidates(const ScriptState& state, const FoundHere& finding) {
  return finding.at ? Guesses(state, finding).all() : std::vector<QuickFix>();
}

std::vector<QuickFix> guard_candidates(const ScriptState& state, const FoundHere& finding) {
  return finding.at ? Guesses(state, finding).all_guards() : std::vector<QuickFix>();
}

}  // namespace tilewright::ide
