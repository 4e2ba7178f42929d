#include "saltus/system/mechanical_ode.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/pattern.hpp"

namespace saltus {

MechanicalOde::MechanicalOde(std::shared_ptr<const System> system, const ViscoelasticSystem* soft)
    : system_(std::move(system)),
      shape_(system_->shape()),
      n_(shape_.nu),
      soft_(shape_.constant_mass ? soft : nullptr) {
  if (!shape_.flat) fail("a system with rotations cannot be run as one of first order");
  if (!system_->laws().empty())
    fail("schemes of first order know no contacts and joints: this system has {}", system_->laws().size());
  if (!shape_.constant_mass && !system_->curved())
    fail("the mass changes, and its derivatives are not known");
}

MechanicalOde::Room::Room(const System& mechanical, const Shape& shape)
    : system(mechanical), M(shape.nu, shape.mass), dq(shape.nu, shape.jacobian), du(dq), K(dq) {
  column.setZero(shape.nu);
}

void MechanicalOde::acceleration(double t, In y, Room& room) const {
  if (!room.factored) {
    room.system.mass(t, y.head(n_), room.M);
    if (!room.factor.factorize(room.M)) {  // singular, or not finite: no acceleration
      room.column.setConstant(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    room.factored = shape_.constant_mass;
  }
  room.system.force(t, y.head(n_), y.tail(n_), room.column);
  room.factor.solve(room.column.data());
}

void MechanicalOde::rhs(double t, In y, Out f, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  acceleration(t, y, room);
  f << y.tail(n_), room.column;
}

// (0 1; M⁻¹ ∂h/∂q, M⁻¹ ∂h/∂u): with a diagonal mass the places of the forces' derivatives
Pattern MechanicalOde::pattern() const {
  Pattern dense{Pattern::dense, 0, nullptr};
  if (shape_.mass.kind != Pattern::diagonal || shape_.jacobian.kind == Pattern::dense) return dense;
  if (shape_.jacobian.is_open()) return shape_.constant_mass ? shape_.jacobian : dense;
  Pattern::Entries places;
  const auto add = [&](int i, int j) { places.emplace_back(n_ + i, j), places.emplace_back(n_ + i, n_ + j); };
  for (int i = 0; i < n_; ++i) places.emplace_back(i, n_ + i), add(i, i);
  for (const auto& [i, j] : entries_of(shape_.jacobian, n_)) add(i, j);
  return pattern_holding(2 * n_, std::move(places));
}

void MechanicalOde::jacobian(double t, In y, Matrix& J, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  if (J.pattern().kind != Pattern::dense) {
    J.set_zero();
    if (!shape_.constant_mass) acceleration(t, y, room);
    room.system->mass(t, y.head(n_), room.M, room.system.workspace());
    room.system.force_jacobians(t, y.head(n_), y.tail(n_), room.dq, room.du);
    if (!shape_.constant_mass) {
      room.K.set_zero();
      room.system.curvature(t, y.head(n_), y.tail(n_), room.column, nullptr, room.K, room.curvature);
      room.dq.add_scaled(-1, room.K);
    }
    for (int j = 0; j < n_; ++j) J.set(j, n_ + j, 1);
    for (const Matrix* part : {&room.dq, &room.du})
      part->for_each([&](int i, int j, double x) {
        if (x != 0) J.set(n_ + i, (part == &room.du ? n_ : 0) + j, x / room.M(i, i));
      });
    return;
  }
  acceleration(t, y, room);
  if (std::isnan(room.column[0])) {  // no factor to divide by
    for (int i = 0; i < n_; ++i) J.set(n_ + i, n_ + i, room.column[0]);
    return;
  }
  room.system.force_jacobians(t, y.head(n_), y.tail(n_), room.dq, room.du);
  if (!shape_.constant_mass) {
    room.K.set_zero();
    room.system.curvature(t, y.head(n_), y.tail(n_), room.column, nullptr, room.K, room.curvature);
    room.dq.add_scaled(-1, room.K);
  }
  for (int j = 0; j < n_; ++j) {
    J.set(j, n_ + j, 1);
    for (const Matrix* part : {&room.dq, &room.du}) {
      for (int i = 0; i < n_; ++i) room.column[i] = (*part)(i, j);
      room.factor.solve(room.column.data());
      for (int i = 0; i < n_; ++i) J.set(n_ + i, (part == &room.du ? n_ : 0) + j, room.column[i]);
    }
  }
}

}  // namespace saltus
