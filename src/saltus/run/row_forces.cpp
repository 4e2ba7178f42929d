#include "saltus/run/row_forces.hpp"

#include <cmath>

namespace saltus {
namespace {

// The contact as it is held at the state: the direction of slip is that of its velocity.
FrozenContact frozen(const ContactMemory::Record& record, const Law& law, const ContactSet& set,
                     const Vec& u) {
  FrozenContact out{record.id, record.mode, {}};
  if (is_constraint(record.mode)) return out;
  for (const Contact& c : set.contacts) {
    if (c.id != record.id) continue;
    const int first = needs_closed_gap(law) ? 1 : 0;
    double length = 0;
    for (int r = first; r < rows(law); ++r) {
      out.slip[r - first] = set.Wt.dot(c.row + r, u.data()) + set.drift[c.row + r];
      length = std::hypot(length, out.slip[r - first]);
    }
    for (double& s : out.slip)
      if (length > 0) s /= length;
  }
  return out;
}

}  // namespace

RowForces::RowForces(const System& system, bool smooth)
    : system_(system), smooth_(smooth), checked_(system, faults_), dynamics_(system, faults_) {}

bool RowForces::find(double t, const Vec& q, const Vec& u, const ContactMemory& memory) {
  set_.sharp = smooth_;
  checked_.list(t, q, set_);
  checked_.directions(t, q, set_);
  lambda_.assign(static_cast<std::size_t>(set_.rows()), 0.0);
  const auto laws = system_.laws();
  if (!smooth_) {
    if (!(memory.step > 0)) return false;
    for (const Contact& c : set_.contacts)
      if (const auto* record = memory.find(c.id))
        for (int r = 0; r < record->rows; ++r)
          lambda_[c.row + r] = memory.impulse[record->offset + r] / memory.step;
    return true;
  }
  std::vector<FrozenContact> closed;
  for (const auto& record : memory.closed)
    for (const Contact& c : set_.contacts)
      if (c.id == record.id && !std::holds_alternative<Equality>(laws[c.law]))
        closed.push_back(frozen(record, laws[c.law], set_, u));
  dynamics_.freeze(closed);
  dynamics_.list(t, q, 0);
  dynamics_.begin_step();
  Vec a(u.size());
  if (dynamics_.acceleration(t, q, u, a) != ClosedDynamics::Status::ok) return false;
  const ContactSet& now = dynamics_.contacts();
  lambda_.assign(static_cast<std::size_t>(now.rows()), 0.0);
  for (const Contact& c : now.contacts)
    if (std::holds_alternative<Equality>(laws[c.law]) || memory.find(c.id))
      for (int r = 0; r < rows(laws[c.law]); ++r) lambda_[c.row + r] = dynamics_.lambda(c.row + r);
  set_ = now;
  return true;
}

}  // namespace saltus
