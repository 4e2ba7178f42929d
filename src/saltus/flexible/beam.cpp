#include "saltus/flexible/beam.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// x', y', mean θ and κ of an element from its six coordinates.
struct Strain {
  double c, s, a, b, kappa;
  Strain(const double* x, double le) {
    const double dx = (x[3] - x[0]) / le, dy = (x[4] - x[1]) / le, theta = 0.5 * (x[2] + x[5]);
    c = std::cos(theta), s = std::sin(theta);
    a = c * dx + s * dy, b = -s * dx + c * dy, kappa = (x[5] - x[2]) / le;
  }
};

// Rates of x', y' and the mean θ, and of the strains, from the rates of the six coordinates.
struct StrainRate {
  double dx, dy, turn, a, b, kappa;
  StrainRate(const Strain& g, const double* v, double le) {
    dx = (v[3] - v[0]) / le, dy = (v[4] - v[1]) / le, turn = 0.5 * (v[2] + v[5]);
    a = g.c * dx + g.s * dy + g.b * turn, b = -g.s * dx + g.c * dy - g.a * turn, kappa = (v[5] - v[2]) / le;
  }
};

}  // namespace

BeamSystem::BeamSystem(BeamData data) : data_(std::move(data)) {
  const BeamData& d = data_;
  if (d.elements < 1) fail("beam: elements = {} must be at least 1", d.elements);
  for (const auto& [name, value] :
       {std::pair{"length", d.length}, std::pair{"area", d.area}, std::pair{"inertia", d.inertia},
        std::pair{"shear_area", d.shear_area}, std::pair{"young", d.young}, std::pair{"density", d.density}})
    if (!(value > 0) || !std::isfinite(value)) fail("beam: {} = {} must be a finite number > 0", name, value);
  for (const auto& [name, value] : {std::pair{"damping", d.damping}, std::pair{"drag", d.drag}})
    if (!(value >= 0) || !std::isfinite(value))
      fail("beam: {} = {} must be a finite number >= 0", name, value);
  if (!(d.poisson > -1 && d.poisson <= 0.5)) fail("beam: poisson = {} must be in (-1, 0.5]", d.poisson);
  const double le = d.length / d.elements;
  element_ = {le, d.young * d.area, d.young / (2 * (1 + d.poisson)) * d.shear_area, d.young * d.inertia};

  const int nodes = d.elements + 1;
  place_.assign(3 * nodes, -1);
  held_.assign(3 * nodes, 0.0);
  int n = 0;
  for (int k = 0; k < nodes; ++k) {
    const Support support = k == 0 ? d.first : k == nodes - 1 ? d.last : Support::free;
    const double spot[3] = {d.origin[0] + k * le * std::cos(d.angle),
                            d.origin[1] + k * le * std::sin(d.angle), d.angle};
    for (int i = 0; i < 3; ++i) {
      held_[3 * k + i] = spot[i];
      if (support == Support::free || (support == Support::hinged && i == 2)) place_[3 * k + i] = n++;
    }
  }
  if (n == 0) fail("beam: with one element and both ends clamped nothing can move");
  const Pattern banded{Pattern::banded, std::min(5, n - 1), nullptr};
  shape_ = {n,      n,    d.mass == MassKind::lumped ? Pattern{Pattern::diagonal, 0, nullptr} : banded,
            banded, true, false,
            true,   true};
  weight_.assign(n, 0.0);
  for (int e = 0; e < d.elements; ++e)
    for (int k = e; k <= e + 1; ++k)
      for (int i = 0; i < 2; ++i)
        if (const int at = place(k, i); at >= 0) weight_[at] += 0.5 * d.density * d.area * le * d.gravity[i];

  for (std::size_t j = 0; j < d.stops.size(); ++j) {
    const BeamStop& stop = d.stops[j];
    if (stop.node < 0 || stop.node >= nodes)
      fail("beam stop {}: node {} does not exist; nodes are 0 to {}", stop.name, stop.node, nodes - 1);
    check_law(stop.law, stop.name);
    const auto* friction = std::get_if<Coulomb>(&stop.law);
    if (!std::holds_alternative<Unilateral>(stop.law) && !(friction && friction->tangents == 1))
      fail("beam stop {}: its law must be unilateral, or coulomb with one tangent", stop.name);
    const double length = std::hypot(stop.normal[0], stop.normal[1]);
    if (!(length > 0)) fail("beam stop {}: the normal is zero", stop.name);
    const double nx = stop.normal[0] / length, ny = stop.normal[1] / length;
    contacts_.push_back({j, static_cast<int>(j), static_cast<int>(offset_.size())});
    laws_.push_back(stop.law);
    const auto add_row = [&](double x, double y, double offset, bool gap) {
      for (const auto& [i, w] : {std::pair{0, x}, std::pair{1, y}}) {
        const int at = place(stop.node, i);
        if (at >= 0 && w != 0) Wt_.add(at, w);
        if (at < 0 && gap) offset += w * held_[3 * stop.node + i];
      }
      Wt_.end_row();
      offset_.push_back(gap ? offset : 0);
      has_gap_.push_back(gap);
    };
    add_row(nx, ny, -stop.offset / length, true);
    if (friction) add_row(ny, -nx, 0, false);
  }
}

template <class Add>
void BeamSystem::add_mass(Add&& add) const {
  const double le = element_.le, m = data_.density * data_.area * le, J = data_.density * data_.inertia * le;
  for (int e = 0; e < data_.elements; ++e)
    for (int i = 0; i < 3; ++i) {
      const double w = i < 2 ? m : J;
      const int at[2] = {place(e, i), place(e + 1, i)};
      if (data_.mass == MassKind::lumped) {
        for (int k : at)
          if (k >= 0) add(k, k, w / 2);
        continue;
      }
      for (int k : at)
        if (k >= 0) add(k, k, w / 3);
      if (at[0] >= 0 && at[1] >= 0) add(at[0], at[1], w / 6), add(at[1], at[0], w / 6);
    }
}

void BeamSystem::mass(double, In, Matrix& M, Workspace&) const {
  M.set_zero();
  add_mass([&](int i, int j, double value) { M.add(i, j, value); });
}

Power BeamSystem::power(double, In q, In u, Workspace&) const {
  const auto& [le, EA, GA, EI] = element_;
  Power out;
  for (int e = 0; e < data_.elements && data_.damping > 0; ++e) {
    double x[6], v[6];
    for (int k = 0; k < 6; ++k) x[k] = spot(q, e + k / 3, k % 3), v[k] = rate(u, e + k / 3, k % 3);
    const StrainRate r(Strain(x, le), v, le);
    out.damping += data_.damping * le * (EA * r.a * r.a + GA * r.b * r.b + EI * r.kappa * r.kappa);
  }
  if (data_.drag > 0)
    add_mass([&](int i, int j, double value) { out.damping += data_.drag * value * u[i] * u[j]; });
  return out;
}

void BeamSystem::force(double, In q, In u, Out h, Workspace&) const {
  for (int i = 0; i < h.size(); ++i) h[i] = weight_[i];
  const auto& [le, EA, GA, EI] = element_;
  const double damping = data_.damping;
  double x[6], v[6] = {};
  for (int i = 0; i < 3; ++i) x[3 + i] = spot(q, 0, i), v[3 + i] = damping > 0 ? rate(u, 0, i) : 0;
  for (int e = 0; e < data_.elements; ++e) {
    for (int i = 0; i < 3; ++i) x[i] = x[3 + i], x[3 + i] = spot(q, e + 1, i);
    const Strain g(x, le);
    double N = EA * (g.a - 1), Q = GA * g.b, m = EI * g.kappa;
    if (damping > 0) {
      for (int i = 0; i < 3; ++i) v[i] = v[3 + i], v[3 + i] = rate(u, e + 1, i);
      const StrainRate r(g, v, le);
      N += damping * EA * r.a, Q += damping * GA * r.b, m += damping * EI * r.kappa;
    }
    const double fx = N * g.c - Q * g.s, fy = N * g.s + Q * g.c, turn = 0.5 * le * (N * g.b - Q * g.a);
    const double f[6] = {-fx, -fy, turn - m, fx, fy, turn + m};
    for (int i = 0; i < 6; ++i)
      if (const int at = place_[3 * e + i]; at >= 0) h[at] -= f[i];
  }
  if (data_.drag > 0) add_mass([&](int i, int j, double value) { h[i] -= data_.drag * value * u[j]; });
}

void BeamSystem::force_jacobians(double, In q, In u, Matrix& dq, Matrix& du, Workspace&) const {
  dq.set_zero();
  du.set_zero();
  const auto& [le, EA, GA, EI] = element_;
  const double damping = data_.damping;
  double x[6], v[6];
  for (int e = 0; e < data_.elements; ++e) {
    for (int i = 0; i < 6; ++i) x[i] = spot(q, e + i / 3, i % 3);
    const Strain g(x, le);
    const auto [c, s, a, b, kappa] = g;
    double N = EA * (a - 1), Q = GA * b;
    // Of the strains a and b in (x', y', θ): their gradients, and their Hessians times the rates.
    const double ga[3] = {c, s, b}, gb[3] = {-s, c, -a};
    double ra[3] = {}, rb[3] = {};
    if (damping > 0) {
      for (int i = 0; i < 6; ++i) v[i] = rate(u, e + i / 3, i % 3);
      const StrainRate r(g, v, le);
      N += damping * EA * r.a, Q += damping * GA * r.b;
      ra[0] = -s * r.turn, ra[1] = c * r.turn, ra[2] = -s * r.dx + c * r.dy - a * r.turn;
      rb[0] = -c * r.turn, rb[1] = -s * r.turn, rb[2] = -c * r.dx - s * r.dy - b * r.turn;
    }
    // the Hessian in (x', y', θ), the bending part apart
    const double xx = EA * c * c + GA * s * s, xy = (EA - GA) * c * s, yy = EA * s * s + GA * c * c;
    const double xt = EA * c * b + GA * s * a - N * s - Q * c, yt = EA * s * b - GA * c * a + N * c - Q * s;
    const double tt = EA * b * b + GA * a * a - N * a - Q * b;
    double H[3][3] = {{xx, xy, xt}, {xy, yy, yt}, {xt, yt, tt}}, D[3][3] = {};
    if (damping > 0)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          H[i][j] += damping * (EA * ga[i] * ra[j] + GA * gb[i] * rb[j]);
          D[i][j] = damping * (EA * ga[i] * ga[j] + GA * gb[i] * gb[j]);
        }
    const auto row = [le = le](int i, int k) {  // ∂(x', y', θ)_k / ∂(coordinate i)
      if (k == 2) return i % 3 == 2 ? 0.5 : 0.0;
      return i % 3 == k ? (i < 3 ? -1 / le : 1 / le) : 0.0;
    };
    for (int i = 0; i < 6; ++i) {
      const int at = place_[3 * e + i];
      if (at < 0) continue;
      for (int j = 0; j < 6; ++j) {
        const int to = place_[3 * e + j];
        if (to < 0) continue;
        const double bending = i % 3 == 2 && j % 3 == 2 ? (i == j ? 1 : -1) * EI / le : 0;
        double k = le * row(i, i % 3) * H[i % 3][j % 3] * row(j, j % 3);
        if (i % 3 == 2 && j % 3 == 2) k += bending;
        dq.add(at, to, -k);
        if (damping > 0)
          du.add(at, to, -(le * row(i, i % 3) * D[i % 3][j % 3] * row(j, j % 3) + damping * bending));
      }
    }
  }
  if (data_.drag > 0) add_mass([&](int i, int j, double value) { du.add(i, j, -data_.drag * value); });
}

double BeamSystem::potential(double, In q, Workspace&) const {
  const auto& [le, EA, GA, EI] = element_;
  double sum = 0, x[6];
  for (int e = 0; e < data_.elements; ++e) {
    for (int i = 0; i < 6; ++i) x[i] = spot(q, e + i / 3, i % 3);
    const Strain g(x, le);
    sum += 0.5 * le * (EA * (g.a - 1) * (g.a - 1) + GA * g.b * g.b + EI * g.kappa * g.kappa);
  }
  for (int i = 0; i < q.size(); ++i) sum -= weight_[i] * q[i];
  return sum;
}

void BeamSystem::gaps(double, In q, ContactSet& out, Workspace&) const {
  for (int r = 0; r < Wt_.rows(); ++r) out.gap[r] = has_gap_[r] ? Wt_.dot(r, q.data()) + offset_[r] : 0;
}

void BeamSystem::directions(double, In, ContactSet& out, Workspace&) const {
  out.Wt = Wt_;
  out.drift.assign(offset_.size(), 0.0);
}

void BeamSystem::bias(double, In, In, ContactSet& out, Workspace&) const {
  out.bias.assign(offset_.size(), 0.0);
}

Vec BeamSystem::straight(double turn) const {
  Vec q(shape_.nq);
  const double phi = data_.angle + turn;
  for (int k = 0; k <= data_.elements; ++k) {
    const double spot[3] = {data_.origin[0] + k * element_.le * std::cos(phi),
                            data_.origin[1] + k * element_.le * std::sin(phi), phi};
    for (int i = 0; i < 3; ++i)
      if (const int at = place(k, i); at >= 0) q[at] = spot[i];
  }
  return q;
}

Vec BeamSystem::spin(In q, double omega) const {
  Vec u = Vec::Zero(shape_.nu);
  const double x0 = spot(q, 0, 0), y0 = spot(q, 0, 1);
  for (int k = 0; k <= data_.elements; ++k) {
    const double rate[3] = {-omega * (spot(q, k, 1) - y0), omega * (spot(q, k, 0) - x0), omega};
    for (int i = 0; i < 3; ++i)
      if (const int at = place(k, i); at >= 0) u[at] = rate[i];
  }
  return u;
}

std::array<double, 3> BeamSystem::node(In q, int k) const {
  return {spot(q, k, 0), spot(q, k, 1), spot(q, k, 2)};
}

bool BeamSystem::sketch(double, In q, Sketch& out) const {
  const double width = std::sqrt(12 * data_.inertia / data_.area);  // of a rectangle
  for (int k = 0; k <= data_.elements; ++k)
    out.rounds.push_back(
        {spot(q, k, 0),
         spot(q, k, 1),
         std::max(0.5 * width, 0.008 * data_.length),
         spot(q, k, 2),
         0,
         {place(k, 0) >= 0 && place(k, 1) == place(k, 0) + 1 ? place(k, 0) : -1, place(k, 2) >= 0}});
  Sketch::Strand axis;
  axis.in_plane = true;
  for (int k = 0; k <= data_.elements; ++k) axis.points.push_back({spot(q, k, 0), spot(q, k, 1), 0});
  out.strands.push_back(std::move(axis));
  return true;
}

}  // namespace saltus
