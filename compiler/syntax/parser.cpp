#include "compiler/syntax/parser.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {

namespace {

// ---- memory of the library ----------------------------------------------------------------------------------------
//
// The library counts on each allocation. So a parse knows the blocks that it made: one that takes too many is
// cancelled, and where the machine has none left, they are given back and the caller gets std::bad_alloc.

constexpr std::size_t kMostMemory = 192 << 20;  // of one parse; scripts take a hundredth of it

struct Block {  // stands in front of what the library gets
  Block* previous;
  Block* next;
  std::uint64_t parse;  // that made it
  std::size_t size;
};
static_assert(sizeof(Block) % alignof(std::max_align_t) == 0);

// The blocks of the parse under way on this thread.
class Taken {
 public:
  Taken() : parse_(next_parse_.fetch_add(1, std::memory_order_relaxed)), outer_(std::exchange(current_, this)) {}
  ~Taken() { current_ = outer_; }  // what is left belongs to the tree that was made
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  static Taken* current() { return current_; }
  std::size_t* spent() { return &spent_; }  // not 0: the parse is given up
  bool made(const Block* b) const { return b->parse == parse_; }

  void add(Block* b) {
    b->parse = parse_;
    b->previous = nullptr;
    b->next = first_;
    if (first_) first_->previous = b;
    first_ = b;
    bytes_ += b->size;
    if (bytes_ > kMostMemory) spent_ = 1;
  }
  void remove(Block* b) {
    (b->previous ? b->previous->next : first_) = b->next;
    if (b->next) b->next->previous = b->previous;
    bytes_ -= b->size;
  }
  void give_back() {
    while (first_) std::free(std::exchange(first_, first_->next));
    bytes_ = 0;
  }

 private:
  static inline std::atomic<std::uint64_t> next_parse_{1};
  static inline thread_local Taken* current_ = nullptr;
  std::uint64_t parse_;
  Taken* outer_;
  Block* first_ = nullptr;
  std::size_t bytes_ = 0, spent_ = 0;
};

void* handed_out(Block* b, std::size_t size) {
  if (!b) throw std::bad_alloc();
  b->parse = 0;
  b->size = size;
  if (Taken* taken = Taken::current()) taken->add(b);
  return b + 1;
}

void* take(std::size_t size) { return handed_out(static_cast<Block*>(std::malloc(sizeof(Block) + size)), size); }

void* take_zeroed(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) throw std::bad_alloc();
  return handed_out(static_cast<Block*>(std::calloc(1, sizeof(Block) + bytes)), bytes);
}

void give(void* memory) {
  if (!memory) return;
  Block* b = static_cast<Block*>(memory) - 1;
  if (Taken* taken = Taken::current(); taken && taken->made(b)) taken->remove(b);
  std::free(b);
}

void* take_more(void* memory, std::size_t size) {
  if (!memory) return take(size);
  Block* b = static_cast<Block*>(memory) - 1;
  Taken* taken = Taken::current();
  const bool own = taken && taken->made(b);
  if (own) taken->remove(b);
  auto* larger = static_cast<Block*>(std::realloc(b, sizeof(Block) + size));
  if (!larger && own) taken->add(b);
  return handed_out(larger, size);
}

[[maybe_unused]] const bool kInstalled = [] {
  ts_set_allocator(take, take_zeroed, take_more, give);
  return true;
}();

using std::chrono::microseconds;

microseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return microseconds(now.tv_sec * 1'000'000 + now.tv_nsec / 1000);
}

// A statement of a megabyte takes 0.4 s where it has no error.
microseconds limit(std::size_t bytes, microseconds least) { return least + microseconds(3 * bytes); }
microseconds limit_of_repairs(std::size_t bytes, microseconds least) { return least + microseconds(bytes / 2); }

// While it lives, the parser of this thread sets the flag where it begins to repair.
class StopAtError {
 public:
  explicit StopAtError(std::size_t* flag) { tree_sitter_tilescript_stop_at_error(flag); }
  ~StopAtError() { tree_sitter_tilescript_stop_at_error(nullptr); }
  StopAtError(const StopAtError&) = delete;
  StopAtError& operator=(const StopAtError&) = delete;
};

}  // namespace

Parser::Parser(std::size_t bytes)
    : left_(limit(bytes, microseconds(1'000'000))), left_for_repairs_(limit_of_repairs(bytes, microseconds(500'000))) {
  begin();
}

void Parser::begin() {
  parser_.reset(ts_parser_new());
  ts_parser_set_language(parser_.get(), tree_sitter_tilescript());
}

TreePtr Parser::parse(std::string_view text) {
  return parse(text, nullptr, limit_of_repairs(text.size(), microseconds(250'000)), left_for_repairs_, false);
}

TreePtr Parser::parse_faultless(std::string_view text, const TSTree* old) {
  TreePtr tree = parse(text, old, limit(text.size(), microseconds(250'000)), left_, true);
  if (tree && ts_node_has_error(ts_tree_root_node(tree.get()))) tree = nullptr;
  return tree;
}

TreePtr Parser::parse(std::string_view text, const TSTree* old, Time most, Time& left, bool stops_at_error) {
  if (left.count() <= 0) return nullptr;
  Taken taken;
  const StopAtError stop(stops_at_error ? taken.spent() : nullptr);
  try {
    return run(text, old, std::min(left, most), left, taken.spent());
  } catch (const std::bad_alloc&) {
    // The parser may not be touched any more: it holds blocks that are given back.
    static_cast<void>(parser_.release());
    taken.give_back();
    left_ = left_for_repairs_ = microseconds(0);
    throw;
  }
}

TreePtr Parser::run(std::string_view text, const TSTree* old, Time most, Time& left, const std::size_t* given_up) {
  ts_parser_set_cancellation_flag(parser_.get(), given_up);
  // The library counts time on the wall. On a busy machine that would make results depend on others, so a parse that
  // ran out of it without having had its time of this thread starts again. (A parse that is resumed instead of started
  // again may repair broken text in another way.)
  microseconds start = thread_time();
  microseconds used{0};
  TreePtr tree;
  while (!tree && used < most && !*given_up) {
    ts_parser_set_timeout_micros(parser_.get(), static_cast<std::uint64_t>((most - used).count()));
    tree.reset(ts_parser_parse_string(parser_.get(), old, text.data(), static_cast<std::uint32_t>(text.size())));
    if (!tree) ts_parser_reset(parser_.get());
    used = thread_time() - start;
  }
  ts_parser_set_cancellation_flag(parser_.get(), nullptr);
  left -= used;
  return tree;
}

}  // namespace tilewright::syntax
