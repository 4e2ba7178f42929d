// The reference of an ODAE: extrapolation (gbs.hpp) to rounding of ẏ = v, ż = f + r(y,z,ψ(y,z)), ψ from the
// hidden constraint, with events located as in odae_events.hpp. Computed when somebody asks.
#pragma once
#include <mutex>

#include "saltus/odae/odae_system.hpp"
#include "saltus/reference/reference.hpp"

namespace saltus {

class OdaeReference final : public Reference {
 public:
  OdaeReference(std::shared_ptr<const OdaeSystem> system, double t0, In y0, In z0, double t_end,
                double tolerance = 1e-14);
  ~OdaeReference() override;

  void state(double t, Side side, Vec& q, Vec& u) const override;
  std::vector<double> breaks(double t0, double t1) const override;
  bool jumps() const override { return jumps_; }
  double valid_until()
      const override;  ///< earlier than t_end where the solution ends (friction that stops a body)
  /// ψ, right limit.
  Vec multipliers(double t) const;
  std::vector<Event> events() const;

 private:
  class Flow;
  void compute() const;
  const State& at(double t, Side side) const;

  std::shared_ptr<const OdaeSystem> system_;
  double t0_, t_end_;
  Vec y0_, z0_;
  bool jumps_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Flow> flow_;
  mutable std::vector<State> samples_;
  mutable std::vector<Event> events_;
  mutable State now_;
  mutable double reached_ = 0;
};

}  // namespace saltus
