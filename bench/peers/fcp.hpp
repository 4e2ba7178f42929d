// A frictional contact problem in the FCP text format, as the peers need it: W, q, mu and the format's
// residual.
#pragma once
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fcp {

struct Block {
  int i, j;
  double a[9];
};
struct Problem {
  std::string name;
  int dim = 0, contacts = 0;
  std::vector<double> mu, q;
  std::vector<Block> W;
};

inline Problem read(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot open " + file);
  Problem p;
  std::string key;
  int version = 0, bodies = 0, dofs = 0, count = 0;
  double skip = 0;
  const auto list = [&](std::vector<double>* x, long n) {
    if (x) x->resize(n);
    for (long k = 0; k < n; ++k) in >> (x ? (*x)[k] : skip);
  };
  in >> key >> version;
  while (in >> key && key != "END") {
    if (key == "name")
      in >> p.name;
    else if (key == "dim")
      in >> p.dim;
    else if (key == "bodies")
      in >> bodies;
    else if (key == "ndof")
      in >> dofs;
    else if (key == "contacts")
      in >> p.contacts;
    else if (key == "mu")
      list(&p.mu, p.contacts);
    else if (key == "mass" || key == "vfree")
      list(nullptr, long(bodies) * dofs);
    else if (key == "b")
      list(nullptr, long(p.contacts) * p.dim);
    else if (key == "q")
      list(&p.q, long(p.contacts) * p.dim);
    else if (key == "H")
      in >> count, list(nullptr, long(count) * (2 + p.dim * dofs));
    else if (key == "W") {
      in >> count;
      p.W.resize(count);
      for (Block& b : p.W) {
        in >> b.i >> b.j;
        for (int k = 0; k < p.dim * p.dim; ++k) in >> b.a[k];
      }
    } else
      throw std::runtime_error(file + ": unknown key " + key);
  }
  if (!in || key != "END" || p.W.empty()) throw std::runtime_error(file + ": cut off, or without W");
  return p;
}

// x onto the cone |x_T| <= mu x_N
inline void project(int dim, double mu, double* x) {
  double t = 0;
  for (int k = 1; k < dim; ++k) t += x[k] * x[k];
  t = std::sqrt(t);
  if (t <= mu * x[0]) return;
  const double n = std::max(0.0, (x[0] + mu * t) / (1 + mu * mu));
  for (int k = 1; k < dim; ++k) x[k] *= t > 0 ? mu * n / t : 0;
  x[0] = n;
}

inline double residual(const Problem& p, const double* r) {
  const int d = p.dim;
  std::vector<double> u(p.q);
  for (const Block& b : p.W)
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l) u[b.i * d + k] += b.a[k * d + l] * r[b.j * d + l];
  double e = 0, q2 = 0, r2 = 0, u2 = 0;
  for (size_t k = 0; k < u.size(); ++k) q2 += p.q[k] * p.q[k], r2 += r[k] * r[k], u2 += u[k] * u[k];
  for (int i = 0; i < p.contacts; ++i) {
    double x[3], slip = 0;
    for (int k = 1; k < d; ++k) slip += u[i * d + k] * u[i * d + k];
    for (int k = 0; k < d; ++k) x[k] = r[i * d + k] - u[i * d + k] - (k == 0 ? p.mu[i] * std::sqrt(slip) : 0);
    project(d, p.mu[i], x);
    for (int k = 0; k < d; ++k) e += (r[i * d + k] - x[k]) * (r[i * d + k] - x[k]);
  }
  return std::sqrt(e / std::max({q2, r2, u2}));
}

}  // namespace fcp
