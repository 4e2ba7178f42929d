#include "saltus/study/sampling/sobol.hpp"

#include <iterator>

#include "saltus/core/error.hpp"
#include "saltus/study/sampling/sobol_numbers.hpp"

namespace saltus {
namespace {

constexpr std::size_t bits = 32;

std::array<std::uint32_t, bits> directions_of(std::size_t dimension) {
  std::array<std::uint32_t, bits> v{};
  if (dimension == 0) {  // van der Corput: m_i = 1
    for (std::size_t i = 0; i < bits; ++i) v[i] = 1u << (bits - 1 - i);
    return v;
  }
  const SobolNumbers& n = sobol_numbers[dimension - 1];
  const std::size_t s = n.s;
  for (std::size_t i = 0; i < s; ++i) v[i] = static_cast<std::uint32_t>(n.m[i]) << (bits - 1 - i);
  for (std::size_t i = s; i < bits; ++i) {
    v[i] = v[i - s] ^ (v[i - s] >> s);
    for (std::size_t k = 1; k < s; ++k)
      if ((n.a >> (s - 1 - k)) & 1) v[i] ^= v[i - k];
  }
  return v;
}

}  // namespace

Sobol::Sobol(std::size_t dimensions) {
  static_assert(std::size(sobol_numbers) + 1 == most_dimensions);
  if (dimensions > most_dimensions)
    fail("Sobol's sequence is there for {} parameters, not for {}; take random samples", most_dimensions,
         dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) directions_.push_back(directions_of(j));
}

std::uint32_t owen_scrambled(std::uint32_t x, std::uint64_t seed) {
  std::uint32_t out = x;
  std::uint64_t node = 1;  // of the tree of digits: a one, then the digits so far
  for (std::size_t i = bits; i-- > 0;) {
    const std::uint32_t flip = static_cast<std::uint32_t>(mixed(seed ^ mixed(node)) >> 63);
    out ^= flip << i;
    node = 2 * node + ((x >> i) & 1);
  }
  return out;
}

}  // namespace saltus
