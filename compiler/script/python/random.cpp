// The module `random`, as far as it is seeded by the script: Python's generator (Mersenne Twister, seeded by an array
// of 32-bit words) and the functions that are defined by it. Without a seed nothing of it is known.
#include <array>
#include <bit>

#include "compiler/script/codes.h"
#include "compiler/script/python/more_names.h"

namespace tilewright::script::python {
namespace {

constexpr std::size_t kWords = 624, kMiddle = 397;
constexpr std::string_view kState = "<state>";
constexpr const char* kUnseeded = "a random number without a seed";

// The state stands in a list of the instance, so that it is kept and restored as other values are.
class Twister {
 public:
  explicit Twister(List* state) : state_(state) {}

  static void seed(List* state, std::uint64_t seed) {
    std::array<std::uint32_t, kWords> w{};
    w[0] = 19650218;
    for (std::uint32_t i = 1; i < kWords; ++i) w[i] = 1812433253U * (w[i - 1] ^ (w[i - 1] >> 30)) + i;
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    const std::uint32_t length = key[1] == 0 ? 1 : 2;
    std::size_t i = 1;
    std::uint32_t j = 0;
    for (std::size_t k = 0; k < kWords; ++k) {
      w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525U)) + key[j] + j;
      next_place(w, i);
      j = (j + 1) % length;
    }
    for (std::size_t k = 0; k < kWords - 1; ++k) {
      w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
      next_place(w, i);
    }
    w[0] = 0x80000000U;
    state->items.clear();
    for (std::uint32_t word : w) state->items.push_back(Value::integer(word));
    state->items.push_back(Value::integer(kWords));
  }

  std::uint32_t word() {
    auto at = static_cast<std::size_t>(state_->items[kWords].i);
    if (at >= kWords) {
      turn();
      at = 0;
    }
    state_->items[kWords] = Value::integer(static_cast<std::int64_t>(at) + 1);
    std::uint32_t y = get(at);
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }

  double number() {
    const std::uint32_t a = word() >> 5, b = word() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }

  // `count` bits, at most 64.
  std::uint64_t bits(unsigned count) {
    if (count <= 32) return count == 0 ? 0 : word() >> (32 - count);
    const std::uint64_t low = word();
    return low | std::uint64_t{word() >> (64 - count)} << 32;
  }

  // Below `n`, which is not 0.
  std::uint64_t below(std::uint64_t n) {
    const auto count = static_cast<unsigned>(std::bit_width(n));
    std::uint64_t r = bits(count);
    while (r >= n) r = bits(count);
    return r;
  }

 private:
  static void next_place(std::array<std::uint32_t, kWords>& w, std::size_t& i) {
    if (++i < kWords) return;
    w[0] = w[kWords - 1];
    i = 1;
  }
  std::uint32_t get(std::size_t i) const { return static_cast<std::uint32_t>(state_->items[i].i); }
  void turn() {
    for (std::size_t k = 0; k < kWords; ++k) {
      const std::uint32_t y = (get(k) & 0x80000000U) | (get((k + 1) % kWords) & 0x7fffffffU);
      const std::uint32_t mixed = get((k + kMiddle) % kWords) ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0);
      state_->items[k] = Value::integer(mixed);
    }
  }

  List* state_;
};

// The state of the generator that a method is called on; null: it is not known, or an error is pending.
List* state_of(const Arguments& args) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* state = self ? self->find(kState) : nullptr;
  List* list = state ? state->as<List>() : nullptr;
  return list && list->items.size() == kWords + 1 ? list : nullptr;
}

Value seed(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "Random", 1, 2)) return Value::error();
  Instance* self = args.positional[0].as<Instance>();
  if (!self) return Value::none();
  const Value given = args.positional.size() > 1 ? args.positional[1] : Value::none();
  if (!given.is_int()) {
    self->set(kState, Value::opaque(kUnseeded));
    return Value::none();
  }
  if (!in.charge(16 * kWords, args.call) || !reserve(in, args.call, (kWords + 1) * sizeof(Value)))
    return Value::error();
  List* state = in.make<List>();
  const auto magnitude = static_cast<std::uint64_t>(given.i);
  Twister::seed(state, given.i < 0 ? 0 - magnitude : magnitude);
  self->set(kState, Value::object(state));
  return Value::none();
}

Value random(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "random", 1, 1)) return Value::error();
  List* state = state_of(args);
  return state ? Value::floating(Twister(state).number()) : Value::opaque(kUnseeded);
}

Value uniform(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "uniform", 3, 3)) return Value::error();
  List* state = state_of(args);
  const auto a = in.as_number(args.positional[1]), b = in.as_number(args.positional[2]);
  if (!state || !a || !b) return Value::opaque(kUnseeded);
  return Value::floating(*a + (*b - *a) * Twister(state).number());
}

// From `first` to below `end`, by `step`.
Value ranged(Interpreter& in, const Arguments& args, std::int64_t first, std::int64_t end, std::int64_t step) {
  Range range;
  range.start = first;
  range.stop = end;
  range.step = step;
  List* state = state_of(args);
  if (!state) return Value::opaque(kUnseeded);
  if (step == 0 || range.length() <= 0) {
    return in.fail(code::kValue, args.call, "there is no number in this range", {}, "ValueError");
  }
  const std::uint64_t n = Twister(state).below(static_cast<std::uint64_t>(range.length()));
  return Value::integer(first + static_cast<std::int64_t>(n) * step);
}

Value randrange(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "randrange", 2, 4)) return Value::error();
  std::int64_t given[3] = {0, 0, 1};
  for (std::size_t i = 1; i < args.positional.size(); ++i) {
    const auto n = in.as_int(args.positional[i], args.at(i), "a bound");
    if (!n) return Value::error();
    given[i - 1] = *n;
  }
  return args.positional.size() == 2 ? ranged(in, args, 0, given[0], 1)
                                     : ranged(in, args, given[0], given[1], given[2]);
}

Value randint(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "randint", 3, 3)) return Value::error();
  const auto a = in.as_int(args.positional[1], args.at(1), "a bound");
  const auto b = a ? in.as_int(args.positional[2], args.at(2), "a bound") : a;
  if (!b) return Value::error();
  return *b == INT64_MAX ? Value::opaque(kUnseeded) : ranged(in, args, *a, *b + 1, 1);
}

Value getrandbits(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "getrandbits", 2, 2)) return Value::error();
  const auto count = in.as_int(args.positional[1], args.at(1), "a number of bits");
  List* state = state_of(args);
  if (!count) return Value::error();
  if (!state || *count < 0 || *count > 64) return Value::opaque(kUnseeded);
  return in.big(static_cast<__int128>(Twister(state).bits(static_cast<unsigned>(*count))));
}

Value choice(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "choice", 2, 2)) return Value::error();
  List* state = state_of(args);
  if (!state || args.positional[1].is_opaque()) return Value::opaque(kUnseeded);
  const auto items = in.iterate(args.positional[1], args.at(1));
  if (!items) return Value::error();
  if (items->empty()) return in.fail(code::kIndex, args.call, "nothing to choose from", {}, "IndexError");
  return (*items)[Twister(state).below(items->size())];
}

Value shuffle(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "shuffle", 2, 2)) return Value::error();
  List* state = state_of(args);
  List* list = args.positional[1].as<List>();
  if (!state || !list) {
    return in.lose(args.positional[1], kUnseeded) ? Value::none() : Value::error();
  }
  if (!in.charge(16 * list->items.size(), args.call)) return Value::error();
  for (std::size_t i = list->items.size(); i-- > 1;) {
    std::swap(list->items[i], list->items[Twister(state).below(i + 1)]);
  }
  return Value::none();
}

// What moves the generator on in a way that is not followed: its numbers are not known from here on.
Value unfollowed(Interpreter& in, const Arguments& args, Value) {
  if (!args.positional.empty() && !in.lose(args.positional[0], kUnseeded)) return Value::error();
  return Value::opaque(kUnseeded);
}

Value generator_class(Interpreter& in) {
  return Value::object(shared_class(in, "random.Random", [&] {
    Class* made = make_class(in, "Random", {class_named(in, "object")});
    constexpr Entry kMethods[] = {
        {"__init__", seed},
        {"seed", seed},
        {"random", random},
        {"uniform", uniform},
        {"randrange", randrange},
        {"randint", randint},
        {"getrandbits", getrandbits},
        {"choice", choice},
        {"shuffle", shuffle},
        {"sample", unfollowed},
        {"choices", unfollowed},
        {"gauss", unfollowed},
        {"normalvariate", unfollowed},
    };
    for (const Entry& e : kMethods) add_method(in, made, e.name, e.function);
    return made;
  }));
}

constexpr Entry kRandom[] = {{"Random", nullptr, generator_class}};

}  // namespace

std::span<const Entry> random_names() { return kRandom; }
Value random_name(Interpreter&, std::string_view) { return Value::opaque("the module 'random'"); }

}  // namespace tilewright::script::python
