#include "compiler/intrinsics/say.h"

#include <cctype>

namespace tilewright::intrinsics {
namespace {

// From 0.27 on an instruction of PTX is written by its words, and its row has no name there. What scripts of 0.26
// write, and what 0.27 writes in its place; calls before paths, longer ones before those that begin alike.
struct Words {
  std::string_view before, now;
};
constexpr Words kWords[] = {
    {"T.ptx.fence.proxy_async(\"shared::cta\")", "T.ptx[\"fence.proxy.async.shared::cta\"]()"},
    {"T.ptx.fence.proxy.async_(\"shared::cta\")", "T.ptx[\"fence.proxy.async.shared::cta\"]()"},
    {"T.ptx.fence.proxy_async(\"global\")", "T.ptx[\"fence.proxy.async.global\"]()"},
    {"T.ptx.fence.proxy_async", "T.ptx.fence.proxy.async_"},
    {"T.ptx.fence.mbarrier_init", "T.ptx.fence.mbarrier_init.release.cluster"},
    {"T.ptx.fence(\"acq_rel\", \"sys\")", "T.ptx.fence.acq_rel.sys()"},
    {"T.ptx.mbarrier.init", "T.ptx.mbarrier.init.shared.b64"},
    {"T.ptx.mbarrier.inval", "T.ptx.mbarrier.inval.shared.b64"},
    {"T.ptx.mbarrier.arrive.expect_tx", "T.ptx.mbarrier.arrive.expect_tx.shared.b64"},
    {"T.ptx.mbarrier.arrive", "T.ptx.mbarrier.arrive.shared.b64"},
    {"T.ptx.mbarrier.try_wait", "T.cuda.mbarrier_wait"},
    {"T.ptx.mbarrier.wait", "T.cuda.mbarrier_wait"},
    {"T.ptx.barrier.cluster.arrive", "T.ptx.barrier.cluster.arrive.aligned"},
    {"T.ptx.barrier.cluster.wait", "T.ptx.barrier.cluster.wait.aligned"},
    {"T.ptx.cp_async.bulk.wait_group(0, read=False)", "T.ptx.cp.async_.bulk.wait_group(0)"},
    {"T.ptx.cp_async.bulk.wait_group(0)", "T.ptx.cp.async_.bulk.wait_group.read(0)"},
    {"T.ptx.cp_async.bulk.commit_group", "T.ptx.cp.async_.bulk.commit_group"},
    {"T.ptx.cp_async.bulk.wait_group", "T.ptx.cp.async_.bulk.wait_group"},
    {"T.ptx.cp_async.commit_group", "T.ptx.cp.async_.commit_group"},
    {"T.ptx.cp_async.wait_group", "T.ptx.cp.async_.wait_group"},
    {"T.ptx.cp_async", "T.ptx.cp.async_.cg.shared.global_"},
    {"T.ptx.wgmma.fence", "T.ptx.wgmma.fence.sync.aligned"},
    {"T.ptx.wgmma.commit_group", "T.ptx.wgmma.commit_group.sync.aligned"},
    {"T.ptx.wgmma.wait_group", "T.ptx.wgmma.wait_group.sync.aligned"},
    {"T.ptx.tcgen05.wait.ld", "T.ptx.tcgen05.wait__ld.sync.aligned"},
    {"T.ptx.tcgen05.wait.st", "T.ptx.tcgen05.wait__st.sync.aligned"},
    {"T.ptx.tcgen05.fence.after_thread_sync", "T.ptx.tcgen05.fence__after_thread_sync"},
    {"T.ptx.tcgen05.fence.before_thread_sync", "T.ptx.tcgen05.fence__before_thread_sync"},
};

// Does a path end at this byte of a text?
bool ends_path(std::string_view text, std::size_t at) {
  auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  return !is_word(at) && !(at < text.size() && text[at] == '.' && is_word(at + 1));
}

std::string by_words(std::string text, text::Dialect release) {
  if (release < text::Dialect::V0_27) return text;
  for (std::size_t at = text.find("T.ptx."); at != text.npos; at = text.find("T.ptx.", at + 1)) {
    for (const auto& [before, now] : kWords) {
      const bool here = text.compare(at, before.size(), before) == 0;
      if (!here || !(before.ends_with(')') || ends_path(text, at + before.size()))) continue;
      text.replace(at, before.size(), now);
      break;
    }
  }
  return text;
}

std::string path_of(const ir::Callee& row, text::Dialect release) {
  std::string_view path = row.name_in(release);
  for (auto r = row.respelled.rbegin(); path.empty() && r != row.respelled.rend(); ++r) path = r->name;
  return "T." + std::string(path.empty() ? row.name : path);
}

}  // namespace

std::string say(const ir::Callee& row, text::Dialect release) { return by_words(path_of(row, release), release); }

std::string say(std::string_view text, text::Dialect release) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const std::size_t end = detail::end_of_name(text, at);
    if (end == text.npos) continue;
    const std::string_view name = text.substr(at + 1, end - at - 2);
    const std::size_t row = KnownRow::index_of(name);
    if (row == std::size(kRowNames)) continue;
    out.append(text.substr(from, at - from)).append(path_of(*row_of_id(kRowNames[row].id), release));
    from = end;
  }
  return by_words(out.append(text.substr(from)), release);
}

}  // namespace tilewright::intrinsics
