// Small contact problems written down entry by entry, and the list of solvers to try on them.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "saltus/contact/problem.hpp"
#include "saltus/contact/solver.hpp"

namespace saltus::testing {

struct SmallProblem {
  std::deque<Law> laws;
  ContactProblem problem;

  SmallProblem(std::vector<Law> all, const std::vector<double>& G, std::vector<double> c, double dt = 1) {
    std::vector<int> sizes;
    for (Law& law : all) {
      sizes.push_back(rows(law));
      laws.push_back(std::move(law));
      problem.laws.push_back(&laws.back());
    }
    problem.G.build_dense(G, sizes);
    problem.c = std::move(c);
    problem.dt = dt;
  }
  SmallProblem(const SmallProblem&) = delete;
  SmallProblem& operator=(const SmallProblem&) = delete;

  Vec y(const Vec& P) const {
    Vec out(problem.rows());
    problem.G.apply(P.data(), out.data());
    for (int k = 0; k < problem.rows(); ++k) out[k] += problem.c[k];
    return out;
  }
};

struct NamedSolver {
  std::string name;
  double tolerance;
  std::unique_ptr<ContactSolver> solver;
};

/// All five; Jacobi with fewer sweeps than by default, to keep the tests short.
inline std::vector<NamedSolver> all_solvers() {
  std::vector<NamedSolver> out;
  Pjor pjor;
  pjor.max_iterations = 3000;
  const auto add = [&](const auto& spec) {
    out.push_back({std::string(spec.name), spec.tolerance, make_contact_solver(spec)});
  };
  add(AutomaticSolver{});
  add(SemismoothNewton{});
  add(Lemke{});
  add(Psor{});
  add(pjor);
  return out;
}

}  // namespace saltus::testing
