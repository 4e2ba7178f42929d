#include "saltus/verify/equations.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The groups of rows that slip together: discs of friction, else all rows.
template <class F>
void each_disc(const Law& law, F&& f) {
  if (is_frictional(law)) {
    for (const FrictionDisc& d : discs_of(law)) f(d.at, d.rows, d.bound);
    return;
  }
  const int first = needs_closed_gap(law) ? 1 : 0;
  if (rows(law) > first) f(first, rows(law) - first, 0.0);
}

}  // namespace

Equations::Equations(const System& system, Vec size, Vec speed, double part)
    : system_(system, faults_),
      laws_(system.laws()),
      shape_(system.shape()),
      size_(std::move(size)),
      speed_(std::move(speed)),
      part_(part),
      mass_(shape_.nu, shape_.mass),
      force_(Vec::Zero(shape_.nu)) {
  set_.look_ahead = 4 * part * size_.lpNorm<Eigen::Infinity>();
}

bool Equations::evaluate(double t, const Vec& q, const Vec& u) {
  const std::int64_t faults = faults_.begin();
  if (!mass_known_) {
    system_.mass(t, q, mass_);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(shape_.nu, shape_.nu);
    mass_.for_each([&](int i, int j, double m) { M(i, j) += m; });
    if (!root_.compute(M)) return false;
    mass_known_ = shape_.constant_mass;
  }
  system_.force(t, q, u, force_);
  system_.list(t, q, set_);
  system_.directions(t, q, set_);
  measure_rows(u);
  return !faults_.since(faults);
}

bool Equations::turn(double t, const Vec& q, const Vec& u) {
  const std::int64_t faults = faults_.begin();
  system_.directions(t, q, set_);
  measure_rows(u);
  return !faults_.since(faults);
}

void Equations::measure_rows(const Vec& u) {
  const int m = set_.rows();
  gamma_.assign(m, 0), gap_scale_.assign(m, 0), rate_scale_.assign(m, 0);
  for (int r = 0; r < m; ++r) {
    gamma_[r] = set_.Wt.dot(r, u.data()) + set_.drift[r];
    rate_scale_[r] = std::abs(set_.drift[r]);
    for (const auto& e : set_.Wt.row(r)) {
      gap_scale_[r] += std::abs(e.value) * size_[e.column];
      rate_scale_[r] += std::abs(e.value) * speed_[e.column];
    }
  }
}

double Equations::velocity_norm(const Vec& v) const {
  return std::sqrt(std::max(0.0, mass_.bilinear(v, v)));
}
double Equations::force_norm(const Vec& f) const {
  return root_.solve_lower(f).norm();
}

double Equations::row_norm(int row) const {
  Vec w = Vec::Zero(shape_.nu);
  set_.Wt.add_to(row, 1, w.data());
  return root_.solve_lower(w).norm();
}

double Equations::compliance(const Contact& c) const {
  double trace = 0;
  for (int r = c.row; r < c.row + rows(law(c)); ++r) trace += std::pow(row_norm(r), 2);
  return trace;
}

// The directions in which a contact moves, beyond what counts as zero.
Block Equations::motion(const Contact& c, bool& leaves) const {
  const Law& l = law(c);
  Block out = Block::Zero(rows(l));
  leaves = needs_closed_gap(l) && gamma_[c.row] > part_ * rate_scale_[c.row];
  if (std::holds_alternative<Equality>(l)) return out;
  if (on_position_level(l)) {
    const double g = set_.gap[c.row];
    if (std::abs(g) > part_ * gap_scale_[c.row]) out[0] = g > 0 ? 1 : -1;
    return out;
  }
  each_disc(l, [&](int at, int n, double) {
    double speed = 0, scale = 0;
    for (int k = 0; k < n; ++k)
      speed = std::hypot(speed, gamma_[c.row + at + k]), scale = std::max(scale, rate_scale_[c.row + at + k]);
    if (speed <= part_ * scale) return;
    for (int k = 0; k < n; ++k) out[at + k] = gamma_[c.row + at + k] / speed;
  });
  return out;
}

void Equations::find_active(Level level, const std::vector<std::uint64_t>& done) {
  active_.clear();
  int first = 0;
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    const Contact& c = set_.contacts[i];
    if (!closed(c) || std::find(done.begin(), done.end(), c.id) != done.end()) continue;
    bool leaves = false;
    Block slip = motion(c, leaves);
    if (level == Level::impulse) slip.setZero(), leaves = false;
    if (leaves) continue;
    active_.push_back({i, first, rows(law(c)), slip});
    first += rows(law(c));
  }
  scaled_ = Eigen::MatrixXd::Zero(shape_.nu, first);
  for (const Active& a : active_)
    for (int r = 0; r < a.rows; ++r)
      set_.Wt.add_to(set_.contacts[a.contact].row + r, 1, scaled_.col(a.first + r).data());
  root_.solve_lower_in_place(scaled_);
}

// What moves has a force far out in the direction against it, so that its law puts it on its edge.
void Equations::project(const Active& a, double dt, double* x) const {
  for (int r = 0; r < a.rows; ++r) x[r] -= huge_ * a.slip[r];
  prox(law(set_.contacts[a.contact]), dt, x);
}

bool Equations::admissible(double dt, const Vec& x) const {
  const double rounding = 1e-10 * (x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0);
  for (const Active& a : active_) {
    Block y = x.segment(a.first, a.rows);
    project(a, dt, y.data());
    if ((y - x.segment(a.first, a.rows)).lpNorm<Eigen::Infinity>() > rounding) return false;
  }
  return true;
}

bool Equations::fit(double dt, const Vec& guess, const Vec& b, Vec& x) const {
  const auto n = static_cast<int>(guess.size());
  Eigen::MatrixXd free = Eigen::MatrixXd::Zero(n, n);
  Vec fixed = Vec::Zero(n);
  int columns = 0;
  for (const Active& a : active_) {
    const Law& l = law(set_.contacts[a.contact]);
    const auto have = guess.segment(a.first, a.rows);
    const bool contact = needs_closed_gap(l);
    if (contact && !(have[0] > 0)) continue;
    const int normal = contact ? columns++ : -1;
    if (contact) free(a.first, normal) = 1;
    if (std::holds_alternative<Equality>(l)) {
      for (int r = 0; r < a.rows; ++r) free(a.first + r, columns++) = 1;
      continue;
    }
    each_disc(l, [&](int at, int m, double bound) {
      Block here = have.segment(at, m), edge = a.slip.segment(at, m);
      const bool slides = edge.squaredNorm() > 0;
      if (!is_frictional(l)) {  // limits that are forces
        const Block beyond = (1 + 1e-9) * have;
        Block inside = beyond;
        project(a, dt, inside.data());
        const bool rests = !slides && (inside - beyond).norm() == 0;
        for (int k = 0; k < m; ++k)
          if (rests)
            free(a.first + at + k, columns++) = 1;
          else
            fixed[a.first + at + k] = inside[at + k];
        return;
      }
      // on the edge of its disc without slip: where the guess points
      const double length = here.norm();
      const bool on_edge = !slides && length > 0 && length >= (1 - 1e-9) * bound * have[0];
      if (slides || on_edge) {
        for (int k = 0; k < m; ++k)
          free(a.first + at + k, normal) = slides ? -bound * edge[k] : bound * here[k] / length;
        return;
      }
      for (int k = 0; k < m; ++k) free(a.first + at + k, columns++) = 1;
    });
  }
  x = fixed;
  if (columns > 0) {
    const Eigen::MatrixXd A = scaled_ * free.leftCols(columns);
    x += free.leftCols(columns) * least_norm_solution(A, b - scaled_ * fixed);
  }
  return admissible(dt, x);
}

// Projections block by block: admissible whatever happens.
void Equations::sweep(double dt, const Vec& b, Vec& x) const {
  constexpr int most = 1000;
  Vec rest = b - scaled_ * x;
  for (int k = 0; k < most; ++k) {
    double change = 0, size = 0;
    for (const Active& a : active_) {
      const auto W = scaled_.middleCols(a.first, a.rows);
      const double G = W.squaredNorm();
      if (!(G > 0)) continue;
      const Block old = x.segment(a.first, a.rows);
      Block now = old + W.transpose() * rest / G;
      project(a, dt, now.data());
      rest -= W * (now - old);
      x.segment(a.first, a.rows) = now;
      change = std::max(change, (now - old).norm()), size = std::max(size, now.norm());
    }
    if (change <= 4 * epsilon * size) return;
  }
}

// First with all that touches. Where that breaks a law: without what pulls, and with friction at its limit
// where it was beyond; this ends in a few rounds, or projections decide.
Vec Equations::reactions(double dt, const Vec& b) const {
  constexpr int rounds = 8;
  const double enough = 1e-3 * part_ * b.norm();
  const auto left = [&](const Vec& x) { return (b - scaled_ * x).norm(); };
  Vec guess = Vec::Zero(scaled_.cols()), best;
  for (const Active& a : active_)
    if (needs_closed_gap(law(set_.contacts[a.contact]))) guess[a.first] = 1;
  if (fit(dt, guess, b, best)) return best;
  for (int k = 0; k < rounds; ++k) {
    for (const Active& a : active_) project(a, dt, best.data() + a.first);
    guess = best;
    if (fit(dt, guess, b, best) && left(best) <= enough) return best;
  }
  best.setZero();
  sweep(dt, b, best);
  if (Vec x; fit(dt, best, b, x) && left(x) < left(best)) best = x;
  return best;
}

void Equations::subtract_reactions(Level level, double dt, const std::vector<std::uint64_t>& done, Vec& r) {
  find_active(level, done);
  lambda_.assign(set_.rows(), 0);
  if (active_.empty()) return;
  const Vec b = root_.solve_lower(r);
  double least = infinity;
  for (Eigen::Index k = 0; k < scaled_.cols(); ++k)
    if (const double g = scaled_.col(k).norm(); g > 0) least = std::min(least, g);
  huge_ = least < infinity ? 1e13 * b.norm() / least : 0;
  for (const Law& l : laws_)
    if (const auto limits = limits_of(l))
      huge_ = std::max(huge_, 1e3 * dt * (std::abs(limits->lower) + std::abs(limits->upper)));
  const Vec best = reactions(dt, b);
  for (const Active& a : active_)
    for (int k = 0; k < a.rows; ++k) lambda_[set_.contacts[a.contact].row + k] = best[a.first + k];
  r = root_.times_lower(b - scaled_ * best);
}

}  // namespace saltus
