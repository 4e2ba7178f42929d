// The solvers behind make_contact_solver. Buffers belong to the solver and only grow: solving problems of one
// size again and again allocates nothing.
#pragma once
#include <algorithm>
#include <vector>

#include "saltus/contact/interior_point.hpp"
#include "saltus/contact/kernels.hpp"
#include "saltus/contact/lemke_tableau.hpp"
#include "saltus/contact/newton_system.hpp"
#include "saltus/contact/solver.hpp"
#include "saltus/contact/strips.hpp"

namespace saltus::detail {

class PjorSolver final : public ContactSolver {
 public:
  explicit PjorSolver(const Pjor& spec) : spec_(spec) {}
  SolveReport solve(ContactProblem& problem, Out P) override;

 private:
  void prepare(const ContactProblem& problem, Out P);
  Pjor spec_;
  Steps steps_;
  std::vector<double> rho_, y_, best_;
};

/// Block Gauss–Seidel, sweep by sweep: PSOR itself, and the help Newton asks for.
class Sweeps {
 public:
  void prepare(const ContactProblem& problem, const Steps& steps, double relaxation);
  /// `count` sweeps, at most together(); returns the largest |ΔP_i|/ρ_i of the last one relative to max
  /// |P_i|/ρ_i, NaN when not finite.
  double sweep(ContactProblem& problem, const Steps& steps, double* P, int count = 1);
  /// How many sweeps to do without a look between them, after `done` of them: a small part of those, where
  /// the problem is large.
  int together(int done) const { return strips_.empty() ? 1 : std::clamp(done / 16, 1, most_together); }

 private:
  struct Step {
    double normal = 0, disc[3] = {};  // ω / G_NN and ω / λmax of the rows of each disc; 0 where that is zero
    int lu = -1;                      // equality: where its factors are, −1 when singular
  };
  struct Part {  // what a sweep over some of the blocks saw
    double change = 0, scale = 0, sum = 0;
  };
  static constexpr int most_together = 4;
  static double change_of(const Part* parts, int count);
  template <class Visit>
  double over_blocks(int blocks, int count, Visit&& visit) const;
  struct PlaneContact {  // friction in the plane: what a visit needs, in one place
    double normal, tangent, coupling, mu, trace;
  };
  void prepare_plane(const ContactProblem& problem, const Steps& steps);
  double sweep_plane(const ContactProblem& problem, double* P, int count) const;
  struct SpaceContact {  // the same in space, where sweeps go over velocities
    double normal, tangent, coupling[2], mu, trace;
  };
  void prepare_space(const ContactProblem& problem, const Steps& steps);
  double sweep_space(ContactProblem& problem, double* P, int count) const;
  void prepare_equality(int size, const double* g, Step& step, double relaxation);
  void update_block(const Law& law, double dt, const Step& step, int n, const double* g, const double* y,
                    double* P) const;

  std::vector<Step> step_;
  std::vector<PlaneContact> plane_;  // empty unless all contacts are of that kind
  std::vector<SpaceContact> space_;  // the same
  std::vector<double> lu_;
  std::vector<int> pivot_;
  Strips strips_;
};

class PsorSolver final : public ContactSolver {
 public:
  explicit PsorSolver(const Psor& spec) : spec_(spec) {}
  SolveReport solve(ContactProblem& problem, Out P) override;

 private:
  Psor spec_;
  Steps steps_;
  Sweeps sweeps_;
  std::vector<double> y_, best_;
};

class NewtonSolver final : public ContactSolver {
 public:
  explicit NewtonSolver(const SemismoothNewton& spec) : spec_(spec) {}
  SolveReport solve(ContactProblem& problem, Out P) override;

 private:
  bool solve_one_plane_contact(const ContactProblem& problem, double* P, SolveReport& report);
  double examine(const ContactProblem& problem, const double* P, SolveReport& report);
  void search(ContactProblem& problem, double* P, SolveReport& report);
  void sweep(ContactProblem& problem, int count, double relaxation, double* P, SolveReport& report);
  void approach(const ContactProblem& problem, double& sigma, double* P, SolveReport& report);
  bool solve_pulled(const ContactProblem& problem, double sigma, double* P, int& steps_taken);

  SemismoothNewton spec_;
  Steps steps_;
  Sweeps sweeps_;
  NewtonSystem system_;
  std::vector<double> y_, best_, safe_;  // safe: where sweeps and proximal steps have led so far
};

class LemkeSolver final : public ContactSolver {
 public:
  explicit LemkeSolver(const Lemke& spec) : spec_(spec), newton_({spec.tolerance, 4}) {}
  SolveReport solve(ContactProblem& problem, Out P) override;

 private:
  Lemke spec_;
  Steps steps_;
  LemkeTableau tableau_;
  NewtonSolver newton_;
  std::vector<double> y_, trial_;
};

class AutomaticContactSolver final : public ContactSolver {
 public:
  explicit AutomaticContactSolver(const AutomaticSolver& spec);
  SolveReport solve(ContactProblem& problem, Out P) override;

 private:
  SolveReport solve_large(ContactProblem& problem, Out P, bool swept);
  SolveReport sweep_if_easy(ContactProblem& problem, Out P);
  SolveReport solve_hard(ContactProblem& problem, Out P, SolveReport best, bool tried_interior);
  bool guess_with_facets(const ContactProblem& problem, double* P);

  // a residual up to this is taken where the tolerance is out of reach: by few contacts, and by a large
  // problem
  double tolerance_, rounding_, enough_;
  NewtonSolver quick_, brief_, last_digits_, patient_;
  PsorSolver sweeps_, short_sweeps_, trial_, easy_;
  bool sweeps_first_;
  LemkeSolver lemke_;
  InteriorPointSolver descent_, interior_;
  Steps steps_;
  LemkeTableau tableau_;
  std::vector<double> best_, y_;
};

}  // namespace saltus::detail
