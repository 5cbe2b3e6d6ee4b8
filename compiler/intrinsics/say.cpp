#include "compiler/intrinsics/say.h"

#include <algorithm>
#include <vector>

#include "compiler/intrinsics/forms.h"

namespace tilewright::intrinsics {
namespace {

using enum text::Dialect;

// How a call of a row is written where a release has no such row, or another order of operands.
struct Newer {
  text::Dialect since;
  std::string_view id;         // of the row
  std::string_view arguments;  // of the older call, "$" for any; empty: the name alone
  std::string_view text;       // $1 is what the first "$" stands for
};
// Of the entries for a row and its arguments, the last one whose release is old enough holds.
constexpr Newer kNewer[] = {
    {V0_26, "E1", "($, noinc=True)", "ptx.cp_async.mbarrier.arrive.noinc($1)"},
    {V0_26, "P2", "($, cta_id, pred)", "ptx.mbarrier.arrive($1, remote=rank, pred=pred)"},
    // barriers in shared memory
    {V0_27, "P1", "", "ptx.mbarrier.init.shared.b64"},
    {V0_27, "P1", "($, $)", "ptx.mbarrier.init.shared.b64($1, T.uint32($2))"},
    {V0_27, "E10", "", "ptx.mbarrier.inval.shared.b64"},
    {V0_27, "P2", "", "ptx.mbarrier.arrive.shared.b64"},
    {V0_27, "P2", "($)", "ptx.mbarrier.arrive.shared.b64($1, T.uint32(1))"},
    {V0_27, "P2", "($, cta_id, pred)", "ptx.mapa.shared__cluster.u32(address, $1, rank) for the address"},
    {V0_27, "E26", "", "ptx.mbarrier.arrive.shared__cluster.b64"},
    {V0_27, "E26", "($)", "ptx.mbarrier.arrive.shared__cluster.b64($1, T.uint32(1))"},
    {V0_27, "P3", "", "ptx.mbarrier.arrive.shared__cluster.b64"},
    {V0_27, "P4", "", "ptx.mbarrier.arrive.shared__cluster.b64"},
    {V0_27, "E4", "", "ptx.mbarrier.arrive.shared.b64"},
    {V0_27, "E5", "", "ptx.mbarrier.test_wait.shared__cta.b64"},
    {V0_27, "E6", "", "ptx.mbarrier.try_wait.shared__cta.b64"},
    {V0_27, "E7", "", "ptx.mbarrier.expect_tx.relaxed.cta.shared__cta.b64"},
    {V0_27, "P6", "", "ptx.mbarrier.arrive.expect_tx.shared.b64"},
    {V0_27, "P6", "($, $)", "ptx.mbarrier.arrive.expect_tx.shared.b64($1, T.uint32($2))"},
    {V0_27, "P9", "", "ptx.mbarrier.try_wait.parity.shared__cta.b64"},
    {V0_27, "P11", "", "ptx.mbarrier.test_wait.parity.shared__cta.b64"},
    {V0_27, "E1", "", "ptx.cp.async_.mbarrier.arrive.shared.b64"},
    {V0_27, "E1", "($, noinc=True)", "ptx.cp.async_.mbarrier.arrive.noinc.shared.b64($1)"},
    // barriers of threads, fences, registers, addresses
    {V0_27, "P17", "", "ptx.fence.proxy.async_"},
    {V0_27, "P17", "(\"shared::cta\")", "ptx.fence.proxy.async_.shared__cta()"},
    {V0_27, "P17", "(\"global\")", "ptx.fence.proxy.async_.global_()"},
    {V0_27, "P18", "", "ptx.fence.mbarrier_init.release.cluster"},
    {V0_27, "E22", "", "ptx.fence.proxy.tensormap__generic.acquire.gpu"},
    {V0_27, "P21", "", "ptx.setmaxnreg"},
    {V0_27, "P25", "", "ptx.mapa.shared__cluster.u32"},
    {V0_27, "P26", "", "ptx.mapa.u64"},
    // copies
    {V0_27, "P29", "", "ptx.cp.async_"},
    {V0_27, "P30", "", "ptx.cp.async_"},
    {V0_27, "P33", "", "ptx.cp.async_.commit_group"},
    {V0_27, "P34", "", "ptx.cp.async_.wait_group"},
    {V0_27, "E3", "", "ptx.cp.async_.wait_all"},
    {V0_27, "P36", "", "ptx.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes"},
    {V0_27, "P37", "", "ptx.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes"},
    {V0_27, "P39", "", "ptx.cp.async_.bulk.shared__cluster.shared__cta.mbarrier__complete_tx__bytes"},
    {V0_27, "P40", "", "ptx.cp.async_.bulk.global_.shared__cta.bulk_group"},
    {V0_27, "P41", "", "ptx.cp.async_.bulk.commit_group"},
    {V0_27, "P42", "", "ptx.cp.async_.bulk.wait_group"},
    {V0_27, "P42", "($, True)", "ptx.cp.async_.bulk.wait_group.read($1)"},
    {V0_27, "P42", "($, read=True)", "ptx.cp.async_.bulk.wait_group.read($1)"},
    {V0_27, "P44", "", "ptx.cp.async_.bulk.tensor"},
    {V0_27, "P48", "", "ptx.cp.async_.bulk.tensor"},
    {V0_27, "P49", "", "ptx.cp.reduce.async_.bulk.tensor"},
    {V0_27, "P51", "", "ptx.prefetch.tensormap"},
    {V0_27, "P61", "", "ptx.ldmatrix.sync.aligned"},
    {V0_27, "P61.dispatch", "", "ptx.ldmatrix.sync.aligned"},
    {V0_27, "P63", "", "ptx.stmatrix.sync.aligned"},
    {V0_27, "P63.dispatch", "", "ptx.stmatrix.sync.aligned"},
    // matrix products
    {V0_27, "P64", "", "ptx.mma.sync.aligned"},
    {V0_27, "P67", "", "ptx.wgmma.fence.sync.aligned"},
    {V0_27, "P68", "", "ptx.wgmma.commit_group.sync.aligned"},
    {V0_27, "P69", "", "ptx.wgmma.wait_group.sync.aligned"},
    {V0_27, "P72", "", "ptx.wgmma.mma_async.sync.aligned"},
    {V0_27, "P72.integer", "", "ptx.wgmma.mma_async.sync.aligned"},
    {V0_27, "P73", "", "ptx.wgmma.mma_async.sync.aligned"},
    {V0_27, "P73.integer", "", "ptx.wgmma.mma_async.sync.aligned"},
    {V0_27, "P74", "", "ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32"},
    {V0_27, "P75", "", "ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32"},
    {V0_27, "P75", "($, n_cols=$)", "ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32($1, T.uint32($2))"},
    {V0_27, "P75", "($, n_cols=$, cta_group=2)", "ptx.tcgen05.dealloc.cta_group__2.sync.aligned.b32($1, T.uint32($2))"},
    {V0_27, "P76", "", "ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned"},
    {V0_27, "P78", "", "ptx.tcgen05.ld.sync.aligned"},
    {V0_27, "P79", "", "ptx.tcgen05.st.sync.aligned"},
    {V0_27, "P80", "", "ptx.tcgen05.wait__ld.sync.aligned"},
    {V0_27, "P81", "", "ptx.tcgen05.wait__st.sync.aligned"},
    {V0_27, "P82", "", "ptx.tcgen05.fence__before_thread_sync"},
    {V0_27, "P83", "", "ptx.tcgen05.fence__after_thread_sync"},
    {V0_27, "P84", "", "ptx.tcgen05.cp"},
    {V0_27, "P85", "", "ptx.tcgen05.commit"},
    {V0_27, "P86", "", "ptx.tcgen05.mma"},
    {V0_27, "P88", "", "ptx.tcgen05.mma"},
    // arithmetic
    {V0_27, "P95", "", "ptx.max.f32"},
    {V0_27, "P96", "", "ptx.min.f32"},
    {V0_27, "P102", "", "ptx.add.rn.f32x2"},
    {V0_27, "P103", "", "ptx.sub.rn.f32x2"},
    {V0_27, "P104", "", "ptx.mul.rn.f32x2"},
    {V0_27, "P105", "", "ptx.fma.rn.f32x2"},
};

// The arguments between the brackets at the beginning of a text; `length` is what they take, 0: no call.
std::vector<std::string_view> arguments_of(std::string_view text, std::size_t& length) {
  std::vector<std::string_view> out;
  length = 0;
  if (!text.starts_with('(')) return out;
  int depth = 0;
  std::size_t from = 1;
  for (std::size_t i = 0; i < text.size() && length == 0; ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    while (from < i && text[from] == ' ') ++from;
    if (from < i) out.push_back(text.substr(from, i - from));
    from = i + 1;
    if (depth == 0) length = i + 1;
  }
  return out;
}

// What each "$" of a pattern stands for; nothing: the arguments are others.
std::optional<std::vector<std::string_view>> matched(std::string_view pattern,
                                                     std::span<const std::string_view> arguments) {
  std::size_t length = 0;
  const std::vector<std::string_view> parts = arguments_of(pattern, length);
  if (parts.size() != arguments.size()) return std::nullopt;
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t at = parts[i].find('$');
    if (at == parts[i].npos ? parts[i] != arguments[i] : !arguments[i].starts_with(parts[i].substr(0, at)))
      return std::nullopt;
    if (at != parts[i].npos) out.push_back(arguments[i].substr(at));
    if (at == 0 && arguments[i].find('=') != arguments[i].npos) return std::nullopt;  // a keyword is written out
  }
  return out;
}

// The name of a row and the arguments behind it; `used` is how much of those the result stands for.
std::string written(const ir::Callee& row, std::string_view id, std::string_view behind, text::Dialect release,
                    std::size_t& used) {
  std::size_t length = 0;
  const std::vector<std::string_view> arguments = arguments_of(behind, length);
  std::string_view name;
  used = 0;
  for (auto n = std::rbegin(kNewer); n != std::rend(kNewer); ++n) {
    if (n->id != id || n->since > release) continue;
    if (n->arguments.empty()) {
      if (name.empty()) name = n->text;
      continue;
    }
    const auto places = length > 0 ? matched(n->arguments, arguments) : std::nullopt;
    if (!places) continue;
    used = length;
    std::string out = "T.";
    for (std::size_t i = 0; i < n->text.size(); ++i) {
      if (n->text[i] == '$') {
        out.append((*places)[static_cast<std::size_t>(n->text[++i] - '1')]);
      } else {
        out += n->text[i];
      }
    }
    return out;
  }
  std::string_view path = row.name_in(release);
  if (!name.empty()) path = name;
  for (auto r = row.respelled.rbegin(); path.empty() && r != row.respelled.rend(); ++r) path = r->name;
  return "T." + std::string(path.empty() ? row.name : path);
}

}  // namespace

std::string say(const ir::Callee& row, text::Dialect release) {
  std::size_t used = 0;
  const auto* intrinsic = form_callee(&row) ? nullptr : of(&row);
  return written(row, intrinsic ? intrinsic->id : std::string_view(), {}, release, used);
}

std::string say_call(const Intrinsic& row, std::string_view arguments, text::Dialect release) {
  std::size_t used = 0;
  std::string out = written(row, row.id, arguments, release, used);
  return out.append(arguments.substr(used));
}

std::string say(std::string_view text, text::Dialect release) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const std::size_t end = detail::end_of_name(text, at);
    if (end == text.npos) continue;
    const std::string_view name = text.substr(at + 1, end - at - 2);
    const std::size_t row = KnownRow::index_of(name);
    if (row == std::size(kRowNames)) continue;
    std::size_t used = 0;
    const Intrinsic& known = *row_of_id(kRowNames[row].id);
    out.append(text.substr(from, at - from)).append(written(known, known.id, text.substr(end), release, used));
    from = end + used;
  }
  return out.append(text.substr(from));
}

}  // namespace tilewright::intrinsics
