#include "saltus/scheme/moreau/extrapolation_stepper.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr int energies = 4;  // behind q and u in the tableau: what the contacts of a step took and did

double neville_divisor(int n_i, int n_j, int power) {
  return std::pow(static_cast<double>(n_i) / n_j, power) - 1;
}

}  // namespace

void NevilleTableau::reserve(int rows, int size) {
  entry_.assign(index(rows + 1, 1), Vec::Zero(size));
  n_.clear();
  n_.reserve(rows);
}

Vec& NevilleTableau::begin_row(int substeps) {
  n_.push_back(substeps);
  return entry_[index(rows(), 1)];
}

void NevilleTableau::complete_row(int power) {
  const int i = rows();
  for (int j = 1; j < i; ++j) {
    const Vec &t = entry_[index(i, j)], &above = entry_[index(i - 1, j)];
    entry_[index(i, j + 1)] = t + (t - above) / neville_divisor(n_[i - 1], n_[i - 1 - j], power);
  }
}

std::vector<std::vector<double>> neville(std::span<const double> first_column, std::span<const int> substeps,
                                         int power) {
  if (first_column.size() != substeps.size())
    fail("the tableau has {} first entries for {} numbers of substeps", first_column.size(), substeps.size());
  std::vector<std::vector<double>> T;
  for (std::size_t i = 0; i < first_column.size(); ++i) {
    if (substeps[i] < 1 || (i > 0 && substeps[i] <= substeps[i - 1]))
      fail("numbers of substeps must increase from 1 on, not go to {}", substeps[i]);
    std::vector<double> row{first_column[i]};
    for (std::size_t j = 0; j < i; ++j)
      row.push_back(row[j] +
                    (row[j] - T[i - 1][j]) / neville_divisor(substeps[i], substeps[i - 1 - j], power));
    T.push_back(std::move(row));
  }
  return T;
}

std::string_view to_string(Outcome outcome) {
  constexpr std::string_view names[] = {"success", "inaccurate", "detected", "resolved"};
  return names[static_cast<std::size_t>(outcome)];
}

bool turned(const ContactMemory& a, const ContactMemory::Record& x, const ContactMemory& b,
            const ContactMemory::Record& y) {
  const int normal = x.has_gap ? 1 : 0;
  if (x.mode != Mode::slip || y.mode != Mode::slip || x.rows - normal < 2 || x.rows != y.rows) return false;
  double dot = 0;
  for (int r = normal; r < x.rows; ++r) dot += a.impulse[x.offset + r] * b.impulse[y.offset + r];
  return dot < 0;
}

bool same_modes(const ContactMemory& a, const ContactMemory& b) {
  if (a.closed.size() != b.closed.size()) return false;
  for (std::size_t i = 0; i < a.closed.size(); ++i) {
    const auto &x = a.closed[i], &y = b.closed[i];
    if (x.id != y.id || x.mode != y.mode || turned(a, x, b, y)) return false;
  }
  return true;
}

ExtrapolationStepper::ExtrapolationStepper(std::unique_ptr<Stepper> base, const System& system,
                                           const Extrapolation& options)
    : base_(std::move(base)),
      system_(system),
      options_(options),
      flat_(system.shape().flat),
      nq_(flat_ ? system.shape().nq : system.shape().nu),
      nu_(system.shape().nu) {
  if (!flat_) way_.setZero(nq_), size_.setZero(nq_);
  const auto fits = [](const NumberList& list, int n, const char* name) {
    if (!list.single() && static_cast<int>(list.values.size()) != n)
      fail("{} has {} numbers, the system has {} coordinates: give one number for all, or one for each", name,
           list.values.size(), n);
  };
  fits(options.atol_q, nq_, "atol_q"), fits(options.atol_u, nu_, "atol_u");
  tableau_.reserve(order(), nq_ + nu_ + energies);
}

// n steps of length h/n from x0 into the first entry of a new row; false when a step fails or a mode changes.
bool ExtrapolationStepper::take_row(const State& x0, double h, int n, StepReport& report, bool& switched) {
  base_->share_matrix(n > 1);
  for (int k = 0; k < n; ++k) {
    const State& from = k == 0 ? x0 : now_;
    const StepReport sub = base_->step(from, h / n, next_);
    ++base_steps_;
    report.force_evaluations += sub.force_evaluations;
    report.newton_iterations += sub.newton_iterations;
    report.contact_iterations += sub.contact_iterations;
    report.contact_residual = std::max(report.contact_residual, sub.contact_residual);
    report.min_gap = std::min(report.min_gap, sub.min_gap);
    report.joint_position = std::max(report.joint_position, sub.joint_position);
    report.joint_velocity = sub.joint_velocity;
    report.bad_contact = sub.bad_contact;
    report.contradictory = sub.contradictory, report.immovable = sub.immovable;
    report.has_rival = sub.has_rival, report.rival_contact = sub.rival_contact;
    report.contact_violation = sub.contact_violation;
    if (sub.fault) faults().note(sub.fault);
    report.fault = sub.fault;
    report.status = sub.status;
    report.u_minus = sub.u_minus, report.u_plus = sub.u_plus;
    if (sub.status != StepStatus::ok) return false;
    switched = switched || !same_modes(from.contacts, next_.contacts);
    if (switched && n > 1) return false;
    if (k == 0)
      impulse_.assign(next_.contacts.impulse.size(), 0.0), report.contact_loss = report.wall_work = 0,
                                                           report.friction_loss = report.ideal_loss = 0;
    report.contact_loss += sub.contact_loss, report.wall_work += sub.wall_work;
    report.friction_loss += sub.friction_loss, report.ideal_loss += sub.ideal_loss;
    for (std::size_t r = 0; r < impulse_.size(); ++r) impulse_[r] += next_.contacts.impulse[r];
    std::swap(now_, next_);
  }
  Vec& first = tableau_.begin_row(n);
  if (flat_) {
    first.head(nq_) = now_.q;
  } else {
    system_.difference(x0.q, now_.q, way_);
    system_.sizes(x0.q, size_);
    first.head(nq_) = way_;
  }
  first.segment(nq_, nu_) = now_.u;
  first.tail(energies) << report.contact_loss, report.wall_work, report.friction_loss, report.ideal_loss;
  tableau_.complete_row(options_.power);
  return true;
}

// Whether n numbers from `at` on differ by no more than a tolerance; own ones of zero are those of all.
bool ExtrapolationStepper::within(const Vec& fine, const Vec& coarse, int at, int n,
                                  const NumberList& own_atol, double own_rtol) const {
  const double rtol = own_rtol > 0 ? own_rtol : options_.rtol;
  const bool each = options_.norm == ErrorNorm::each;
  const auto sizes = !flat_ && at == 0 ? size_.segment(0, n) : fine.segment(at, n);
  const double size = each ? 0 : sizes.lpNorm<Eigen::Infinity>();
  for (int k = 0; k < n; ++k) {
    const double atol = own_atol[k] > 0 ? own_atol[k] : options_.atol;
    const double allowed = atol + rtol * (each ? std::abs(sizes[k]) : size);
    if (!(std::abs(fine[at + k] - coarse[at + k]) <= allowed)) return false;
  }
  return true;
}

bool ExtrapolationStepper::accurate(int i) const {
  const Vec &fine = tableau_(i, i), &coarse = tableau_(i - 1, i - 1);
  return within(fine, coarse, 0, nq_, options_.atol_q, options_.rtol_q) &&
         within(fine, coarse, nq_, nu_, options_.atol_u, options_.rtol_u);
}

bool ExtrapolationStepper::approach(const Vec& fine, const Vec& coarse, double part) const {
  double difference = 0, size = 0;
  for (int k = 0; k < nu_; ++k) {
    difference = std::max(difference, std::abs(fine[nq_ + k] - coarse[nq_ + k]));
    size = std::max(size, std::abs(fine[nq_ + k]));
  }
  return difference <= part * size;
}

// Twice in a row: a vibration may end alike by chance.
bool ExtrapolationStepper::base_suffices(const State& x0, double h) {
  State from = x0;
  for (int k = 0; k < 2; ++k) {
    StepReport report;
    bool switched = false;
    tableau_.clear();
    if (!take_row(from, h, 1, report, switched) || !take_row(from, h, 3, report, switched) || switched)
      return false;
    const Vec &fine = tableau_(2, 1), &coarse = tableau_(1, 1);
    if (!within(fine, coarse, 0, nq_, options_.atol_q, options_.rtol_q) || !approach(fine, coarse, 0.1))
      return false;
    from = now_;
  }
  return true;
}

Outcome ExtrapolationStepper::extrapolate(const State& x0, double h, State& x1, StepReport& report) {
  tableau_.clear();
  starved_ = false, converging_ = true;
  bool switched = false, done = false;
  for (int i = 1; i <= order() && !done; ++i) {
    const int n = substep_count(options_.substeps, i);
    if (i > 1 && h < n * options_.h_min * (1 - 1e-9)) {
      starved_ = true;
      break;
    }
    if (!take_row(x0, h, n, report, switched))
      return report.status == StepStatus::ok ? Outcome::detected : Outcome::inaccurate;
    if (switched && !is_minimal(h)) return Outcome::detected;
    done = options_.order == 0 && i > 1 && accurate(i);
    if (switched) break;
  }
  // Extrapolation whose rows are too few for the tolerance may amplify what the base scheme keeps bounded.
  const int rows = tableau_.rows();
  converging_ = !starved_ || options_.order > 0 || rows < 2 ||
                approach(tableau_(rows, rows), tableau_(rows - 1, rows - 1), 1e-4);
  const bool base_only = !converging_;
  const Vec& result = base_only ? tableau_(rows, 1) : tableau_(rows, rows);
  x1.t = x0.t + h;
  if (flat_) {
    x1.q = result.head(nq_);
  } else {
    way_ = result.head(nq_);
    x1.q.resize(x0.q.size());
    system_.retract(x0.q, way_, x1.q);
  }
  x1.u = result.segment(nq_, nu_);
  const auto energy = result.tail(energies);
  report.contact_loss = energy[0], report.wall_work = energy[1];
  report.friction_loss = energy[2], report.ideal_loss = energy[3];
  x1.contacts = now_.contacts;
  x1.contacts.impulse.assign(impulse_.begin(), impulse_.end());
  x1.contacts.step = h;
  x1.contacts.speed *= substep_count(options_.substeps, rows);
  report.order = base_only ? 1 : rows;
  if (!result.allFinite()) report.status = StepStatus::not_finite;
  if (report.status != StepStatus::ok) return Outcome::inaccurate;
  if (switched) return Outcome::resolved;
  return done || options_.order > 0 ? Outcome::success : Outcome::inaccurate;
}

StepReport ExtrapolationStepper::single(const State& x0, double h, State& x1) {
  ++base_steps_;
  base_->share_matrix(false);
  StepReport report = base_->step(x0, h, x1);
  if (report.fault) faults().note(report.fault);
  report.order = 1;
  return report;
}

StepReport ExtrapolationStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  if (extrapolate(x0, h, x1, report) != Outcome::detected) return report;
  const StepReport again = single(x0, h, x1);
  StepReport total = again;
  total.force_evaluations += report.force_evaluations;
  total.newton_iterations += report.newton_iterations;
  total.contact_iterations += report.contact_iterations;
  return total;
}

}  // namespace saltus
