// Your own ODAE, written once and generic in the scalar; every derivative comes from dual numbers.
//
//   struct Slide {
//     static constexpr int ny = 2, nz = 2, m = 1;                  // or Eigen::Dynamic with sizes(): {ny,
//     nz, m} template <class S> using V = Eigen::Matrix<S, 2, 1>; template <class S> using L =
//     Eigen::Matrix<S, 1, 1>; template <class S> V<S> v(const V<S>& y, const V<S>& z) const; template <class
//     S> V<S> f(const V<S>& y, const V<S>& z) const; template <class S> V<S> r(const V<S>& y, const V<S>& z,
//     const L<S>& psi) const; template <class S> L<S> g(const V<S>& y) const;
//   };
//   std::unique_ptr<OdaeSystem> system = make_odae(Slide{});
//
// Optional: constraints() with names, unilateral and e; energy(y, z); first_multiplier(i). Unilateral
// constraints need impact(y, z), the matrix N of OdaeSystem, unless `static constexpr bool affine = true`
// says that r is affine in ψ: then N = r_ψ.
#pragma once
#include <array>
#include <memory>
#include <utility>

#include "saltus/autodiff/dual.hpp"
#include "saltus/core/error.hpp"
#include "saltus/odae/odae_system.hpp"

namespace saltus {

/// (x²)^{p/2} = |x|^p, p > 0, from x²; its slope is finite at 0, so that Newton's iteration may pass through.
inline double power_of_square(double square, double p) {
  return std::pow(square, 0.5 * p);
}
template <class T, int N>
Dual<T, N> power_of_square(const Dual<T, N>& square, double p) {
  using std::pow;
  const T away = square.v < T(1e-100) ? T(1e-100) : square.v;
  return square.chain(power_of_square(square.v, p), T(0.5 * p) * pow(away, 0.5 * p - 1));
}

template <class M>
class OdaeModelSystem final : public OdaeSystem {
  template <class S>
  using Y = Eigen::Matrix<S, M::ny, 1>;
  template <class S>
  using Z = Eigen::Matrix<S, M::nz, 1>;
  template <class S>
  using L = Eigen::Matrix<S, M::m, 1>;
  template <class V>
  using Scalar = typename std::decay_t<V>::Scalar;

 public:
  explicit OdaeModelSystem(M model) : model_(std::move(model)) {
    if constexpr (requires { model_.sizes(); }) sizes_ = model_.sizes();
    if constexpr (requires { model_.constraints(); }) constraints_ = model_.constraints();
    for (int i = static_cast<int>(constraints_.size()); i < sizes_[2]; ++i)
      constraints_.push_back({fmt::format("g[{}]", i)});
    check_model();
  }

  int ny() const override { return sizes_[0]; }
  int nz() const override { return sizes_[1]; }
  const std::vector<OdaeConstraint>& constraints() const override { return constraints_; }

  void velocity(double, In y, In z, Out v, Workspace&) const override {
    v = model_.v(Y<double>(y), Z<double>(z));
  }
  void force(double, In y, In z, Out f, Workspace&) const override {
    f = model_.f(Y<double>(y), Z<double>(z));
  }
  void reaction(double, In y, In z, In psi, Out r, Workspace&) const override {
    r = model_.r(Y<double>(y), Z<double>(z), L<double>(psi));
  }
  void gap(double, In y, Out g, Workspace&) const override { g = model_.g(Y<double>(y)); }
  void rate(double, In y, In z, Out gamma, Workspace&) const override {
    gamma = rate_of(Y<double>(y), Z<double>(z));
  }
  void bias(double, In y, In z, Out b, Workspace&) const override {
    using D = Dual<double, 1>;
    const Y<double> v = model_.v(Y<double>(y), Z<double>(z));
    Y<D> along = lift<D, M::ny>(y);
    for (int i = 0; i < ny(); ++i) along[i].d[0] = v[i];
    const L<D> gamma = rate_of(along, lift<D, M::nz>(z));
    for (int i = 0; i < m(); ++i) b[i] = gamma[i].d[0];
  }

  void velocity_jacobians(double, In y, In z, Mat* v_y, Mat* v_z, Workspace&) const override {
    if (v_y)
      columns<M::ny>(y, *v_y,
                     [&](const auto& a) { return model_.v(a, lift<Scalar<decltype(a)>, M::nz>(z)); });
    if (v_z)
      columns<M::nz>(z, *v_z,
                     [&](const auto& a) { return model_.v(lift<Scalar<decltype(a)>, M::ny>(y), a); });
  }
  void force_jacobians(double, In y, In z, Mat* f_y, Mat* f_z, Workspace&) const override {
    if (f_y)
      columns<M::ny>(y, *f_y,
                     [&](const auto& a) { return model_.f(a, lift<Scalar<decltype(a)>, M::nz>(z)); });
    if (f_z)
      columns<M::nz>(z, *f_z,
                     [&](const auto& a) { return model_.f(lift<Scalar<decltype(a)>, M::ny>(y), a); });
  }
  void reaction_jacobians(double, In y, In z, In psi, Mat* r_y, Mat* r_z, Mat* r_psi,
                          Workspace&) const override {
    if (r_y)
      columns<M::ny>(y, *r_y, [&](const auto& a) {
        using S = Scalar<decltype(a)>;
        return model_.r(a, lift<S, M::nz>(z), lift<S, M::m>(psi));
      });
    if (r_z)
      columns<M::nz>(z, *r_z, [&](const auto& a) {
        using S = Scalar<decltype(a)>;
        return model_.r(lift<S, M::ny>(y), a, lift<S, M::m>(psi));
      });
    if (r_psi)
      columns<M::m>(psi, *r_psi, [&](const auto& a) {
        using S = Scalar<decltype(a)>;
        return model_.r(lift<S, M::ny>(y), lift<S, M::nz>(z), a);
      });
  }
  void gap_jacobian(double, In y, Mat& G, Workspace&) const override {
    columns<M::ny>(y, G, [&](const auto& a) { return model_.g(a); });
  }
  void rate_jacobians(double, In y, In z, Mat* gamma_y, Mat* gamma_z, Workspace&) const override {
    if (gamma_y)
      columns<M::ny>(y, *gamma_y,
                     [&](const auto& a) { return rate_of(a, lift<Scalar<decltype(a)>, M::nz>(z)); });
    if (gamma_z)
      columns<M::nz>(z, *gamma_z,
                     [&](const auto& a) { return rate_of(lift<Scalar<decltype(a)>, M::ny>(y), a); });
  }
  void impact_directions(double t, In y, In z, Mat& N, Workspace& w) const override {
    if constexpr (has_impact)
      N = model_.impact(Y<double>(y), Z<double>(z));
    else
      reaction_jacobians(t, y, z, L<double>::Zero(m()), nullptr, nullptr, &N, w);
  }

  double first_multiplier(int i) const override {
    if constexpr (requires { model_.first_multiplier(i); }) return model_.first_multiplier(i);
    return OdaeSystem::first_multiplier(i);
  }
  double energy(double t, In y, In z, Workspace& w) const override {
    if constexpr (requires { model_.energy(Y<double>(y), Z<double>(z)); })
      return model_.energy(Y<double>(y), Z<double>(z));
    return OdaeSystem::energy(t, y, z, w);
  }
  const M& model() const { return model_; }

 private:
  static constexpr bool has_impact = requires(const M& model, const Y<double>& y, const Z<double>& z) {
    model.impact(y, z);
  };
  static constexpr bool is_affine = requires { M::affine; };

  template <class S, int N>
  static Eigen::Matrix<S, N, 1> lift(In x) {
    Eigen::Matrix<S, N, 1> out(x.size());
    for (int i = 0; i < x.size(); ++i) out[i] = S(x[i]);
    return out;
  }
  // J = ∂function/∂x, a few columns a pass
  template <int N, class Function>
  static void columns(In x, Mat& J, Function&& function) {
    constexpr int lanes = N > 0 && N <= 8 ? N : 8;
    const int n = static_cast<int>(x.size());
    for (int first = 0; first < n; first += lanes) {
      auto a = lift<Dual<double, lanes>, N>(x);
      for (int k = 0; k < lanes && first + k < n; ++k) a[first + k].d[k] = 1;
      const auto out = function(a);
      for (int k = 0; k < lanes && first + k < n; ++k)
        for (int i = 0; i < out.size(); ++i) J(i, first + k) = out[i].d[k];
    }
  }
  template <class S>
  L<S> rate_of(const Y<S>& y, const Z<S>& z) const {
    using D = Dual<S, 1>;
    const Y<S> v = model_.v(y, z);
    Y<D> along(y.size());
    for (int i = 0; i < y.size(); ++i) along[i].v = y[i], along[i].d[0] = v[i];
    const L<D> g = model_.g(along);
    L<S> out(g.size());
    for (int i = 0; i < g.size(); ++i) out[i] = g[i].d[0];
    return out;
  }
  void check_model() const {
    if (ny() < 1 || nz() < 1 || sizes_[2] < 1)
      fail("an ODAE needs ny, nz and m of at least 1, not {}, {} and {}", ny(), nz(), sizes_[2]);
    if (m() != sizes_[2]) fail("constraints() lists {} constraints, m = {}", m(), sizes_[2]);
    if constexpr (!has_impact && !is_affine)
      for (const auto& c : constraints_)
        if (c.unilateral)
          fail(
              "constraint {} is unilateral: the model needs impact(y, z), the jump of z by a unit impulse, "
              "or "
              "`static constexpr bool affine = true` when r is affine in psi",
              c.name);
  }

  M model_;
  std::array<int, 3> sizes_ = {M::ny, M::nz, M::m};
  std::vector<OdaeConstraint> constraints_;
};

template <class M>
std::unique_ptr<OdaeSystem> make_odae(M model) {
  return std::make_unique<OdaeModelSystem<M>>(std::move(model));
}

}  // namespace saltus
