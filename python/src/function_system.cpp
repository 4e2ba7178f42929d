#include "function_system.hpp"

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"

namespace saltus::python {

FunctionSystem::FunctionSystem(std::shared_ptr<const Functions> functions, std::span<const double> e,
                               std::span<const double> mu)
    : f_(std::move(functions)) {
  const auto add = [&](Law law, int tangents) {
    const auto id = static_cast<std::uint64_t>(laws_.size());
    contacts_.push_back({id, static_cast<int>(id), rows_});
    gap_row_.push_back(rows_++);
    for (int k = 0; k < tangents; ++k) slip_row_.push_back(rows_++);
    check_law(law, contact_name(id));
    laws_.push_back(std::move(law));
  };
  for (int i = 0; i < f_->contacts; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (f_->tangents > 0)
      add(Coulomb{mu[k], e[k], 0, f_->tangents}, f_->tangents);
    else
      add(Unilateral{e[k]}, 0);
  }
  for (int i = 0; i < f_->joint.size(); ++i) add(Equality{1}, 0);
  shape_ = {f_->n, f_->n, f_->mass_pattern, {}, !f_->mass.given(), false, false, true};
}

void FunctionSystem::mass(double t, In q, Matrix& M, Workspace&) const {
  const int n = f_->n;
  if (!f_->mass.given()) {
    f_->constant_mass.for_each([&](int i, int j, double x) { M.set(i, j, x); });
    return;
  }
  if (f_->mass_pattern.kind == Pattern::diagonal) {
    Vec d(n);
    f_->mass(t, q, d.data(), n);
    // no number: steps that would go through a mass of zero are refused, as those to an infinite force are
    for (int i = 0; i < n; ++i) M.set(i, i, d[i] > 0 ? d[i] : std::nan(""));
    return;
  }
  std::vector<double> rows(static_cast<std::size_t>(n) * n);
  f_->mass.matrix(t, q, rows.data(), n, n);
  if (!is_positive_definite(Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(rows.data(), n, n))))
    rows.assign(rows.size(), std::nan(""));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M.set(i, j, rows[static_cast<std::size_t>(i) * n + j]);
}

void FunctionSystem::force(double t, In q, In u, Out h, Workspace&) const {
  f_->force.function()(t, q, u, h.data(), f_->n);
}

void FunctionSystem::force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace&) const {
  const int n = f_->n;
  if (f_->force_jacobian.given()) {
    const py::gil_scoped_acquire lock;
    // one function gives both: rows of [∂h/∂q, ∂h/∂u]
    Vec both(2 * n);
    both << q, u;
    std::vector<double> rows(2 * static_cast<std::size_t>(n) * n);
    f_->force_jacobian.matrix(t, both, rows.data(), n, 2 * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        dq.set(i, j, rows[static_cast<std::size_t>(i) * 2 * n + j]);
        du.set(i, j, rows[static_cast<std::size_t>(i) * 2 * n + n + j]);
      }
    return;
  }
  const Vec speed = u, zero = Vec::Zero(n);
  Vec unit = Vec::Zero(n), column(n);
  for (int j = 0; j < n; ++j) {
    unit[j] = 1;
    f_->force.along(t, q, &speed, 0, unit, &zero, column.data());
    for (int i = 0; i < n; ++i) dq.set(i, j, column[i]);
    f_->force.along(t, q, &speed, 0, zero, &unit, column.data());
    for (int i = 0; i < n; ++i) du.set(i, j, column[i]);
    unit[j] = 0;
  }
}

void FunctionSystem::gaps(double t, In q, ContactSet& out, Workspace&) const {
  std::fill(out.gap.begin(), out.gap.end(), 0.0);
  Vec g(f_->contacts + f_->joint.size());
  if (f_->contacts > 0) f_->gap.function()(t, q, g.data(), f_->contacts);
  if (f_->joint.given()) f_->joint.function()(t, q, g.data() + f_->contacts, f_->joint.size());
  for (std::size_t k = 0; k < gap_row_.size(); ++k)
    out.gap[static_cast<std::size_t>(gap_row_[k])] = g[static_cast<Eigen::Index>(k)];
}

template <class Put>
void FunctionSystem::rows_of(double t, In q, Put&& put) const {
  const int n = f_->n, contacts = f_->contacts, joints = f_->joint.size();
  const auto slips = static_cast<int>(slip_row_.size());
  const bool given = f_->gap_jacobian.given();
  if (given && contacts > 0) {
    std::vector<double> rows(static_cast<std::size_t>(contacts) * n);
    f_->gap_jacobian.matrix(t, q, rows.data(), contacts, n);
    for (int i = 0; i < contacts; ++i)
      for (int j = 0; j < n; ++j) put(gap_row_[i], j, rows[static_cast<std::size_t>(i) * n + j]);
  }
  Vec unit = Vec::Zero(n), g(std::max({contacts, joints, slips})), at_rest(slips);
  const Vec zero = Vec::Zero(n);
  if (slips > 0) f_->slip.function()(t, q, zero, at_rest.data(), slips);
  for (int j = 0; j < n; ++j) {
    unit[j] = 1;
    if (contacts > 0 && !given) {
      f_->gap.along(t, q, nullptr, 0, unit, nullptr, g.data());
      for (int i = 0; i < contacts; ++i) put(gap_row_[i], j, g[i]);
    }
    if (joints > 0) {
      f_->joint.along(t, q, nullptr, 0, unit, nullptr, g.data());
      for (int i = 0; i < joints; ++i) put(gap_row_[contacts + i], j, g[i]);
    }
    if (slips > 0) {  // linear in the velocities
      f_->slip.function()(t, q, unit, g.data(), slips);
      for (int i = 0; i < slips; ++i) put(slip_row_[i], j, g[i] - at_rest[i]);
    }
    unit[j] = 0;
  }
}

void FunctionSystem::directions(double t, In q, ContactSet& out, Workspace&) const {
  const int n = f_->n, contacts = f_->contacts, joints = f_->joint.size();
  std::vector<double> dense(static_cast<std::size_t>(rows_) * n, 0.0);
  rows_of(t, q,
          [&](int row, int column, double x) { dense[static_cast<std::size_t>(row) * n + column] = x; });
  out.Wt.clear();
  for (int r = 0; r < rows_; ++r) {
    for (int j = 0; j < n; ++j)
      if (const double x = dense[static_cast<std::size_t>(r) * n + j]; x != 0) out.Wt.add(j, x);
    out.Wt.end_row();
  }
  out.drift.assign(static_cast<std::size_t>(rows_), 0.0);
  const Vec zero = Vec::Zero(n);
  Vec rate(std::max<Eigen::Index>({contacts, joints, std::ssize(slip_row_)}));
  const auto put = [&](std::size_t first, const std::vector<int>& row, int count) {
    for (int i = 0; i < count; ++i)
      out.drift[static_cast<std::size_t>(row[first + static_cast<std::size_t>(i)])] = rate[i];
  };
  if (contacts > 0) f_->gap.along(t, q, nullptr, 1, zero, nullptr, rate.data()), put(0, gap_row_, contacts);
  if (joints > 0)
    f_->joint.along(t, q, nullptr, 1, zero, nullptr, rate.data()),
        put(static_cast<std::size_t>(contacts), gap_row_, joints);
  if (!slip_row_.empty()) {
    const auto slips = static_cast<int>(slip_row_.size());
    f_->slip.function()(t, q, zero, rate.data(), slips), put(0, slip_row_, slips);
  }
}

void FunctionSystem::bias(double t, In q, In u, ContactSet& out, Workspace&) const {
  out.bias.assign(static_cast<std::size_t>(rows_), 0.0);
  const int contacts = f_->contacts, joints = f_->joint.size();
  const auto slips = static_cast<int>(slip_row_.size());
  Vec b(std::max({contacts, joints, slips}));
  if (contacts > 0) {
    f_->gap.twice_along(t, q, u, b.data());
    for (int i = 0; i < contacts; ++i) out.bias[static_cast<std::size_t>(gap_row_[i])] = b[i];
  }
  if (joints > 0) {
    f_->joint.twice_along(t, q, u, b.data());
    for (int i = 0; i < joints; ++i) out.bias[static_cast<std::size_t>(gap_row_[contacts + i])] = b[i];
  }
  if (slips > 0) {
    const Vec speed = u, zero = Vec::Zero(u.size());
    f_->slip.along(t, q, &speed, 1, u, &zero, b.data());
    for (int i = 0; i < slips; ++i) out.bias[static_cast<std::size_t>(slip_row_[i])] = b[i];
  }
}

double FunctionSystem::potential(double t, In q, Workspace&) const {
  double out = 0;
  if (f_->potential.given()) f_->potential.function()(t, q, &out, 1);
  return out;
}

// Without a potential nobody knows it.
double FunctionSystem::energy(double t, In q, In u, Workspace& w) const {
  return f_->potential.given() ? System::energy(t, q, u, w) : std::nan("");
}

std::string FunctionSystem::contact_name(std::uint64_t id) const {
  if (id < f_->names.size()) return f_->names[id];
  const auto contacts = static_cast<std::uint64_t>(f_->contacts);
  return id < contacts ? fmt::format("gap[{}]", id) : fmt::format("joint[{}]", id - contacts);
}

}  // namespace saltus::python
