// The ten problems of bench/impacts/*.yaml in plain C++, for the peers: M(q) q" = h(t, q, q'), gaps a·q + b
// >= 0 with Newton's restitution. Nothing here comes from Saltus.
#pragma once
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace impacts {

struct Gap {
  std::vector<double> a;
  double b, e;
};

struct Problem {
  std::string name;
  int n;
  double T;
  std::vector<double> q0, v0;
  std::vector<double> mass;  // diagonal
  void (*force)(double t, const double* q, const double* v, double* h);
  std::vector<Gap> gaps;
  void (*full_mass)(const double* q, double* M) = nullptr;  // n = 2, instead of the diagonal
};

inline void ball(double, const double*, const double*, double* h) {
  h[0] = -9.81;
}
inline void driven(double t, const double* q, const double* v, double* h) {
  h[0] = 5 * std::sin(6 * t) - 0.2 * v[0] - 10 * q[0];
}
inline void duffing(double t, const double* q, const double* v, double* h) {
  h[0] = q[0] - q[0] * q[0] * q[0] - 0.12 * v[0] + 0.9 * std::cos(1.2 * t);
}
inline void room(double, const double*, const double* v, double* h) {
  h[0] = -0.7 * 9.81 - 0.05 * v[0] * std::sqrt(1 + v[0] * v[0]);
  h[1] = -0.4 * 9.81 - 0.05 * v[1] * std::sqrt(1 + v[1] * v[1]);
}
inline void column(double, const double*, const double*, double* h) {
  h[0] = -9.81, h[1] = -0.6 * 9.81, h[2] = -0.25 * 9.81;
}
inline void pendulum(double, const double* q, const double* v, double* h) {
  h[0] = -9.81 / 1.3 * std::sin(q[0]) - 0.01 * v[0];
}
constexpr double m1 = 1, m2 = 0.6, l1 = 0.9, l2 = 0.7, g = 9.81;
inline void double_pendulum_mass(const double* q, double* M) {
  const double c = m2 * l1 * l2 * std::cos(q[0] - q[1]);
  M[0] = (m1 + m2) * l1 * l1, M[1] = M[2] = c, M[3] = m2 * l2 * l2;
}
inline void double_pendulum(double, const double* q, const double* v, double* h) {
  const double s = m2 * l1 * l2 * std::sin(q[0] - q[1]), c = 0.02;
  h[0] = -s * v[1] * v[1] - (m1 + m2) * g * l1 * std::sin(q[0]) - c * v[0] - c * (v[0] - v[1]);
  h[1] = s * v[0] * v[0] - m2 * g * l2 * std::sin(q[1]) - c * (v[1] - v[0]);
}
inline void damper(double t, const double* q, const double* v, double* h) {
  h[0] = 2 * std::cos(5.2 * t) - 25 * q[0] - 0.1 * v[0];
  h[1] = 0;
}
inline void box(double, const double*, const double* v, double* h) {
  const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
  h[0] = -0.03 * v[0] * speed - 0.4 * v[1];
  h[1] = -9.81 - 0.03 * v[1] * speed + 0.4 * v[0];
}
inline void three_stops(double t, const double* q, const double* v, double* h) {
  const double k = 4, s = 3, c = 0.15;
  h[0] = -k * q[0] - s * (q[0] - q[1]) - c * v[0] + 3 * std::cos(2.3 * t);
  h[1] = -k * q[1] - s * (q[1] - q[0]) - s * (q[1] - q[2]) - c * v[1];
  h[2] = -k * q[2] - s * (q[2] - q[1]) - c * v[2];
}

inline std::vector<Problem> problems() {
  return {
      {"ball", 1, 4.2, {1}, {0}, {1}, ball, {{{1}, 0, 0.85}}},
      {"driven", 1, 60, {1}, {0}, {1}, driven, {{{1}, 0, 0.8}}},
      {"duffing", 1, 20, {0.3}, {0.2}, {1}, duffing, {{{1}, 1.35, 0.75}, {{-1}, 1.25, 0.75}}},
      {"room",
       2,
       1.5,
       {0.3, 0.7},
       {6, -1},
       {0.7, 0.4},
       room,
       {{{1, 0}, -0.1, 0.9}, {{-1, 1}, -0.18, 0.8}, {{0, -1}, 1.12, 0.95}}},
      {"column",
       3,
       1.2,
       {0.25, 0.31, 0.42},
       {0, 0, 0},
       {1, 0.6, 0.25},
       column,
       {{{1, 0, 0}, 0, 0.9}, {{-1, 1, 0}, 0, 0.85}, {{0, -1, 1}, 0, 0.95}}},
      {"pendulum", 1, 20, {1}, {0}, {1}, pendulum, {{{1}, 0.2, 0.9}}},
      {"double-pendulum",
       2,
       5,
       {0.1, -0.4},
       {2, 3},
       {1, 1},
       double_pendulum,
       {{{1, 0}, 0.2, 0.7}, {{1, -1}, 0.5, 0.7}},
       double_pendulum_mass},
      {"damper",
       2,
       3.5,
       {0.1, 0.1},
       {0, 0.3},
       {1, 0.15},
       damper,
       {{{-1, 1}, 0.12, 0.75}, {{1, -1}, 0.12, 0.75}}},
      {"box",
       2,
       5,
       {0.3, 0.5},
       {3, 1},
       {1, 1},
       box,
       {{{1, 0}, 0, 0.95}, {{-1, 0}, 1.5, 0.95}, {{0, 1}, 0, 0.95}, {{0, -1}, 1, 0.95}}},
      {"three-stops",
       3,
       20,
       {0.1, -0.1, 0.2},
       {0, 0, 0},
       {1, 0.8, 1.2},
       three_stops,
       {{{-1, 0, 0}, 0.5, 0.8}, {{0, -1, 0}, 0.5, 0.8}, {{0, 0, -1}, 0.5, 0.8}}},
      // beyond the ten: impacts accumulate at t = 1.35
      {"zeno", 1, 3, {1}, {0}, {1}, ball, {{{1}, 0, 0.5}}},
  };
}

inline Problem problem(const std::string& name) {
  for (auto& p : problems())
    if (p.name == name) return p;
  std::fprintf(stderr, "no problem '%s'\n", name.c_str());
  std::exit(2);
}

// M x = b in place; n at most 3.
inline void solve_mass(const Problem& p, const double* q, double* b) {
  if (!p.full_mass) {
    for (int i = 0; i < p.n; ++i) b[i] /= p.mass[i];
    return;
  }
  double M[4];
  p.full_mass(q, M);
  const double det = M[0] * M[3] - M[1] * M[2], x = b[0];
  b[0] = (M[3] * b[0] - M[1] * b[1]) / det;
  b[1] = (M[0] * b[1] - M[2] * x) / det;
}

// Newton's law at one gap that closes: velocities after it.
inline void impact(const Problem& p, const Gap& gap, const double* q, double* v) {
  double d[3], speed = 0, weight = 0;
  for (int i = 0; i < p.n; ++i) d[i] = gap.a[i], speed += gap.a[i] * v[i];
  solve_mass(p, q, d);
  for (int i = 0; i < p.n; ++i) weight += gap.a[i] * d[i];
  for (int i = 0; i < p.n; ++i) v[i] -= (1 + gap.e) * speed / weight * d[i];
}

}  // namespace impacts
