#include "saltus/scheme/kit/position_projection.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// std::max that keeps NaN
double larger(double a, double b) {
  return a < b || std::isnan(b) ? b : a;
}

// Gaps are closed to rounding, so the tolerance that is good enough for impulses is not for them.
SolverSpec for_positions(SolverSpec solver) {
  std::visit([](auto& s) { s.tolerance = std::min(s.tolerance, 1e-10); }, solver);
  return solver;
}

}  // namespace

PositionProjection::PositionProjection(const System& system, const SolverSpec& solver, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      solver_(make_contact_solver(for_positions(solver))),
      M_(shape_.nu, shape_.mass),
      rounding_(shape_) {
  step_.setZero(shape_.nu);
  total_.setZero(shape_.nu);
}

void PositionProjection::weigh(double t, const Vec& q) {
  if (weighed_ && shape_.constant_mass) return;
  system_.mass(t, q, M_);
  rounding_.weigh(M_);
  weighed_ = true, factored_ = false;
}

// The list of contacts may change as q moves: what is known of a row follows its contact. True: it did not.
bool PositionProjection::follow_rows() {
  const auto same = [](const Contact& a, const Contact& b) { return a.id == b.id && a.row == b.row; };
  if (std::equal(listed_.begin(), listed_.end(), set_.contacts.begin(), set_.contacts.end(), same))
    return true;
  const auto laws = system_.laws();
  std::vector<double> tau(set_.rows(), 0.0);
  std::vector<char> wanted(set_.rows(), 0);
  auto old = listed_.begin();
  for (const Contact& c : set_.contacts) {
    while (old != listed_.end() && old->id < c.id) ++old;
    if (old == listed_.end() || old->id != c.id || wanted_.empty()) continue;
    for (int r = 0; r < rows(laws[c.law]); ++r) {
      tau[c.row + r] = tau_[old->row + r];
      wanted[c.row + r] = wanted_[old->row + r];
    }
  }
  tau_.swap(tau);
  wanted_.swap(wanted);
  listed_ = set_.contacts;
  return false;
}

void PositionProjection::add_pushed(std::vector<std::uint64_t>& ids) const {
  const auto laws = system_.laws();
  for (const Contact& c : set_.contacts)
    if (needs_closed_gap(laws[c.law]) && tau(c.row) > 0) ids.push_back(c.id);
}

double PositionProjection::violation(double t, const Vec& q, std::span<const std::uint64_t> closed) {
  system_.list(t, q, set_);
  const auto laws = system_.laws();
  if (shape_.changing_contacts && !follow_rows()) turned_ = false;
  wanted_.resize(set_.rows(), 0);
  tau_.resize(set_.rows(), 0.0);
  double worst = 0;
  more_ = false;
  const auto raise = [&](const Contact& c, int row, double off) {
    if (!(off > 0) && !std::isnan(off)) return;
    if (!turned_) system_.directions(t, q, set_), turned_ = true;
    worst = larger(worst, off / rounding_(set_, c.row, rows(laws[c.law]), row));
  };
  for (const Contact& c : set_.contacts) {
    const Law& law = laws[c.law];
    if (is_absent(set_.gap[c.row])) {
      wanted_[c.row] = 0;  // perhaps since the last correction: it left the side of a body that it was on
      continue;
    }
    if (needs_closed_gap(law) && std::binary_search(closed.begin(), closed.end(), c.id)) {
      raise(c, c.row, std::abs(set_.gap[c.row]));
      wanted_[c.row] = 2;
    } else if (needs_closed_gap(law)) {
      raise(c, c.row, -set_.gap[c.row]);
      if (set_.gap[c.row] < 0 && !wanted_[c.row]) wanted_[c.row] = 1, more_ = true;
    } else if (const auto* joint = std::get_if<Equality>(&law)) {
      for (int r = 0; r < joint->size; ++r) {
        raise(c, c.row + r, std::abs(set_.gap[c.row + r]));
        wanted_[c.row + r] = 2;
      }
    }
  }
  return worst;
}

bool PositionProjection::project(double t, Vec& q, std::span<const std::uint64_t> closed) {
  total_.setZero();
  wanted_.clear();
  tau_.clear();
  weigh(t, q);
  rounding_.note(q);
  turned_ = turned_ && shape_.constant_directions;
  double last = infinity;
  // What is moved off one contact may be moved onto the next: in a column each look finds one contact more,
  // and only those that find none say whether Newton makes progress.
  for (int k = 0, looks = 0; k < 30 && looks < 1000; ++looks) {
    const double now = violation(t, q, closed);
    // named contacts get one correction in any case: their flights may be lower than the rounding
    if (now <= 1 && (looks > 0 || closed.empty() || now == 0)) return true;
    if (std::isnan(now)) return false;
    if (more_ && looks > 0) {
      last = infinity;
    } else {
      if (k > 2 && now >= 0.5 * last) return now <= touching_roundings;  // rounding, or no progress
      last = now, ++k;
    }
    if (!correct(t, q, looks == 0)) return false;
  }
  return false;
}

// `here`: W was evaluated at q just now.
bool PositionProjection::correct(double t, Vec& q, bool here) {
  if (!(turned_ && (here || shape_.constant_directions))) system_.directions(t, q, set_), turned_ = true;
  if (!here) weigh(t, q);
  rows_.clear();
  sizes_.clear();
  Wt_.clear();
  problem_.laws.clear();
  for (int r = 0; r < set_.rows(); ++r)
    if (wanted_[r]) {
      rows_.push_back(r);
      sizes_.push_back(1);
      problem_.laws.push_back(wanted_[r] == 2 ? &joint_ : &contact_);
      Wt_.append_row(std::as_const(set_.Wt).row(r));
    }
  if (std::none_of(rows_.begin(), rows_.end(), [&](int r) { return wanted_[r] == 1; })) return close_all(q);
  if (!factor_mass()) return false;
  const int m = static_cast<int>(rows_.size());
  problem_.G.build(factor_, Wt_, sizes_);
  P_.resize(m);
  z_.resize(m);
  for (int k = 0; k < m; ++k) P_[k] = tau_[rows_[k]];
  problem_.G.apply(P_.data(), z_.data());  // y = g + G (τ_new − τ)
  problem_.c.resize(m);
  for (int k = 0; k < m; ++k) problem_.c[k] = set_.gap[rows_[k]] - z_[k];
  solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
  step_.setZero();
  for (int k = 0; k < m; ++k) {
    Wt_.add_to(k, P_[k] - tau_[rows_[k]], step_.data());
    tau_[rows_[k]] = P_[k];
  }
  factor_.solve(step_);
  total_ += step_;
  system_.retract(q, step_, q);
  return step_.allFinite();
}

// Where nothing may open, one linear solve: g + Wᵀ Δq = 0, M Δq = W Δτ. Redundant rows do no harm.
bool PositionProjection::close_all(Vec& q) {
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  if (m == 1 && close_one(q)) return true;
  const SaddleFactor<double>::Block mass{1, &M_};
  const SaddleFactor<double>::Rows rows{1, &Wt_};
  if (!saddle_.factorize({{&mass, 1}, {&rows, 1}, &Wt_})) return false;
  z_.assign(n, 0.0);
  for (const int r : rows_) z_.push_back(-set_.gap[r]);
  saddle_.solve_least_norm(z_.data());
  for (int k = 0; k < m; ++k) tau_[rows_[k]] += z_[n + k];
  std::copy_n(z_.data(), n, step_.data());
  total_ += step_;
  system_.retract(q, step_, q);
  return step_.allFinite();
}

bool PositionProjection::factor_mass() {
  factored_ = factored_ || factor_.factorize(M_);
  return factored_;
}

// The same for one row, Δτ = −g/(wᵀM⁻¹w); false: nothing was done.
bool PositionProjection::close_one(Vec& q) {
  if (!factor_mass()) return false;
  step_.setZero();
  Wt_.add_to(0, 1, step_.data());
  factor_.solve(step_);
  const double weight = Wt_.dot(0, step_.data());
  if (!(weight > 0)) return false;
  const double tau = -set_.gap[rows_[0]] / weight;
  step_ *= tau;
  if (!step_.allFinite()) return false;
  tau_[rows_[0]] += tau;
  total_ += step_;
  system_.retract(q, step_, q);
  return true;
}

}  // namespace saltus
