// Hand-written Moreau-Jean loops for the ball, the oscillator, the elastic bar and the chains of beads:
// no virtual calls, no allocation in the step, banded algebra.  This is NOT a simulator;
// it shows what the arithmetic itself costs, as a floor for any simulator.
//   peer_floor case=ball|oscillator|bar|cradle|column h=... N=... steps=... reps=...
#include <algorithm>
#include <vector>
#include "bench.hpp"

static volatile double sink;

// tridiagonal LDL^T
struct Tri {
  std::vector<double> d, l;
  void factor(const std::vector<double>& a, const std::vector<double>& b) {
    const size_t n = a.size();
    d = a;
    l.assign(n, 0);
    for (size_t i = 1; i < n; ++i) {
      l[i] = b[i - 1] / d[i - 1];
      d[i] -= l[i] * b[i - 1];
    }
  }
  void solve(double* x) const {
    const size_t n = d.size();
    for (size_t i = 1; i < n; ++i) x[i] -= l[i] * x[i - 1];
    for (size_t i = 0; i < n; ++i) x[i] /= d[i];
    for (size_t i = n - 1; i-- > 0;) x[i] -= l[i + 1] * x[i + 1];
  }
};

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const std::string cs = A.str("case", "ball");
  const long reps = A.integer("reps", 1);
  bench::Line L;
  if (cs == "ball" || cs == "oscillator") {
    const bool ball = cs == "ball";
    const double h = A.num("h", 1e-3), T = A.num("T", ball ? 4 : 10), th = 0.5, e = 0.5;
    const double f = ball ? -2.0 : 0.0, k = ball ? 0.0 : 4.0, c = ball ? 0.0 : 0.1, m = 1;
    const long n = std::lround(T / h);
    auto s0 = bench::snap(), s1 = s0;
    double pen = 0;
    for (long r = 0; r < reps; ++r) {
      double q = 1, v = 0;
      const double W = m + h * th * c + h * h * th * th * k;
      for (long i = 0; i < n; ++i) {
        double rhs = h * (f - c * v - k * q - h * th * k * v);
        double vf = v + rhs / W, p = 0;
        if (q + 0.5 * h * v <= 0) p = std::max(0.0, -(vf + e * v) * W);
        double vn = vf + p / W;
        q += h * ((1 - th) * v + th * vn);
        v = vn;
        pen = std::max(pen, -q);
      }
      sink = q + v;
    }
    auto s2 = bench::snap();
    L.str("case", cs)
        .str("peer", "floor")
        .num("h", h)
        .timing(s0, s1, s2, n * reps)
        .num("max_penetration", pen);
  } else if (cs == "bar") {
    const long ne = A.integer("ne", 200), n = ne + 1;
    const double h = A.num("h", 2e-3), T = A.num("T", 2), th = 0.5, E = 900, le = 10.0 / double(ne);
    const long ns = std::lround(T / h);
    auto s0 = bench::snap();
    std::vector<double> md(n, le * 2 / 3), mo(n - 1, le / 6), kd(n, 2 * E / le), ko(n - 1, -E / le), wd(n),
        wo(n - 1);
    md[0] = md[n - 1] = le / 3;
    kd[0] = kd[n - 1] = E / le;
    for (long i = 0; i < n; ++i) wd[i] = md[i] + h * h * th * th * kd[i];
    for (long i = 0; i + 1 < n; ++i) wo[i] = mo[i] + h * h * th * th * ko[i];
    Tri W;
    W.factor(wd, wo);
    std::vector<double> w0(n, 0.0), q(n), v(n), x(n), dv(n);
    w0[0] = 1;
    W.solve(w0.data());
    auto s1 = bench::snap();
    long contact = 0;
    double t1 = 0, vm = 0;
    for (long r = 0; r < reps; ++r) {
      std::fill(q.begin(), q.end(), 0.0);
      std::fill(v.begin(), v.end(), -10.0);
      contact = 0;
      for (long s = 0; s < ns; ++s) {
        for (long i = 0; i < n; ++i) x[i] = q[i] + h * th * v[i];
        for (long i = 1; i + 1 < n; ++i)
          dv[i] = -h * (kd[i] * x[i] + ko[i - 1] * x[i - 1] + ko[i] * x[i + 1]);
        dv[0] = -h * (kd[0] * x[0] + ko[0] * x[1]);
        dv[n - 1] = -h * (kd[n - 1] * x[n - 1] + ko[n - 2] * x[n - 2]);
        W.solve(dv.data());
        double p = 0;
        if (q[0] + 5 + 0.5 * h * v[0] <= 0) p = std::max(0.0, -(v[0] + dv[0]) / w0[0]);
        if (p > 0) {
          ++contact;
          t1 = double(s + 1) * h;
          for (long i = 0; i < n; ++i) dv[i] += p * w0[i];
        }
        for (long i = 0; i < n; ++i) {
          double vn = v[i] + dv[i];
          q[i] += h * ((1 - th) * v[i] + th * vn);
          v[i] = vn;
        }
      }
      vm = 0;
      for (double z : v) vm += z / double(n);
    }
    auto s2 = bench::snap();
    L.str("case", "bar").str("peer", "floor").integer("ne", ne).num("h", h).timing(s0, s1, s2, ns * reps);
    L.integer("contact_steps", contact).num("t_last_contact", t1).num("mean_v_end", vm);
  } else {
    const bool cradle = cs == "cradle";
    const long N = A.integer("N", 100), steps = A.integer("steps", 1000);
    const double h = A.num("h", 1e-3), R = 0.1, m = 1, g = cradle ? 0 : 10, gap = cradle ? 0.01 : -1e-8,
                 e = cradle ? 1 : 0;
    auto s0 = bench::snap();
    std::vector<double> q(N), v(N), vf(N), u(N), p(N), a(N), b(N), y(N), c(N), z(N);
    std::vector<char> act(N), cl(N);
    auto s1 = bench::snap();
    long passes = 0, csum = 0;
    for (long r = 0; r < reps; ++r) {
      for (long i = 0; i < N; ++i) {
        q[i] = R + (cradle ? 0 : gap) + double(i) * (2 * R + gap);
        v[i] = cradle && i == 0 ? 1 : 0;
        cl[i] = 0;
      }
      for (long s = 0; s < steps; ++s) {
        // contact i: between bead i-1 and i (i = 0: floor, absent in the cradle)
        for (long i = 0; i < N; ++i) vf[i] = v[i] - h * g;
        long nc = 0;
        for (long i = cradle ? 1 : 0; i < N; ++i) {
          double gp = i ? q[i] - q[i - 1] - 2 * R : q[0] - R, gv = i ? v[i] - v[i - 1] : v[0];
          cl[i] = gp + 0.5 * h * gv <= 0;
          nc += cl[i];
          u[i] = (i ? vf[i] - vf[i - 1] : vf[0]) + e * gv;
          act[i] = cl[i];
          p[i] = 0;
        }
        if (cradle) cl[0] = act[0] = 0, p[0] = 0;
        csum += nc;
        // primal-dual active set on the tridiagonal Delassus operator; Thomas on active runs
        for (int it = 0; nc && it < 50; ++it) {
          ++passes;
          for (long i = 0; i < N;) {
            if (!act[i]) {
              p[i++] = 0;
              continue;
            }
            long j = i;
            while (j < N && act[j]) ++j;
            double dd = i ? 2 / m : 1 / m;
            c[i] = -1 / m / dd;
            z[i] = -u[i] / dd;
            for (long k = i + 1; k < j; ++k) {
              double den = 2 / m + c[k - 1] / m;
              c[k] = -1 / m / den;
              z[k] = (-u[k] + z[k - 1] / m) / den;
            }
            p[j - 1] = z[j - 1];
            for (long k = j - 1; k-- > i;) p[k] = z[k] - c[k] * p[k + 1];
            i = j;
          }
          bool changed = false;
          for (long i = 0; i < N; ++i)
            if (cl[i]) {
              bool na;
              if (act[i])
                na = p[i] > 0;
              else
                na = u[i] - (i ? p[i - 1] : 0) / m - (i + 1 < N ? p[i + 1] : 0) / m < -1e-15;
              if (na != bool(act[i])) changed = true, act[i] = na;
            }
          if (!changed) break;
        }
        for (long i = 0; i < N; ++i) {
          double vn = vf[i] + (p[i] - (i + 1 < N ? p[i + 1] : 0)) / m;
          q[i] += 0.5 * h * (v[i] + vn);
          v[i] = vn;
        }
      }
    }
    auto s2 = bench::snap();
    double vm = 0, le = 0;
    for (long i = 0; i < N; ++i) {
      vm = std::max(vm, std::abs(v[i]));
      if (!cradle) le = std::max(le, std::abs(p[i] / (double(N - i) * m * g * h) - 1));
    }
    L.str("case", cradle ? "chain-cradle" : "chain-column").str("peer", "floor").integer("N", N).num("h", h);
    L.timing(s0, s1, s2, steps * reps)
        .num("lcp_size_mean", double(csum) / double(steps * reps))
        .num("passes_per_step", double(passes) / double(steps * reps));
    L.num("v_last", v[N - 1]).num("max_abs_v", vm).num("impulse_relerr", le);
  }
  L.print();
}
