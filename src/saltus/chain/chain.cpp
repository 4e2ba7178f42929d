#include "saltus/chain/chain.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

void check_values(const char* what, const Vec& values, int n, bool positive, const char* of) {
  if (values.size() != n)
    fail("chain: {} has {} entries, {} are needed (one per {})", what, values.size(), n, of);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(values[i]) || values[i] < 0 || (positive && values[i] == 0))
      fail("chain: {}[{}] = {} is not allowed: it must be a finite number {} 0", what, i, values[i],
           positive ? ">" : "≥");
}

}  // namespace

Chain::Chain(ChainData data) : d_(std::move(data)) {
  const int n = beads();
  if (n < 1) fail("chain: there are no beads");
  if (d_.K.size() == 0) d_.K = Vec::Zero(n);
  if (d_.F.size() == 0) d_.F = Vec::Zero(n);
  check_values("mass", d_.m, n, true, "bead");
  check_values("stiffness", d_.k, n + 1, false, "contact, with the walls");
  check_values("gamma", d_.gamma, n + 1, false, "contact, with the walls");
  check_values("local stiffness", d_.K, n, false, "bead");
  if (d_.F.size() != n) fail("chain: force has {} entries, {} are needed (one per bead)", d_.F.size(), n);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(d_.F[i])) fail("chain: force[{}] = {} is not a finite number", i, d_.F[i]);
  if (!(d_.beta >= 1) || !std::isfinite(d_.beta))
    fail("chain: beta = {} is not allowed: the exponent of the damping law must be a finite number ≥ 1",
         d_.beta);
  if (!std::isfinite(d_.left) || !std::isfinite(d_.right))
    fail("chain: the walls at {} and {} must have finite positions", d_.left, d_.right);
  law_ = d_.beta == 1     ? Law::dashpot
         : d_.beta == 1.5 ? Law::kuwabara_kono
         : d_.beta == 2.5 ? Law::hunt_crossley
                          : Law::general;
  local_ = (d_.K.array() != 0).any();
  bool first = true;
  for (int c = 0; c <= n; ++c) {
    if (d_.k[c] == 0) continue;
    if (first) gamma_ = d_.gamma[c];
    uniform_ = uniform_ && d_.gamma[c] == gamma_;
    first = false;
  }
}

void Chain::conservative(In x, Out g) const {
  double before = hertz(0, overlap(0, x.data()));
  for (int n = 0; n < beads(); ++n) {
    const double after = hertz(n + 1, overlap(n + 1, x.data()));
    g[n] = (before - after - d_.K[n] * x[n] + d_.F[n]) / d_.m[n];
    before = after;
  }
}

void Chain::conservative_derivative(In x, In v, Out out) const {
  const auto flow = [&](int n) { return contact(n, overlap(n, x.data())).dphi * rate(n, v.data()); };
  double before = flow(0);
  for (int n = 0; n < beads(); ++n) {
    const double after = flow(n + 1);
    out[n] = (before - after - d_.K[n] * v[n]) / d_.m[n];
    before = after;
  }
}

void Chain::damping_velocity(In x, Out s) const {
  double before = contact(0, overlap(0, x.data())).sigma;
  for (int n = 0; n < beads(); ++n) {
    const double after = contact(n + 1, overlap(n + 1, x.data())).sigma;
    s[n] = (before - after) / d_.m[n];
    before = after;
  }
}

double Chain::force(int n, In x, In v) const {
  const ContactForce c = contact(n, overlap(n, x.data()));
  return c.phi + c.dsigma * rate(n, v.data());
}

void Chain::rhs(double, In y, Out f, Workspace&) const {
  const bool form_y = d_.formulation == Formulation::y;
  double sigma = 0, phi = 0;
  const auto flow = [&](int n) {
    const ContactForce c = contact(n, overlap(n, y.data(), 2));
    sigma = form_y ? c.sigma : 0;
    phi = c.phi;
    if (!form_y && c.dsigma != 0)
      phi += c.dsigma * ((n > 0 ? y[2 * n - 1] : 0.0) - (n < beads() ? y[2 * n + 1] : 0.0));
  };
  flow(0);
  for (int n = 0; n < beads(); ++n) {
    const double sigma0 = sigma, phi0 = phi;
    flow(n + 1);
    f[2 * n] = y[2 * n + 1] + (sigma0 - sigma) / d_.m[n];
    f[2 * n + 1] = (phi0 - phi - d_.K[n] * y[2 * n] + d_.F[n]) / d_.m[n];
  }
}

void Chain::jacobian(double, In y, Matrix& J, Workspace&) const {
  const bool form_y = d_.formulation == Formulation::y;
  const int N = beads();
  for (int n = 0; n < N; ++n) J.set(2 * n, 2 * n + 1, 1), J.add(2 * n + 1, 2 * n, -d_.K[n] / d_.m[n]);
  for (int n = 0; n <= N; ++n) {
    const ContactForce c = contact<true>(n, overlap(n, y.data(), 2));
    if (c.dphi == 0 && c.dsigma == 0) continue;
    double by_x = c.dphi;
    if (!form_y) by_x += c.ddsigma * ((n > 0 ? y[2 * n - 1] : 0.0) - (n < N ? y[2 * n + 1] : 0.0));
    // bead a = n gets +, bead b = n − 1 gets −; the overlap grows with x_{n−1} and falls with x_n
    for (int bead : {n - 1, n}) {
      if (bead < 0 || bead >= N) continue;
      const double sign = (bead == n ? 1 : -1) / d_.m[bead];
      for (int by : {n - 1, n}) {
        if (by < 0 || by >= N) continue;
        const double s = by == n ? -sign : sign;
        J.add(2 * bead + 1, 2 * by, s * by_x);
        if (form_y)
          J.add(2 * bead, 2 * by, s * c.dsigma);
        else
          J.add(2 * bead + 1, 2 * by + 1, s * c.dsigma);
      }
    }
  }
}

void Chain::pack(double, In q, In u, Out y) const {
  const int N = beads();
  for (int n = 0; n < N; ++n) y[2 * n] = q[n], y[2 * n + 1] = u[n];
  if (d_.formulation == Formulation::x) return;
  double before = contact(0, overlap(0, q.data())).sigma;
  for (int n = 0; n < N; ++n) {
    const double after = contact(n + 1, overlap(n + 1, q.data())).sigma;
    y[2 * n + 1] -= (before - after) / d_.m[n];
    before = after;
  }
}

void Chain::unpack(double, In y, Out q, Out u) const {
  const int N = beads();
  for (int n = 0; n < N; ++n) q[n] = y[2 * n], u[n] = y[2 * n + 1];
  if (d_.formulation == Formulation::x) return;
  double before = contact(0, overlap(0, q.data())).sigma;
  for (int n = 0; n < N; ++n) {
    const double after = contact(n + 1, overlap(n + 1, q.data())).sigma;
    u[n] += (before - after) / d_.m[n];
    before = after;
  }
}

double Chain::energy(double, In q, In u, Workspace&) const {
  double sum = 0;
  for (int n = 0; n < beads(); ++n)
    sum += 0.5 * d_.m[n] * u[n] * u[n] + 0.5 * d_.K[n] * q[n] * q[n] - d_.F[n] * q[n];
  for (int n = 0; n <= beads(); ++n) {
    const double d = overlap(n, q.data());
    sum += 0.4 * d * hertz(n, d);
  }
  return sum;
}

Powers Chain::powers() const {
  for (int n = 0; n <= beads(); ++n)
    if (d_.k[n] > 0 && d_.gamma[n] > 0) return Powers::known;
  return Powers::none;
}

Power Chain::power(double, In q, In u, Workspace&) const {
  Power out;
  for (int n = 0; n <= beads(); ++n) {
    const double d = overlap(n, q.data());
    if (!(d > 0)) continue;
    const double rate = this->rate(n, u.data());
    out.damping += contact(n, d).dsigma * rate * rate;
  }
  return out;
}

std::string Chain::component_name(int i) const {
  return fmt::format("{} of bead {}", i % 2 == 0 ? "the position" : "the velocity", i / 2);
}

}  // namespace saltus
