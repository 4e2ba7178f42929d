// A reference that is built when it is asked for the first time: a run that is not compared does not pay for
// one, and a long one can take more memory than the run itself.
#pragma once
#include <functional>
#include <mutex>
#include <utility>

#include "saltus/reference/reference.hpp"

namespace saltus {

class LazyReference final : public Reference {
 public:
  using Make = std::function<std::shared_ptr<const Reference>()>;
  explicit LazyReference(Make make) : make_(std::move(make)) {}

  void state(double t, Side side, Vec& q, Vec& u) const override { built().state(t, side, q, u); }
  std::vector<double> breaks(double t0, double t1) const override { return built().breaks(t0, t1); }
  bool jumps() const override { return built().jumps(); }
  double valid_until() const override { return built().valid_until(); }
  /// Whether somebody asked.
  bool is_built() const {
    const std::lock_guard lock(mutex_);
    return reference_ != nullptr;
  }

 private:
  const Reference& built() const {
    const std::lock_guard lock(mutex_);
    if (!reference_) reference_ = make_();
    return *reference_;
  }

  Make make_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Reference> reference_;
};

}  // namespace saltus
