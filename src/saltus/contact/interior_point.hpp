// Interior-point method for the contact problem, in the velocities of the bodies (body_system.hpp).
//
// Coulomb's law in Lorentz' cone L = {x : x₀ ≥ |x_T|}. With r̂ = (μ P_N, P_T) and û = (û₀, y_T) it reads
//
//     L ∋ r̂ ⊥ û ∈ L,      û₀ = y_N/μ + |y_T|                                                 (De Saxcé)
//
// The last term makes friction more than an optimisation problem, and it has a kink where a contact sticks.
// But at a solution û₀ = |y_T| wherever P_N > 0, so |y_T| may be replaced by any s(û) that agrees there:
//
//     û₀ − s(û) = y_N/μ,   s = √((1 − κ)|y_T|² + κ û₀²),  0 < κ < 1
//
// is smooth in the interior of the cone and has the same solutions. The method follows r̂∘û = τ e, with
// Jordan's product, from a large τ to zero: Newton steps in Nesterov and Todd's scaling F (lorentz.hpp),
// predictor and corrector after Mehrotra. Rolling and spinning friction bound moments by the same normal
// impulse: each disc is a cone of its own, r̂_j = (μ_j P_N, P_j), and the normal velocity is shared among
// them,
//
//     û_j0 − s(û_j) = σ_j,   Σ_j μ_j σ_j = y_N
//
// The shares σ_j are unknowns of the block alone, and are eliminated there. Eliminating impulses leaves, for
// the change of velocities,
//
//     (1 + Σ_i Z_i D_i E_i W_iᵀ) dv = …,     D = F⁻², E = ∂û/∂(y_N/μ, y_T)
//
// where D is finite as long as τ is positive: redundant contacts share a load in proportion to D, and there
// is nothing singular in it. A joint has D = 1/δ with a small δ: y + dy + δ dP = 0, exact once dP is zero.
//
// Without the term |y_T| the path would lead straight down to the solution. With it the path can turn back on
// its way (a fold), and steps that only lower τ become tiny there. Then the path is traced by its arc length
// (interior_path.cpp): τ is one more unknown, and may rise for a while. Which way is forward the determinant
// of the matrix above tells: τ falls where it is positive and rises where it is negative, so that the trace
// cannot go back to where it came from. Piles like crystals have paths that branch instead of turning: to
// leave no symmetry, a traced path gives each contact its own share of τ, 1 ± 5 %; where it leads nowhere,
// another path begins, with 1 ± 30 % and 1 ± 60 %. The last digits are
// proximal point steps (interior_polish.cpp). All of it is deterministic; the best impulse seen is returned.
#pragma once
#include <vector>

#include "saltus/contact/body_system.hpp"
#include "saltus/contact/kernels.hpp"
#include "saltus/contact/lorentz.hpp"

namespace saltus::detail {

class InteriorPointSolver final : public ContactSolver {
 public:
  /// `traces` false: stops at a fold.
  explicit InteriorPointSolver(const InteriorPoint& spec, bool traces = true)
      : spec_(spec), traces_(traces) {}
  /// Throws Error for relays and laws of users.
  SolveReport solve(ContactProblem& problem, Out P) override;
  /// Whether all laws of the problem are known to the method.
  static bool can_treat(const ContactProblem& problem);

 private:
  struct Cone {
    int at, size;  ///< where its r̂ and û are
    int tail;      ///< row of the problem that its tangents begin with
    double mu;     ///< 1 without friction
    double share;  ///< of τ: 1, or about 1 to break symmetries
    double E[3];   ///< first row of E
    double A[9];   ///< D E
    double f;      ///< normal part of its response to the right-hand side
    lorentz::Scaling scaling;
  };
  struct Block {
    int at, rows;       ///< of the problem
    int first, cones;   ///< of cones_; none for a joint
    int joint;          ///< where the r̂ and û of a joint are
    double compliance;  ///< Σ μ_j² / A_j,00
  };
  void prepare(const ContactProblem& problem);
  void begin(const ContactProblem& problem);
  bool follow(const ContactProblem& problem, double low, SolveReport& report);
  bool descend(const ContactProblem& problem, SolveReport& report);
  double examine(const ContactProblem& problem, SolveReport& report);
  double note(const ContactProblem& problem, SolveReport& report);
  void polish(const ContactProblem& problem, SolveReport& report);  // interior_polish.cpp
  void linearise();
  bool factorize();
  /// The step towards r̂∘û = target·e, or, with `weight` 0, the change of r̂, û with τ times `target`.
  void direction(double target, double weight = 1, bool corrector = false);
  void unscale();
  /// D of a block: its impulses by its velocities, with the shares σ_j eliminated
  void fill_block(const Block& b, double* D) const;
  double longest_step() const;
  double gap(double step) const;
  void advance(double step);

  // interior_path.cpp
  struct Point {
    std::vector<double> r, u;
    double tau = 0;
  };
  /// From the centre of a large τ along the path until τ is below `end`; false when it cannot go on.
  bool trace(const ContactProblem& problem, double end, SolveReport& report);
  bool centre(const ContactProblem& problem, SolveReport& report);
  bool spent(const SolveReport& report) const;
  bool tangent(const ContactProblem& problem, Point& direction, SolveReport& report);
  bool correct(const ContactProblem& problem, const Point& direction, double& tau, SolveReport& report);
  double off_centre(double tau) const;
  double scaled_product(const Point& direction, double tau) const;

  InteriorPoint spec_;
  bool traces_;
  Steps steps_;
  BodySystem bodies_;
  std::vector<Block> blocks_;
  std::vector<Cone> cones_;
  double polish_at_ = 0;
  double spread_ = 0;  // of the shares of τ
  Point on_path_;      // the last point of the trace
  double lowest_ = 0;  // τ of the trace, and the iteration that reached it
  int lowest_at_ = 0;
  double speed_ = 0;                                      // rms of c: what velocities are measured against
  std::vector<double> r_, u_, dr_, du_, defect_, right_;  // scaled, cone by cone, then joints; right: F⁻¹c
  std::vector<double> impulse_, y_, best_, centre_;       // row by row; centre: of a proximal step
  std::vector<double> velocity_, change_;                 // of the bodies
};

}  // namespace saltus::detail
