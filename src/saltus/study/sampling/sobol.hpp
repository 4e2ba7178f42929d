// Sobol's low-discrepancy sequence in up to 128 dimensions with the direction numbers of Joe and Kuo
// (sobol_numbers.hpp), in the order of the Gray code (Antonov, Saleev 1979), and its scrambling after Owen.
//
//   x_k = ⊕ v_i over the bits i of k ⊕ ⌊k/2⌋,   v_i = m_i 2^(32−i),
//   m_i = 2 a_1 m_{i−1} ⊕ … ⊕ 2^(s−1) a_{s−1} m_{i−s+1} ⊕ 2^s m_{i−s} ⊕ m_{i−s}
//
// Any point is found from its number, without those before it. The first 2^m points have one point in each of
// 2^m equal intervals of every coordinate; scrambling keeps that.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace saltus {

class Sobol {
 public:
  static constexpr std::size_t most_dimensions = 128;
  /// Throws Error beyond most_dimensions.
  explicit Sobol(std::size_t dimensions);
  /// Coordinate j of point k, times 2^32; k < 2^32.
  std::uint32_t at(std::uint64_t k, std::size_t j) const {
    std::uint32_t x = 0;
    const std::uint64_t gray = k ^ (k >> 1);
    for (std::size_t i = 0; (gray >> i) != 0; ++i)
      if ((gray >> i) & 1) x ^= directions_[j][i];
    return x;
  }

 private:
  std::vector<std::array<std::uint32_t, 32>> directions_;
};

/// Mixes the bits of a number (the last stage of SplitMix64): neighbours become independent to all tests.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Owen's nested uniform scrambling of the 32 digits of x: each is flipped or not, depending on the digits
/// before it and on the seed. A. B. Owen, Randomly permuted (t, m, s)-nets and (t, s)-sequences, 1995.
std::uint32_t owen_scrambled(std::uint32_t x, std::uint64_t seed);

}  // namespace saltus
