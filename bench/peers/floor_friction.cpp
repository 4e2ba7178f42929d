// The floor for friction: Gauss-Seidel over the contacts with one projection per visit, rows of W in one
// array, nothing allocated in a sweep.   peer_floor_friction file=x.fcp tol=1e-8 maxit=50000
#include "bench.hpp"
#include "fcp.hpp"

template <int D>
struct Sweeper {
  const fcp::Problem& p;
  std::vector<int> first, column;
  std::vector<double> values, diagonal, rho;
  explicit Sweeper(const fcp::Problem& problem)
      : p(problem), first(p.contacts + 1), diagonal(p.contacts * D * D), rho(p.contacts) {
    for (const auto& b : p.W) first[b.i + 1] += b.i != b.j;
    for (int i = 0; i < p.contacts; ++i) first[i + 1] += first[i];
    column.resize(first.back());
    values.resize(column.size() * D * D);
    std::vector<int> at(first.begin(), first.end() - 1);
    for (const auto& b : p.W) {
      double* to = &diagonal[b.i * D * D];
      if (b.i != b.j) column[at[b.i]] = b.j, to = &values[at[b.i]++ * D * D];
      std::copy_n(b.a, D * D, to);
    }
    for (int i = 0; i < p.contacts; ++i) {
      double sum = 0;  // Frobenius: a bound of the largest eigenvalue
      for (int k = 0; k < D * D; ++k) sum += diagonal[i * D * D + k] * diagonal[i * D * D + k];
      rho[i] = 1 / std::sqrt(sum);
    }
  }
  // one visit of every contact; returns the relative change
  double sweep(double* r) const {
    double change = 0, size = 0;
    for (int i = 0; i < p.contacts; ++i) {
      double u[D], slip = 0;
      for (int k = 0; k < D; ++k) u[k] = p.q[i * D + k];
      for (int e = first[i]; e < first[i + 1]; ++e)
        for (int k = 0; k < D; ++k)
          for (int l = 0; l < D; ++l) u[k] += values[e * D * D + k * D + l] * r[column[e] * D + l];
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += diagonal[i * D * D + k * D + l] * r[i * D + l];
      for (int k = 1; k < D; ++k) slip += u[k] * u[k];
      u[0] += p.mu[i] * std::sqrt(slip);
      double x[D];
      for (int k = 0; k < D; ++k) x[k] = r[i * D + k] - rho[i] * u[k];
      fcp::project(D, p.mu[i], x);
      for (int k = 0; k < D; ++k) {
        change += (x[k] - r[i * D + k]) * (x[k] - r[i * D + k]);
        size += x[k] * x[k];
        r[i * D + k] = x[k];
      }
    }
    return std::sqrt(change / (size + 1e-300));
  }
};

template <int D>
void run(const fcp::Problem& p, const bench::Args& args) {
  const double tol = args.num("tol", 1e-8);
  const long most = args.integer("maxit", 50000);
  const Sweeper<D> sweeper(p);
  std::vector<double> r(p.q.size(), 0.0);
  const auto start = bench::snap();
  long k = 0;
  while (k < most) {
    const double change = sweeper.sweep(r.data());
    if ((++k % 50 == 0 || change < 0.1 * tol) && fcp::residual(p, r.data()) <= tol) break;
  }
  const double seconds = bench::snap().user - start.user;
  bench::Line line;
  line.str("problem", p.name).str("solver", "floor").integer("iterations", k).num("solve_s", seconds);
  line.num("residual", fcp::residual(p, r.data())).print();
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  try {
    const fcp::Problem p = fcp::read(args.str("file", ""));
    p.dim == 2 ? run<2>(p, args) : run<3>(p, args);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
