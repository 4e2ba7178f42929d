#include "saltus/catalog/bead_collision.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/port.hpp"
#include "saltus/reference/gbs.hpp"

namespace saltus {
namespace {

constexpr double tolerance = 1e-13;
constexpr std::int64_t most_steps = 100'000;  // a tenth of a second; strong damping makes the equations stiff
constexpr double largest_beta = 50, largest_gamma = 1e15, smallest_e = 1e-15;

// y = (s, u, τ) in the variable σ: s' = u, u' = −2s⁴ − 2βγ̃ s^{2β−1} u, τ' = 2s
class Collision {
 public:
  Collision(double gamma, double beta) : gamma_(gamma), beta_(beta) {}

  BeadCollision run() {
    BeadCollision out;
    Vec y{{0.0, 1.0, 0.0}};
    double sigma = 0, h = 0.05;
    advance(y, sigma, h, 1);
    refine(y, sigma, 1);
    out.depth = y[0] * y[0], out.time_of_depth = y[2];
    out.force = std::max(peak_, force(y));
    if (!advance(y, sigma, h, 0)) {
      out.e = 0, out.duration = infinity;
      return out;
    }
    refine(y, sigma, 0);
    out.e = -y[1], out.duration = y[2];
    return out;
  }

 private:
  void rhs(const Vec& y, Vec& f) const {
    const double s = y[0], s2 = s * s, a = std::abs(s);
    const double power = beta_ == 1     ? s
                         : beta_ == 1.5 ? s2
                         : beta_ == 2.5 ? s2 * s2
                                        : std::pow(a, 2 * beta_ - 1);
    f[0] = y[1], f[1] = -2 * s2 * s2 - 2 * beta_ * gamma_ * power * y[1], f[2] = 2 * s;
  }

  double damping(double s, double power) const {
    return gamma_ == 0 ? 0 : beta_ * gamma_ * std::pow(s, power);
  }
  // f = ζ^{3/2} + βγ̃ ζ^{β−1} ζ' and its rate by σ; ζ' = u
  double force(const Vec& y) const { return y[0] * y[0] * y[0] + damping(y[0], 2 * beta_ - 2) * y[1]; }
  double force_rate(const Vec& y) const {
    const double s = y[0], u = y[1];
    if (!(s > 0)) return beta_ > 1 ? 1 : 0;
    Vec f(3);
    rhs(y, f);
    return 3 * s * s * u + damping(s, 2 * beta_ - 3) * (2 * beta_ - 2) * u * u +
           damping(s, 2 * beta_ - 2) * f[1];
  }
  // The force is largest before the depth is, or at the beginning (a dashpot); within a step where its rate
  // changes sign.
  void see_force(const Vec& y, double sigma, double step, const Vec& next) {
    peak_ = std::max({peak_, force(y), force(next)});
    if (!(force_rate(y) > 0 && force_rate(next) < 0)) return;
    double a = 0, b = step;
    Vec at(3);
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (a + b);
      gbs_.step(rhs_, sigma, y, middle, at);
      (force_rate(at) > 0 ? a : b) = middle;
    }
    peak_ = std::max(peak_, force(at));
  }

  // Whether the beads creep to a stop in contact: on the slow manifold u ≈ −s^{5−2β}/(βγ̃), which attracts
  // 2β²γ̃² s^{4β−5} times faster than it is walked along. For β < 5/4 that grows without bound, and nothing
  // escapes; for larger β it vanishes, and the beads part.
  bool creeps(const Vec& y) const {
    const double s = y[0], pull = 2 * beta_ * beta_ * gamma_ * gamma_;
    return beta_ < 1.25 && s < 0.05 && pull * std::pow(s, 4 * beta_ - 5) > 10 &&
           -y[1] * beta_ * gamma_ < 2 * std::pow(s, 5 - 2 * beta_);
  }

  // To the last step before component i turns negative; false when the beads creep to a stop.
  bool advance(Vec& y, double& sigma, double& h, int i) {
    Vec next(3);
    for (std::int64_t step = 0; step < most_steps; ++step) {
      double trial = h;
      const double taken = gbs_.adaptive_step(rhs_, sigma, y, trial, tolerance, next);
      h = taken;
      if (i == 1 && taken > 0) see_force(y, sigma, taken, next);
      if (next[i] <= 0) return true;
      if (!(taken > 0)) break;
      y = next, sigma += taken, h = std::min(trial, 2 * taken);
      if (i == 0 && creeps(y)) return false;
    }
    fail(
        "the collision with gamma_tilde = {:.6g}, beta = {:.6g} cannot be followed to its end, damping is "
        "too "
        "strong; give less of it",
        gamma_, beta_);
  }

  // Newton on the length of a last step to y_i = 0
  void refine(Vec& y, double& sigma, int i) {
    Vec next(3), f(3);
    rhs(y, f);
    double h = -y[i] / f[i];
    for (int k = 0; k < 50; ++k) {
      gbs_.step(rhs_, sigma, y, h, next);
      rhs(next, f);
      const double change = -next[i] / f[i];
      h += change;
      if (std::abs(change) < 1e-16 * std::max(h, 1e-3)) break;
    }
    gbs_.step(rhs_, sigma, y, h, next);
    y = next, sigma += h;
  }

  double gamma_, beta_, peak_ = 0;
  Gbs gbs_{3};
  Gbs::Rhs rhs_ = [this](double, const Vec& y, Vec& f) { rhs(y, f); };
};

void check_beta(double beta) {
  if (!(beta >= 1 && beta <= largest_beta))
    fail("beta = {} is not allowed: the exponent of the damping law must be a number from 1 to {}", beta,
         largest_beta);
}

void check_positive(const char* what, double x) {
  if (!(x > 0) || !std::isfinite(x)) fail("{} = {} is not allowed: it must be a finite number > 0", what, x);
}

}  // namespace

BeadCollision collide(double gamma_tilde, double beta) {
  check_beta(beta);
  if (!(gamma_tilde >= 0) || !std::isfinite(gamma_tilde))
    fail("gamma = {} is not allowed: damping must be a finite number ≥ 0", gamma_tilde);
  return Collision(gamma_tilde, beta).run();
}

double restitution_of(double gamma_tilde, double beta) {
  return gamma_tilde == 0 ? (check_beta(beta), 1.0) : collide(gamma_tilde, beta).e;
}

double duration_of(double gamma_tilde, double beta) {
  return collide(gamma_tilde, beta).duration;
}

double restitution_slope(double beta) {
  check_beta(beta);
  const double a = 0.4 * beta;
  return 2 * a * std::pow(1.25, a) * port::beta(a, 1.5);
}

// e falls from 1 with γ̃: a bracket, then the regula falsi in its Illinois form on log e, which is nearly
// linear in γ̃ where that is small and in log γ̃ where it is large. Collisions that cannot be followed count as
// stronger than any; where the root turns out to lie among them, the smallest e that was reached is reported.
double gamma_of(double e, double beta) {
  check_beta(beta);
  if (!(e > 0 && e <= 1)) fail("e = {} is not allowed: restitution must lie in ]0, 1]", e);
  if (e < smallest_e)
    fail("e = {} is not allowed: the damping can be found for restitution from {} up", e, smallest_e);
  if (1 - e < 1e-7) return -std::log(e) / restitution_slope(beta);  // better than the rounding of a collision
  double reached = 1;
  int lost = 0;
  const auto f = [&](double g) {
    double x = 0;
    try {
      x = restitution_of(g, beta);
    } catch (const Error&) {
      ++lost;
    }
    if (x > e) reached = std::min(reached, x);
    return x > 0 ? std::log(x / e) : -50.0;
  };
  const auto refuse = [&] {
    fail("e = {:.6g} is too small for beta = {:.6g}: the damping can be found down to about e = {:.1g}", e,
         beta, reached);
  };
  double a = 0, fa = -std::log(e), b = 1.1 * fa / restitution_slope(beta), fb = f(b);
  while (fb > 0) {
    a = b, fa = fb, b *= beta > 3 ? 100 : 2;
    if (b > largest_gamma) refuse();
    fb = f(b);
  }
  int side = 0;
  for (int k = 0; k < 100 && b - a > 1e-15 * b; ++k) {
    const double share = fa / (fa - fb), c = a >= 1 ? a * std::pow(b / a, share) : a + share * (b - a),
                 fc = f(c);
    if (std::abs(fc) < 1e-15) return c;
    if (lost > 2) refuse();
    if (fc > 0) {
      a = c, fa = fc;
      if (side == 1) fb /= 2;
      side = 1;
    } else {
      b = c, fb = fc;
      if (side == -1) fa /= 2;
      side = -1;
    }
  }
  const double g = 0.5 * (a + b);
  if (!(std::abs(f(g)) < 1e-6))
    fail(
        "e = {:.6g} is too small for beta = {:.6g}: neighbouring numbers of damping give an e more than 1e-6 "
        "of it "
        "apart; take a larger one",
        e, beta);
  return g;
}

// f = k(d^{3/2} + γ β d^{β−1} ḋ) with d = L ζ, t = T τ, L = V T, m L/T² = k L^{3/2}: the second term over the
// first gives γ̃ = γ L^{β−3/2}/T, which for β = 3/2 is γ/T = γ V^{1/5} (k/m)^{2/5}.
double gamma_tilde_of(double gamma, double k, double m1, double m2, double velocity, double beta) {
  const double T = collision_time_unit(k, m1, m2, velocity);
  return gamma * std::pow(velocity * T, beta - 1.5) / T;
}

double collision_time_unit(double k, double m1, double m2, double velocity) {
  check_positive("stiffness", k);
  check_positive("mass", m1);
  check_positive("mass", m2);
  check_positive("velocity", velocity);
  return std::pow(m1 * m2 / (m1 + m2) / k, 0.4) * std::pow(velocity, -0.2);
}

std::vector<RestitutionRow> restitution_table(double a, double b, int n, double beta) {
  std::vector<RestitutionRow> rows;
  for (int i = 0; i < n; ++i) {
    const double g = n > 1 ? a + (b - a) * i / (n - 1) : a;
    const BeadCollision c = collide(g, beta);
    rows.push_back({g, c.e, c.duration});
  }
  return rows;
}

}  // namespace saltus
