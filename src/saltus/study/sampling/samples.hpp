// Samples of several parameters: point k is found from the seed and k alone, so it is the same in any order,
// on any number of threads and ranks, and whatever the number of points.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/study/sampling/distribution.hpp"
#include "saltus/study/sampling/sobol.hpp"

namespace saltus {

struct SampledParameter {
  std::string name, text;  ///< text: of the distribution
  Distribution distribution;
};
/// "name=uniform(0.5, 1)". Throws Error.
SampledParameter parse_sample(std::string_view text);

class Samples {
 public:
  enum class Kind : std::uint8_t { random, sobol };
  /// Random samples need a seed. Sobol's sequence is scrambled by it; without one it is the plain sequence
  /// from its first point, the corner 0, where an unbounded distribution has no value. Throws Error.
  Samples(std::vector<SampledParameter> parameters, std::size_t points, Kind kind,
          std::optional<std::uint64_t> seed);

  const std::vector<SampledParameter>& parameters() const { return parameters_; }
  std::size_t points() const { return points_; }
  Kind kind() const { return kind_; }
  std::optional<std::uint64_t> seed() const { return seed_; }

  /// Coordinate of point k in the unit cube, for parameter j; in (0, 1), in [0, 1) of the plain sequence.
  double share(std::size_t k, std::size_t j) const;
  std::string value(std::size_t k, std::size_t j) const {
    return parameters_[j].distribution.value(share(k, j));
  }
  double number(std::size_t k, std::size_t j) const {
    return parameters_[j].distribution.number(share(k, j));
  }

 private:
  std::vector<SampledParameter> parameters_;
  std::size_t points_;
  Kind kind_;
  std::optional<std::uint64_t> seed_;
  std::vector<std::uint64_t> streams_;  // a seed for each parameter
  Sobol sobol_;
};

/// "random", "sobol"; throws Error for anything else.
Samples::Kind parse_sampling(std::string_view text);
std::string_view to_string(Samples::Kind kind);

}  // namespace saltus
