// The outlook of the paper: "the use of index-2 DAE form in smooth periods should also be considered together
// with the possible study of order reduction". A point mass on a circle, M = 1, F = (0, −10), g = (|q|² −
// 1)/2:
//
//     V_i = v + h Σ a_ij K_j,  Q_i = q + h Σ a_ij V_j,  K_i = F + Q_i λ_i,
//     0 = Q_i·V_i (index 2)  or  0 = Q_i·K_i + |V_i|² (index 1, as (64) with its curvature term).
//
// Orders of index 2 in theory: E. Hairer, C. Lubich, M. Roche, The Numerical Solution of
// Differential-Algebraic Systems by Runge-Kutta Methods, Springer 1989, Table 2.3.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::acary_2012 {
namespace {

using Plane = Eigen::Vector2d;
const Plane gravity(0, -10);
constexpr double swing_end = 1;

struct Swinging {
  Plane q{1, 0}, v{0, 0.5};
  double lambda = 0;
};

/// The multiplier that a state has: of index 1.
double multiplier(const Plane& q, const Plane& v) {
  return -(v.squaredNorm() + q.dot(gravity)) / q.squaredNorm();
}

/// One step; the unknowns are K_i and λ_i of all stages.
class StageEquations {
 public:
  StageEquations(const Tableau& tableau, bool index_2)
      : t_(tableau), index_2_(index_2), s_(tableau.stages()) {
    x_.setZero(3 * s_);
  }

  void step(Swinging& state, double h) {
    for (int i = 0; i < s_; ++i) {
      const double lambda = multiplier(state.q, state.v);
      x_.segment(3 * i, 2) = gravity + lambda * state.q, x_[3 * i + 2] = lambda;
    }
    // Newton's iteration, until rounding stops it
    double last = infinity;
    for (int k = 0; k < 50; ++k) {
      const Vec r = residual(state, h, x_);
      const double now = r.lpNorm<Eigen::Infinity>();
      if (last < 1e-9 && now >= 0.5 * last) return finish(state, h);
      last = now;
      x_ -= solve_small(jacobian(state, h, r), r);
    }
    fail("index-2: the stages of {} with h = {:g} did not converge: {:.1e}", t_.name, h, last);
  }

 private:
  Plane K(const Vec& x, int i) const { return x.segment<2>(3 * i); }

  Vec residual(const Swinging& state, double h, const Vec& x) const {
    std::vector<Plane> V(s_, state.v);
    for (int i = 0; i < s_; ++i)
      for (int j = 0; j < s_; ++j) V[i] += h * t_.A(i, j) * K(x, j);
    Vec r(3 * s_);
    for (int i = 0; i < s_; ++i) {
      Plane Q = state.q;
      for (int j = 0; j < s_; ++j) Q += h * t_.A(i, j) * V[j];
      r.segment<2>(3 * i) = K(x, i) - gravity - x[3 * i + 2] * Q;
      r[3 * i + 2] = index_2_ ? Q.dot(V[i]) / h : Q.dot(K(x, i)) + V[i].squaredNorm();
    }
    return r;
  }

  Eigen::MatrixXd jacobian(const Swinging& state, double h, const Vec& r) const {
    constexpr double small = 1e-6;
    Eigen::MatrixXd J(3 * s_, 3 * s_);
    Vec x = x_;
    for (int k = 0; k < 3 * s_; ++k) {
      x[k] = x_[k] + small;
      J.col(k) = (residual(state, h, x) - r) / small;
      x[k] = x_[k];
    }
    return J;
  }

  // λ of index 2 is a variable of its own: λ₁ = λ₀ + bᵀA⁻¹(Λ − 1 λ₀), the last stage where bᵀ is A's last
  // row.
  void finish(Swinging& state, double h) {
    Plane q = state.q, v = state.v;
    for (int i = 0; i < s_; ++i) {
      Plane V = state.v;
      for (int j = 0; j < s_; ++j) V += h * t_.A(i, j) * K(x_, j);
      q += h * t_.b[i] * V, v += h * t_.b[i] * K(x_, i);
    }
    if (index_2_) {
      Vec stages(s_);
      for (int i = 0; i < s_; ++i) stages[i] = x_[3 * i + 2] - state.lambda;
      state.lambda += t_.b.dot(Vec(solve_small(t_.A, stages)));
    } else {
      state.lambda = multiplier(q, v);
    }
    state.q = q, state.v = v;
  }

  const Tableau& t_;
  bool index_2_;
  int s_;
  Vec x_;
};

/// The states after each of n steps.
std::vector<Swinging> swung(const std::string& tableau, bool index_2, int n) {
  const Tableau t = find_tableau(tableau);
  StageEquations equations(t, index_2);
  Swinging x;
  x.lambda = multiplier(x.q, x.v);
  std::vector<Swinging> out;
  for (int k = 0; k < n; ++k) equations.step(x, swing_end / n), out.push_back(x);
  return out;
}

/// The same by the angle, q = (cos φ, sin φ), which has no constraint: to rounding.
std::vector<Swinging> exact_swing(int n) {
  const Tableau t = find_tableau("herk-5");
  const int parts = 20000 / n + 1;
  const double h = swing_end / n / parts;
  double phi = 0, omega = 0.5;
  std::vector<double> k(t.stages()), w(t.stages());
  std::vector<Swinging> out;
  for (int step = 1; step <= n * parts; ++step) {
    double next_phi = phi, next_omega = omega;
    for (int i = 0; i < t.stages(); ++i) {
      double p = phi;
      w[i] = omega;
      for (int j = 0; j < i; ++j) p += h * t.A(i, j) * w[j], w[i] += h * t.A(i, j) * k[j];
      k[i] = -10 * std::cos(p);
      next_phi += h * t.b[i] * w[i], next_omega += h * t.b[i] * k[i];
    }
    phi = next_phi, omega = next_omega;
    if (step % parts != 0) continue;
    const Plane q(std::cos(phi), std::sin(phi)), v = Plane(-std::sin(phi), std::cos(phi)) * omega;
    out.push_back({q, v, multiplier(q, v)});
  }
  return out;
}

struct Orders2 {
  std::vector<double> h, state, lambda;
  double state_order = 0, lambda_order = 0;
};

// Largest errors over the steps.
Orders2 orders_of(const std::string& tableau, bool index_2) {
  Orders2 out;
  std::vector<double> hs, s, hl, l;
  const int finer = order(find_tableau(tableau)) <= 2 ? 8 : 1;  // Euler's stages have no solution at h = 0.05
  for (int n :
       {20 * finer, 28 * finer, 40 * finer, 57 * finer, 80 * finer, 113 * finer, 160 * finer, 226 * finer}) {
    const auto x = swung(tableau, index_2, n), exact = exact_swing(n);
    double state = 0, lambda = 0;
    for (int k = 0; k < n; ++k) {
      state = std::max({state, (x[k].q - exact[k].q).lpNorm<Eigen::Infinity>(),
                        (x[k].v - exact[k].v).lpNorm<Eigen::Infinity>()});
      lambda = std::max(lambda, std::abs(x[k].lambda - exact[k].lambda));
    }
    out.h.push_back(swing_end / n), out.state.push_back(state), out.lambda.push_back(lambda);
    if (out.state.back() > 1e-11) hs.push_back(out.h.back()), s.push_back(out.state.back());
    if (out.lambda.back() > 1e-10) hl.push_back(out.h.back()), l.push_back(out.lambda.back());
  }
  // of the five finest steps: the multiplier of gauss-6 falls faster at first
  const auto order_of = [](std::span<const double> h, std::span<const double> e) {
    const std::size_t n = std::min<std::size_t>(h.size(), 5);
    return fitted_order(h.last(n), e.last(n));
  };
  out.state_order = order_of(hs, s), out.lambda_order = order_of(hl, l);
  return out;
}

struct Theory {
  const char* tableau;
  int p, state, lambda;  // the classical order, and those of index 2
};
constexpr Theory stiffly_accurate[] = {{"radau-iia-1", 1, 1, 1},
                                       {"radau-iia-3", 3, 3, 2},
                                       {"radau-iia-5", 5, 5, 3},
                                       {"lobatto-iiic-2", 2, 2, 1},
                                       {"lobatto-iiic-4", 4, 4, 2}};
constexpr Theory gauss[] = {{"gauss-4", 4, 2, 0}, {"gauss-6", 6, 4, 2}};

}  // namespace

void index_2(Findings& out) {
  Panel state{"h [s]", "sup error of q, v [m, m/s]", "index 2: a mass on a circle (fitted order)", true, {}},
      lambda{"h [s]", "sup error of lambda [N/m]", "index 2: its multiplier", true, {}},
      one{"h [s]", "sup error of lambda [N/m]", "index 1: its multiplier", true, {}};
  std::vector<std::string> rows, seen, seen_lambda, seen_gauss, seen_one;
  bool full = true, reduced = true, lost = true, index_1 = true;
  int colour = 0;
  const auto take = [&](const Theory& t, const Orders2& two, const Orders2& first) {
    for (const auto& [form, o] : {std::pair{2, &two}, std::pair{1, &first}})
      for (std::size_t i = 0; i < o->h.size(); ++i)
        rows.push_back(fmt::format("{},{},{},{},{}", t.tableau, form, o->h[i], o->state[i], o->lambda[i]));
    const auto titled = [&](double order) { return fmt::format("{} ({:.2f})", t.tableau, order); };
    state.curves.push_back(points(titled(two.state_order), two.h, two.state, colour));
    lambda.curves.push_back(points(titled(two.lambda_order), two.h, two.lambda, colour));
    one.curves.push_back(points(titled(first.lambda_order), first.h, first.lambda, colour++));
    index_1 = index_1 && first.state_order > t.p - 0.35 && first.lambda_order > t.p - 0.35;
    seen_one.push_back(fmt::format("{:.2f}, {:.2f} ({})", first.state_order, first.lambda_order, t.tableau));
  };
  for (const Theory& t : stiffly_accurate) {
    const Orders2 two = orders_of(t.tableau, true);
    take(t, two, orders_of(t.tableau, false));
    full = full && std::abs(two.state_order - t.state) < 0.35;
    reduced = reduced && std::abs(two.lambda_order - t.lambda) < 0.35;
    seen.push_back(fmt::format("{:.2f} ({})", two.state_order, t.tableau));
    seen_lambda.push_back(fmt::format("{:.2f} ({})", two.lambda_order, t.tableau));
  }
  for (const Theory& t : gauss) {
    const Orders2 two = orders_of(t.tableau, true);
    take(t, two, orders_of(t.tableau, false));
    lost = lost && std::abs(two.state_order - t.state) < 0.35 && two.lambda_order < t.lambda + 0.5;
    seen_gauss.push_back(fmt::format("{:.2f}, {:.2f} ({})", two.state_order, two.lambda_order, t.tableau));
  }
  out.csv("index-2", "tableau,index,h,error_state,error_lambda", rows);
  out.figure("index-2", std::array{state, lambda, one});
  out.claim("index 2: no order reduction of q and v with Radau IIA and Lobatto IIIC", full,
            fmt::format("{}", fmt::join(seen, ", ")));
  out.claim("index 2: the multiplier is reduced to the order of the stages, 1, 2, 3, 1, 2", reduced,
            fmt::format("{}", fmt::join(seen_lambda, ", ")));
  out.claim("index 2: Gauss' methods lose order, 4 to 2 and 6 to 4, and more in the multiplier", lost,
            fmt::format("{} (state, multiplier)", fmt::join(seen_gauss, ", ")));
  out.claim("index 1 (64): the order p of all of them, in q, v and in the multiplier", index_1,
            fmt::format("{} (state, multiplier)", fmt::join(seen_one, ", ")));
}

}  // namespace saltus::acary_2012
