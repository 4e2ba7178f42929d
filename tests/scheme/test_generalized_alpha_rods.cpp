// Generalized-α on chains of links: energy, joints, and a cost that is linear in their length.
#include <gtest/gtest.h>

#include <ctime>

#include "saltus/system/system.hpp"
#include "scheme/alpha_steps.hpp"

namespace saltus::test_generalized_alpha_rods {
namespace {

using testing::go;

// Points on rods, one after the other: n joints in a row.
class Rods final : public System {
 public:
  explicit Rods(int n) : n_(n) {
    for (int i = 0; i < n; ++i) contacts_.push_back({static_cast<std::uint64_t>(i), 0, i});
  }
  Shape shape() const override {
    const Pattern diagonal{Pattern::diagonal, 0, nullptr};
    return {2 * n_, 2 * n_, diagonal, diagonal, true, true, false, true};
  }
  std::span<const Law> laws() const override { return {&law_, 1}; }
  std::span<const Contact> contacts() const override { return contacts_; }
  void mass(double, In, Matrix& M, Workspace&) const override {
    for (int i = 0; i < 2 * n_; ++i) M.set(i, i, 1);
  }
  void force(double, In, In, Out h, Workspace&) const override {
    for (int i = 0; i < n_; ++i) h[2 * i] = 0, h[2 * i + 1] = -10;
  }
  void force_jacobians(double, In, In, Matrix& dq, Matrix& du, Workspace&) const override {
    dq.set_zero(), du.set_zero();
  }
  void gaps(double, In q, ContactSet& out, Workspace&) const override {
    for (int i = 0; i < n_; ++i) {
      const Eigen::Vector2d d = way(q, i);
      out.gap[i] = 0.5 * (d.squaredNorm() - 0.01);
    }
  }
  void directions(double, In q, ContactSet& out, Workspace&) const override {
    out.Wt.clear(), out.drift.assign(n_, 0.0);
    for (int i = 0; i < n_; ++i, out.Wt.end_row()) {
      const Eigen::Vector2d d = way(q, i);
      for (int k = 0; k < 2; ++k) {
        if (i > 0) out.Wt.add(2 * i - 2 + k, -d[k]);
        out.Wt.add(2 * i + k, d[k]);
      }
    }
  }
  void bias(double, In, In u, ContactSet& out, Workspace&) const override {
    out.bias.resize(n_);
    for (int i = 0; i < n_; ++i) out.bias[i] = way(u, i).squaredNorm();
  }
  double potential(double, In q, Workspace&) const override {
    double sum = 0;
    for (int i = 0; i < n_; ++i) sum += 10 * q[2 * i + 1];
    return sum;
  }
  std::string contact_name(std::uint64_t id) const override { return "rod " + std::to_string(id); }

 private:
  static Eigen::Vector2d way(In q, int i) {
    Eigen::Vector2d d(q[2 * i], q[2 * i + 1]);
    if (i > 0) d -= Eigen::Vector2d(q[2 * i - 2], q[2 * i - 1]);
    return d;
  }
  int n_;
  Law law_ = Equality{1};
  std::vector<Contact> contacts_;
};

Vec stretched(int n) {
  Vec q(2 * n);
  for (int i = 0; i < n; ++i) q[2 * i] = 0.1 * (i + 1), q[2 * i + 1] = 0;
  return q;
}

// Sixteen joints are solved by a dense matrix, seventeen by a sparse one: the same motion of the first of two
// chains that do not touch.
TEST(GeneralizedAlphaRods, LongChainsKeepEnergyAndJoints) {
  const Rods system(40);
  Workspace w;
  const State x = go(system, stretched(40), Vec::Zero(80), 1e-3, 0.3);
  EXPECT_NEAR(system.energy(x.t, x.q, x.u, w), 0, 2e-3);  // of 60 J that changed hands
  EXPECT_GT(0.5 * x.u.squaredNorm(), 20);
  ContactSet set;
  set.contacts.assign(system.contacts().begin(), system.contacts().end());
  set.gap.resize(40);
  system.gaps(0, x.q, set, w);
  for (double g : set.gap) EXPECT_NEAR(g, 0, 1e-13);
}

TEST(GeneralizedAlphaRods, TheCostOfAChainIsLinearInItsLength) {
  const auto cost = [](int n) {
    const Rods system(n);
    double least = infinity;
    for (int round = 0; round < 5; ++round) {
      const std::clock_t begin = std::clock();
      go(system, stretched(n), Vec::Zero(2 * n), 1e-3, 0.03);
      least = std::min(least, static_cast<double>(std::clock() - begin));
    }
    return least;
  };
  EXPECT_LT(cost(320), 14 * cost(40));  // 8 times as long; a dense matrix took 300 times as long
}

}  // namespace
}  // namespace saltus::test_generalized_alpha_rods
