// Models written by users: derivatives by dual numbers against hand-written ones, and the checks before a
// run.
#include "saltus/system/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/system/check.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/linear_system.hpp"
#include "support/errors.hpp"

namespace saltus::test_model {
namespace {

// A bead inside a circle that grows with time, with a rough wall; a state-dependent mass and a nonlinear
// force.
struct Bead {
  static constexpr int dof = 2;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S& t, const V<S>& q) const {
    Eigen::Matrix<S, 2, 2> M;
    M << 2 + q[0] * q[0], S(0.1), S(0.1), 1 + t * 0;
    return M;
  }
  template <class S>
  V<S> force(const S& t, const V<S>& q, const V<S>& u) const {
    using std::sin;
    return {sin(q[1]) - u[0] * u[1] + t, -q[0] * q[1] - 0.3 * u[1]};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S& t, const V<S>& q) const {
    using std::sqrt;
    return Eigen::Matrix<S, 1, 1>(1 + t * t - sqrt(q[0] * q[0] + q[1] * q[1]));
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> slips(const S& t, const V<S>& q, const V<S>& u) const {
    return Eigen::Matrix<S, 1, 1>(q[0] * u[1] - q[1] * u[0] - 3 * t);
  }
  std::vector<Law> laws() const { return {Coulomb{0.3, 0.5, 0, 1}}; }
};

TEST(Model, DirectionsDriftAndBiasAreExact) {
  const auto system = make_system(Bead{});
  const Vec q{{0.3, -0.4}}, u{{0.7, 0.2}};
  const double t = 0.5, r = 0.5;
  ContactSet set;
  CheckedSystem(*system).list(t, q, set);
  CheckedSystem(*system).directions(t, q, set);
  ASSERT_EQ(set.rows(), 2);
  EXPECT_DOUBLE_EQ(set.gap[0], 1 + t * t - r);
  EXPECT_EQ(set.gap[1], 0);
  Vec e0{{1.0, 0.0}}, e1{{0.0, 1.0}};
  EXPECT_NEAR(set.Wt.dot(0, e0.data()), -q[0] / r, 1e-15);
  EXPECT_NEAR(set.Wt.dot(0, e1.data()), -q[1] / r, 1e-15);
  EXPECT_NEAR(set.Wt.dot(1, e0.data()), -q[1], 1e-15);
  EXPECT_NEAR(set.Wt.dot(1, e1.data()), q[0], 1e-15);
  EXPECT_NEAR(set.drift[0], 2 * t, 1e-15);
  EXPECT_NEAR(set.drift[1], -3 * t, 1e-15);
  CheckedSystem(*system).bias(t, q, u, set);
  // d²/dt² (1 + t² − |q + u s|) = 2 − (|u|² − (q·u/r)²)/r
  const double qu = q.dot(u) / r;
  EXPECT_NEAR(set.bias[0], 2 - (u.squaredNorm() - qu * qu) / r, 1e-14);
  EXPECT_NEAR(set.bias[1], -3, 1e-14);  // u0 u1 − u1 u0 − 3
}

TEST(Model, ForceJacobiansAreExact) {
  const auto system = make_system(Bead{});
  const Vec q{{0.3, -0.4}}, u{{0.7, 0.2}};
  const Shape s = system->shape();
  Matrix dq(2, s.jacobian), du(2, s.jacobian);
  CheckedSystem(*system).force_jacobians(0.5, q, u, dq, du);
  EXPECT_NEAR(dq(0, 1), std::cos(q[1]), 1e-15);
  EXPECT_EQ(dq(0, 0), 0);
  EXPECT_NEAR(dq(1, 0), -q[1], 1e-15);
  EXPECT_NEAR(dq(1, 1), -q[0], 1e-15);
  EXPECT_NEAR(du(0, 0), -u[1], 1e-15);
  EXPECT_NEAR(du(0, 1), -u[0], 1e-15);
  EXPECT_NEAR(du(1, 1), -0.3, 1e-15);
}

// More degrees of freedom than derivative lanes, and a size known only at run time.
struct Chain {
  static constexpr int dof = Eigen::Dynamic;
  int n;
  int size() const { return n; }
  template <class S>
  using V = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  template <class S>
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>::Identity(n, n);
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>&) const {
    V<S> f(n);
    for (int i = 0; i < n; ++i) f[i] = -q[i] * q[i] * (i > 0 ? q[i - 1] : S(1));
    return f;
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    V<S> g(n - 1);
    for (int i = 0; i + 1 < n; ++i) g[i] = q[i + 1] - q[i];
    return g;
  }
  std::vector<Law> laws() const { return std::vector<Law>(n - 1, Unilateral{0.5}); }
};

TEST(Model, DynamicSizesAreDifferentiatedInChunks) {
  const int n = 19;
  const auto system = make_system(Chain{n});
  Vec q(n);
  for (int i = 0; i < n; ++i) q[i] = 1 + 0.1 * i;
  Matrix dq(n, system->shape().jacobian), du(n, system->shape().jacobian);
  CheckedSystem(*system).force_jacobians(0, q, q, dq, du);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(dq(i, i), -2 * q[i] * (i > 0 ? q[i - 1] : 1), 1e-13);
  for (int i = 1; i < n; ++i) EXPECT_NEAR(dq(i, i - 1), -q[i] * q[i], 1e-13);
  ContactSet set;
  CheckedSystem(*system).list(0, q, set);
  CheckedSystem(*system).directions(0, q, set);
  for (int i = 0; i + 1 < n; ++i) {
    ASSERT_EQ(set.Wt.row(i).size(), 2u);
    EXPECT_EQ(set.Wt.row(i)[1].value, 1);
  }
}

using testing::message_of;

void expect_named(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* w : words) EXPECT_NE(message.find(w), std::string::npos) << message << " | " << w;
}

LinearSystem::Data ball(double m = 1) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m);
  d.f = Vec::Constant(1, -2);
  d.contacts.push_back({"ball/floor", Unilateral{0.5}, {{{0, 1.0}}}, 0, 0});
  return d;
}

TEST(Checks, MassMustBePositiveAndFinite) {
  for (double m : {-1.0, 0.0})
    expect_named(message_of([&] { LinearSystem s(ball(m)); }), {"mass[0]", "positive"});
  expect_named(message_of([&] { LinearSystem s(ball(std::nan(""))); }), {"mass[0]", "nan", "finite"});
  auto d = ball();
  d.M = Matrix(2, {Pattern::dense, 0, nullptr});
  d.M.set(0, 0, 1), d.M.set(1, 1, 1), d.M.set(0, 1, 2), d.M.set(1, 0, 2);
  d.f = Vec::Zero(2);
  expect_named(message_of([&] { LinearSystem s(d); }), {"mass matrix", "positive definite"});
}

TEST(Checks, SizesAreCompared) {
  auto d = ball();
  d.f = Vec::Zero(2);
  expect_named(message_of([&] { LinearSystem s(d); }), {"force f", "2 entries", "1 degrees"});
  d = ball();
  d.K = Matrix(2, {Pattern::diagonal, 0, nullptr});
  expect_named(message_of([&] { LinearSystem s(d); }), {"stiffness", "2×2", "1×1"});
  d = ball();
  d.contacts[0].rows = {{{1, 1.0}}};
  expect_named(message_of([&] { LinearSystem s(d); }), {"ball/floor", "degree of freedom 1"});
  d = ball();
  d.contacts[0].rows.push_back({{0, 1.0}});
  expect_named(message_of([&] { LinearSystem s(d); }), {"ball/floor", "1 rows", "2"});
  const LinearSystem s(ball());
  const Vec one = Vec::Ones(1), two = Vec::Ones(2);
  expect_named(message_of([&] { check_start(s, 0, 1, two, one, Penetration::refuse); }), {"q0", "2 entries"});
  expect_named(message_of([&] { check_start(s, 0, 1, one, two, Penetration::refuse); }), {"u0", "2 entries"});
}

TEST(Checks, StartTimesPenetrationAndLawsAreNamed) {
  const LinearSystem s(ball());
  const Vec one = Vec::Ones(1), bad = Vec::Constant(1, std::nan("")), deep = Vec::Constant(1, -0.5);
  expect_named(message_of([&] { check_start(s, 0, 1, bad, one, Penetration::refuse); }), {"q0[0]", "nan"});
  expect_named(message_of([&] { check_start(s, 0, -1, one, one, Penetration::refuse); }),
               {"t_end = -1", "t0 = 0"});
  expect_named(message_of([&] { check_start(s, 0, std::nan(""), one, one, Penetration::refuse); }),
               {"t_end", "nan"});
  expect_named(message_of([&] { check_start(s, 0, 1, deep, one, Penetration::refuse); }),
               {"ball/floor", "penetrates", "-0.5"});
  EXPECT_EQ(message_of([&] { check_start(s, 0, 1, deep, one, Penetration::accept); }), "accepted");
  for (double e : {1.5, -0.5}) {
    auto d = ball();
    d.contacts[0].law = Unilateral{e};
    expect_named(message_of([&] { LinearSystem x(d); }), {"ball/floor", "unilateral.e", "in [0, 1]"});
  }
  auto d = ball();
  d.f = Vec::Constant(1, std::nan(""));
  expect_named(message_of([&] { LinearSystem x(d); }), {"force f[0]", "nan"});
}

struct WrongSizes : Bead {
  template <class S>
  Eigen::Matrix<S, 3, 1> gaps(const S&, const Eigen::Matrix<S, 2, 1>&) const {
    return Eigen::Matrix<S, 3, 1>::Zero();
  }
};
TEST(Checks, ModelsWithWrongSizesAreRefused) {
  expect_named(message_of([] { make_system(WrongSizes{}); }), {"gaps()", "3", "1"});
}

}  // namespace
}  // namespace saltus::test_model
