#include "saltus/chain/chain.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

void check_size(const char* what, const Vec& values, int n, const char* of) {
  if (values.size() != n)
    fail("chain: {} has {} entries, {} are needed (one per {})", what, values.size(), n, of);
}

void check_values(const char* what, const Vec& values, int n, bool positive, const char* of) {
  check_size(what, values, n, of);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(values[i]) || values[i] < 0 || (positive && values[i] == 0))
      fail("chain: {}[{}] = {} is not allowed: it must be a finite number {} 0", what, i, values[i],
           positive ? ">" : "≥");
}

void check_finite(const char* what, const Vec& values, int n, const char* of) {
  check_size(what, values, n, of);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(values[i])) fail("chain: {}[{}] = {} is not a finite number", what, i, values[i]);
}

void check_beta(const std::string& what, double beta) {
  if (!(beta >= 1) || !std::isfinite(beta))
    fail("chain: {} = {} is not allowed: the exponent of the damping law must be a finite number ≥ 1", what,
         beta);
}

// What is nowhere different from `value` need not be kept, or looked at in every step.
void drop_if_all(Vec& values, double value) {
  if ((values.array() == value).all()) values.resize(0);
}

}  // namespace

Chain::Law Chain::law_of(double beta) {
  return beta == 1     ? Law::dashpot
         : beta == 1.5 ? Law::kuwabara_kono
         : beta == 2.5 ? Law::hunt_crossley
                       : Law::general;
}

Chain::Chain(ChainData data) : d_(std::move(data)) {
  const int n = beads();
  constexpr const char *bead = "bead", *contact = "contact, with the walls";
  if (n < 1) fail("chain: there are no beads");
  check_values("mass", d_.m, n, true, bead);
  check_values("stiffness", d_.k, n + 1, false, contact);
  check_values("gamma", d_.gamma, n + 1, false, contact);
  if (d_.K.size() > 0) check_values("local stiffness", d_.K, n, false, bead);
  if (d_.C.size() > 0) check_values("local damping", d_.C, n, false, bead);
  if (d_.F.size() > 0) check_finite("force", d_.F, n, bead);
  if (d_.a.size() > 0) check_finite("overlap", d_.a, n + 1, contact);
  if (d_.radius.size() > 0) check_values("radius", d_.radius, n, true, bead);
  check_beta("beta", d_.beta);
  if (d_.betas.size() > 0) {
    check_size("beta", d_.betas, n + 1, contact);
    for (int i = 0; i <= n; ++i) check_beta(fmt::format("beta[{}]", i), d_.betas[i]);
    if ((d_.betas.array() == d_.betas[0]).all()) d_.beta = d_.betas[0], d_.betas.resize(0);
  }
  if (!std::isfinite(d_.left) || !std::isfinite(d_.right))
    fail("chain: the walls at {} and {} must have finite positions", d_.left, d_.right);
  for (Vec* x : {&d_.K, &d_.C, &d_.F, &d_.a}) drop_if_all(*x, 0);
  law_ = law_of(d_.beta);
  for (Eigen::Index i = 0; i < d_.betas.size(); ++i) laws_.push_back(law_of(d_.betas[i]));
  if (!laws_.empty()) different_ = laws_.data();
  if (d_.a.size() > 0) offset_ = d_.a.data();
  bool first = true;
  for (int c = 0; c <= n; ++c) {
    if (d_.k[c] == 0) continue;
    if (first) gamma_ = d_.gamma[c];
    uniform_ = uniform_ && d_.gamma[c] == gamma_;
    first = false;
  }
}

ContactForce Chain::general(int n, double d) const {
  ContactForce c = elastic(n, d);
  const double b = different_ ? d_.betas[n] : d_.beta, power = std::pow(d, b - 1), a = d_.gamma[n] * d_.k[n];
  c.sigma = a * d * power, c.dsigma = b * a * power;
  c.ddsigma = b * (b - 1) * a * power / d;
  return c;
}

ChainEnds Chain::ends(double t) const {
  ChainEnds out;
  out.left = d_.left, out.right = d_.right;
  const auto add = [t](const std::shared_ptr<const TimeFunction>& f, double& value, double* rate) {
    if (!f) return;
    const TimeFunction::Value x = f->at(t);
    value += x.value;
    if (rate) *rate = x.rate;
  };
  add(d_.left_motion, out.left, &out.left_rate), add(d_.right_motion, out.right, &out.right_rate);
  add(d_.left_push, out.left_push, nullptr), add(d_.right_push, out.right_push, nullptr);
  return out;
}

void Chain::conservative(const ChainEnds& ends, In x, Out g) const {
  double before = hertz(0, overlap(0, x.data(), ends)) + ends.left_push;
  for (int n = 0; n < beads(); ++n) {
    double after = hertz(n + 1, overlap(n + 1, x.data(), ends));
    if (n + 1 == beads()) after -= ends.right_push;
    g[n] = (before - after - local(n) * x[n] + constant_force(n)) / d_.m[n];
    before = after;
  }
}

void Chain::conservative_derivative(const ChainEnds& ends, In x, In v, Out out) const {
  const auto flow = [&](int n) {
    return contact(n, overlap(n, x.data(), ends)).dphi * rate(n, v.data(), ends);
  };
  double before = flow(0);
  for (int n = 0; n < beads(); ++n) {
    const double after = flow(n + 1);
    out[n] = (before - after - local(n) * v[n]) / d_.m[n];
    before = after;
  }
}

void Chain::damping_velocity(const ChainEnds& ends, In x, Out s) const {
  double before = contact(0, overlap(0, x.data(), ends)).sigma;
  for (int n = 0; n < beads(); ++n) {
    const double after = contact(n + 1, overlap(n + 1, x.data(), ends)).sigma;
    s[n] = (before - after - dashpot(n) * x[n]) / d_.m[n];
    before = after;
  }
}

double Chain::force(int n, In x, In v, const ChainEnds& ends) const {
  const ContactForce c = contact(n, overlap(n, x.data(), ends));
  return c.phi + c.dsigma * rate(n, v.data(), ends);
}

double Chain::distance(int i, int j) const {
  if (d_.radius.size() == 0) return j - i;
  double out = 0;
  for (int n = i + 1; n <= j; ++n) out += d_.radius[n - 1] + d_.radius[n] - offset(n);
  return out;
}

void Chain::rhs(double t, In y, Out f, Workspace&) const {
  const bool form_y = d_.formulation == Formulation::y;
  const ChainEnds now = ends(t);
  double sigma = 0, phi = 0;
  const auto flow = [&](int n) {
    const ContactForce c = contact(n, overlap(n, y.data(), now, 2));
    sigma = form_y ? c.sigma : 0;
    phi = c.phi;
    if (!form_y && c.dsigma != 0) phi += c.dsigma * rate(n, y.data() + 1, now, 2);
    if (n == 0) phi += now.left_push;
    if (n == beads()) phi -= now.right_push;
  };
  flow(0);
  for (int n = 0; n < beads(); ++n) {
    const double sigma0 = sigma, phi0 = phi, C = dashpot(n);
    flow(n + 1);
    f[2 * n] = y[2 * n + 1] + (sigma0 - sigma - (form_y ? C * y[2 * n] : 0)) / d_.m[n];
    f[2 * n + 1] =
        (phi0 - phi - local(n) * y[2 * n] - (form_y ? 0 : C * y[2 * n + 1]) + constant_force(n)) / d_.m[n];
  }
}

void Chain::jacobian(double t, In y, Matrix& J, Workspace&) const {
  const bool form_y = d_.formulation == Formulation::y;
  const int N = beads();
  const ChainEnds now = ends(t);
  for (int n = 0; n < N; ++n) {
    J.set(2 * n, 2 * n + 1, 1), J.add(2 * n + 1, 2 * n, -local(n) / d_.m[n]);
    if (!has_dashpots()) continue;
    const int row = form_y ? 2 * n : 2 * n + 1;
    J.add(row, row, -dashpot(n) / d_.m[n]);
  }
  for (int n = 0; n <= N; ++n) {
    const ContactForce c = contact<true>(n, overlap(n, y.data(), now, 2));
    if (c.dphi == 0 && c.dsigma == 0) continue;
    double by_x = c.dphi;
    if (!form_y) by_x += c.ddsigma * rate(n, y.data() + 1, now, 2);
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

void Chain::pack(double t, In q, In u, Out y) const {
  const int N = beads();
  for (int n = 0; n < N; ++n) y[2 * n] = q[n], y[2 * n + 1] = u[n];
  if (d_.formulation == Formulation::x) return;
  const ChainEnds now = ends(t);
  double before = contact(0, overlap(0, q.data(), now)).sigma;
  for (int n = 0; n < N; ++n) {
    const double after = contact(n + 1, overlap(n + 1, q.data(), now)).sigma;
    y[2 * n + 1] -= (before - after - dashpot(n) * q[n]) / d_.m[n];
    before = after;
  }
}

void Chain::unpack(double t, In y, Out q, Out u) const {
  const int N = beads();
  for (int n = 0; n < N; ++n) q[n] = y[2 * n], u[n] = y[2 * n + 1];
  if (d_.formulation == Formulation::x) return;
  const ChainEnds now = ends(t);
  double before = contact(0, overlap(0, q.data(), now)).sigma;
  for (int n = 0; n < N; ++n) {
    const double after = contact(n + 1, overlap(n + 1, q.data(), now)).sigma;
    u[n] += (before - after - dashpot(n) * q[n]) / d_.m[n];
    before = after;
  }
}

double Chain::energy(double t, In q, In u, Workspace&) const {
  const ChainEnds now = ends(t);
  double sum = 0;
  for (int n = 0; n < beads(); ++n)
    sum += 0.5 * d_.m[n] * u[n] * u[n] + 0.5 * local(n) * q[n] * q[n] - constant_force(n) * q[n];
  for (int n = 0; n <= beads(); ++n) {
    const double d = overlap(n, q.data(), now);
    sum += 0.4 * d * hertz(n, d);
  }
  return sum;
}

Powers Chain::powers() const {
  if (has_dashpots() || left_moves() || right_moves()) return Powers::known;
  for (int n = 0; n <= beads(); ++n)
    if (d_.k[n] > 0 && d_.gamma[n] > 0) return Powers::known;
  return Powers::none;
}

Power Chain::power(double t, In q, In u, Workspace&) const {
  return power(
      ends(t), 0, beads(), [&](int n) { return q[n]; }, [&](int n) { return u[n]; });
}

std::string Chain::component_name(int i) const {
  return fmt::format("{} of bead {}", i % 2 == 0 ? "the position" : "the velocity", i / 2);
}

}  // namespace saltus
