// Event capturing on random systems: n degrees of freedom, m contacts, mass and directions that depend on the
// configuration, with and without a curved joint. Every run ends, impacts take energy, and the order is the
// method's.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "saltus/run/trajectory.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/system/model.hpp"

namespace saltus::test_random_systems {
namespace {

// M = D + B cos-coupled, F = −K q − C u + f, curved gaps g_k = a_k·q + s_k sin(b_k·q) + c_k, joints on the
// pairs (q0, q1), (q2, q3) …
struct RandomModel {
  static constexpr int dof = Eigen::Dynamic;
  int n = 3, m = 2;
  int joints = 0;
  double e = 0.5;
  Eigen::MatrixXd a, b;
  Vec d, k, f, s, c;
  Vec joint_value;

  RandomModel(int dofs, int contacts, int joint_count, std::mt19937_64& random)
      : n(dofs), m(contacts), joints(joint_count), joint_value(Vec::Zero(joint_count)) {
    const auto uniform = [&](double lo, double hi) {
      return std::uniform_real_distribution<>(lo, hi)(random);
    };
    const auto vector = [&](int size, double lo, double hi) {
      Vec x(size);
      for (int i = 0; i < size; ++i) x[i] = uniform(lo, hi);
      return x;
    };
    d = vector(n, 1, 2), k = vector(n, 2, 8), f = vector(n, -4, -1), s = vector(m, 0.05, 0.15),
    c = vector(m, 0.05, 0.3);
    a = b = Eigen::MatrixXd::Zero(m, n);
    for (int i = 0; i < m; ++i) {
      a.row(i) = vector(n, -0.2, 0.3);
      a(i, i % n) = uniform(0.8, 1.2);
      b.row(i) = vector(n, -1, 1);
    }
    e = uniform(0.2, 0.7);
  }

  int size() const { return n; }
  template <class S>
  using V = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  template <class S>
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> mass(const S&, const V<S>& q) const {
    using std::cos;
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> M(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(i, j) = i == j ? S(d[i]) : 0.3 / n * cos(q[i] - q[j]);
    return M;
  }
  template <class S>
  V<S> force(const S& t, const V<S>& q, const V<S>& u) const {
    using std::sin;
    V<S> h(n);
    for (int i = 0; i < n; ++i)
      h[i] = f[i] - k[i] * q[i] - 0.2 * u[i] + 0.5 * sin(2 * t + i) - 0.1 * q[i] * q[i] * q[i];
    return h;
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    using std::sin;
    V<S> g(m + joints);
    for (int i = 0; i < m; ++i) {
      S linear(c[i]), angle(0);
      for (int j = 0; j < n; ++j) linear += a(i, j) * q[j], angle += b(i, j) * q[j];
      g[i] = linear + s[i] * sin(angle);
    }
    for (int j = 0; j < joints; ++j) g[m + j] = q[2 * j] + 0.3 * sin(q[2 * j + 1]) - joint_value[j];
    return g;
  }
  std::vector<Law> laws() const {
    std::vector<Law> out(m, Unilateral{e});
    out.insert(out.end(), joints, Equality{1});
    return out;
  }
};

Problem random_problem(int n, int m, int joints, std::mt19937_64& random) {
  RandomModel model(n, m, joints, random);
  Vec q = Vec::Constant(n, 0.3), u = Vec::Zero(n);
  for (int i = 0; i < n; ++i) q[i] += 0.1 * std::sin(3.0 * i), u[i] = -0.5 + 0.3 * i;
  for (int k = 0; k < joints; ++k) {
    model.joint_value[k] = q[2 * k] + 0.3 * std::sin(q[2 * k + 1]);
    u[2 * k] = -0.3 * std::cos(q[2 * k + 1]) * u[2 * k + 1];
  }
  return {make_system(model), 0, 2, q, u};
}

Method capturing(const char* tableau, double h) {
  EventCapturing stepping;
  stepping.h = h;
  return {runge_kutta(tableau), stepping, AutomaticSolver{}};
}

TEST(RandomSystems, AllEndWithGapsClosedAndEnergyTakenByImpacts) {
  std::mt19937_64 random(11);
  long impacts = 0;
  for (int k = 0; k < 120; ++k) {
    const int n = 2 + k % 5, m = 1 + k % std::min(4, n - 1);
    const int joints = k % 3 == 0 ? std::min(n / 2, n - m - 1) : 0;
    const Problem p = random_problem(n, m, joints, random);
    for (const char* tableau : {"herk-4", "radau-iia-5"}) {
      Trajectory t;
      const RunResult r = run(p, capturing(tableau, 0.02), t.sink());
      EXPECT_EQ(r.status, RunStatus::finished) << k << " " << tableau << ": " << r.message;
      EXPECT_LE(r.residuals.gap, 1e-6) << k;
      if (joints > 0) {
        EXPECT_LE(r.residuals.position, 1e-12) << k;
      }
      for (const Event& e : t.events())
        if (e.kind == EventKind::impact) {
          ++impacts;
          EXPECT_GE(e.energy_loss, -1e-8) << k << " " << tableau << " t = " << e.t;
        }
    }
  }
  EXPECT_GT(impacts, 500);
}

// The error against a much finer run of another method; the median order over the systems is the method's.
TEST(RandomSystems, OrdersAreThoseOfTheMethods) {
  for (const int joints : {0, 1, 2})
    for (const char* tableau : {"radau-iia-3", "herk-4", "radau-iia-5"}) {
      std::mt19937_64 random(23);
      std::vector<double> orders;
      for (int k = 0; k < 9; ++k) {
        const Problem p = random_problem(5, 2, joints, random);
        const RunResult fine = run(p, capturing("lobatto-iiia-6", 2.0 / 801));
        ASSERT_EQ(fine.status, RunStatus::finished) << fine.message;
        std::vector<double> h, e;
        for (int N : {67, 101, 151, 227}) {
          const RunResult r = run(p, capturing(tableau, 2.0 / N));
          h.push_back(2.0 / N), e.push_back((r.final.q - fine.final.q).lpNorm<Eigen::Infinity>());
        }
        orders.push_back(fitted_order(h, e));
      }
      std::nth_element(orders.begin(), orders.begin() + 4, orders.end());
      EXPECT_GE(orders[4], order(find_tableau(tableau)) - 0.3) << tableau << " with " << joints << " joints";
    }
}

}  // namespace
}  // namespace saltus::test_random_systems
