// Runge–Kutta tableaus as data. Order, stiff accuracy and symplecticity are computed from the numbers, never
// claimed.
#pragma once
#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

struct Tableau {
  std::string name, reference;
  Eigen::MatrixXd A;
  Vec b, c;
  Vec embedded = {};  ///< weights of a second method for the error, the last one for f at the end; or empty

  int stages() const { return static_cast<int>(b.size()); }
};

/// The largest p for which every rooted tree of order ≤ p satisfies its condition Φ(t) = 1/γ(t), up to
/// `most`.
int order(const Tableau& tableau, int most = 8);
bool is_explicit(const Tableau& tableau);
bool is_stiffly_accurate(const Tableau& tableau);  ///< the last row of A is b
bool is_symplectic(const Tableau& tableau);        ///< b_i a_ij + b_j a_ji = b_i b_j
/// R(z) = 1 + z bᵀ (I − z A)⁻¹ 1
std::complex<double> stability(const Tableau& tableau, std::complex<double> z);

/// Order of the second method, 0 where there is none.
int embedded_order(const Tableau& tableau);
/// The tableau with the end as one more stage.
Tableau with_end_stage(const Tableau& tableau);

/// Radau IIA with so many stages, order 2s − 1: collocation at the zeros of P_s − P_{s−1} on [0, 1].
Tableau radau_iia(int stages);

/// "radau-iia-5", "lobatto-iiia-4", "gauss-6", "herk-4", "dopri-5", …; the number is the order.
/// Throws Error with the known names.
const Tableau& find_tableau(std::string_view name);
std::vector<std::string_view> tableau_names();
/// The number at the end of a name.
int named_order(std::string_view name);

}  // namespace saltus
