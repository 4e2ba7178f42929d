#include "saltus/system/linear_system.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/system/check.hpp"

namespace saltus {
namespace {

// Apart from the functions that call them: with calls in them, those would save registers in every step.
[[gnu::noinline]] void coupled_force(const LinearSystem::Data& d, double t, const double* q, const double* u,
                                     double* out) {
  std::copy_n(d.f.data(), d.f.size(), out);
  if (d.K.size() != 0) d.K.multiply_add(-1, q, out);
  if (d.C.size() != 0) d.C.multiply_add(-1, u, out);
  if (d.forcing) d.forcing(t, out);
}
[[gnu::noinline]] double work_of(const LinearSystem::Data& d, double t, In u, Vec& load) {
  load.setZero(u.size());
  d.forcing(t, load.data());
  return load.dot(u);
}
[[gnu::noinline]] double damping_of(const Matrix& C, In u) {
  return C.bilinear(u, u);
}

}  // namespace

LinearSystem::LinearSystem(Data data) : data_(std::move(data)) {
  const int n = data_.M.size();
  if (n < 1) fail("the mass matrix is empty: a system needs at least one degree of freedom");
  for (const auto& [name, A] :
       {std::pair{"damping matrix C", &data_.C}, std::pair{"stiffness matrix K", &data_.K}})
    if (A->size() != 0 && A->size() != n)
      fail("{} is {}×{}, but the mass matrix is {}×{}", name, A->size(), A->size(), n, n);
  if (data_.f.size() != 0 && data_.f.size() != n)
    fail("force f has {} entries for {} degrees of freedom", data_.f.size(), n);
  if (data_.f.size() == 0) data_.f = Vec::Zero(n);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(data_.f[i])) fail("force f[{}] = {} is not finite", i, data_.f[i]);
  check_mass(data_.M);

  shape_ = {n, n, data_.M.pattern(), Pattern{Pattern::diagonal, 0, nullptr}, true, true, true, true};
  if (data_.K.size() != 0) shape_.jacobian = merge(shape_.jacobian, data_.K.pattern(), n);
  if (data_.C.size() != 0) shape_.jacobian = merge(shape_.jacobian, data_.C.pattern(), n);

  by_entries_ = shape_.jacobian.kind == Pattern::diagonal && !data_.forcing;
  plain_damping_ = data_.C.size() != 0 && data_.C.pattern().kind == Pattern::diagonal;

  int row = 0;
  for (std::size_t i = 0; i < data_.contacts.size(); ++i) {
    const LinearContact& c = data_.contacts[i];
    check_law(c.law, c.name);
    if (static_cast<int>(c.rows.size()) != rows(c.law))
      fail("contact {}: its law has {} rows, W has {}", c.name, rows(c.law), c.rows.size());
    contacts_.push_back({i, static_cast<int>(i), row});
    laws_.push_back(c.law);
    for (std::size_t r = 0; r < c.rows.size(); ++r) {
      for (const auto& e : c.rows[r]) {
        if (e.column < 0 || e.column >= n)
          fail("contact {}: W names degree of freedom {} of a system with {}", c.name, e.column, n);
        if (!std::isfinite(e.value))
          fail("contact {}: W has an entry {} that is not finite", c.name, e.value);
      }
      Wt_.append_row(c.rows[r]);
      offset_.push_back(r == 0 ? c.offset : 0);
      drift_.push_back(r == 0 ? c.drift : 0);
      has_gap_.push_back(row_has_gap(c.law, static_cast<int>(r)));
      ++row;
    }
  }
}

void LinearSystem::mass(double, In, Matrix& M, Workspace&) const {
  M.set_zero();
  M.add_scaled(1, data_.M);
}

void LinearSystem::force(double t, In q, In u, Out h, Workspace&) const {
  if (!by_entries_) return coupled_force(data_, t, q.data(), u.data(), h.data());
  // one loop, no calls; the same sums
  const double *f = data_.f.data(), *at = q.data(), *moving = u.data();
  const double *k = data_.K.values().data(), *c = data_.C.values().data();
  const bool springs = !data_.K.values().empty(), dampers = !data_.C.values().empty();
  double* out = h.data();
  for (Eigen::Index i = 0, n = data_.f.size(); i < n; ++i) {
    double sum = f[i];
    if (springs) sum += -k[i] * at[i];
    if (dampers) sum += -c[i] * moving[i];
    out[i] = sum;
  }
}

void LinearSystem::force_jacobians(double, In, In, Matrix& dq, Matrix& du, Workspace&) const {
  dq.set_zero();
  du.set_zero();
  if (data_.K.size() != 0) dq.add_scaled(-1, data_.K);
  if (data_.C.size() != 0) du.add_scaled(-1, data_.C);
}

void LinearSystem::gaps(double t, In q, ContactSet& out, Workspace&) const {
  const double *offset = offset_.data(), *drift = drift_.data();
  const char* has_gap = has_gap_.data();
  double* gap = out.gap.data();
  Wt_.for_each_dot(q.data(),
                   [=](int r, double x) { gap[r] = has_gap[r] ? x + offset[r] + drift[r] * t : 0; });
}

void LinearSystem::directions(double, In, ContactSet& out, Workspace&) const {
  out.Wt = Wt_;
  out.drift = drift_;
}

void LinearSystem::bias(double, In, In, ContactSet& out, Workspace&) const {
  out.bias.assign(Wt_.rows(), 0.0);
}

double LinearSystem::potential(double, In q, Workspace&) const {
  return (data_.K.size() != 0 ? 0.5 * data_.K.bilinear(q, q) : 0.0) - data_.f.dot(q);
}

Power LinearSystem::power(double t, In, In u, Workspace& w) const {
  Power out;
  if (plain_damping_) {  // in place, the same sum
    const double *c = data_.C.values().data(), *v = u.data();
    for (Eigen::Index i = 0, n = u.size(); i < n; ++i) out.damping += v[i] * c[i] * v[i];
  } else if (data_.C.size() != 0) {
    out.damping = damping_of(data_.C, u);
  }
  if (data_.forcing) out.work = work_of(data_, t, u, static_cast<Room&>(w).load);
  return out;
}

}  // namespace saltus
