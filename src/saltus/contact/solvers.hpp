// The solvers behind make_contact_solver. Buffers belong to the solver and only grow: solving problems of one
// size again and again allocates nothing.
#pragma once
#include <vector>

#include "saltus/contact/interior_point.hpp"
#include "saltus/contact/kernels.hpp"
#include "saltus/contact/lemke_tableau.hpp"
#include "saltus/contact/newton_system.hpp"
#include "saltus/contact/solver.hpp"
#include "saltus/contact/sweeps.hpp"

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
