#include "saltus/study/sampling/samples.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr std::string_view kinds[] = {"random", "sobol"};
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // of SplitMix64

// The middle of one of 2^53 equal intervals of (0, 1); the last one would round to 1.
double in_unit(std::uint64_t bits) {
  return std::min((static_cast<double>(bits >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53);
}

}  // namespace

SampledParameter parse_sample(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail("--sample {}: a distribution is written name=uniform(0.5, 1)", text);
  std::string_view name = text.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  try {
    return {std::string(name), std::string(text.substr(equals + 1)),
            Distribution::parse(text.substr(equals + 1))};
  } catch (const Error& e) {
    fail("--sample {}: {}", name, e.what());
  }
}

Samples::Samples(std::vector<SampledParameter> parameters, std::size_t points, Kind kind,
                 std::optional<std::uint64_t> seed)
    : parameters_(std::move(parameters)),
      points_(points),
      kind_(kind),
      seed_(seed),
      sobol_(kind == Kind::sobol ? parameters_.size() : 0) {
  if (kind == Kind::random && !seed)
    fail("--sample {}: random samples need a seed, so that they can be repeated; give --seed 1",
         parameters_.empty() ? "" : parameters_.front().name);
  if (!seed)
    for (const auto& p : parameters_)
      if (const auto [low, high] = p.distribution.bounds(); !std::isfinite(low) || !std::isfinite(high))
        fail(
            "--sample {}: Sobol's plain sequence begins at the corner 0, where this distribution has no "
            "value; give --seed 1 to scramble it, or bounds as normal(1, 0.1, 0.5, 1.5)",
            p.name);
  for (std::size_t j = 0; j < parameters_.size() && seed; ++j)
    streams_.push_back(mixed(mixed(*seed + golden) + golden * (j + 1)));
}

double Samples::share(std::size_t k, std::size_t j) const {
  if (kind_ == Kind::random) return in_unit(mixed(streams_[j] + golden * (k + 1)));
  const std::uint32_t x = sobol_.at(k, j);
  if (!seed_) return x * 0x1p-32;
  // digits beyond the 32 of the sequence are random
  const std::uint64_t head = owen_scrambled(x, streams_[j]), tail = mixed(streams_[j] + golden * (x + 1ull));
  return in_unit(head << 32 | tail >> 32);
}

Samples::Kind parse_sampling(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (kinds[i] == text) return static_cast<Samples::Kind>(i);
  fail("--sampling {}: not one of {}", text, fmt::join(kinds, ", "));
}

std::string_view to_string(Samples::Kind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace saltus
