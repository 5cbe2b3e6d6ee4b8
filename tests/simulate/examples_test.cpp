// The examples, run at all timings and for all of their architectures: each element of its output has the
// value that the example's own `reference` says, restated here.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Reference = void (*)(const Numbers& a, Numbers& b);

void same(const Numbers& a, Numbers& b) { b.values = a.values; }
template <int N>
void times(const Numbers& a, Numbers& b) {
  b.values = a.values;
  for (double& v : b.values) v *= N;
}
void plus_one(const Numbers& a, Numbers& b) {
  b.values = a.values;
  for (double& v : b.values) v += 1;
}
// Writes b(i, j, ...) = f(indices) for every element of B.
template <class F>
void each(Numbers& b, F&& f) {
  std::vector<std::int64_t> at(b.shape.size());
  for (std::size_t n = 0; n < b.values.size(); ++n) {
    std::int64_t rest = static_cast<std::int64_t>(n);
    for (std::size_t d = at.size(); d-- > 0; rest /= b.shape[d]) at[d] = rest % b.shape[d];
    b.values[n] = f(at);
  }
}
using At = const std::vector<std::int64_t>&;

void swapped_halves(const Numbers& a, Numbers& b) {
  each(b, [&](At i) { return a({1 - i[0], i[1], i[2]}); });
}
void dsmem(const Numbers& a, Numbers& b) { a.shape.size() == 3 ? swapped_halves(a, b) : same(a, b); }
void ldgsts(const Numbers& a, Numbers& b) {
  if (a.shape.size() == 3) return plus_one(a, b);
  if (a.extent(0) == 32) return each(b, [&](At i) { return a({i[0], i[1] + 2}); });
  same(a, b);
}
void tmem(const Numbers& a, Numbers& b) {
  if (a.shape.size() == 3) return each(b, [&](At i) { return a({i[1] / 16, i[0] % 32, i[1] % 16}); });
  same(a, b);
}
void reversed_twice(const Numbers& a, Numbers& b) {
  each(b, [&](At i) { return 2 * a({i[0], a.extent(1) - 1 - i[1]}); });
}
void sum_of_rows(const Numbers& a, Numbers& b) {
  each(b, [&](At i) {
    double sum = 0;
    for (std::int64_t r = 0; r < a.extent(0); ++r) sum += a({r, i.back()});
    return sum;
  });
}
void prefetch(const Numbers& a, Numbers& b) {
  each(b, [&](At i) { return 3 * a({i[0], i[1], a.extent(2) - 1 - i[2]}) + static_cast<double>(i[0]); });
}
void producer(const Numbers& a, Numbers& b) {
  each(b, [&](At i) { return static_cast<double>(i[1] + 1) * a({i[0], i[2]}); });
}
void stencil(const Numbers& a, Numbers& b) {
  each(b, [&](At i) {
    double sum = 0;
    for (std::int64_t d = 0; d <= 16; ++d) sum += a({i[0] + d});
    return sum;
  });
}
void grouped(const Numbers& a, Numbers& b) {
  each(b, [&](At i) {
    const std::int64_t g = i[0];
    return i[1] < 10 * g + 7 ? a({5 * g * g + 2 * g + i[1], i[2]}) : 0;
  });
}
void for_every_cta(const Numbers& a, Numbers& b) {
  each(b, [&](At i) { return a({i[1], i[2]}); });
}
void five_points(const Numbers& a, Numbers& b) {
  auto at = [&](std::int64_t r, std::int64_t c) {
    return r < 0 || c < 0 || r >= a.extent(0) || c >= a.extent(1) ? 0 : a({r, c});
  };
  each(b, [&](At i) {
    const std::int64_t r = i[0], c = i[1];
    return 2 * at(r, c) - at(r - 1, c) - at(r + 1, c) - at(r, c - 1) - at(r, c + 1);
  });
}
void sums_of_boxes(const Numbers& a, Numbers& b) {
  const std::int64_t rows = a.extent(0) / b.extent(0);
  each(b, [&](At i) {
    double sum = 0;
    for (std::int64_t r = 0; r < rows; ++r) sum += a({i[0] * rows + r, i[1]});
    return sum;
  });
}

struct Example {
  const char* name;
  std::vector<const char*> arches;
  Reference reference;
};
const Example kExamples[] = {
    {"async_dsmem", {"sm_90a", "sm_100a"}, dsmem},
    {"async_ldgsts", {"sm_80", "sm_90a", "sm_100a"}, ldgsts},
    {"async_tma", {"sm_90a", "sm_100a"}, times<2>},
    {"async_tmem", {"sm_100a", "sm_103a"}, tmem},
    {"bulk_add_one", {"sm_90a", "sm_100a"}, plus_one},
    {"bulk_prefetch", {"sm_90a", "sm_100a"}, reversed_twice},
    {"bulk_reduce", {"sm_90a", "sm_100a"}, sum_of_rows},
    {"fallback", {"sm_80", "sm_90a", "sm_100a"}, same},
    {"gmem_smem_scopes", {"sm_80", "sm_90a", "sm_100a"}, same},
    {"gmem_smem_swizzle", {"sm_80", "sm_90a", "sm_100a"}, same},
    {"ldgsts_prefetch", {"sm_80", "sm_90a", "sm_100a"}, prefetch},
    {"ldgsts_producer", {"sm_80", "sm_90a", "sm_100a"}, producer},
    {"ldgsts_stencil", {"sm_80", "sm_90a", "sm_100a"}, stencil},
    {"ldmatrix_fragments", {"sm_80", "sm_90a", "sm_100a"}, same},
    {"register_tiles", {"sm_80", "sm_90a", "sm_100a"}, times<2>},
    {"st_async_ring", {"sm_90a", "sm_100a"}, sum_of_rows},
    {"stmatrix_fragments", {"sm_90a", "sm_100a"}, same},
    {"tensormap_on_device", {"sm_90a", "sm_100a"}, grouped},
    {"tensormap_places", {"sm_90a", "sm_100a"}, plus_one},
    {"tma_boxes", {"sm_90a", "sm_100a"}, same},
    {"tma_multicast", {"sm_90a", "sm_100a"}, for_every_cta},
    {"tma_out_of_bounds", {"sm_90a", "sm_100a"}, five_points},
    {"tma_pipeline", {"sm_90a", "sm_100a"}, sums_of_boxes},
    {"tma_reduce", {"sm_90a", "sm_100a"}, times<3>},
};

}  // namespace

TEST_CASE("the examples compute their references") {
  for (const Example& example : kExamples) {
    const std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/examples/" + example.name + ".py";
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    for (const char* arch : example.arches) {
      Runs runs(text.str(), arch, path);
      for (const Runs::Kernel& k : runs.kernels()) {
        simulate::Inputs inputs = runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i * 37 % 53); });
        const ir::Buffer *a = runs.tensor(k, "A"), *b = runs.tensor(k, "B");
        Numbers want = numbers(inputs.tensors.at("B"), b->dtype);
        // Outputs that a kernel adds to start at zero.
        if (std::string_view(example.name) == "bulk_reduce") inputs.tensors.at("B").defined = true;
        example.reference(numbers(inputs.tensors.at("A"), a->dtype), want);
        for (const simulate::Options& options : all_timings()) {
          simulate::Result r = runs.run(k, inputs, options);
          INFO(path << " " << k.name << " for " << arch << ", timing " << static_cast<int>(options.timing) << "\n"
                    << said(r));
          REQUIRE(r.verdict == simulate::Verdict::Clean);
          const Numbers got = numbers(r.tensors.at("B"), b->dtype);
          std::size_t wrong = 0, first = 0;
          for (std::size_t i = 0; i < want.values.size(); ++i)
            if (got.values[i] != want.values[i] && wrong++ == 0) first = i;
          INFO(wrong << " elements of B are wrong, the first at " << first << ": " << got.values[first]
                     << " instead of " << want.values[first]);
          CHECK(wrong == 0);
          CHECK(r.tensors.at("A").bytes == inputs.tensors.at("A").bytes);
        }
      }
    }
  }
}

namespace {

// What `# tilewright: reference EXPR` says of each kernel, by the expression of its entry.
std::map<std::string, std::string> named_references(const std::string& text, const Runs& runs) {
  constexpr std::string_view kComment = "# tilewright: reference ", kSame = "(...)";
  std::map<std::string, std::string> by_def, by_name, out;
  std::string first, last, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (line.starts_with(kComment)) {
      last = line.substr(kComment.size());
      if (first.empty()) first = last;
    } else if (line.starts_with("def ")) {
      by_def[line.substr(4, line.find('(') - 4)] = last;
    } else if (std::size_t equals = line.find(" = "); equals != line.npos && line[0] != ' ') {
      by_name[line.substr(0, equals)] = line.substr(equals + 3, line.find('(') - equals - 3);
    }
  }
  for (const Runs::Kernel& k : runs.kernels()) {
    const std::string& entry = k.compiled->entry->expression;
    std::string def = entry.substr(0, entry.find('('));
    if (by_name.contains(def)) def = by_name[def];
    std::string expression = by_def[def].empty() ? first : by_def[def];
    if (expression.ends_with(kSame))
      expression.replace(expression.size() - kSame.size(), expression.npos, entry.substr(entry.find('(')));
    out[entry] = expression;
  }
  return out;
}

}  // namespace

TEST_CASE("what an example names as its reference computes the same") {
  for (const char* name : {"async_dsmem", "async_ldgsts", "async_tma", "gmem_smem_dtypes", "gmem_smem_scopes",
                           "gmem_smem_swizzle", "register_tiles", "st_async_ring"}) {
    const std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/examples/" + name + ".py";
    std::ifstream in(path);
    std::stringstream read;
    read << in.rdbuf();
    std::string text = read.str();
    const std::map<std::string, std::string> references = named_references(text, Runs(text, "sm_90a", path));
    std::set<std::string> plain;
    for (const auto& [entry, reference] : references) plain.insert(reference);
    for (const std::string& expression : plain) text += "\n# tilewright: entry " + expression + "\n";
    Runs runs(text, "sm_90a", path);
    std::map<std::string, std::vector<std::byte>> results;
    for (const Runs::Kernel& k : runs.kernels()) {
      simulate::Inputs inputs = runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i * 37 % 53); });
      simulate::Result r = runs.run(k, inputs);
      INFO(path << " " << k.compiled->entry->expression << "\n" << said(r));
      REQUIRE(r.verdict == simulate::Verdict::Clean);
      results[k.compiled->entry->expression] = r.tensors.at("B").bytes;
    }
    for (const auto& [entry, reference] : references) {
      INFO(path << " " << entry << ", reference " << reference);
      REQUIRE(results.contains(reference));
      CHECK(results[entry] == results[reference]);
    }
  }
}
