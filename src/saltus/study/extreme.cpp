#include "saltus/study/extreme.hpp"

#include <array>
#include <cmath>

namespace saltus {
namespace {

// One component of a piece.
struct Polynomial {
  std::array<double, DensePiece::max_terms> c;
  int terms;

  double value(double x) const {
    double y = 0;
    dense_value(c.data(), 1, terms, x, &y);
    return y;
  }
  double slope(double x) const {
    double y = 0;
    dense_slope(c.data(), 1, terms, x, &y);
    return y;
  }
};

// Where the slope, of one sign at a and of the other at b, is zero.
double turning_point(const Polynomial& p, double a, double b) {
  const bool rises = p.slope(a) > 0;
  for (int k = 0; k < 60 && b - a > 1e-15; ++k) {
    const double middle = 0.5 * (a + b);
    ((p.slope(middle) > 0) == rises ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

}  // namespace

Extreme::Extreme(bool positions, int first, int last, bool largest, bool absolute)
    : positions_(positions),
      largest_(largest),
      absolute_(absolute),
      first_(first),
      last_(last),
      value_(std::nan("")) {}

void Extreme::take(double t, double x) {
  if (absolute_) x = std::abs(x);
  if (std::isnan(value_) || (largest_ ? x > value_ : x < value_)) value_ = x, t_ = t;
}

void Extreme::look(double t, In q, In u) {
  for (int i = first_; i < last_; ++i) take(t, positions_ ? q[i] : u[i]);
}

// A component may turn more than once in a long step: four parts are looked at.
void Extreme::look_inside(const DensePiece& piece, double begin, double end, int component) {
  constexpr int parts = 4;
  const Vec& c = positions_ ? piece.q : piece.u;
  Polynomial p{{}, piece.terms};
  const Eigen::Index n = c.size() / piece.terms;
  for (int k = 0; k < piece.terms; ++k) p.c[static_cast<std::size_t>(k)] = c[k * n + component];
  const double first = (begin - piece.start) / piece.length, width = (end - begin) / piece.length / parts;
  for (int k = 0; k < parts; ++k) {
    const double a = first + k * width, b = a + width;
    if (p.slope(a) * p.slope(b) >= 0) continue;
    const double x = turning_point(p, a, b);
    take(piece.start + x * piece.length, p.value(x));
  }
}

void Extreme::operator()(const Segment& s) {
  if (s.dense && s.end.t > s.begin.t)
    for (int i = first_; i < last_; ++i) look_inside(*s.dense, s.begin.t, s.end.t, i);
  look(s.end.t, s.end.q, s.end.u);
}

}  // namespace saltus
