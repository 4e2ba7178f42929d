#include "saltus/odae/mechanical_odae.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

MechanicalOdae::MechanicalOdae(std::shared_ptr<const System> system, PowerFriction friction)
    : MechanicalOdae(*system, friction) {
  owned_ = std::move(system);
}

MechanicalOdae::MechanicalOdae(const System& system, PowerFriction friction)
    : system_(system), friction_(friction), shape_(system.shape()) {
  const Shape& s = shape_;
  if (!s.flat || s.nq != s.nu)
    fail("symplectic-euler needs velocities that are the rates of the coordinates");
  if (s.changing_contacts)
    fail("symplectic-euler needs a fixed list of contacts; for this system use a scheme of Moreau's");
  if (!(friction.exponent > 0)) fail("the exponent of the friction is {}: it must be > 0", friction.exponent);
  n_ = s.nu;
  const auto laws = system.laws();
  for (const Contact& c : system.contacts()) {
    const std::string name = system.contact_name(c.id);
    if (const auto* joint = std::get_if<Equality>(&laws[c.law])) {
      for (int r = 0; r < joint->size; ++r) {
        constraints_.push_back({joint->size > 1 ? fmt::format("{}[{}]", name, r) : name});
        rows_.push_back({c.row + r, 0, 0, c.id});
      }
    } else if (const auto* contact = std::get_if<Unilateral>(&laws[c.law])) {
      constraints_.push_back({name, true, contact->e});
      rows_.push_back({c.row, 0, 0, c.id});
    } else if (const auto* rubbing = std::get_if<Coulomb>(&laws[c.law])) {
      constraints_.push_back({name, true, rubbing->e_n});
      rows_.push_back({c.row, rubbing->tangents, rubbing->mu, c.id});
    } else {
      fail(
          "contact {}: law {} is not a constraint; symplectic-euler supports equality, unilateral and "
          "coulomb",
          name, to_text(laws[c.law]));
    }
  }
}

MechanicalOdae::Room::Room(const System& mechanical) : system(mechanical) {
  const Shape s = system.shape();
  M = Matrix(s.nu, s.mass), by_q = by_u = Matrix(s.nu, s.jacobian);
  x = moved = other = Vec::Zero(s.nu);
}

void MechanicalOdae::Room::gaps(double t, In q) {
  if (listed) return system.gaps(t, q, set);
  system.list(t, q, set);
  listed = true;
}

void MechanicalOdae::Room::look(double t, In q) {
  gaps(t, q);
  system.directions(t, q, set);
}

void MechanicalOdae::Room::divide(double t, In q, Vec& v) {
  if (!factored) {
    M.set_zero();
    system.mass(t, q, M);
    if (!factor.factorize(M)) {
      v.setConstant(std::nan(""));
      return;
    }
    factored = system.shape().constant_mass;
  }
  factor.solve(v);
}

void MechanicalOdae::Room::add_row(int row, double by, Vec& v) const {
  for (const auto& e : set.Wt.row(row)) v[e.column] += by * e.value;
}

double MechanicalOdae::Room::row_velocity(int row, In u) const {
  double sum = set.drift[row];
  for (const auto& e : set.Wt.row(row)) sum += e.value * u[e.column];
  return sum;
}

double MechanicalOdae::Room::slip_of(const Row& c, In u) {
  double square = 0;
  for (int k = 0; k < c.tangents; ++k) {
    slip[k] = row_velocity(c.row + 1 + k, u);
    square += slip[k] * slip[k];
  }
  return std::sqrt(square);
}

void MechanicalOdae::velocity(double, In, In z, Out v, Workspace&) const {
  v = z;
}

void MechanicalOdae::force(double t, In y, In z, Out f, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.system.force(t, y, z, room.x);
  room.divide(t, y, room.x);
  f = room.x;
}

void MechanicalOdae::reaction(double t, In y, In z, In psi, Out r, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  room.x.setZero();
  for (int i = 0; i < m(); ++i) {
    const Row& c = rows_[i];
    if (psi[i] == 0) continue;
    room.add_row(c.row, psi[i], room.x);
    const double s = c.mu > 0 ? room.slip_of(c, z) : 0;
    for (int k = 0; s > 0 && k < c.tangents; ++k)
      room.add_row(c.row + 1 + k, -c.mu * std::pow(std::abs(psi[i]), friction_.exponent) * room.slip[k] / s,
                   room.x);
  }
  room.divide(t, y, room.x);
  r = room.x;
}

void MechanicalOdae::gap(double t, In y, Out g, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.gaps(t, y);
  for (int i = 0; i < m(); ++i) g[i] = room.set.gap[rows_[i].row];
}

void MechanicalOdae::rate(double t, In y, In z, Out gamma, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  for (int i = 0; i < m(); ++i) gamma[i] = room.row_velocity(rows_[i].row, z);
}

void MechanicalOdae::bias(double t, In y, In z, Out b, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  room.system.bias(t, y, z, room.set);
  for (int i = 0; i < m(); ++i) b[i] = room.set.bias[rows_[i].row];
}

void MechanicalOdae::velocity_jacobians(double, In, In, Mat* v_y, Mat* v_z, Workspace&) const {
  if (v_y) v_y->setZero();
  if (v_z) v_z->setIdentity();
}

void MechanicalOdae::force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.by_q.set_zero(), room.by_u.set_zero();
  room.system.force_jacobians(t, y, z, room.by_q, room.by_u);
  const auto columns = [&](const Matrix& from, Mat& to) {
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) room.x[i] = from(i, j);
      room.divide(t, y, room.x);
      to.col(j) = room.x;
    }
  };
  if (f_z) columns(room.by_u, *f_z);
  if (!f_y) return;
  if (shape_.constant_mass) {
    columns(room.by_q, *f_y);
    return;
  }
  force(t, y, z, room.other, w);
  const Vec at = room.other;
  room.moved = y;
  for (int j = 0; j < n_; ++j) {
    const double d = 1e-7 * (1 + std::abs(y[j]));
    room.moved[j] = y[j] + d;
    force(t, room.moved, z, room.other, w);
    f_y->col(j) = (room.other - at) / d;
    room.moved[j] = y[j];
  }
}

void MechanicalOdae::reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                                        Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  const double p = friction_.exponent;
  if (r_z) r_z->setZero();
  for (int i = 0; i < m(); ++i) {
    const Row& c = rows_[i];
    const double s = c.mu > 0 ? room.slip_of(c, z) : 0, size = std::max(std::abs(psi[i]), 1e-100);
    if (r_psi) {
      room.x.setZero();
      room.add_row(c.row, 1, room.x);
      const double slope = psi[i] == 0 ? 0 : c.mu * p * std::pow(size, p - 1) * (psi[i] < 0 ? -1 : 1);
      for (int k = 0; s > 0 && k < c.tangents; ++k)
        room.add_row(c.row + 1 + k, -slope * room.slip[k] / s, room.x);
      room.divide(t, y, room.x);
      r_psi->col(i) = room.x;
    }
    if (!r_z || s == 0 || psi[i] == 0 || c.tangents < 2) continue;  // in the plane the direction only jumps
    const double a = c.mu * std::pow(size, p) / s;
    for (int k = 0; k < c.tangents; ++k) {
      room.x.setZero();
      for (int l = 0; l < c.tangents; ++l)
        room.add_row(c.row + 1 + l, -a * ((k == l) - room.slip[k] * room.slip[l] / (s * s)), room.x);
      room.divide(t, y, room.x);
      for (const auto& e : room.set.Wt.row(c.row + 1 + k)) r_z->col(e.column) += e.value * room.x;
    }
  }
  if (!r_y) return;
  if (shape_.constant_mass && shape_.constant_directions) {
    r_y->setZero();
    return;
  }
  Vec at(n_);
  reaction(t, y, z, psi, at, w);
  room.moved = y;
  for (int j = 0; j < n_; ++j) {
    const double d = 1e-7 * (1 + std::abs(y[j]));
    room.moved[j] = y[j] + d;
    reaction(t, room.moved, z, psi, room.other, w);
    r_y->col(j) = (room.other - at) / d;
    room.moved[j] = y[j];
  }
}

void MechanicalOdae::gap_jacobian(double t, In y, Mat& G, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  G.setZero();
  for (int i = 0; i < m(); ++i)
    for (const auto& e : room.set.Wt.row(rows_[i].row)) G(i, e.column) = e.value;
}

// bias(u) = g_qq(u,u) + 2 g_qt u + g_tt, so that (bias(u + w) − bias(u − w))/4 = (g_qq u + g_qt) w.
void MechanicalOdae::rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  if (gamma_z) gap_jacobian(t, y, *gamma_z, w);
  if (!gamma_y) return;
  if (!room.listed) room.gaps(t, y);
  const double d = 1 + z.lpNorm<Eigen::Infinity>();
  room.other = z;
  for (int j = 0; j < n_; ++j) {
    for (double sign : {1.0, -1.0}) {
      room.other[j] = z[j] + sign * d;
      room.system.bias(t, y, room.other, room.set);
      for (int i = 0; i < m(); ++i) {
        const double part = sign * room.set.bias[rows_[i].row] / (4 * d);
        (*gamma_y)(i, j) = sign > 0 ? part : (*gamma_y)(i, j) + part;
      }
    }
    room.other[j] = z[j];
  }
}

void MechanicalOdae::impact_directions(double t, In y, In, Mat& N, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  room.look(t, y);
  for (int i = 0; i < m(); ++i) {
    room.x.setZero();
    room.add_row(rows_[i].row, 1, room.x);
    room.divide(t, y, room.x);
    N.col(i) = room.x;
  }
}

double MechanicalOdae::landing_slip(int constraint, double t, In y, In z, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  const Row& c = rows_[constraint];
  if (!(c.mu > 0) || friction_.exponent < 1) return 0;
  room.look(t, y);
  return room.slip_of(c, z);
}

std::shared_ptr<const OdaeSystem> as_odae(const DynamicSystem& system) {
  if (system.family() == Family::odae)
    return {std::shared_ptr<const OdaeSystem>(), static_cast<const OdaeSystem*>(&system)};
  if (system.family() == Family::mechanical)
    return std::make_shared<MechanicalOdae>(static_cast<const System&>(system));
  fail("a {} system is no overdetermined DAE", to_string(system.family()));
}

}  // namespace saltus
