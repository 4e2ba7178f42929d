// Damping of a sum of systems: the sum of theirs.
#include <algorithm>

#include "saltus/system/sum_system.hpp"

namespace saltus {

const ViscoelasticSystem* SumSystem::viscoelastic() const {
  const bool all = std::all_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.soft != nullptr; });
  return all ? this : nullptr;
}

Viscosity SumSystem::viscosity() const {
  Viscosity out;
  for (const Part& p : parts_) out.add(p.soft->viscosity());
  return out;
}

void SumSystem::contact_force(double t, In q, Out f, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  f.setZero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    p.soft->contact_force(t, p.q(q), room.h.head(p.n), *room.parts[k].work);
    f.segment(p.first, p.n) += room.h.head(p.n);
  }
}

void SumSystem::momentum(double t, In q, Out S, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  S.setZero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    p.soft->momentum(t, p.q(q), room.h.head(p.n), *room.parts[k].work);
    S.segment(p.first, p.n) += room.h.head(p.n);
  }
}

void SumSystem::contact_jacobian(double t, In q, Matrix& K, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  K.set_zero();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    Matrix& of_part = room.parts[k].dq;
    p.soft->contact_jacobian(t, p.q(q), of_part, *room.parts[k].work);
    of_part.for_each([&](int i, int j, double x) {
      if (x != 0) K.add(p.first + i, p.first + j, x);
    });
  }
}

double SumSystem::turning(double t, In q, In u, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  double most = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& p = parts_[k];
    most = std::max(most, p.soft->turning(t, p.q(q), p.u(u), *room.parts[k].work));
  }
  return most;
}

}  // namespace saltus
