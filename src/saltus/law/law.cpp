#include "saltus/law/law.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

template Fields fields_of(Law&);
template Law parse_spec(std::string_view, std::string_view);
template std::string to_text(const Law&);
template void check(const Law&);
template void set_field(Law&, std::string_view, std::string_view);
namespace {

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

double norm(const double* x, int n) {
  return n == 1 ? std::abs(x[0]) : std::hypot(x[0], x[1]);
}

// x ← the nearest point of the disc (or interval) of that radius
void shorten(double* x, int n, double radius) {
  const double length = norm(x, n);
  if (length > radius)
    for (int k = 0; k < n; ++k) x[k] *= radius / length;
}

// Contacts with friction: normal first, then each disc with the new radius
void prox_friction(const FrictionDiscs& discs, double* x) {
  x[0] = std::max(0.0, x[0]);
  for (const FrictionDisc& d : discs) shorten(x + d.at, d.rows, d.bound * x[0]);
}

// The derivative of shorten outside the disc, of two rows; of one row it is zero
void add_disc_jacobian(const double* x, double radius, BlockMatrix& J, int at) {
  const double length = norm(x, 2), s = radius / length, a = x[0] / length, b = x[1] / length;
  J(at, at) += s * b * b;
  J(at, at + 1) -= s * a * b;
  J(at + 1, at) -= s * a * b;
  J(at + 1, at + 1) += s * a * a;
}

void friction_jacobian(const FrictionDiscs& discs, const double* x, BlockMatrix& J) {
  if (x[0] <= 0) return;
  J(0, 0) = 1;
  for (const FrictionDisc& d : discs) {
    const double radius = d.bound * x[0], length = norm(x + d.at, d.rows);
    if (length <= radius) {
      for (int k = d.at; k < d.at + d.rows; ++k) J(k, k) = 1;
      continue;
    }
    for (int k = d.at; k < d.at + d.rows; ++k) J(k, 0) = d.bound * x[k] / length;
    if (d.rows == 2) add_disc_jacobian(x + d.at, radius, J, d.at);
  }
}

Mode interval_mode(double x, double lower, double upper, double margin, Mode before) {
  const bool low = x - lower < upper - x;
  return face(low ? x - lower : upper - x, margin, Mode::stick, low ? Mode::slip : Mode::slip_back, before);
}

// The tangents decide first; where they stick, the discs of moments.
Mode rolling_mode(const RollingFriction& l, double rho, const double* P, const double* y, double margin,
                  Mode before) {
  const double x = P[0] - rho * y[0];
  if (std::abs(x) <= margin ? before == Mode::open : !(x > 0)) return Mode::open;
  Mode now = Mode::stick;
  for (const FrictionDisc& d : FrictionDiscs(l)) {
    double t[2] = {};
    for (int k = 0; k < d.rows; ++k) t[k] = P[d.at + k] - rho * y[d.at + k];
    const Mode outside = d.at > 1 ? Mode::roll : l.tangents == 1 && t[0] > 0 ? Mode::slip_back : Mode::slip;
    // a mode of the other discs says nothing on this one: where it did not slip, it stuck
    const Mode was = before == outside || before == Mode::open ? before : Mode::stick;
    now = face(d.bound * P[0] - norm(t, d.rows), margin, Mode::stick, outside, was);
    if (now != Mode::stick) return now;
  }
  return now;
}

Block block_of(const double* x, int n) {
  return Eigen::Map<const Vec>(x, n);
}

}  // namespace

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::open:
      return "open";
    case Mode::closed:
      return "closed";
    case Mode::stick:
      return "stick";
    case Mode::slip:
      return "slip";
    case Mode::slip_back:
      return "slip_back";
    case Mode::roll:
      return "roll";
  }
  return "?";
}

int rows(const Law& law) {
  return std::visit(
      Overload{[](const Unilateral&) { return 1; }, [](const Equality& l) { return l.size; },
               [](const Coulomb& l) { return 1 + l.tangents; }, [](const Relay&) { return 1; },
               [](const Tresca& l) { return l.tangents; }, [](const PrestressedSpring&) { return 1; },
               [](const UserLaw& l) { return l.impl->rows(); },
               [](const RollingFriction& l) { return FrictionDiscs(l).rows(); }},
      law);
}

void prox(const Law& law, double dt, double* x) {
  std::visit(Overload{[&](const Unilateral&) { x[0] = std::max(0.0, x[0]); }, [](const Equality&) {},
                      [&](const Coulomb& l) { prox_friction(FrictionDiscs(l), x); },
                      [&](const RollingFriction& l) { prox_friction(FrictionDiscs(l), x); },
                      [&](const Relay& l) { x[0] = std::clamp(x[0], l.lower * dt, l.upper * dt); },
                      [&](const Tresca& l) { shorten(x, l.tangents, l.limit * dt); },
                      [&](const PrestressedSpring& l) { shorten(x, 1, l.limit * dt); },
                      [&](const UserLaw& l) {
                        Block b = block_of(x, l.impl->rows());
                        l.impl->prox(dt, b);
                        std::copy_n(b.data(), b.size(), x);
                      }},
             law);
}

void prox_jacobian(const Law& law, double dt, const double* x, BlockMatrix& J) {
  const int n = rows(law);
  J.setZero(n, n);
  std::visit(
      Overload{[&](const Unilateral&) { J(0, 0) = x[0] > 0; }, [&](const Equality&) { J.setIdentity(); },
               [&](const Coulomb& l) { friction_jacobian(FrictionDiscs(l), x, J); },
               [&](const RollingFriction& l) { friction_jacobian(FrictionDiscs(l), x, J); },
               [&](const Relay& l) { J(0, 0) = x[0] > l.lower * dt && x[0] < l.upper * dt; },
               [&](const Tresca& l) {
                 const double radius = l.limit * dt;
                 if (norm(x, l.tangents) < radius)
                   J.setIdentity();
                 else if (l.tangents == 2 && radius > 0)
                   add_disc_jacobian(x, radius, J, 0);
               },
               [&](const PrestressedSpring& l) { J(0, 0) = std::abs(x[0]) < l.limit * dt; },
               [&](const UserLaw& l) { l.impl->prox_jacobian(dt, block_of(x, n), J); }},
      law);
}

void restitution(const Law& law, const double* gamma, double* out) {
  std::visit(Overload{[&](const Unilateral& l) { out[0] = l.e * gamma[0]; },
                      [&](const Equality& l) { std::fill_n(out, l.size, 0.0); },
                      [&](const Coulomb& l) {
                        out[0] = l.e_n * gamma[0];
                        for (int k = 1; k <= l.tangents; ++k) out[k] = l.e_t * gamma[k];
                      },
                      [&](const RollingFriction& l) {
                        std::fill_n(out, FrictionDiscs(l).rows(), 0.0);  // moments have none
                        out[0] = l.e_n * gamma[0];
                        for (int k = 1; k <= l.tangents; ++k) out[k] = l.e_t * gamma[k];
                      },
                      [&](const Relay&) { out[0] = 0; },
                      [&](const Tresca& l) {
                        for (int k = 0; k < l.tangents; ++k) out[k] = l.e * gamma[k];
                      },
                      [&](const PrestressedSpring&) { out[0] = 0; },
                      [&](const UserLaw& l) {
                        const int n = l.impl->rows();
                        Block b(n);
                        l.impl->restitution(block_of(gamma, n), b);
                        std::copy_n(b.data(), n, out);
                      }},
             law);
}

Mode mode(const Law& law, double dt, double rho, const double* P, const double* y, double margin,
          Mode before) {
  return std::visit(
      Overload{[&](const Unilateral& l) { return mode(l, rho, P[0], y[0], margin, before); },
               [](const Equality&) { return Mode::closed; },
               [&](const Coulomb& l) {
                 const double x = P[0] - rho * y[0];
                 const bool was_closed = before != Mode::open;
                 if (std::abs(x) <= margin ? !was_closed : !(x > 0)) return Mode::open;
                 const double t[2] = {P[1] - rho * y[1], l.tangents == 2 ? P[2] - rho * y[2] : 0};
                 const double depth = l.mu * P[0] - norm(t, l.tangents);
                 const Mode outside = l.tangents == 1 && t[0] > 0 ? Mode::slip_back : Mode::slip;
                 return face(depth, margin, Mode::stick, outside, before);
               },
               [&](const RollingFriction& l) { return rolling_mode(l, rho, P, y, margin, before); },
               [&](const Relay& l) {
                 return interval_mode(P[0] - rho * y[0], l.lower * dt, l.upper * dt, margin, before);
               },
               [&](const Tresca& l) {
                 const double x[2] = {P[0] - rho * y[0], l.tangents == 2 ? P[1] - rho * y[1] : 0};
                 if (l.tangents == 1) return interval_mode(x[0], -l.limit * dt, l.limit * dt, margin, before);
                 return face(l.limit * dt - norm(x, 2), margin, Mode::stick, Mode::slip, before);
               },
               [&](const PrestressedSpring& l) {
                 return interval_mode(P[0] - rho * y[0], -l.limit * dt, l.limit * dt, margin, before);
               },
               [&](const UserLaw& l) {
                 return l.impl->mode(dt, block_of(P, l.impl->rows()), block_of(y, l.impl->rows()));
               }},
      law);
}

bool is_polyhedral(const Law& law) {
  if (const auto* c = std::get_if<Coulomb>(&law)) return c->tangents == 1 || c->mu == 0;
  if (const auto* f = std::get_if<Tresca>(&law)) return f->tangents == 1;
  if (const auto* r = std::get_if<RollingFriction>(&law)) return r->tangents == 1;
  return !std::holds_alternative<UserLaw>(law);
}

void check_law(const Law& law, std::string_view where) {
  try {
    std::visit([](const auto& l) { check(l); }, law);
  } catch (const Error& e) {
    fail("contact {}: {}", where, e.what());
  }
  if (const auto* r = std::get_if<Relay>(&law); r && !(r->lower <= r->upper))
    fail("contact {}: relay.lower = {} exceeds relay.upper = {}", where, r->lower, r->upper);
  if (const auto* r = std::get_if<RollingFriction>(&law); r && r->tangents == 1 && r->spinning > 0)
    fail(
        "contact {}: rolling-friction.spinning = {} needs tangents = 2: nothing spins about a normal in the "
        "plane",
        where, r->spinning);
  if (const auto* u = std::get_if<UserLaw>(&law)) {
    if (!u->impl) fail("contact {}: the user law has no implementation", where);
    if (u->impl->rows() < 1 || u->impl->rows() > max_block_rows)
      fail("contact {}: the user law has {} rows; allowed are 1 to {}", where, u->impl->rows(),
           max_block_rows);
  }
}

}  // namespace saltus
