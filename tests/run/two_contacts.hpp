// Two masses above a floor, one over the other, coupled by a spring and driven by periodic loads: closings,
// openings, a persistent contact, both contacts at once. The reference is independent of the library: Taylor
// series in long double on each set of closed contacts, events by bisection, impacts and accelerations by
// trying all four sets of two contacts.
#pragma once
#include <Eigen/LU>
#include <array>
#include <memory>

#include "saltus/run/run.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus::testing {

struct TwoContacts {
  using Real = long double;
  using V2 = Eigen::Matrix<Real, 2, 1>;
  using M2 = Eigen::Matrix<Real, 2, 2>;

  double m1 = 1, m2 = 0.7, k1 = 4, k2 = 2, k12 = 6, c = 0.2, e1 = 0, e2 = 0.6;
  double rest1 = 0.3, rest2 = 0.9, a1 = 5, w1 = 2.1, a2 = 4, w2 = 1.3, weight = 2;
  V2 q0{0.5, 1.2}, u0{0, 0};

  Problem problem(double t_end) const {
    LinearSystem::Data d;
    const Pattern dense{Pattern::dense, 0, nullptr};
    d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
    d.M.set(0, 0, m1), d.M.set(1, 1, m2);
    d.K = d.C = Matrix(2, dense);
    d.K.set(0, 0, k1 + k12), d.K.set(0, 1, -k12), d.K.set(1, 0, -k12), d.K.set(1, 1, k2 + k12);
    d.C.set(0, 0, c), d.C.set(1, 1, c);
    d.f = Vec{{k1 * rest1 - weight, k2 * rest2 - weight}};
    d.forcing = [a1 = a1, w1 = w1, a2 = a2, w2 = w2](double t, double* h) {
      h[0] += a1 * std::sin(w1 * t), h[1] += a2 * std::cos(w2 * t);
    };
    d.contacts.push_back({"lower/floor", Unilateral{e1}, {{{0, 1.0}}}, 0, 0});
    d.contacts.push_back({"upper/lower", Unilateral{e2}, {{{0, -1.0}, {1, 1.0}}}, 0, 0});
    return {std::make_shared<LinearSystem>(std::move(d)), 0, t_end, q0.cast<double>(), u0.cast<double>()};
  }

  struct Motion {
    V2 q, u;
    int closings = 0, openings = 0, both = 0;  // both: times at which two contacts were closed together
    Real closed_for = 0;                       // time with a closed contact
  };
  Motion solve(double t_end) const {
    Motion x{q0, u0};
    Real t = 0;
    unsigned closed = 0;  // bit i: contact i
    while (t < t_end) {
      const Real S = std::min<Real>(0.02L, t_end - t);
      const auto [q, force] = series(t, x.q, x.u, closed);
      const auto [s, contact, opens] = first_event(q, force, x, closed, S);
      const Real step = contact < 0 ? S : s;
      x.q = value(q, step), x.u = slope(q, step), t += step;
      if (closed) x.closed_for += step;
      if (contact < 0) continue;
      const unsigned before = closed;
      if (opens) {
        closed &= ~(1u << contact), ++x.openings;
        remove_drift(x, 1u << contact);
        x.u[contact] = contact == 0 ? Real(0) : x.u[0];
      } else {
        remove_drift(x, 1u << contact);
        impact(x, closed | 1u << contact);
      }
      closed = pressed(
          t, x,
          opens ? (closed | bouncing_out(x)) & ~(1u << contact) : closed | bouncing_out(x) | 1u << contact);
      for (int i = 0; i < 2; ++i) x.closings += closed >> i & 1 && !(before >> i & 1);
      x.both += closed == 3;
    }
    return x;
  }

 private:
  static constexpr int degree = 18;
  static constexpr Real still = 1e-15L;
  using Series = std::array<V2, degree + 1>;
  M2 W() const { return (M2() << 1, -1, 0, 1).finished(); }  // columns: directions
  V2 mass() const { return {m1, m2}; }

  static V2 value(const Series& c, Real s) {
    V2 x = V2::Zero();
    for (int k = degree; k >= 0; --k) x = x * s + c[k];
    return x;
  }
  static V2 slope(const Series& c, Real s) {
    V2 x = V2::Zero();
    for (int k = degree; k > 0; --k) x = x * s + Real(k) * c[k];
    return x;
  }
  // λ of the closed contacts so that their accelerations are given: (W_Aᵀ M⁻¹ W_A) λ = wanted − W_Aᵀ M⁻¹ f.
  V2 multipliers(const V2& f, unsigned closed) const {
    const M2 G = W().transpose() * mass().cwiseInverse().asDiagonal() * W();
    const V2 r = W().transpose() * f.cwiseQuotient(mass());
    if (closed == 0) return V2::Zero();
    if (closed == 1) return {-r[0] / G(0, 0), 0};
    if (closed == 2) return {0, -r[1] / G(1, 1)};
    return -(G.inverse() * r);
  }
  V2 load(Real t, int k) const {  // k-th Taylor coefficient of the load at t
    V2 f = V2::Zero();
    if (k == 0) f = V2(Real(k1) * rest1 - weight, Real(k2) * rest2 - weight);
    const Real quarter = std::acos(Real(-1)) / 2;
    Real factor1 = 1, factor2 = 1;
    for (int j = 1; j <= k; ++j) factor1 *= Real(w1) / j, factor2 *= Real(w2) / j;
    f[0] += a1 * factor1 * std::sin(w1 * t + k * quarter);
    f[1] += a2 * factor2 * std::cos(w2 * t + k * quarter);
    return f;
  }
  std::pair<Series, Series> series(Real t, const V2& q, const V2& u, unsigned closed) const {
    M2 K;
    K << Real(k1) + k12, -Real(k12), -Real(k12), Real(k2) + k12;
    Series x, l;
    x.fill(V2::Zero()), l.fill(V2::Zero());
    x[0] = q, x[1] = u;
    for (int k = 0; k + 2 <= degree; ++k) {
      const V2 f = load(t, k) - K * x[k] - Real(c) * (k + 1) * x[k + 1];
      l[k] = multipliers(f, closed);
      x[k + 2] = (f + W() * l[k]).cwiseQuotient(mass()) / (Real(k + 1) * (k + 2));
    }
    return {x, l};
  }
  // The first event in ]0, S]: a gap of an open contact below zero, or a force of a closed one.
  struct Found {
    Real s = 0;
    int contact = -1;
    bool opens = false;
  };
  Found first_event(const Series& q, const Series& force, const Motion& x, unsigned closed, Real S) const {
    Found found{S, -1, false};
    for (int i = 0; i < 2; ++i) {
      const bool shut = closed >> i & 1;
      const bool touches = !shut && W().col(i).dot(x.q) == 0;  // a flight that begins on the contact
      const auto f = [&](Real s) {
        if (shut) return value(force, s)[i];
        if (!touches) return W().col(i).dot(value(q, s));
        Real sum = 0;  // gap(s)/s
        for (int k = degree; k > 0; --k) sum = sum * s + W().col(i).dot(q[k]);
        return sum + 1e-18L;  // a contact that has just opened has a velocity of rounding
      };
      constexpr int parts = 8,
                    halvings = 48;  // finer towards the start: flights get short before a contact closes
      for (int k = 1; k <= parts * (halvings + 1); ++k) {
        const Real scale = std::ldexp(S, (k - 1) / parts - halvings),
                   base = (k - 1) / parts == 0 ? 0 : scale / 2;
        const int j = (k - 1) % parts;
        Real a = base + (scale - base) * j / parts, b = base + (scale - base) * (j + 1) / parts;
        if (f(b) >= 0) continue;
        for (int n = 0; n < 80; ++n) {
          const Real mid = (a + b) / 2;
          (f(mid) < 0 ? b : a) = mid;
        }
        if (b < found.s || found.contact < 0) found = {b, i, shut};
        break;
      }
    }
    return found;
  }
  // A contact at its event has gap zero; what is left is the rounding of the location.
  void remove_drift(Motion& x, unsigned which) const {
    if (which & 1) x.q[0] = 0;
    if (which & 2) x.q[1] = x.q[0];
  }
  // Newton's law on the touching contacts: 0 ≤ y ⊥ P ≥ 0, y = γ⁺ + e γ⁻, by trying the four sets.
  void impact(Motion& x, unsigned touching) const {
    const V2 before = W().transpose() * x.u, e(e1, e2);
    const M2 G = W().transpose() * mass().cwiseInverse().asDiagonal() * W();
    for (unsigned set = 0; set < 4; ++set) {
      if (set & ~touching) continue;
      const V2 y0 = before + e.cwiseProduct(before);
      V2 P = V2::Zero();
      if (set == 1) P[0] = -y0[0] / G(0, 0);
      if (set == 2) P[1] = -y0[1] / G(1, 1);
      if (set == 3) P = -(G.inverse() * y0);
      const V2 y = y0 + G * P;
      bool good = true;
      for (int i = 0; i < 2; ++i)
        good = good && P[i] >= 0 && (!(touching >> i & 1) || set >> i & 1 || y[i] >= -1e-17L);
      if (!good) continue;
      x.u += (W() * P).cwiseQuotient(mass());
      return;
    }
  }
  // Contacts in a flight of no more than 1e-15: the end of an accumulation, which two contacts may reach
  // together.
  unsigned bouncing_out(const Motion& x) const {
    unsigned which = 0;
    for (int i = 0; i < 2; ++i) {
      const Real gap = W().col(i).dot(x.q), g = W().col(i).dot(x.u);
      if (gap < 1e-28L && std::abs(g) < still) which |= 1u << i;
    }
    return which;
  }
  // Of the touching contacts without velocity, those the accelerations press; their velocity is made zero
  // exactly.
  unsigned pressed(Real t, Motion& x, unsigned touching) const {
    const V2 g = W().transpose() * x.u;
    for (int i = 0; i < 2; ++i)
      if (touching >> i & 1 && std::abs(g[i]) > still) touching &= ~(1u << i);
    for (unsigned set = 4; set-- > 0;) {
      if (set & ~touching) continue;
      const auto [q, force] = series(t, x.q, x.u, set);
      const V2 a = W().transpose() * q[2];
      bool good = true;
      for (int i = 0; i < 2; ++i)
        good = good && (set >> i & 1 ? force[0][i] > 0 : !(touching >> i & 1) || a[i] >= 0);
      if (!good) continue;
      if (set & 1) x.u[0] = 0;
      if (set & 2) x.u[1] = set & 1 ? Real(0) : (m1 * x.u[0] + m2 * x.u[1]) / (Real(m1) + m2);
      if (set == 2) x.u[0] = x.u[1];
      return set;
    }
    return 0;
  }
};

}  // namespace saltus::testing
