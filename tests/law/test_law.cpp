// Set-valued laws: properties of the prox on random points, its Jacobian, modes, restitution, checks.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/law/law.hpp"

namespace saltus::test_law {
namespace {

// Two rows kept in a disc of fixed force limit: Tresca friction in space, as a user would write it.
class UserDisc final : public LawInterface {
 public:
  explicit UserDisc(double limit) : limit_(limit) {}
  int rows() const override { return 2; }
  void prox(double dt, Block& x) const override {
    const double r = limit_ * dt, length = x.norm();
    if (length > r) x *= r / length;
  }
  void prox_jacobian(double dt, const Block& x, BlockMatrix& J) const override {
    const double r = limit_ * dt, length = x.norm();
    J.setIdentity();
    if (length > r) J = (r / length) * (J - (x * x.transpose()) / (length * length)).eval();
  }
  void restitution(const Block& gamma, Block& out) const override { out = 0.25 * gamma; }
  Mode mode(double, const Block&, const Block& y) const override {
    return y.norm() > 0 ? Mode::slip : Mode::stick;
  }
  std::string_view label() const override { return "tresca"; }

 private:
  double limit_;
};

Law user_disc(double limit) {
  return UserLaw{std::make_shared<UserDisc>(limit)};
}

double number(double low = -5, double high = 5) {
  return low + (high - low) * (*rc::gen::inRange(0, 1000001)) * 1e-6;
}
Vec point(const Law& law) {
  Vec x(rows(law));
  for (double& v : x) v = number();
  return x;
}
Law some_law() {
  switch (*rc::gen::inRange(0, 13)) {
    case 0:
      return Unilateral{number(0, 1)};
    case 1:
      return Equality{*rc::gen::inRange(1, 7)};
    case 2:
      return Coulomb{number(0, 2), number(0, 1), number(0, 1), 1};
    case 3:
      return Coulomb{number(0, 2), number(0, 1), number(0, 1), 2};
    case 4:
      return Coulomb{0, 0, 0, *rc::gen::inRange(1, 3)};
    case 5: {
      const double lower = number();
      return Relay{lower, lower + number(0, 4)};
    }
    case 6:
      return Tresca{number(0, 4), number(0, 1), 1};
    case 7:
      return Tresca{number(0, 4), number(0, 1), 2};
    case 8:
      return PrestressedSpring{number(0, 4)};
    case 9:
      return RollingFriction{number(0, 2), number(0, 2), 0, number(0, 1), number(0, 1), number(0.5, 2), 1};
    case 10:
      return RollingFriction{number(0, 2), number(0, 2), 0, number(0, 1), number(0, 1), number(0.5, 2), 2};
    case 11:
      return RollingFriction{number(0, 2), number(0, 2), number(0.1, 2), 0, 0, number(0.5, 2), 2};
    default:
      return user_disc(number(0, 4));
  }
}
double some_dt() {
  return number(0.01, 2);
}

Vec projected(const Law& law, double dt, Vec x) {
  prox(law, dt, x.data());
  return x;
}

// Whether P lies in the set (with friction: in the cone)
bool inside(const Law& law, double dt, const Vec& P, double tiny = 1e-12) {
  if (std::holds_alternative<Unilateral>(law)) return P[0] >= 0;
  if (is_frictional(law)) {
    bool in = P[0] >= 0;
    for (const FrictionDisc& d : discs_of(law))
      in = in && P.segment(d.at, d.rows).norm() <= d.bound * P[0] + tiny;
    return in;
  }
  if (const auto* r = std::get_if<Relay>(&law)) return P[0] >= r->lower * dt && P[0] <= r->upper * dt;
  if (const auto* t = std::get_if<Tresca>(&law)) return P.norm() <= t->limit * dt + tiny;
  if (const auto* t = std::get_if<PrestressedSpring>(&law)) return std::abs(P[0]) <= t->limit * dt + tiny;
  if (std::holds_alternative<UserLaw>(law)) return (projected(law, dt, P) - P).norm() <= tiny;
  return true;
}

// A point of the set that C is at P: with friction a half-line times discs, of radius μ P_N the first
Vec member_at(const Law& law, double dt, const Vec& P) {
  Vec z = point(law);
  if (is_frictional(law)) {
    z[0] = std::abs(z[0]);
    for (const FrictionDisc& d : discs_of(law)) {
      const double radius = d.bound * P[0], length = z.segment(d.at, d.rows).norm();
      if (length > radius) z.segment(d.at, d.rows) *= radius / length;
    }
    return z;
  }
  return projected(law, dt, z);
}

RC_GTEST_PROP(Prox, EndsInTheSet, ()) {
  const Law law = some_law();
  const double dt = some_dt();
  RC_ASSERT(inside(law, dt, projected(law, dt, point(law))));
}

RC_GTEST_PROP(Prox, IsIdempotent, ()) {
  const Law law = some_law();
  const double dt = some_dt();
  const Vec once = projected(law, dt, point(law));
  RC_ASSERT((projected(law, dt, once) - once).norm() <= 1e-14 * (1 + once.norm()));
}

RC_GTEST_PROP(Prox, IsNonExpansive, ()) {
  const Law law = some_law();
  const double dt = some_dt();
  Vec a = point(law), b = point(law);
  if (is_frictional(law)) {
    const Vec pa = projected(law, dt, a), pb = projected(law, dt, b);
    RC_ASSERT(std::abs(pa[0] - pb[0]) <= std::abs(a[0] - b[0]) + 1e-13);  // the normal part
    b[0] = a[0];                                                          // one disc for both tangents
  }
  const double before = (a - b).norm(), after = (projected(law, dt, a) - projected(law, dt, b)).norm();
  RC_ASSERT(after <= before * (1 + 1e-12) + 1e-13);
}

// (x − p)·(z − p) ≤ 0 for every z of the set at p: what makes p the nearest point and x − p a normal
RC_GTEST_PROP(Prox, SatisfiesTheVariationalInequality, ()) {
  const Law law = some_law();
  const double dt = some_dt();
  const Vec x = point(law), p = projected(law, dt, x), z = member_at(law, dt, p);
  RC_ASSERT((x - p).dot(z - p) <= 1e-12);
}

RC_GTEST_PROP(Prox, JacobianIsTheDerivativeAwayFromKinks, ()) {
  const Law law = some_law();
  const double dt = some_dt(), h = 1e-6;
  const Vec x = point(law);
  const int n = rows(law);
  if (is_frictional(law)) {
    RC_PRE(std::abs(x[0]) > 1e-2);
    for (const FrictionDisc& d : discs_of(law)) {
      const double length = x.segment(d.at, d.rows).norm();
      RC_PRE(std::abs(length - d.bound * std::max(0.0, x[0])) > 1e-2 && length > 1e-1);
    }
  } else if (const auto r = limits_of(law)) {
    RC_PRE(std::min(std::abs(x[0] - r->lower * dt), std::abs(x[0] - r->upper * dt)) > 1e-2);
  } else if (std::holds_alternative<UserLaw>(law) || std::holds_alternative<Tresca>(law)) {
    RC_PRE(x.norm() > 1e-1 && std::abs((projected(law, dt, 100 * x).norm()) - x.norm()) > 1e-2);
  } else {
    RC_PRE(std::abs(x[0]) > 1e-2);
  }
  BlockMatrix J(n, n);
  prox_jacobian(law, dt, x.data(), J);
  RC_ASSERT(J.rows() == n && J.cols() == n);
  for (int j = 0; j < n; ++j) {
    const Vec e = h * Vec::Unit(n, j);
    const Vec difference = (projected(law, dt, x + e) - projected(law, dt, x - e)) / (2 * h);
    RC_ASSERT((difference - J.col(j)).norm() <= 1e-6 * (1 + difference.norm()));
  }
}

// P = prox(P − ρ y) at points made to satisfy −y ∈ N(P), and the mode names what they do
RC_GTEST_PROP(Mode, NamesWhatASolutionDoes, ()) {
  const Law law = some_law();
  RC_PRE(!std::holds_alternative<UserLaw>(law));
  const double dt = some_dt(), rho = number(0.1, 3);
  const Vec x = point(law), P = projected(law, dt, x), y = (P - x) / rho;
  const Mode m = mode(law, dt, rho, P.data(), y.data());
  if (std::holds_alternative<Unilateral>(law)) {
    RC_ASSERT(m == (x[0] > 0 ? Mode::closed : Mode::open));
  } else if (std::holds_alternative<Equality>(law)) {
    RC_ASSERT(m == Mode::closed && y.norm() == 0);
  } else if (const auto* c = std::get_if<Coulomb>(&law)) {
    const double excess = x.tail(c->tangents).norm() - c->mu * P[0];
    RC_PRE(std::abs(excess) > 1e-9);
    if (x[0] <= 0) {
      RC_ASSERT(m == Mode::open);
    } else if (excess < 0) {
      RC_ASSERT(m == Mode::stick);
    } else {
      RC_ASSERT(m == (c->tangents == 1 && y[1] < 0 ? Mode::slip_back : Mode::slip));
      RC_ASSERT(P.tail(c->tangents).dot(y.tail(c->tangents)) <= 1e-12);  // friction opposes the slip
    }
  } else if (std::holds_alternative<RollingFriction>(law)) {
    Mode expected = x[0] > 0 ? Mode::stick : Mode::open;
    for (const FrictionDisc& d : discs_of(law)) {
      const double excess = x.segment(d.at, d.rows).norm() - d.bound * P[0];
      RC_PRE(std::abs(excess) > 1e-9);
      if (expected == Mode::stick && excess > 0)
        expected = d.at > 1 ? Mode::roll : d.rows == 1 && y[1] < 0 ? Mode::slip_back : Mode::slip;
      if (x[0] > 0) RC_ASSERT(P.segment(d.at, d.rows).dot(y.segment(d.at, d.rows)) <= 1e-12);
    }
    RC_ASSERT(m == expected);
  } else if (const auto* disc = std::get_if<Tresca>(&law); disc && disc->tangents == 2) {
    const double excess = x.norm() - disc->limit * dt;
    RC_PRE(std::abs(excess) > 1e-9);
    RC_ASSERT(m == (excess < 0 ? Mode::stick : Mode::slip));
    RC_ASSERT(P.dot(y) <= 1e-12);
  } else {
    RC_ASSERT(m == (y[0] > 0 ? Mode::slip : y[0] < 0 ? Mode::slip_back : Mode::stick));
  }
}

TEST(Mode, HasNames) {
  EXPECT_EQ(to_string(Mode::open), "open");
  EXPECT_EQ(to_string(Mode::closed), "closed");
  EXPECT_EQ(to_string(Mode::stick), "stick");
  EXPECT_EQ(to_string(Mode::slip), "slip");
  EXPECT_EQ(to_string(Mode::slip_back), "slip_back");
  EXPECT_EQ(to_string(Mode::roll), "roll");
  EXPECT_FALSE(is_constraint(Mode::roll));
}

TEST(Restitution, WeighsTheVelocityBefore) {
  const double gamma[] = {-2, 3, 5, 7, 11, 13};
  double out[6];
  restitution(Unilateral{0.5}, gamma, out);
  EXPECT_EQ(out[0], -1);
  restitution(Coulomb{0.3, 0.5, 0.1, 2}, gamma, out);
  EXPECT_EQ(out[0], -1);
  EXPECT_DOUBLE_EQ(out[1], 0.3);
  EXPECT_DOUBLE_EQ(out[2], 0.5);
  restitution(RollingFriction{0.3, 0.1, 0.1, 0.5, 0.1, 1, 2}, gamma, out);  // moments have none
  EXPECT_EQ(out[0], -1);
  EXPECT_DOUBLE_EQ(out[1], 0.3);
  EXPECT_DOUBLE_EQ(out[2], 0.5);
  for (int k = 3; k < 6; ++k) EXPECT_EQ(out[k], 0);
  restitution(Relay{}, gamma, out);
  EXPECT_EQ(out[0], 0);
  std::fill_n(out, 6, 9.0);
  restitution(Equality{6}, gamma, out);
  for (const double v : out) EXPECT_EQ(v, 0);
  restitution(user_disc(1), gamma, out);
  EXPECT_EQ(out[0], -0.5);
  EXPECT_EQ(out[1], 0.75);
}

TEST(Law, CountsItsRows) {
  EXPECT_EQ(rows(Unilateral{}), 1);
  EXPECT_EQ(rows(Equality{5}), 5);
  EXPECT_EQ(rows(Coulomb{0.1, 0, 0, 1}), 2);
  EXPECT_EQ(rows(Coulomb{0.1, 0, 0, 2}), 3);
  EXPECT_EQ(rows(RollingFriction{0.1, 0.1, 0, 0, 0, 1, 1}), 3);
  EXPECT_EQ(rows(RollingFriction{0.1, 0.1, 0, 0, 0, 1, 2}), 5);
  EXPECT_EQ(rows(RollingFriction{0.1, 0.1, 0.1, 0, 0, 1, 2}), 6);
  EXPECT_EQ(rows(Relay{}), 1);
  EXPECT_EQ(rows(user_disc(1)), 2);
}

TEST(Law, KnowsWhatIsPolyhedralAndWhatNeedsAGap) {
  EXPECT_TRUE(is_polyhedral(Unilateral{}));
  EXPECT_TRUE(is_polyhedral(Equality{3}));
  EXPECT_TRUE(is_polyhedral(Relay{}));
  EXPECT_TRUE(is_polyhedral(Coulomb{0.5, 0, 0, 1}));
  EXPECT_TRUE(is_polyhedral(Coulomb{0, 0, 0, 2}));
  EXPECT_FALSE(is_polyhedral(Coulomb{0.5, 0, 0, 2}));
  EXPECT_FALSE(is_polyhedral(user_disc(1)));
  EXPECT_TRUE(is_polyhedral(RollingFriction{0.5, 0.1, 0, 0, 0, 1, 1}));
  EXPECT_FALSE(is_polyhedral(RollingFriction{0.5, 0.1, 0, 0, 0, 1, 2}));
  EXPECT_TRUE(needs_closed_gap(RollingFriction{}));
  EXPECT_TRUE(needs_closed_gap(Unilateral{}));
  EXPECT_TRUE(needs_closed_gap(Coulomb{}));
  EXPECT_FALSE(needs_closed_gap(Equality{}));
  EXPECT_FALSE(needs_closed_gap(Relay{}));
}

TEST(Law, RelayLimitsAreForcesTimesTheStep) {
  double x = 10;
  prox(Relay{-1, 2}, 0.1, &x);
  EXPECT_DOUBLE_EQ(x, 0.2);
  x = -10;
  prox(Relay{-1, 2}, 0.1, &x);
  EXPECT_DOUBLE_EQ(x, -0.1);
}

void expect_error(const Law& law, std::string_view part) {
  try {
    check_law(law, "floor/ball");
    ADD_FAILURE() << "no error for " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string_view(e.what()).find("floor/ball"), std::string_view::npos) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(part), std::string_view::npos) << e.what();
  }
}

class Misfit final : public LawInterface {
 public:
  int rows() const override { return 7; }
  void prox(double, Block&) const override {}
  void prox_jacobian(double, const Block&, BlockMatrix&) const override {}
  Mode mode(double, const Block&, const Block&) const override { return Mode::open; }
};

TEST(CheckLaw, NamesTheContactAndTheParameter) {
  expect_error(Unilateral{1.5}, "e");
  expect_error(Unilateral{std::nan("")}, "e");
  expect_error(Coulomb{-0.1, 0, 0, 1}, "mu");
  expect_error(Coulomb{0.1, 2, 0, 1}, "e_n");
  expect_error(Coulomb{0.1, 0, -1, 1}, "e_t");
  expect_error(Coulomb{0.1, 0, 0, 3}, "tangents");
  expect_error(Equality{0}, "size");
  expect_error(Equality{7}, "size");
  expect_error(Relay{2, 1}, "lower");
  expect_error(Relay{-infinity, 1}, "lower");
  expect_error(Tresca{-1, 0, 1}, "limit");
  expect_error(Tresca{1, 1.5, 1}, "e");
  expect_error(Tresca{1, 0, 3}, "tangents");
  expect_error(PrestressedSpring{-2}, "limit");
  expect_error(PrestressedSpring{std::nan("")}, "limit");
  expect_error(RollingFriction{0.1, -1, 0, 0, 0, 1, 1}, "rolling");
  expect_error(RollingFriction{0.1, 0.1, 0, 0, 0, 0, 1}, "length");
  expect_error(RollingFriction{0.1, 0.1, 0.1, 0, 0, 1, 1}, "tangents = 2");
  expect_error(UserLaw{}, "no implementation");
  expect_error(UserLaw{std::make_shared<Misfit>()}, "7 rows");
}

TEST(CheckLaw, AcceptsTheEdges) {
  for (const Law& law : {Law(Unilateral{0}), Law(Unilateral{1}), Law(Coulomb{0, 1, 1, 2}), Law(Equality{6}),
                         Law(Relay{1, 1}), Law(Tresca{0, 1, 2}), Law(PrestressedSpring{0}), user_disc(0)})
    EXPECT_NO_THROW(check_law(law, "x"));
}

TEST(Mode, NearTheEdgeStaysWhatItWas) {
  const double tiny = 1e-13, margin = 1e-12, zero = 0;
  const Law contact = Unilateral{0.5};
  for (double P : {-tiny, 0.0, tiny}) {
    EXPECT_EQ(mode(contact, 1, 1, &P, &zero, margin, Mode::closed), Mode::closed);
    EXPECT_EQ(mode(contact, 1, 1, &P, &zero, margin, Mode::open), Mode::open);
  }
  const double P = 1e-11;
  EXPECT_EQ(mode(contact, 1, 1, &P, &zero, margin, Mode::open), Mode::closed);
  const Law friction = Coulomb{0.5, 0, 0, 1};
  for (double edge : {0.5 - tiny, 0.5 + tiny}) {
    const double at[] = {1, edge}, still[] = {0, 0};
    for (Mode before : {Mode::stick, Mode::slip_back})
      EXPECT_EQ(mode(friction, 1, 1, at, still, margin, before), before);
    // the opposite face is not one of the two
    EXPECT_NE(mode(friction, 1, 1, at, still, margin, Mode::slip), Mode::slip);
  }
}

// −1, 0, +1 for intervals, and a disc that slips or sticks
TEST(Mode, NamesTheFaceTheForceIsOn) {
  for (const Law& law : {Law(Relay{-2, 2}), Law(Tresca{2, 0, 1}), Law(PrestressedSpring{2})}) {
    const double low = -1, high = 1, zero = 0, forward = 3, back = -3;  // dt = 1/2
    EXPECT_EQ(mode(law, 0.5, 1, &low, &forward), Mode::slip);
    EXPECT_EQ(mode(law, 0.5, 1, &high, &back), Mode::slip_back);
    EXPECT_EQ(mode(law, 0.5, 1, &zero, &zero), Mode::stick);
  }
  const double P[] = {0.6, 0.8}, inside[] = {0.1, 0.2}, y[] = {-3, -4}, still[] = {0, 0};
  EXPECT_EQ(mode(Tresca{2, 0, 2}, 0.5, 1, P, y), Mode::slip);
  EXPECT_EQ(mode(Tresca{2, 0, 2}, 0.5, 1, inside, still), Mode::stick);
  EXPECT_TRUE(is_constraint(Mode::stick) && is_constraint(Mode::closed));
  EXPECT_FALSE(is_constraint(Mode::open) || is_constraint(Mode::slip) || is_constraint(Mode::slip_back));
}

TEST(UserLaw, IsCalledThroughTheSameFunctions) {
  const Law law = user_disc(2);
  double x[] = {3, 4};
  prox(law, 0.5, x);
  EXPECT_DOUBLE_EQ(x[0], 0.6);
  EXPECT_DOUBLE_EQ(x[1], 0.8);
  const double P[] = {0.6, 0.8}, y[] = {-1, 0};
  EXPECT_EQ(mode(law, 0.5, 1, P, y), Mode::slip);
  EXPECT_EQ(std::get<UserLaw>(law).impl->label(), "tresca");
}

}  // namespace
}  // namespace saltus::test_law
