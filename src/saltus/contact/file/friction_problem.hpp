// A frictional contact problem as files hold it: contacts of `dim` rows (normal first), a friction
// coefficient each, in one or both of two forms,
//
//     local    u = W r + q
//     global   M (v − v_free) = Hᵀ r,   u = H v + b,   and perhaps joints  J v + d = 0
//
// with r and u under Coulomb's law, or, where there are coefficients of rolling, under that of rolling
// friction: then a contact has the rows N, T, R (plane) or N, T, T, R, R (space), those of R angular
// velocities. Two formats: FCP, a text (fcp_file.cpp; diagonal M, no joints, no rolling), and FCLIB's HDF5
// (fclib_file.cpp). The file's extension chooses: .fcp, or .hdf5, .h5.
#pragma once
#include <Eigen/SparseCore>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "saltus/contact/solver.hpp"

namespace saltus {

struct GlobalFriction {
  Eigen::SparseMatrix<double> M, H;  ///< H has a row per contact row, a column per degree of freedom
  Vec free, b;                       ///< v_free, and what is added to H v
  Eigen::SparseMatrix<double> J;     ///< joints, one row each (FCLIB's Gᵀ); often none
  Vec d;
  int body_dofs = 1;  ///< degrees of freedom per body, where the format has bodies
};
struct FrictionProblem {
  using Sparse = Eigen::SparseMatrix<double>;
  struct Local {
    Sparse W;
    Vec q;
  };
  using Global = GlobalFriction;
  std::string name;
  int dim = 3;                  ///< rows per contact
  std::vector<double> mu;       ///< one per contact
  std::vector<double> rolling;  ///< the same, lengths; empty: no rolling friction
  std::optional<Local> local;
  std::optional<Global> global;
  std::optional<Vec> solution;  ///< impulses r

  int contacts() const { return static_cast<int>(mu.size()); }
  int rows() const { return contacts() * dim; }
  Law law(int contact) const;
};

/// Throws Error naming the file, the field and what was found there.
FrictionProblem read_friction_problem(const std::string& file);
/// Throws Error when the file cannot be written or the format cannot hold the problem.
void write_friction_problem(const std::string& file, const FrictionProblem& problem);

/// The problem solvers take. Contacts without friction become Unilateral, with their first row only; joints
/// follow the contacts. The global form is taken where there is one. Not copyable: laws are pointed to.
class PosedFriction {
 public:
  explicit PosedFriction(const FrictionProblem& from);
  PosedFriction(const PosedFriction&) = delete;
  PosedFriction& operator=(const PosedFriction&) = delete;

  ContactProblem problem;
  /// Impulses on the rows of the file (zero where μ = 0 left a row out), without those of joints.
  Vec on_file_rows(const Vec& P) const;
  /// The reverse, with joints at zero: a guess.
  Vec from_file_rows(const Vec& r) const;
  /// Of the rows of the file: u = W r + q with the impulses P. Rows that μ = 0 left out are NaN.
  Vec velocities(const Vec& P) const;
  /// √(Σ_i |r_i − P_K(r_i − ũ_i)|²) / max(|q|, |r|, |u|) with ũ = u + (μ|u_T| + μ_R|u_R|) n: the residual of
  /// the FCP format and of Siconos' 3D friction solvers. Velocities of joints count as they are.
  double file_residual(const Vec& P) const;
  /// Whether that is within the tolerance, and what is left little next to the free velocities.
  bool is_solved(const Vec& P, double tolerance) const;

 private:
  std::deque<Law> laws_;
  std::vector<int> file_row_;  // of each row of the problem; −1 for joints
  int file_rows_;
};

/// Solves until file_residual(P) ≤ tolerance. A solver computes its own residual only: it is given a tenth
/// of the tolerance, and, where that was reached and was not enough, for a tenth again. The report has all
/// iterations and the natural residual; `solved` is about the file's.
SolveReport solve_to_file_residual(PosedFriction& posed, SolverSpec spec, double tolerance, Vec& P);

/// The problem of a step as a file can hold it: the local form, and the global one where the mass is
/// diagonal. Throws Error for joints, relays and laws of users, named by their number.
FrictionProblem to_friction_problem(const ContactProblem& problem, std::string name);

}  // namespace saltus
