// Extrapolation of a one-step scheme (Studer, Leine, Glocker 2008, Sect. 7 to 9.2). The step h is done again
// with n_1, n_2, … substeps of the base scheme, and the results are extrapolated to substeps of length zero,
//
//     T_{i,j+1} = T_ij + (T_ij − T_{i−1,j}) / ((n_i/n_{i−j})^p − 1)                              (42)
//
// on q and u (not on the impulses). p = 1 in general; p = 2 where the base step is symmetric, so that its
// error has even powers of h only (forces without velocities, laws that impress nothing sliding).
//
// Substeps are 1, 3, 5, 7, …: a contact that stays closed maps γ to (−e)ⁿ γ in n substeps. Odd n give all
// T_i1 one sign and |T_ii| < |γ|; the sequence 1, 2, 3, 4, … makes |T_22| = (e + 2e²)|γ| and so on, and
// energy grows. That sequence is here to show it.
//
// All substeps must keep the modes of the laws that held at the start; the four outcomes are those of Table
// II. With Moreau's midpoint rule and forces h(t, q) the order is 2, 2, 4, 4, 6, 6 for 1 to 6 rows, otherwise
// it is the number of rows.
#pragma once
#include <cstdint>
#include <string_view>

#include "saltus/core/fields.hpp"

namespace saltus {

enum class Substeps : std::uint8_t { odd, all };
inline constexpr std::string_view substep_names[] = {"odd", "all"};
/// n_i, i = 1, 2, …
constexpr int substep_count(Substeps sequence, int i) {
  return sequence == Substeps::odd ? 2 * i - 1 : i;
}

/// What an error is compared with: the tolerance of the largest coordinate for all, or each with its own.
enum class ErrorNorm : std::uint8_t { largest, each };
inline constexpr std::string_view error_norm_names[] = {"largest", "each"};

struct Extrapolation {
  Substeps substeps = Substeps::odd;
  int power = 1;
  int order = 0;      ///< rows, always; 0: as many as the tolerance asks for
  int max_order = 6;  ///< rows at most, when the tolerance decides
  double atol = 1e-6, rtol = 0;
  double h_min = 0;                   ///< no substep is shorter
  NumberList atol_q = 0, atol_u = 0;  ///< of q and u apart, for all coordinates or each; 0: atol
  double rtol_q = 0, rtol_u = 0;      ///< 0: rtol
  ErrorNorm norm = ErrorNorm::largest;
};

/// success: all substeps kept their modes, and |T_ii − T_{i−1,i−1}| ≤ atol + rtol |T_ii| in q and in u (or
/// the rows of a fixed order are done). inaccurate: modes kept, tolerance missed. detected: a mode changed in
/// a step that could be shorter; there is no result. resolved: a mode changed in a step of minimal length.
enum class Outcome : std::uint8_t { success, inaccurate, detected, resolved };
std::string_view to_string(Outcome outcome);
}  // namespace saltus
