// The general Runge–Kutta engine on systems of users, on every pattern.
#include <gtest/gtest.h>

#include <array>

#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/scheme/first_order/first_order_rk.hpp"
#include "saltus/study/convergence.hpp"
#include "support/errors.hpp"

namespace saltus::test_first_order {
namespace {
using namespace testing;

// ẏ_i = cos t − y_i³ + (y_{i+1} − 2 y_i + y_{i−1})/2 within groups of `width` neighbours, on any pattern.
class Diffusion final : public FirstOrderSystem {
 public:
  Diffusion(int n, Pattern pattern) : n_(n), pattern_(std::move(pattern)) {}
  int size() const override { return n_; }
  Pattern pattern() const override { return pattern_; }
  double coupling(int i, int j) const {
    if (pattern_.kind == Pattern::diagonal || j < 0 || j >= n_) return 0;
    if (pattern_.kind == Pattern::blocks && i / pattern_.width != j / pattern_.width) return 0;
    return 0.5;
  }
  void rhs(double t, In y, Out f, Workspace&) const override {
    for (int i = 0; i < n_; ++i) {
      f[i] = std::cos(t) - y[i] * y[i] * y[i] - y[i];
      for (int j : {i - 1, i + 1})
        if (const double c = coupling(i, j); c != 0) f[i] += c * y[j];
    }
  }
  void jacobian(double, In y, Matrix& J, Workspace&) const override {
    for (int i = 0; i < n_; ++i) {
      J.add(i, i, -3 * y[i] * y[i] - 1);
      for (int j : {i - 1, i + 1})
        if (const double c = coupling(i, j); c != 0) J.add(i, j, c);
    }
  }

 private:
  int n_;
  Pattern pattern_;
};

Pattern tridiagonal_entries(int n) {
  auto e = std::make_shared<Pattern::Entries>();
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) e->emplace_back(i, j);
  return {Pattern::sparse, 0, e};
}

Problem problem(const Pattern& pattern, int n = 6) {
  Vec y(n);
  for (int i = 0; i < n; ++i) y[i] = 0.3 * i - 0.5;
  return {std::make_shared<Diffusion>(n, pattern), 0, 1, y, Vec(0)};
}

TEST(FirstOrder, EveryPatternGivesTheSameMotion) {
  Method m;
  m.stepping = FixedSteps{0.1};
  for (Rk::Newton newton : {Rk::Newton::full, Rk::Newton::simplified})
    for (const char* tableau : {"radau-iia-5", "gauss-4", "lobatto-iiia-4"}) {
      Rk scheme = rk(tableau);
      scheme.newton = newton;
      m.scheme = scheme;
      const Vec dense = run(problem({Pattern::dense, 0, nullptr}), m).final.q;
      EXPECT_LT((run(problem({Pattern::banded, 1, nullptr}), m).final.q - dense).norm(), 1e-12) << tableau;
      EXPECT_LT((run(problem(tridiagonal_entries(6)), m).final.q - dense).norm(), 1e-12) << tableau;
      for (Pattern p : {Pattern{Pattern::diagonal, 0, nullptr}, Pattern{Pattern::blocks, 2, nullptr}}) {
        const Problem structured = problem(p);
        const RunResult r = run(structured, m);
        ASSERT_EQ(r.status, RunStatus::finished) << r.message;
        const ExtrapolatedReference exact(std::static_pointer_cast<const FirstOrderSystem>(structured.system),
                                          0, structured.q0, Vec(0), 1);
        Vec q, u;
        exact.state(1, Side::right, q, u);
        EXPECT_LT((r.final.q - q).norm(), 1e-4) << tableau;
      }
    }
}

TEST(FirstOrder, EveryTableauHasItsOrder) {
  const Problem p = problem({Pattern::banded, 1, nullptr});
  const ExtrapolatedReference exact(std::static_pointer_cast<const FirstOrderSystem>(p.system), 0, p.q0,
                                    Vec(0), 1);
  Vec q, u;
  exact.state(1, Side::right, q, u);
  for (const auto name : tableau_names()) {
    const Tableau& t = find_tableau(name);
    std::vector<double> h, e;
    // of order 8, errors at 20 steps are rounding
    for (int n : order(t) > 6 ? std::array{2, 4, 8} : std::array{10, 20, 40}) {
      Method m;
      m.scheme = rk(name), m.stepping = FixedSteps{1.0 / n};
      const RunResult r = run(p, m);
      ASSERT_EQ(r.status, RunStatus::finished) << name << r.message;
      h.push_back(1.0 / n), e.push_back((r.final.q - q).norm());
    }
    EXPECT_GT(fitted_order(h, e), order(t) - 0.35) << name;
    EXPECT_LT(fitted_order(h, e), order(t) + (order(t) > 4 ? 1.2 : 0.6)) << name;
  }
}

class Explosion final : public FirstOrderSystem {  // ẏ₁ = y₁², infinite at t = 1
 public:
  int size() const override { return 2; }
  void rhs(double, In y, Out f, Workspace&) const override { f[0] = 0, f[1] = y[1] * y[1]; }
  void jacobian(double, In y, Matrix& J, Workspace&) const override { J.set(1, 1, 2 * y[1]); }
  std::string component_name(int i) const override { return i == 1 ? "the population" : "nothing"; }
};

TEST(FirstOrder, FailureNamesTimeAndComponent) {
  Method m;
  m.scheme = rk("radau-iia-5"), m.stepping = FixedSteps{0.3};
  const RunResult r = run({std::make_shared<Explosion>(), 0, 2, Vec{{1.0, 1.0}}, Vec(0)}, m);
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NE(r.message.find("the population"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("t = 0."), std::string::npos) << r.message;
  EXPECT_GT(r.stats.rejected, 0);
  EXPECT_TRUE(r.final.q.allFinite());
  const auto refused = [](Vec q, Vec u) {
    return message_of([&] { run({std::make_shared<Explosion>(), 0, 1, q, u}, {.scheme = rk("gauss-4")}); });
  };
  EXPECT_NE(refused(Vec::Zero(3), Vec(0)).find("q0 has 3 entries"), std::string::npos);
  EXPECT_NE(refused(Vec::Zero(2), Vec::Zero(2)).find("u0 has 2 entries"), std::string::npos);
  EXPECT_NE(refused(Vec::Constant(2, 1e200), Vec(0)).find("the population"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_first_order
