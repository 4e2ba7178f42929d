// The reference of a first-order system: extrapolation (gbs.hpp) to rounding. Every step is kept, and a time
// in between is reached by one shorter step from the last one kept. Computed as far as somebody asks, when he
// asks.
#pragma once
#include <mutex>

#include "saltus/reference/gbs.hpp"
#include "saltus/reference/reference.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class ExtrapolatedReference final : public Reference {
 public:
  ExtrapolatedReference(std::shared_ptr<const FirstOrderSystem> system, double t0, In q0, In u0, double t_end,
                        double tolerance = 1e-14);

  void state(double t, Side side, Vec& q, Vec& u) const override;
  std::vector<double> breaks(double, double) const override { return {}; }
  bool jumps() const override { return false; }
  double valid_until() const override { return t_end_; }

 private:
  void extend(double t) const;

  std::shared_ptr<const FirstOrderSystem> system_;
  double t_end_, tolerance_;
  std::unique_ptr<Workspace> work_;
  Gbs::Rhs rhs_;
  mutable std::mutex mutex_;
  mutable Gbs gbs_;
  mutable double h_;               // next step
  mutable std::vector<double> t_;  // starts of the steps, and the end of the last
  mutable std::vector<Vec> y_;
  mutable Vec now_;
};

}  // namespace saltus
