#include "saltus/odae/mechanical_odae.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

MechanicalOdae::MechanicalOdae(std::shared_ptr<const System> system, PowerFriction friction)
    : MechanicalOdae(*system, friction) {
  owned_ = std::move(system);
}

MechanicalOdae::MechanicalOdae(const System& system, PowerFriction friction)
    : system_(system), friction_(friction) {
  const Shape s = system.shape();
  if (!s.flat || s.nq != s.nu)
    fail("symplectic-euler needs velocities that are the rates of the coordinates");
  if (s.changing_contacts)
    fail("symplectic-euler needs a fixed list of contacts; for this system use a scheme of Moreau's");
  if (!(friction.exponent > 0)) fail("the exponent of the friction is {}: it must be > 0", friction.exponent);
  n_ = s.nu;
  M_ = Matrix(n_, s.mass), by_q_ = Matrix(n_, s.jacobian), by_u_ = Matrix(n_, s.jacobian);
  x_ = moved_ = other_ = Vec::Zero(n_);
  system.gaps(0, Vec::Zero(s.nq), set_);
  const auto laws = system.laws();
  for (const Contact& c : set_.contacts) {
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
      fail("contact {}: law {} is no constraint; symplectic-euler takes equality, unilateral and coulomb",
           name, to_text(laws[c.law]));
    }
  }
}

void MechanicalOdae::look(double t, In q) const {
  system_.gaps(t, q, set_);
  system_.directions(t, q, set_);
}

void MechanicalOdae::divide(double t, In q, Vec& x) const {
  if (!factored_) {
    M_.set_zero();
    system_.mass(t, q, M_);
    if (!factor_.factorize(M_)) {
      x.setConstant(std::nan(""));
      return;
    }
    factored_ = system_.shape().constant_mass;
  }
  factor_.solve(x);
}

void MechanicalOdae::add_row(int row, double factor, Vec& x) const {
  for (const auto& e : set_.Wt.row(row)) x[e.column] += factor * e.value;
}

double MechanicalOdae::row_velocity(int row, In u) const {
  double sum = set_.drift[row];
  for (const auto& e : set_.Wt.row(row)) sum += e.value * u[e.column];
  return sum;
}

double MechanicalOdae::slip(const Row& c, In u) const {
  double square = 0;
  for (int k = 0; k < c.tangents; ++k) {
    slip_[k] = row_velocity(c.row + 1 + k, u);
    square += slip_[k] * slip_[k];
  }
  return std::sqrt(square);
}

void MechanicalOdae::velocity(double, In, In z, Out v) const {
  v = z;
}

void MechanicalOdae::force(double t, In y, In z, Out f) const {
  system_.force(t, y, z, x_);
  divide(t, y, x_);
  f = x_;
}

void MechanicalOdae::reaction(double t, In y, In z, In psi, Out r) const {
  look(t, y);
  x_.setZero();
  for (int i = 0; i < m(); ++i) {
    const Row& c = rows_[i];
    if (psi[i] == 0) continue;
    add_row(c.row, psi[i], x_);
    const double s = c.mu > 0 ? slip(c, z) : 0;
    for (int k = 0; s > 0 && k < c.tangents; ++k)
      add_row(c.row + 1 + k, -c.mu * std::pow(std::abs(psi[i]), friction_.exponent) * slip_[k] / s, x_);
  }
  divide(t, y, x_);
  r = x_;
}

void MechanicalOdae::gap(double t, In y, Out g) const {
  system_.gaps(t, y, set_);
  for (int i = 0; i < m(); ++i) g[i] = set_.gap[rows_[i].row];
}

void MechanicalOdae::rate(double t, In y, In z, Out gamma) const {
  look(t, y);
  for (int i = 0; i < m(); ++i) gamma[i] = row_velocity(rows_[i].row, z);
}

void MechanicalOdae::bias(double t, In y, In z, Out b) const {
  look(t, y);
  system_.bias(t, y, z, set_);
  for (int i = 0; i < m(); ++i) b[i] = set_.bias[rows_[i].row];
}

void MechanicalOdae::velocity_jacobians(double, In, In, Mat* v_y, Mat* v_z) const {
  if (v_y) v_y->setZero();
  if (v_z) v_z->setIdentity();
}

void MechanicalOdae::force_jacobians(double t, In y, In z, Mat* f_y, Mat* f_z) const {
  by_q_.set_zero(), by_u_.set_zero();
  system_.force_jacobians(t, y, z, by_q_, by_u_);
  const auto columns = [&](const Matrix& from, Mat& to) {
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) x_[i] = from(i, j);
      divide(t, y, x_);
      to.col(j) = x_;
    }
  };
  if (f_z) columns(by_u_, *f_z);
  if (!f_y) return;
  if (system_.shape().constant_mass) {
    columns(by_q_, *f_y);
    return;
  }
  force(t, y, z, other_);
  const Vec at = other_;
  moved_ = y;
  for (int j = 0; j < n_; ++j) {
    const double d = 1e-7 * (1 + std::abs(y[j]));
    moved_[j] = y[j] + d;
    force(t, moved_, z, other_);
    f_y->col(j) = (other_ - at) / d;
    moved_[j] = y[j];
  }
}

void MechanicalOdae::reaction_jacobians(double t, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi) const {
  look(t, y);
  const double p = friction_.exponent;
  if (r_z) r_z->setZero();
  for (int i = 0; i < m(); ++i) {
    const Row& c = rows_[i];
    const double s = c.mu > 0 ? slip(c, z) : 0, size = std::max(std::abs(psi[i]), 1e-100);
    if (r_psi) {
      x_.setZero();
      add_row(c.row, 1, x_);
      const double slope = psi[i] == 0 ? 0 : c.mu * p * std::pow(size, p - 1) * (psi[i] < 0 ? -1 : 1);
      for (int k = 0; s > 0 && k < c.tangents; ++k) add_row(c.row + 1 + k, -slope * slip_[k] / s, x_);
      divide(t, y, x_);
      r_psi->col(i) = x_;
    }
    if (!r_z || s == 0 || psi[i] == 0 || c.tangents < 2) continue;  // in the plane the direction only jumps
    const double a = c.mu * std::pow(size, p) / s;
    for (int k = 0; k < c.tangents; ++k) {
      x_.setZero();
      for (int l = 0; l < c.tangents; ++l)
        add_row(c.row + 1 + l, -a * ((k == l) - slip_[k] * slip_[l] / (s * s)), x_);
      divide(t, y, x_);
      for (const auto& e : set_.Wt.row(c.row + 1 + k)) r_z->col(e.column) += e.value * x_;
    }
  }
  if (!r_y) return;
  if (system_.shape().constant_mass && system_.shape().constant_directions) {
    r_y->setZero();
    return;
  }
  Vec at(n_);
  reaction(t, y, z, psi, at);
  moved_ = y;
  for (int j = 0; j < n_; ++j) {
    const double d = 1e-7 * (1 + std::abs(y[j]));
    moved_[j] = y[j] + d;
    reaction(t, moved_, z, psi, other_);
    r_y->col(j) = (other_ - at) / d;
    moved_[j] = y[j];
  }
}

void MechanicalOdae::gap_jacobian(double t, In y, Mat& G) const {
  look(t, y);
  G.setZero();
  for (int i = 0; i < m(); ++i)
    for (const auto& e : set_.Wt.row(rows_[i].row)) G(i, e.column) = e.value;
}

// bias(u) = g_qq(u,u) + 2 g_qt u + g_tt, so that (bias(u + w) − bias(u − w))/4 = (g_qq u + g_qt) w.
void MechanicalOdae::rate_jacobians(double t, In y, In z, Mat* gamma_y, Mat* gamma_z) const {
  if (gamma_z) gap_jacobian(t, y, *gamma_z);
  if (!gamma_y) return;
  const double w = 1 + z.lpNorm<Eigen::Infinity>();
  other_ = z;
  for (int j = 0; j < n_; ++j) {
    for (double sign : {1.0, -1.0}) {
      other_[j] = z[j] + sign * w;
      system_.bias(t, y, other_, set_);
      for (int i = 0; i < m(); ++i) {
        const double part = sign * set_.bias[rows_[i].row] / (4 * w);
        (*gamma_y)(i, j) = sign > 0 ? part : (*gamma_y)(i, j) + part;
      }
    }
    other_[j] = z[j];
  }
}

void MechanicalOdae::impact_directions(double t, In y, In, Mat& N) const {
  look(t, y);
  for (int i = 0; i < m(); ++i) {
    x_.setZero();
    add_row(rows_[i].row, 1, x_);
    divide(t, y, x_);
    N.col(i) = x_;
  }
}

double MechanicalOdae::landing_slip(int constraint, double t, In y, In z) const {
  const Row& c = rows_[constraint];
  if (!(c.mu > 0) || friction_.exponent < 1) return 0;
  look(t, y);
  return slip(c, z);
}

std::shared_ptr<const OdaeSystem> as_odae(const DynamicSystem& system) {
  if (system.family() == Family::odae)
    return {std::shared_ptr<const OdaeSystem>(), static_cast<const OdaeSystem*>(&system)};
  if (system.family() == Family::mechanical)
    return std::make_shared<MechanicalOdae>(static_cast<const System&>(system));
  fail("a {} system is no overdetermined DAE", to_string(system.family()));
}

}  // namespace saltus
