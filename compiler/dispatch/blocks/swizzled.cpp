#include "compiler/dispatch/blocks/swizzled.h"

#include <algorithm>
#include <bit>

#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

bool power_of_two(std::int64_t v) { return v > 0 && std::has_single_bit(static_cast<std::uint64_t>(v)); }
int log2_of(std::int64_t v) { return std::countr_zero(static_cast<std::uint64_t>(v)); }

}  // namespace

std::optional<SwizzleDigits> swizzle_digits(const layout::Swizzle& z, std::span<const Walk> loop, Expr base) {
  if (!z.inner) return std::nullopt;
  const std::int64_t chunk = z.chunk(), period = z.period();
  const int A = z.atom_len, B = z.swizzle_len;
  SwizzleDigits out;
  std::int64_t divisor = 1;
  for (std::size_t i = loop.size(); i-- > 0; divisor *= loop[i].extent) {
    const auto [extent, stride, unit] = loop[i];
    if (extent == 1) continue;
    if (unit || stride <= 0 || stride % chunk != 0) return std::nullopt;
    bool binary = power_of_two(extent) && power_of_two(stride / chunk);
    std::vector<int> betas;
    for (std::int64_t step = binary ? stride * extent / 2 : 0; step >= stride && step > 0; step /= 2) {
      betas.push_back(log2_of(step / chunk));
    }
    out.betas.insert(out.betas.begin(), betas.begin(), betas.end());
    if (stride % period == 0) {
      out.linear.push_back({divisor, extent, stride});
      continue;
    }
    if (!binary) return std::nullopt;
    std::vector<SwizzleDigits::Bit> bits;
    for (std::int64_t j = extent / 2; j >= 1; j /= 2) {
      SwizzleDigits::Bit bit{.divisor = divisor * j, .beta = log2_of(stride * j / chunk), .step = stride * j};
      if (bit.beta < B) {
        bit.change = SwizzleDigits::Change::SignedStep;
        bit.sign_bit = A + bit.beta;
      } else if (bit.beta >= A && bit.beta < A + B) {
        bit.change = SwizzleDigits::Change::StepAndPartner;
        bit.sign_bit = bit.beta - A;
      }
      bits.push_back(bit);
    }
    out.bits.insert(out.bits.begin(), bits.begin(), bits.end());
  }
  for (std::size_t i = 0; i < out.bits.size(); ++i) {
    for (std::size_t j = i + 1; j < out.bits.size(); ++j) {
      int a = std::max(out.bits[i].beta, out.bits[j].beta), b = std::min(out.bits[i].beta, out.bits[j].beta);
      if (a == b || (a >= A && a < A + B && b == a - A)) return std::nullopt;
    }
  }
  if (out.bits.empty()) return out;
  Expr chunk_number = ir::simplify(base / Expr(chunk));
  for (const SwizzleDigits::Bit& bit : out.bits) {
    if (!ir::provably_zero_bit(chunk_number, bit.beta)) return std::nullopt;
  }
  return out;
}

RoundAddress::RoundAddress(ir::BodyBuilder& out, const std::optional<layout::Swizzle>& swizzle, const Walks* loop,
                           Expr base, std::string_view name)
    : swizzle_(swizzle) {
  if (!swizzle_ || !loop) return;
  base = ir::simplify(base);
  digits_ = swizzle_digits(*swizzle_, *loop, base);
  if (!digits_) return;
  auto bind = [&](std::string_view suffix, Expr value) {
    value = ir::simplify(value);
    if (ir::constant(value) || value.as<ir::Var>()) return value;
    std::string text(name);
    text += suffix;
    return Expr(out.let(Arena::current().copy(std::string_view(text)), value));
  };
  base_ = bind("_base", swizzle_->apply(base));
  Expr chunk_number = ir::simplify(base / Expr(swizzle_->chunk()));
  for (std::size_t i = 0; i < digits_->bits.size(); ++i) {
    const SwizzleDigits::Bit& bit = digits_->bits[i];
    if (bit.change == SwizzleDigits::Change::Step) {
      changes_.push_back(Expr(bit.step));
      continue;
    }
    Expr set = ir::provably_zero_bit(chunk_number, bit.sign_bit)
                   ? Expr(0)
                   : (chunk_number / Expr(std::int64_t{1} << bit.sign_bit)) % Expr(2);
    Expr sign = Expr(1) - set * Expr(2);
    Expr change = bit.change == SwizzleDigits::Change::SignedStep
                      ? sign * Expr(bit.step)
                      : Expr(bit.step) + sign * Expr(bit.step >> swizzle_->atom_len);
    std::string suffix = "_step" + std::to_string(i);
    changes_.push_back(bind(suffix, change));
  }
}

Expr RoundAddress::at(Expr f, Expr linear) const {
  if (!swizzle_) return ir::simplify(linear);
  if (!digits_) return ir::simplify(swizzle_->apply(ir::simplify(linear)));
  Expr sum = base_;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    sum = sum + (f / Expr(digits_->bits[i].divisor)) % Expr(2) * changes_[i];
  }
  for (const SwizzleDigits::Linear& d : digits_->linear) {
    sum = sum + (f / Expr(d.divisor)) % Expr(d.extent) * Expr(d.stride);
  }
  return ir::simplify(sum);
}

}  // namespace tilewright::dispatch
