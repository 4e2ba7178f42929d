// Solvers of the timeless contact problem. Each starts from the guess it is given (warm start), reports its
// iterations and the natural residual it reached, and says so when that is above its tolerance.
#pragma once
#include <memory>
#include <variant>

#include "saltus/contact/problem.hpp"

namespace saltus {

struct SolveReport {
  bool solved = false;
  int iterations = 0;
  double residual = 0;   ///< natural_residual of the returned impulse
  int worst_block = -1;  ///< where the residual is largest, when not solved
  /// Not solved, and impulses grew without moving anything: worst_block and rival_block (−1: not known) push
  /// against each other, and no impulse satisfies both.
  bool contradictory = false;
  int rival_block = -1;
  bool immovable = false;  ///< not solved, and no impulse moves worst_block: its bodies cannot move
};

/// Projected Jacobi: P_i ← prox(P_i − ω ρ_i y_i) with ρ_i = 1/Σ_j|G_ij|, all from the old values.
struct Pjor {
  static constexpr std::string_view name = "pjor", summary = "projected Jacobi over-relaxation";
  double tolerance = 1e-10, relaxation = 1.0;
  int max_iterations = 20000;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    v(FieldInfo{"relaxation", "", "ω of the prox step", Range{0, 2}}, relaxation);
    v(FieldInfo{"max_iterations", "", "sweeps before giving up", Range::at_least(1)}, max_iterations);
  }
};

/// Projected Gauss–Seidel: block after block with the newest values, normal before tangent.
struct Psor {
  static constexpr std::string_view name = "psor", summary = "projected Gauss–Seidel over-relaxation";
  double tolerance = 1e-10, relaxation = 1.0;
  int max_iterations = 10000;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    v(FieldInfo{"relaxation", "", "ω of the prox step", Range{0, 2}}, relaxation);
    v(FieldInfo{"max_iterations", "", "sweeps before giving up", Range::at_least(1)}, max_iterations);
  }
};

/// Newton on P − prox(P − ρ y) = 0 with the generalised Jacobian of the prox; regularised where contacts are
/// redundant, helped by sweeps and by proximal steps where full steps do not lead on.
struct SemismoothNewton {
  static constexpr std::string_view name = "semismooth-newton",
                                    summary = "semi-smooth Newton on the prox equation";
  double tolerance = 1e-12;
  int max_iterations = 200;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    v(FieldInfo{"max_iterations", "", "Newton iterations before giving up", Range::at_least(1)},
      max_iterations);
  }
};

/// Lemke's pivoting method on the complementarity problem; polyhedral laws only (no friction in space).
struct Lemke {
  static constexpr std::string_view name = "lemke", summary = "pivoting, polyhedral laws only";
  double tolerance = 1e-10;
  int max_pivots = 10000;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    v(FieldInfo{"max_pivots", "", "pivots before giving up", Range::at_least(1)}, max_pivots);
  }
};

/// Interior-point method in the velocities of the bodies: contacts, friction and joints; a cold start is as
/// good as any, and redundant contacts do no harm. See interior_point.hpp.
struct InteriorPoint {
  static constexpr std::string_view name = "interior-point",
                                    summary =
                                        "interior-point method for many redundant contacts with friction";
  double tolerance = 1e-10;
  int max_iterations = 1000;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    v(FieldInfo{"max_iterations", "", "factorisations before giving up", Range::at_least(1)}, max_iterations);
  }
};

/// More contacts with friction than this are a large frictional problem: redundant to many digits, solved
/// less exactly.
inline constexpr int large_frictional_problem = 60;

/// Semi-smooth Newton first, then the interior-point method or pivoting where the laws allow it, then a
/// longer Newton; the best result is returned. Many contacts with friction and no guess: the interior point
/// first.
/// With a tolerance of 1e-6 or more and many contacts, Gauss–Seidel sweeps come before all that.
struct AutomaticSolver {
  static constexpr std::string_view name = "automatic",
                                    summary = "Newton; then interior point, pivoting, a longer Newton";
  static constexpr std::pair<std::string_view, std::string_view> renamed[] = {{"crowd", "large_tolerance"}};
  double tolerance = 1e-12, large_tolerance = 1e-5;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"tolerance", "", "largest natural residual accepted", Range::positive()}, tolerance);
    static const std::string help = fmt::format(
        "the same for more than {} contacts with friction, if that is more", large_frictional_problem);
    v(FieldInfo{"large_tolerance", "", help, Range::non_negative()}, large_tolerance);
  }
};

using SolverSpec = std::variant<AutomaticSolver, Pjor, Psor, SemismoothNewton, Lemke, InteriorPoint>;

extern template Fields fields_of(SolverSpec&);
extern template SolverSpec parse_spec(std::string_view, std::string_view);
extern template std::string to_text(const SolverSpec&);
extern template void check(const SolverSpec&);
extern template void set_field(SolverSpec&, std::string_view, std::string_view);

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  /// P: guess in, impulse out. Throws Error for a law the solver cannot treat; never for lack of convergence.
  virtual SolveReport solve(ContactProblem& problem, Out P) = 0;
};

/// The same with a tolerance of rounding, of `automatic`: for methods whose results have more digits than a
/// tolerance that was chosen for time stepping leaves.
SolverSpec to_rounding(SolverSpec spec);

/// A failure from a guess is tried again from zero: what the guess holds may be stresses of a moment before,
/// next to which the problem's own velocities are lost. What fails is searched for contradictions.
std::unique_ptr<ContactSolver> make_contact_solver(const SolverSpec& spec);

}  // namespace saltus
