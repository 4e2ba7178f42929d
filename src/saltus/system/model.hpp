// Your own system, written once and generic in the scalar; every derivative comes from dual numbers.
//
//   struct Pendulum {
//     static constexpr int dof = 2;                              // or Eigen::Dynamic, with int size() const
//     template <class S> using V = Eigen::Matrix<S, dof, 1>;
//     template <class S> auto mass(const S& t, const V<S>& q) const;              // M(t,q), dof × dof
//     template <class S> V<S> force(const S& t, const V<S>& q, const V<S>& u) const;
//     template <class S> auto gaps(const S& t, const V<S>& q) const;              // see below
//     std::vector<Law> laws() const;
//   };
//   std::unique_ptr<System> system = make_system(Pendulum{});
//
// gaps: one entry per Unilateral, Coulomb or PrestressedSpring law and `size` entries per Equality, in the
// order of laws(). Rows that have a velocity but no gap (Coulomb's tangents, Relay, Tresca, user laws) come
// from an optional
//   slips(t, q, u): their velocities, linear in u, in the order of laws().
// Optional too: potential(t, q) for the energy, contact_names(), and static flags constant_mass,
// linear_force, constant_directions (see Shape) that let schemes evaluate once.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "saltus/autodiff/dual.hpp"
#include "saltus/core/error.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

template <class M, class S = double>
concept Model = requires(const M& m, const S& t, const Eigen::Matrix<S, M::dof, 1>& q) {
  m.mass(t, q);
  m.force(t, q, q);
  m.gaps(t, q);
  { m.laws() } -> std::convertible_to<std::vector<Law>>;
};

template <Model M>
class ModelSystem final : public System, public CurvedSystem {
  static constexpr int lanes = M::dof > 0 && M::dof <= 8 ? M::dof : 8;
  template <class S>
  using V = Eigen::Matrix<S, M::dof, 1>;
  using D = Dual<double, lanes>;  // gradients, `lanes` columns a pass
  using D1 = Dual<double, 1>;     // one direction
  using D2 = Dual<D1, 1>;         // twice along one direction
  static constexpr bool has_slips = requires(const M& m, const V<double>& q) { m.slips(0.0, q, q); };

 public:
  explicit ModelSystem(M model) : model_(std::move(model)), laws_(model_.laws()) {
    if constexpr (M::dof == Eigen::Dynamic) n_ = model_.size();
    if constexpr (requires { model_.contact_names(); }) names_ = model_.contact_names();
    if (n_ < 1) fail("a model needs at least one degree of freedom, not {}", n_);
    if (!names_.empty() && names_.size() != laws_.size())
      fail("the model has {} contact names for {} laws", names_.size(), laws_.size());
    for (std::size_t i = 0; i < laws_.size(); ++i) {
      check_law(laws_[i], contact_name(i));
      const int first = static_cast<int>(has_gap_.size());
      contacts_.push_back({i, static_cast<int>(i), first});
      for (int r = 0; r < saltus::rows(laws_[i]); ++r) has_gap_.push_back(row_has_gap(laws_[i], r));
    }
    shape_ = {n_, n_, {}, {}, false, false, false, true};
    if constexpr (requires { M::constant_mass; }) shape_.constant_mass = M::constant_mass;
    if constexpr (requires { M::linear_force; }) shape_.linear_force = M::linear_force;
    if constexpr (requires { M::constant_directions; }) shape_.constant_directions = M::constant_directions;
    check_sizes();
  }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(); }
  const CurvedSystem* curved() const override { return this; }
  Shape shape() const override { return shape_; }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return contacts_; }

  void mass(double t, In q, Matrix& out, Workspace&) const override {
    const auto m = model_.mass(t, V<double>(q));
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) out.set(i, j, m(i, j));
  }

  void force(double t, In q, In u, Out h, Workspace&) const override {
    h = model_.force(t, V<double>(q), V<double>(u));
  }

  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace&) const override {
    for (int first = 0; first < n_; first += lanes) {
      const auto by_q = model_.force(D(t), seeded(q, first), lifted<D>(u));
      const auto by_u = model_.force(D(t), lifted<D>(q), seeded(u, first));
      for (int k = 0; k < lanes && first + k < n_; ++k)
        for (int i = 0; i < n_; ++i) dq.set(i, first + k, by_q[i].d[k]), du.set(i, first + k, by_u[i].d[k]);
    }
  }

  void gaps(double t, In q, ContactSet& out, Workspace&) const override {
    const auto g = model_.gaps(t, V<double>(q));
    for (std::size_t r = 0, k = 0; r < has_gap_.size(); ++r) out.gap[r] = has_gap_[r] ? g[k++] : 0.0;
  }

  void directions(double t, In q, ContactSet& out, Workspace& w) const override {
    const int m = static_cast<int>(has_gap_.size());
    out.drift.assign(m, 0.0);
    auto& dense = static_cast<Room&>(w).dense;  // row-major m × n
    dense.assign(static_cast<std::size_t>(m) * n_, 0.0);
    const auto scatter = [&](bool gap_rows, auto&& values, auto&& put) {
      for (int r = 0, k = 0; r < m; ++r)
        if (has_gap_[r] == gap_rows) put(r, values[k++]);
    };
    for (int first = 0; first < n_; first += lanes) {
      const auto put = [&](int r, const D& x) {
        for (int k = 0; k < lanes && first + k < n_; ++k) dense[r * n_ + first + k] = x.d[k];
      };
      scatter(true, model_.gaps(D(t), seeded(q, first)), put);
      if constexpr (has_slips)
        scatter(false, model_.slips(D(t), lifted<D>(q), seeded(Vec::Zero(n_), first)), put);
    }
    D1 time(t);
    time.d[0] = 1;
    scatter(true, model_.gaps(time, lifted<D1>(q)), [&](int r, const D1& x) { out.drift[r] = x.d[0]; });
    if constexpr (has_slips) {
      const V<double> zero = V<double>::Zero(n_);
      scatter(false, model_.slips(t, V<double>(q), zero), [&](int r, double x) { out.drift[r] = x; });
    }
    out.Wt.clear();
    for (int r = 0; r < m; ++r) {
      for (int j = 0; j < n_; ++j)
        if (dense[r * n_ + j] != 0) out.Wt.add(j, dense[r * n_ + j]);
      out.Wt.end_row();
    }
  }

  void bias(double t, In q, In u, ContactSet& out, Workspace&) const override {
    const int m = static_cast<int>(has_gap_.size());
    out.bias.assign(m, 0.0);
    V<D2> along(n_);  // (t, q) + ε (1, u), twice
    for (int i = 0; i < n_; ++i) along[i] = twice(q[i], u[i]);
    const auto g = model_.gaps(twice(t, 1), along);
    for (int r = 0, k = 0; r < m; ++r)
      if (has_gap_[r]) out.bias[r] = g[k++].d[0].d[0];
    if constexpr (has_slips) {
      V<D1> once(n_);
      for (int i = 0; i < n_; ++i) once[i] = q[i], once[i].d[0] = u[i];
      D1 time(t);
      time.d[0] = 1;
      const auto s = model_.slips(time, once, lifted<D1>(u));
      for (int r = 0, k = 0; r < m; ++r)
        if (!has_gap_[r]) out.bias[r] = s[k++].d[0];
    }
  }

  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                 Workspace& w) const override {
    const int m = static_cast<int>(has_gap_.size());
    auto& dense = static_cast<Room&>(w).dense;  // the rows of both
    dense.assign(static_cast<std::size_t>(2) * m * n_, 0.0);
    double *velocity = dense.data(), *acceleration = velocity + m * n_;
    const auto each_gap = [&](auto&& values, auto&& put) {
      for (int r = 0, k = 0; r < m; ++r)
        if (has_gap_[r]) put(r, values[k++]);
    };
    for (int first = 0; first < n_; first += lanes) {
      const int width = std::min(lanes, n_ - first);
      V<Dual<D2, lanes>> along(n_);  // twice along (1, u), and its derivative by q
      for (int i = 0; i < n_; ++i) along[i] = twice(q[i], u[i]);
      for (int k = 0; k < width; ++k) along[first + k].d[k] = D2(1.0);
      each_gap(model_.gaps(Dual<D2, lanes>(twice(t, 1)), along), [&](int r, const Dual<D2, lanes>& x) {
        for (int k = 0; k < width; ++k) {
          velocity[r * n_ + first + k] = x.d[k].d[0].v;
          acceleration[r * n_ + first + k] += x.d[k].d[0].d[0];
        }
      });
      for (int second = 0; second < n_; second += lanes) {  // the Hessians of the gaps, block by block
        V<Dual<D, lanes>> both(n_);
        for (int i = 0; i < n_; ++i) both[i] = D(q[i]);
        const int depth = std::min(lanes, n_ - second);
        for (int k = 0; k < depth; ++k) both[second + k].v.d[k] = 1;
        for (int k = 0; k < width; ++k) both[first + k].d[k] = D(1.0);
        each_gap(model_.gaps(Dual<D, lanes>(D(t)), both), [&](int r, const Dual<D, lanes>& x) {
          for (int i = 0; i < width; ++i)
            for (int j = 0; j < depth; ++j) {
              const double h = x.d[i].d[j];
              acceleration[r * n_ + first + i] += h * a[second + j];
              if (h != 0 && lambda[r] != 0) K.add(first + i, second + j, -lambda[r] * h);
            }
        });
      }
      if constexpr (has_slips) {
        const auto s = model_.slips(D(t), seeded(q, first), lifted<D>(u));
        for (int r = 0, k = 0; r < m; ++r)
          if (!has_gap_[r]) {
            for (int i = 0; i < width; ++i) velocity[r * n_ + first + i] = s[k].d[i];
            ++k;
          }
      }
      if (!shape_.constant_mass) {
        const auto mass_at = model_.mass(D(t), seeded(q, first));
        for (int i = 0; i < n_; ++i)
          for (int j = 0; j < n_; ++j)
            for (int k = 0; k < width; ++k)
              if (const double d = mass_at(i, j).d[k] * a[j]; d != 0) K.add(i, first + k, d);
      }
    }
    out.velocity.clear(), out.acceleration.clear();
    for (int r = 0; r < m; ++r) {
      for (int j = 0; j < n_; ++j) {
        if (velocity[r * n_ + j] != 0) out.velocity.add(j, velocity[r * n_ + j]);
        if (acceleration[r * n_ + j] != 0) out.acceleration.add(j, acceleration[r * n_ + j]);
      }
      out.velocity.end_row(), out.acceleration.end_row();
    }
  }

  double potential(double t, In q, Workspace&) const override {
    if constexpr (requires { model_.potential(t, V<double>(q)); }) return model_.potential(t, V<double>(q));
    return 0;
  }

  // Without a potential of the model's own all forces are loads; one that is not generic cannot be derived.
  Powers powers() const override {
    if constexpr (
        requires(V<double> x) { model_.potential(0.0, x); } &&
        !requires(V<D1> x) { model_.potential(D1(0), x).d[0]; })
      return Powers::unknown;
    if constexpr (requires { M::conservative; }) return M::conservative ? Powers::none : Powers::known;
    return Powers::known;
  }
  Power power(double t, In q, In u, Workspace&) const override {
    const V<double> at(q), rest = V<double>::Zero(n_);
    V<D1> along(n_);
    for (int i = 0; i < n_; ++i) along[i] = q[i], along[i].d[0] = u[i];
    D1 time(t);
    time.d[0] = 1;
    const V<double> resting = model_.force(t, at, rest), moving = model_.force(t, at, V<double>(u));
    Power out{resting.dot(u), (resting - moving).dot(u)};
    if constexpr (requires { model_.potential(time, along).d[0]; })
      out.work += model_.potential(time, along).d[0];
    if (shape_.constant_mass) return out;
    const auto inertia = model_.mass(time, along);
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) out.damping -= 0.5 * u[i] * inertia(i, j).d[0] * u[j];
    return out;
  }

  std::string contact_name(std::uint64_t id) const override {
    return id < names_.size() ? names_[id] : System::contact_name(id);
  }

  const M& model() const { return model_; }

 private:
  struct Room : Workspace {
    std::vector<double> dense;
  };
  template <class S>
  static V<S> lifted(In x) {
    V<S> out(x.size());
    for (int i = 0; i < x.size(); ++i) out[i] = S(x[i]);
    return out;
  }
  static V<D> seeded(In x, int first) {
    V<D> out = lifted<D>(x);
    for (int k = 0; k < lanes && first + k < x.size(); ++k) out[first + k].d[k] = 1;
    return out;
  }
  static D2 twice(double x, double direction) {
    D2 out;
    out.v = D1(x);
    out.v.d[0] = direction;
    out.d[0] = D1(direction);
    return out;
  }
  void check_sizes() const {
    const V<double> zero = V<double>::Zero(n_);
    const auto m = model_.mass(0.0, zero);
    if (m.rows() != n_ || m.cols() != n_)
      fail("mass() returns a {}×{} matrix for {} degrees of freedom", m.rows(), m.cols(), n_);
    const auto h = model_.force(0.0, zero, zero);
    if (h.size() != n_) fail("force() returns {} entries for {} degrees of freedom", h.size(), n_);
    const auto with_gap = std::count(has_gap_.begin(), has_gap_.end(), 1);
    const auto g = model_.gaps(0.0, zero);
    if (g.size() != with_gap) fail("gaps() returns {} entries, the laws need {}", g.size(), with_gap);
    std::ptrdiff_t slips = 0;
    if constexpr (has_slips) slips = model_.slips(0.0, zero, zero).size();
    const auto without = static_cast<std::ptrdiff_t>(has_gap_.size()) - with_gap;
    if (slips != without) fail("slips() returns {} entries, the laws need {}", slips, without);
  }

  M model_;
  int n_ = M::dof;
  std::vector<Law> laws_;
  std::vector<std::string> names_;
  std::vector<Contact> contacts_;
  std::vector<char> has_gap_;
  Shape shape_;
};

template <Model M>
std::unique_ptr<System> make_system(M model) {
  return std::make_unique<ModelSystem<M>>(std::move(model));
}

}  // namespace saltus
