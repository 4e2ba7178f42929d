// Moves a configuration onto its constraints: q ← q ⊕ M⁻¹ W τ with 0 ≤ g(q) ⊥ τ ≥ 0 for contacts (their
// normal rows) and g(q) = 0 for joints. Newton on the gaps, one contact problem in τ per iteration; exact in
// one where gaps are linear. To first order this is the projection in the metric of M.
#pragma once
#include <vector>

#include "saltus/contact/solver.hpp"
#include "saltus/linalg/saddle_factor.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/gap_rounding.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class PositionProjection {
 public:
  PositionProjection(const System& system, const SolverSpec& solver, Faults& faults);
  /// For schemes that locate events.
  void sharpen() { set_.sharp = true; }
  /// False when the constraints are not met to rounding (touching_roundings at most); `displacement()` then
  /// still holds what was done.
  bool project(double t, Vec& q) { return project(t, q, {}); }
  /// With the gaps of these contacts (increasing ids) brought to zero from either side.
  bool project(double t, Vec& q, std::span<const std::uint64_t> closed);
  /// Of gaps at a configuration.
  const GapRounding& rounding(double t, const Vec& q) {
    weigh(t, q);
    rounding_.note(q);
    return rounding_;
  }
  /// What a checkpoint keeps: the rounding of gaps follows how far coordinates have come.
  Vec& reach() { return rounding_.reach(); }
  const Vec& displacement() const { return total_; }  ///< Σ M⁻¹ W τ
  /// τ of the row-th normal or joint row of the system's contact set; 0 when it was not needed.
  double tau(int row) const { return row < static_cast<int>(tau_.size()) ? tau_[row] : 0.0; }
  /// Adds the contacts with τ > 0, by increasing id: they were moved apart, perhaps a little too far where
  /// gaps are curved.
  void add_pushed(std::vector<std::uint64_t>& ids) const;

 private:
  // in roundings; fills set_.gap and active rows
  double violation(double t, const Vec& q, std::span<const std::uint64_t> closed);
  void weigh(double t, const Vec& q);
  bool follow_rows();
  bool correct(double t, Vec& q, bool here);
  bool close_all(Vec& q);
  bool close_one(Vec& q);
  bool factor_mass();

  CheckedSystem system_;
  Shape shape_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  ContactSet set_;
  SparseRows Wt_;
  Matrix M_;
  Factor factor_;
  SaddleFactor<double> saddle_;
  std::vector<Contact> listed_;  // the contacts whose rows wanted_ and tau_ speak of
  std::vector<double> tau_, P_, z_;
  std::vector<int> rows_, sizes_;
  std::vector<char> wanted_;
  bool weighed_ = false, factored_ = false;  // M is known, as far as it is constant; its factor
  bool turned_ = false;                      // W is of the list and about of the place
  bool more_ = false;                        // the last look found contacts that were not wanted before
  GapRounding rounding_;
  Law contact_ = Unilateral{}, joint_ = Equality{};
  Vec step_, total_;
};

}  // namespace saltus
