#include "saltus/system/checked.hpp"

namespace saltus {

void CheckedSystem::note_entry(const char* quantity, double t, const Matrix& A) const {
  bool found = false;
  A.for_each([&](int i, int, double x) {
    if (!found && !std::isfinite(x)) found = true, work_->faults().note({quantity, i, false, 0, x, t});
  });
}

void CheckedSystem::note_row(const char* quantity, double t, const ContactSet& set, const double* x,
                             int n) const {
  for (int r = 0; r < n; ++r) {
    if (std::isfinite(x[r])) continue;
    Fault fault{quantity, -1, false, 0, x[r], t};
    for (const Contact& c : set.contacts)
      if (c.row <= r) fault.has_contact = true, fault.contact = c.id;
    return work_->faults().note(fault);
  }
}

void CheckedSystem::check_directions(double t, const ContactSet& set) const {
  for (int r = 0; r < set.Wt.rows(); ++r) {
    double sum = 0;
    for (const auto& e : set.Wt.row(r)) sum += 0 * e.value;
    if (sum == 0) continue;
    std::vector<double> rows(static_cast<std::size_t>(r) + 1, 0.0);
    rows[r] = sum;
    return note_row("derivative of the gap by positions", t, set, rows.data(), r + 1);
  }
}

}  // namespace saltus
