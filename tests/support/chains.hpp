// Chains for the tests: problems from the parameters of the stored values, schemes by their short names, and
// the errors of a run on its grid.
#pragma once
#include <map>
#include <random>

#include "saltus/catalog/catalog.hpp"
#include "saltus/chain/chain.hpp"
#include "support/golden.hpp"

namespace saltus::testing {

inline const char* const chain_file = "kk_chain.json";

struct ChainScheme {
  SchemeSpec scheme;
  const char* formulation;
};
inline ChainScheme chain_scheme(const std::string& name) {
  static const std::map<std::string, ChainScheme> all = {
      {"cnX", {CrankNicolson{}, "x"}}, {"cnY", {CrankNicolson{}, "y"}}, {"glX", {Gauss2{}, "x"}},
      {"glY", {Gauss2{}, "y"}},        {"theta", {KkTheta{}, "y"}},     {"irk", {KkIrk{}, "y"}}};
  return all.at(name);
}

inline const Chain& chain_of(const CatalogProblem& p) {
  return dynamic_cast<const Chain&>(*p.problem.system);
}

struct ChainError {
  double x = 0, v = 0;
  double largest() const { return std::max(x, v); }
};

/// sup errors over the grid t = kh; the run must finish without a cut step.
inline ChainError chain_error(const CatalogProblem& p, const SchemeSpec& scheme, double h) {
  Method m;
  m.scheme = scheme, m.stepping = FixedSteps{h};
  Trajectory path;
  const RunResult r = run(p.problem, m, path.sink());
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_EQ(r.stats.rejected, 0) << r.message;
  const TrajectoryError e = compare(path, *p.reference);
  return {e.q_sup, e.u_sup};
}
inline ChainError chain_error(const std::string& problem, Settings settings, const std::string& name,
                              double h, double t_end) {
  const ChainScheme s = chain_scheme(name);
  settings.emplace_back("formulation", s.formulation);
  return chain_error(make_problem(problem, settings, t_end), s.scheme, h);
}

/// "fig2_glX_h0.1" → "glX"
inline std::string scheme_in(const std::string& id) {
  const auto a = id.find('_') + 1;
  return id.substr(a, id.find('_', a) - a);
}

inline std::string text(double x) {
  return number_text(x);
}

// Random masses, stiffness and damping per contact, some attachments, walls at both ends.
inline ChainData random_chain(int n, unsigned seed, bool free_and_uniform = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(0.5, 2);
  ChainData d;
  d.m.resize(n), d.k.resize(n + 1), d.gamma.resize(n + 1);
  for (int i = 0; i < n; ++i) d.m[i] = u(random);
  for (int i = 0; i <= n; ++i) d.k[i] = u(random), d.gamma[i] = free_and_uniform ? 0.1 : 0.1 * u(random);
  if (free_and_uniform) {
    d.k[0] = d.k[n] = 0;
  } else {
    d.K = Vec::Zero(n), d.F = Vec::Zero(n);
    for (int i = 0; i < n; i += 2) d.K[i] = 0.1 * u(random), d.F[i] = 0.1 * u(random) - 0.1;
    d.left = 0.1, d.right = -0.15 * n;
  }
  return d;
}
struct ChainStart {
  Vec x, v;
};
inline ChainStart random_start(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  ChainStart s{Vec(n), Vec(n)};
  for (int i = 0; i < n; ++i) s.x[i] = -0.1 * i + 0.1 * u(random), s.v[i] = u(random);
  return s;
}

}  // namespace saltus::testing
