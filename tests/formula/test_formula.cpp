// Formulas as a graph: exact derivatives, recognised structure, a system equal to the same one in C++.
#include <gtest/gtest.h>

#include <random>

#include "saltus/autodiff/dual.hpp"
#include "saltus/formula/formula_ode.hpp"
#include "saltus/formula/formula_system.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/checked_first_order.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"

namespace saltus::test_formula {
namespace {

// A formula of x and y, inputs 0 and 1.
Graph::Id parsed(Graph& g, const std::string& text) {
  const Expression e = Expression::parse(text);
  std::vector<Graph::Id> nodes;
  for (const auto& v : e.variables()) nodes.push_back(g.input(v.name == "x" ? 0 : 1));
  return g.expression(e, nodes);
}

double value(const Graph& g, Graph::Id f, std::span<const double> x) {
  double out = 0;
  TapeRoom room;
  Tape(g, std::vector{f}).evaluate([&](int k) { return x[k]; }, [&](int, double v) { out = v; }, room);
  return out;
}

// Two ways that share no code: rules on the graph, and dual numbers through the expression.
TEST(Graph, DerivativesAreThoseOfDualNumbers) {
  const char* formulas[] = {"sin(x)*cos(y)",
                            "x^3*y - y^2/x",
                            "exp(-x*y)*log(1 + x^2)",
                            "sqrt(x^2 + y^2)",
                            "x^1.5 + y^-2",
                            "x^y",
                            "atan2(y, x) + atan(x*y)",
                            "tanh(x) - sinh(y)/cosh(x)",
                            "asin(x/9) + acos(y/9)",
                            "abs(x - 2)*max(x, y)",
                            "min(x, y, x*y)^2",
                            "if(x < y, x^2, y^3)",
                            "hypot(x, y)*tan(x/3)",
                            "piecewise(x < 1, x, x < 2, x^2, x^3*y)",
                            "(x - y)*(x - y)/(1 + x)",
                            "-(-x)*-y + 3*(2*x)",
                            "log10(x)"};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.3, 3);
  for (const std::string text : formulas) {
    Graph g;
    const Expression e = Expression::parse(text);
    std::vector<Graph::Id> nodes;
    std::vector<int> which;
    for (const auto& v : e.variables())
      which.push_back(v.name == "x" ? 0 : 1), nodes.push_back(g.input(which.back()));
    const Graph::Id f = g.expression(e, nodes), fx = g.derivative(f, 0), fy = g.derivative(f, 1),
                    fxy = g.derivative(fx, 1);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const double x[] = {number(random), number(random)};
      using D = Dual<Dual<double, 2>, 2>;
      std::vector<D> values, work;
      for (const int k : which) {
        D d;
        d.v.v = x[k], d.v.d[k] = 1, d.d[k].v = 1;
        values.push_back(d);
      }
      const D exact = e.evaluate(std::span<const D>(values), work);
      const auto near = [&](double a, double b) {
        EXPECT_NEAR(a, b, 1e-12 * (1 + std::abs(b))) << text << " at " << x[0] << ", " << x[1];
      };
      near(value(g, f, x), exact.v.v);
      near(value(g, fx, x), exact.v.d[0]);
      near(value(g, fy, x), exact.v.d[1]);
      near(value(g, fxy, x), exact.d[0].d[1]);
    }
  }
}

TEST(Graph, WhatIsConstantOrAbsentIsSeen) {
  Graph g;
  const auto parse = [&](const std::string& text) { return parsed(g, text); };
  EXPECT_TRUE(g.is_number(g.derivative(parse("3*x + y^2"), 0)));
  EXPECT_TRUE(g.is_zero(g.derivative(g.derivative(parse("3*x + y^2"), 0), 1)));
  EXPECT_TRUE(g.is_zero(g.derivative(parse("y^2*sin(y)"), 0)));
  EXPECT_EQ(parse("x*y"), parse("y*x"));
  EXPECT_EQ(parse("x - (-y)"), parse("x + y"));
  EXPECT_FALSE(g.depends(parse("x - x + y"), 0, 1));
  EXPECT_EQ(Tape(g, std::vector{parse("(x + y)^2"), parse("(x + y)*3")}).operations(),
            3);  // the sum is shared
}

// Products that one sum or difference needs are part of it, on either side; others are not. Two tapes share a
// room, each with its own constants.
TEST(Tape, ProductsInsideSumsGiveTheSameBits) {
  Graph g;
  const auto parse = [&](const std::string& text) { return parsed(g, text); };
  const double x = 0.7310585786300049, y = -1.2839540097653;
  const auto product = [&] { return x * y; };
  const struct {
    const char* text;
    int operations;
    double value;
  } cases[] = {{"x + x*y", 1, x + product()},
               {"x*y + x", 1, product() + x},
               {"x - x*y", 1, x - product()},
               {"x*y - x", 1, product() - x},
               {"x*y - 3*x", 2, product() - 3 * x},
               {"x*y - 5*x - 7*y", 3, product() - 5 * x - 7 * y},
               {"(x*y + x)*(x*y - y)", 4, (product() + x) * (product() - y)}};
  TapeRoom room;
  std::vector<Tape> tapes;
  for (const auto& c : cases) tapes.emplace_back(g, std::vector{parse(c.text)});
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < tapes.size(); ++i) {
      double out = 0;
      tapes[i].evaluate([&](int k) { return k == 0 ? x : y; }, [&](int, double v) { out = v; }, room);
      EXPECT_EQ(out, cases[i].value) << cases[i].text;
      EXPECT_EQ(tapes[i].operations(), cases[i].operations) << cases[i].text;
    }
  int count = 0;  // an output of its own is not inside
  const Tape both(g, std::vector{parse("x*y"), parse("x + x*y")});
  both.evaluate([&](int k) { return k == 0 ? x : y; },
                [&](int k, double v) {
                  ++count;
                  EXPECT_EQ(v, k == 0 ? product() : x + product());
                },
                room);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(both.operations(), 2);
}

// A double pendulum with absolute angles, driven, on a wall with friction and a joint, in C++ …
struct DoublePendulum {
  static constexpr int dof = 2;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  auto mass(const S&, const V<S>& q) const {
    using std::cos;
    Eigen::Matrix<S, 2, 2> M;
    M(0, 0) = S(2.0), M(1, 1) = S(0.5);
    M(0, 1) = M(1, 0) = S(0.7) * cos(q[0] - q[1]);
    return M;
  }
  template <class S>
  V<S> force(const S& t, const V<S>& q, const V<S>& u) const {
    using std::sin;
    const S k = S(0.7) * sin(q[0] - q[1]);
    return V<S>(-k * u[1] * u[1] - S(9.0) * sin(q[0]) + sin(t),
                k * u[0] * u[0] - S(4.0) * sin(q[1]) - S(0.1) * u[1]);
  }
  template <class S>
  Eigen::Matrix<S, 2, 1> gaps(const S& t, const V<S>& q) const {
    using std::sin, std::cos;
    return {S(1.5) - sin(q[0]) - S(0.7) * sin(q[1]) + S(0.1) * sin(t), cos(q[0]) + cos(q[1]) * q[0]};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> slips(const S&, const V<S>& q, const V<S>& u) const {
    using std::sin;
    return Eigen::Matrix<S, 1, 1>(-sin(q[0]) * u[0] - S(0.7) * sin(q[1]) * u[1] - S(0.3));
  }
  std::vector<Law> laws() const { return {Coulomb{0.3, 0.5, 0, 1}, Equality{1}}; }
};

// … and by formulas.
FormulaData double_pendulum() {
  FormulaData d;
  d.in.n = 2;
  const auto parse = [&](const std::string& text) {
    const Expression e = Expression::parse(text);
    std::vector<Graph::Id> nodes;
    const std::vector<std::string> names = {"t", "a", "b", "a'", "b'"};
    for (const auto& v : e.variables())
      nodes.push_back(
          d.graph.input(static_cast<int>(std::find(names.begin(), names.end(), v.name) - names.begin())));
    return d.graph.expression(e, nodes);
  };
  d.kinetic = parse("a'^2 + 0.25*b'^2 + 0.7*a'*b'*cos(a - b)");
  d.potentials = {parse("-9*cos(a) - 4*cos(b)")};
  d.forces = {parse("sin(t)"), parse("-0.1*b'")};
  d.contacts.push_back(
      {"wall",
       Coulomb{0.3, 0.5, 0, 1},
       {parse("1.5 - sin(a) - 0.7*sin(b) + 0.1*sin(t)"), parse("-sin(a)*a' - 0.7*sin(b)*b' - 0.3")}});
  d.contacts.push_back({"joint", Equality{1}, {parse("cos(a) + cos(b)*a")}});
  return d;
}

TEST(FormulaSystem, EqualsTheSameModelInCpp) {
  const FormulaSystem formulas(double_pendulum());
  const auto model = make_system(DoublePendulum{});
  const auto* curved = dynamic_cast<const CurvedSystem*>(model.get());
  ASSERT_TRUE(curved);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-2, 2);
  const Pattern dense{Pattern::dense, 0, nullptr};
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double t = number(random), lambda[3] = {number(random), number(random), number(random)};
    const Vec q{{number(random), number(random)}}, u{{number(random), number(random)}},
        a{{number(random), number(random)}};
    Matrix M[2], dq[2], du[2], K[2];
    ContactSet c[2];
    Curvature curvature[2];
    Vec h[2];
    for (int k = 0; k < 2; ++k) {
      const System& s = k == 0 ? static_cast<const System&>(formulas) : *model;
      M[k] = dq[k] = du[k] = K[k] = Matrix(2, dense);
      h[k].resize(2);
      const CheckedSystem at(s);
      at.mass(t, q, M[k]);
      at.force(t, q, u, h[k]);
      at.force_jacobians(t, q, u, dq[k], du[k]);
      at.list(t, q, c[k]), at.directions(t, q, c[k]), at.bias(t, q, u, c[k]);
      K[k].set_zero();
      at.curvature(t, q, u, a, lambda, K[k], curvature[k]);
    }
    EXPECT_LT((h[0] - h[1]).norm(), 1e-12 * (1 + h[1].norm()));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(M[0](i, j), M[1](i, j), 1e-14);
        EXPECT_NEAR(dq[0](i, j), dq[1](i, j), 1e-12);
        EXPECT_NEAR(du[0](i, j), du[1](i, j), 1e-12);
        EXPECT_NEAR(K[0](i, j), K[1](i, j), 1e-12);
      }
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(c[0].gap[r], c[1].gap[r], 1e-14);
      EXPECT_NEAR(c[0].drift[r], c[1].drift[r], 1e-14);
      EXPECT_NEAR(c[0].bias[r], c[1].bias[r], 1e-12);
      for (const Vec& x : {u, a}) {
        EXPECT_NEAR(c[0].Wt.dot(r, x.data()), c[1].Wt.dot(r, x.data()), 1e-13);
        EXPECT_NEAR(curvature[0].velocity.dot(r, x.data()), curvature[1].velocity.dot(r, x.data()), 1e-12);
        EXPECT_NEAR(curvature[0].acceleration.dot(r, x.data()), curvature[1].acceleration.dot(r, x.data()),
                    1e-11);
      }
    }
  }
}

TEST(FormulaSystem, EvaluationDoesNotAllocate) {
  const FormulaSystem s(double_pendulum());
  const Vec q{{0.3, -0.2}}, u{{1, 2}};
  Vec h(2);
  Matrix M(2, s.shape().mass), dq(2, s.shape().jacobian), du = dq;
  ContactSet c;
  const CheckedSystem at(s);
  std::size_t before = 0;
  for (int k = 0; k < 3; ++k) {
    if (k == 1) before = testing::allocations();
    at.mass(0, q, M), at.force(0, q, u, h), at.force_jacobians(0, q, u, dq, du);
    at.list(0, q, c), at.directions(0, q, c), at.bias(0, q, u, c);
  }
  if (SALTUS_COUNTS_ALLOCATIONS) {
    EXPECT_EQ(testing::allocations(), before);
  }
}

TEST(FormulaSystem, ALinearSystemIsSeenAsOne) {
  FormulaData d;
  d.in.n = 2;
  Graph& g = d.graph;
  const auto q = [&](int i) { return g.input(d.in.q(i)); };
  d.mass = {{0, 0, g.number(2)}, {1, 1, g.number(3)}};
  d.potentials = {g.multiply(g.number(5), g.power(g.subtract(q(0), q(1)), 2))};
  d.forces = {g.number(1), g.number(0)};
  d.contacts.push_back({"floor", Unilateral{0.5}, {q(0)}});
  const FormulaSystem s(std::move(d));
  EXPECT_TRUE(s.shape().constant_mass && s.shape().linear_force && s.shape().constant_directions &&
              s.shape().flat);
  EXPECT_EQ(s.shape().mass.kind, Pattern::diagonal);
  EXPECT_DOUBLE_EQ(energy_of(s, 0, Vec{{1, 0}}, Vec{{1, 1}}), 5 + 2.5);
}

TEST(FormulaSystem, EnergiesThatAreNotQuadraticAreRefused) {
  FormulaData d;
  d.in.n = 1;
  d.kinetic = d.graph.power(d.graph.input(2), 3);
  d.forces = {d.graph.number(0)};
  EXPECT_NE(testing::message_of([&] { FormulaSystem s(std::move(d)); }).find("not quadratic"),
            std::string::npos);
}

TEST(FormulaOde, HasItsExactJacobian) {
  Graph g;
  const auto y = [&](int i) { return g.input(1 + i); };
  const Graph::Id rhs[] = {y(1),
                           g.subtract(g.multiply(g.subtract(g.number(1), g.power(y(0), 2)), y(1)), y(0))};
  const FormulaOde s(g, rhs, {"x", "v"});
  Matrix J(2, s.pattern());
  J.set_zero();
  CheckedFirstOrder(s).jacobian(0, Vec{{2, 3}}, J);
  EXPECT_EQ(J(0, 0), 0);
  EXPECT_EQ(J(0, 1), 1);
  EXPECT_EQ(J(1, 0), -13);
  EXPECT_EQ(J(1, 1), -3);
}

}  // namespace
}  // namespace saltus::test_formula
