#include "saltus/system/checked_first_order.hpp"

namespace saltus {

void CheckedFirstOrder::jacobian(double t, In y, Matrix& J) const {
  system_->jacobian(t, y, J, *work_);
  if (J.all_finite()) return;
  bool found = false;
  J.for_each([&](int i, int, double x) {
    if (!found && !std::isfinite(x))
      found = true, work_->faults().note({"derivative of the rate", i, false, 0, x, t});
  });
}

}  // namespace saltus
