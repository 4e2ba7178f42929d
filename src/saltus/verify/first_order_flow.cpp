#include "saltus/system/first_order.hpp"
#include "saltus/verify/flow.hpp"

namespace saltus {
namespace {

class FirstOrderFlow final : public StateFlow {
 public:
  explicit FirstOrderFlow(const FirstOrderSystem& system)
      : system_(system), work_(system.make_workspace()), velocity_(system.size(), 0) {
    Vec q = Vec::Zero(system.nq()), u = Vec::Zero(system.nu()), still(system.size()), moving(system.size());
    system.pack(0, q, u, still);
    system.pack(0, q, Vec(Vec::Ones(system.nu())), moving);
    for (int i = 0; i < system.size(); ++i) velocity_[i] = moving[i] != still[i];
  }
  const DynamicSystem& system() const override { return system_; }
  int size() const override { return system_.size(); }
  void pack(double t, In q, In u, Vec& x) const override {
    x.resize(size());
    system_.pack(t, q, u, x);
  }
  void unpack(double t, const Vec& x, Vec& q, Vec& u) const override { system_.unpack(t, x, q, u); }
  bool is_velocity(int i) const override { return velocity_[i] != 0; }
  bool rates(double t, const Vec& x, Vec& f) override {
    f.resize(size());
    system_.rhs(t, x, f, *work_);
    return f.allFinite();
  }
  void jump(const Trajectory& x, int i, Verification& out) override {
    const double off = (x.q(i) - x.q(i - 1)).lpNorm<Eigen::Infinity>() +
                       (x.nu() > 0 ? (x.u(i) - x.u(i - 1)).lpNorm<Eigen::Infinity>() : 0);
    if (off > 0) out.find(fmt::format("the state jumps at t = {:.12g}, and nothing makes it", x.t(i)));
  }

 private:
  const FirstOrderSystem& system_;
  std::unique_ptr<Workspace> work_;
  std::vector<char> velocity_;
};

}  // namespace

std::unique_ptr<StateFlow> make_first_order_flow(const DynamicSystem& system) {
  return std::make_unique<FirstOrderFlow>(static_cast<const FirstOrderSystem&>(system));
}

}  // namespace saltus
