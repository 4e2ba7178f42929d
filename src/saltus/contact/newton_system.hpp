// The linear system of one semi-smooth Newton step on P = prox(P − ρ y), y = G P + c, reduced to
// what the generalised Jacobian leaves unknown. With x = P − ρ y, each block is on one branch:
//
//   fixed    prox is constant at x      P_i = prox(x)        (open contacts, relays at a limit)
//   full     prox is the identity       y_i = 0              (closed, sticking, joints)
//   slide    one tangent, on the disc   y_N = 0, P_T = ±μ P_N
//   turn     two tangents, on the disc  y_N = 0, P_T = μ t P_N + n q,  n·y_T + s q = 0
//   general  any D ∈ ∂prox(x)           (1 − D) P_i/ρ + D y_i = (prox(x) − D x)/ρ
//
// where t = x_T/|x_T|, n ⊥ t and s = (|x_T| − μ x_N) / (ρ μ x_N). In all of them P_i = P̄_i + C_i q_i,
// and the unknowns q solve (B G C + S) δq = −B y − S q: symmetric positive for frictionless contacts
// and joints, scaled to a unit diagonal by the square roots of G's. Where contacts are redundant the
// system is singular, and σ trace(G_ii) is added to its diagonal. That makes the step one of the
// proximal point method: it changes the way to the solution, not the solution.
//
// Contacts on the edge of two branches (neither impulse nor velocity, or on the rim of the disc
// without slip) take the one with fewer unknowns: that leaves fewer redundant ones, and rounding has
// no say.
#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "saltus/contact/kernels.hpp"
#include "saltus/linalg/decompositions.hpp"

namespace saltus::detail {

class NewtonSystem {
 public:
  /// Takes the sizes of the problem; forgets the factors when the operator was built anew.
  void begin(const ContactProblem& problem, const Steps& steps);
  /// Chooses the branches at (P, y) and returns the natural residual.
  double examine(const ContactProblem& problem, const Steps& steps, const double* P, const double* y,
                 int* worst);
  /// Moves P onto the branches and takes the full step; y is that of P on entry and becomes scratch. σ = 0
  /// asks for the plain system and grows to `first_sigma` when that is singular; the σ used is returned, or
  /// −1. With a centre, the step is on the pulled problem, whose y it is.
  double step(const ContactProblem& problem, const Steps& steps, double sigma, double* P, double* y,
              const double* centre = nullptr);
  /// y += σ trace(G_ii) (P − centre): the proximal problem, G + σ trace in place of G.
  static void pull(const ContactProblem& problem, const Steps& steps, double sigma, const double* centre,
                   const double* P, double* y);
  /// A number that (nearly always) distinguishes one set of branches from another.
  std::uint64_t fingerprint() const;

  static constexpr double first_sigma = 1e-8;

 private:
  enum class Branch : std::uint8_t { fixed, full, slide, turn, general };
  enum class Storage : std::uint8_t { none, single, banded, dense, eigen_dense, eigen_sparse };
  struct Tangent {  // of a sliding contact
    double slope[2] = {0, 0}, turn[2] = {0, 0}, stiffness = 0;
  };

  static constexpr std::size_t block_area = max_block_rows * max_block_rows;

  Branch choose(const ContactProblem& problem, int i, double rho, const double* P, const double* y,
                const double* x, const double* projected);
  Branch choose_friction(const Coulomb& law, int i, double rho, const double* x);
  Branch choose_general(const Law& law, int i, double dt, const double* x, const double* projected,
                        double* target);
  bool move_to_branches(const ContactProblem& problem, double* P) const;

  static int unknowns(Branch branch, int size);
  void number_unknowns(const ContactProblem& problem);
  const double* reduce_columns(int j, int si, int sj, const double* g, double* out) const;
  const double* reduce_rows(int i, int si, int columns, const double* g, double* out) const;
  template <class Put>
  void for_each_entry(const ContactProblem& problem, const Steps& steps, double sigma, Put&& put);
  template <class Put>
  void for_each_column(const ContactProblem& problem, Put&& put);
  Storage choose_storage(const ContactProblem& problem);
  void assemble(const ContactProblem& problem, const Steps& steps, double sigma);
  bool factorize(const ContactProblem& problem, const Steps& steps, double sigma);
  void right_side(const ContactProblem& problem, const Steps& steps, const double* P, const double* y);
  void solve();
  void add_step(const ContactProblem& problem, double* P) const;

  std::uint64_t stamp_ = 0;
  bool factored_ = false;  // factors of the branches at hand, with sigma_
  bool keep_ = false;      // they do not depend on the way here: good for the next solve too
  double sigma_ = 0;
  double edge_ = 0;  // velocities below this do not choose a branch; from the last look
  int n_ = 0, width_ = 0;
  bool all_full_ = false;
  Storage storage_ = Storage::none;
  std::vector<Branch> branch_;
  std::vector<Tangent> tangent_;
  std::vector<double> target_;     // prox(x) of fixed and prox(x) − D x of general blocks
  std::vector<double> jacobian_;   // D of general blocks, block_area places each
  std::vector<double> root_;       // 1/√G_kk per row
  std::vector<int> position_;      // first unknown of each block, −1: none
  std::vector<double> scale_, x_;  // per unknown: scale and right side / solution
  std::vector<double> lu_, unit_, column_;
  std::vector<int> pivot_;
  std::vector<Eigen::Triplet<double>> triplets_;
  DenseLu large_;
  SparseLu sparse_;
};

}  // namespace saltus::detail
