#include "saltus/run/trajectory.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {

// A Vec grows without clearing what it gains.
void Trajectory::grow() {
  const Eigen::Index used = static_cast<Eigen::Index>(size_) * width_;
  samples_.conservativeResize(std::max<Eigen::Index>(2 * samples_.size(), used + 64 * width_));
}

// Room for a sample with its time.
double* Trajectory::next_sample(double t, bool grid_point) {
  const Eigen::Index at = static_cast<Eigen::Index>(size_) * width_;
  if (at + width_ > samples_.size()) grow();
  if (!grid_point) off_grid_.push_back(size_);
  ++size_;
  double* x = samples_.data() + at;
  *x = t;
  return x + 1;
}

void Trajectory::add(double t, In q, In u, bool grid_point, In psi) {
  if (size_ == 0) {
    nq_ = static_cast<int>(q.size()), nu_ = static_cast<int>(u.size());
    nm_ = static_cast<int>(psi.size());
    width_ = 1 + nq_ + nu_ + nm_;
  }
  if (psi.size() != nm_) fail("a sample has {} multipliers, the trajectory {}", psi.size(), nm_);
  if (q.size() != nq_ || u.size() != nu_)
    fail("a sample has {} coordinates and {} velocities, the trajectory {} and {}", q.size(), u.size(), nq_,
         nu_);
  if (size_ > 0 && t < this->t(size_ - 1))
    fail("a sample at t = {} comes after one at t = {}", t, this->t(size_ - 1));
  double* x = next_sample(t, grid_point);
  x = std::copy_n(q.data(), nq_, x);
  x = std::copy_n(u.data(), nu_, x);
  std::copy_n(psi.data(), nm_, x);
}

// A sample with room for it and nothing beside q and u, as most are, needs no call: then no register is saved
// for one. Contacts that stay closed add their impulses at the end, by a jump.
void Trajectory::operator()(const Segment& s) {
  const Eigen::Index at = static_cast<Eigen::Index>(size_) * width_;
  if (s.dense || !s.events.empty() || size_ == 0 || at + width_ > samples_.size() || !s.grid_point || nm_ > 0)
    return add_all(s);
  ++size_;
  double* x = samples_.data() + at;
  *x++ = s.end.t;
  const double *q = s.end.q.data(), *u = s.end.u.data();
  const int nq = nq_, nu = nu_;
  for (int i = 0; i < nq; ++i) x[i] = q[i];  // few numbers: a loop beats the call of a copy
  for (int i = 0; i < nu; ++i) x[nq + i] = u[i];
  if (keep_impulses && !s.end.contacts.closed.empty()) atoms_.add(s.end.t, s.end.contacts);
}

[[gnu::noinline]] void Trajectory::add_all(const Segment& s) {
  if (size_ == 0) add(s.begin.t, s.begin.q, s.begin.u, true, s.begin.aux.head(s.multipliers));
  double* x = next_sample(s.end.t, s.grid_point);
  x = std::copy_n(s.end.q.data(), nq_, x);
  x = std::copy_n(s.end.u.data(), nu_, x);
  std::copy_n(s.end.aux.data(), nm_, x);
  if (s.dense) add_dense(s);
  if (!s.events.empty()) add_events(s);
  if (keep_impulses) atoms_.add(s.end.t, s.end.contacts);
}

// A driver's own short step over an impact: the sample before it is one side of the jump, also where a step
// happened to end there.
void Trajectory::add_events(const Segment& s) {
  const auto hit = [](const Event& e) { return e.kind == EventKind::impact; };
  if (!s.grid_point && size_ > 1 && on_grid(size_ - 2) && std::any_of(s.events.begin(), s.events.end(), hit))
    off_grid_.insert(off_grid_.end() - 1, size_ - 2);
  events_.insert(events_.end(), s.events.begin(), s.events.end());
}

int Trajectory::after(double t, Side side) const {
  if (size_ == 0) fail("the trajectory is empty");
  int first = 0;  // the first sample later than t; not earlier, from the left
  for (int count = size_; count > 0;) {
    const int half = count / 2;
    const double there = this->t(first + half);
    if (side == Side::right ? there <= t : there < t)
      first += half + 1, count -= half + 1;
    else
      count = half;
  }
  return std::clamp(first, 1, std::max(1, size_ - 1));
}

void Trajectory::add_dense(const Segment& s) {
  if (!s.dense || !(s.end.t > s.begin.t)) return;
  if (!pieces_.empty() && pieces_.back().start == s.dense->start)
    pieces_.back().end = s.end.t;
  else
    add_dense(*s.dense, s.end.t);
}

void Trajectory::add_dense(const DensePiece& piece, double end) {
  if (size_ == 0) fail("the trajectory has no sample where its dense output begins");
  const auto n = static_cast<std::size_t>(piece.q.size() + piece.u.size());
  if (piece.q.size() != piece.terms * nq_ || piece.u.size() != piece.terms * nu_ || piece.terms < 1)
    fail("dense output has {} + {} coefficients in {} terms, the trajectory {} + {} components",
         piece.q.size(), piece.u.size(), piece.terms, nq_, nu_);
  if (!pieces_.empty() && !(piece.start >= pieces_.back().end))
    fail("dense output from t = {} on comes after that of t = {}", piece.start, pieces_.back().end);
  if (dense_until_ < infinity) return;
  if ((terms_.size() + n) * sizeof(double) + pieces_.size() * sizeof(Piece) > dense_limit) {
    dense_until_ = piece.start;
    return;
  }
  pieces_.push_back({piece.start, piece.length, end, piece.terms, terms_.size()});
  terms_.insert(terms_.end(), piece.q.begin(), piece.q.end());
  terms_.insert(terms_.end(), piece.u.begin(), piece.u.end());
}

// q or u from dense output, where there is some. Over the step between two pieces, in which an impact was
// located, u is that before it up to the very end, and q goes straight on.
bool Trajectory::on_piece(double t, Side side, bool velocity, Vec& y) const {
  const auto next = std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
    return side == Side::right ? p.start <= t : p.start < t;
  });
  if (next == pieces_.begin()) return false;
  const int n = velocity ? nu_ : nq_;
  const auto value = [&](const Piece& p, double time, Vec& out) {
    out.resize(n);
    dense_value(velocity ? u_terms(p) : q_terms(p), n, p.terms, (time - p.start) / p.length, out.data());
  };
  const Piece& p = *(next - 1);
  if (t > p.end && next == pieces_.end()) return false;
  if (t > p.end && size_ > 1) {  // impacts in a row have samples between them
    const int i = after(t, side);
    if (this->t(i - 1) > p.end || this->t(i) < next->start) {
      const double w = (t - this->t(i - 1)) / (this->t(i) - this->t(i - 1));
      y = velocity ? Vec(u(i - 1)) : Vec((1 - w) * q(i - 1) + w * q(i));
      return true;
    }
  }
  value(p, std::min(t, p.end), y);
  if (t > p.end && !velocity) {
    Vec there;
    value(*next, next->start, there);
    const double w = (t - p.end) / (next->start - p.end);
    y = (1 - w) * y + w * there;
  }
  return true;
}

Vec Trajectory::q(double t, Side side) const {
  Vec y;
  if (on_piece(t, side, false, y)) return y;
  if (size() == 1) return q(0);
  const int i = after(t, side);
  const double h = this->t(i) - this->t(i - 1), w = h > 0 ? std::clamp((t - this->t(i - 1)) / h, 0.0, 1.0)
                                                    : side == Side::right ? 1.0
                                                                          : 0.0;
  return (1 - w) * q(i - 1) + w * q(i);
}

Vec Trajectory::u(double t, Side side) const {
  Vec y;
  if (on_piece(t, side, true, y)) return y;
  if (size() == 1) return u(0);
  const int i = after(t, side);
  const double h = this->t(i) - this->t(i - 1);
  const double w = h > 0 ? std::clamp((t - this->t(i - 1)) / h, 0.0, 1.0) : side == Side::right ? 1.0 : 0.0;
  return (1 - w) * u(i - 1) + w * u(i);
}

Trajectory Trajectory::sampled(std::span<const double> times) const {
  std::vector<double> jumps;
  for (const Event& e : events_) jumps.push_back(e.t);
  std::sort(jumps.begin(), jumps.end());
  Trajectory out;
  for (const double t : times) {
    const Point after = (*this)(t, Side::right);
    if (std::binary_search(jumps.begin(), jumps.end(), t)) {
      const Point before = (*this)(t, Side::left);
      if (before.u != after.u) out.add(t, before.q, before.u);
    }
    out.add(t, after.q, after.u);
  }
  out.events_ = events_, out.atoms_ = atoms_;
  return out;
}

double Trajectory::impulse(std::uint64_t contact, int row, double t0, double t1) const {
  double sum = 0;
  const auto first =
      std::upper_bound(atoms_.begin(), atoms_.end(), t0, [](double t, const Atom& a) { return t < a.t; });
  for (auto a = first; a != atoms_.end() && a->t <= t1; ++a)
    if (const Atom one = *a; one.contact == contact && row < one.rows) sum += impulse(one, row);
  return sum;
}

}  // namespace saltus
