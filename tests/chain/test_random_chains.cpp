// Two hundred random chains as scenes, run by tolerance, against integrators that share neither the scene's
// reader nor the chain's equations: the laws are written down once more here, as Newton's equations in (x,
// v), and integrated by extrapolation and, where it is installed, by CVODE.
#include <gtest/gtest.h>

#include "saltus/core/random.hpp"
#include "saltus/reference/gbs.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/study/tightening.hpp"
#include "support/cvode.hpp"

namespace saltus::test_random_chains {
namespace {

constexpr std::uint64_t chains = 200;

// An end: free, a wall, a wall that moves as s sin(ω t), or a force s cos(ω t) on the bead.
struct End {
  enum Kind { free, wall, moving, pushed } kind = free;
  double s = 0, omega = 1;
  bool contact() const { return kind == wall || kind == moving; }
  double place(double t) const { return kind == moving ? s * std::sin(omega * t) : 0; }
  double rate(double t) const { return kind == moving ? s * omega * std::cos(omega * t) : 0; }
  double push(double t) const { return kind == pushed ? s * std::cos(omega * t) : 0; }
};

struct RandomChain {
  int N;
  std::vector<double> m, K, C, v;         // of beads
  std::vector<double> k, gamma, beta, a;  // of contacts, N + 1; a: overlap where x = 0
  End left, right;
  double end;

  explicit RandomChain(std::uint64_t seed) {
    SplitMix64 random(seed * 7919 + 1);
    const auto chance = [&](double p) { return random.next() < p; };
    const auto any = [&](double low, double high) { return random.between(low, high); };
    const double laws[] = {1, 1.5, 2.5};
    const auto law = [&] { return laws[static_cast<int>(3 * random.next())]; };
    N = 2 + static_cast<int>(7 * random.next());
    end = any(2, 6);
    const double one = law();
    const bool different = chance(0.4), springs = chance(0.5), drags = chance(0.4), damped = chance(0.85);
    const double gaps = any(0, 3);  // gaps, precompression, or neither
    for (int i = 0; i < N; ++i) {
      m.push_back(any(0.3, 3)), v.push_back(any(-1, 1));
      K.push_back(springs && chance(0.7) ? any(0.01, 1) : 0), C.push_back(drags ? any(0, 0.3) : 0);
    }
    const auto choose = [&] {
      End e;
      e.kind = static_cast<End::Kind>(static_cast<int>(4 * random.next()));
      e.omega = any(1, 5), e.s = e.kind == End::moving ? any(0.02, 0.2) : any(-0.5, 0.5);
      return e;
    };
    left = choose(), right = choose();
    for (int n = 0; n <= N; ++n) {
      k.push_back(std::exp(any(-0.7, 3))), beta.push_back(different ? law() : one);
      // σ = γ k d^β moves beads like a viscous fluid: as strong as it may be without stiffness
      gamma.push_back(damped ? any(0, 0.1) : 0);
      a.push_back(gaps < 1 ? -any(0, 0.1) : gaps < 2 ? any(0, 0.1) : 0);
    }
    if (!left.contact()) k[0] = a[0] = 0;
    if (!right.contact()) k[static_cast<std::size_t>(N)] = a[static_cast<std::size_t>(N)] = 0;
  }

  static std::string list(const std::vector<double>& x, std::size_t first, std::size_t last) {
    std::string out;
    for (std::size_t i = first; i < last; ++i) out += (out.empty() ? "" : ", ") + fmt::format("{}", x[i]);
    return "[" + out + "]";
  }
  std::string end_text(const End& e, std::size_t n) const {
    if (e.kind == End::free) return "free";
    if (e.kind == End::pushed) return fmt::format("{{force: {}*cos({}*t)}}", e.s, e.omega);
    const bool gap = a[n] < 0;
    return fmt::format("{{stiffness: {}, damping: {}, beta: {}, {}: {}{}}}", k[n], gamma[n], beta[n],
                       gap ? "gap" : "precompression", std::abs(a[n]),
                       e.kind == End::moving ? fmt::format(", motion: {}*sin({}*t)", e.s, e.omega) : "");
  }
  std::string text() const {
    const auto n = static_cast<std::size_t>(N);
    const bool gap = *std::min_element(a.begin(), a.end()) < 0;
    std::vector<double> apart;
    for (const double x : a) apart.push_back(std::abs(x));
    return fmt::format(
        "saltus: 1\nchain:\n  beads: {}\n  mass: {}\n  velocity: {}\n  spring: {}\n  drag: {}\n  stiffness: "
        "{}\n"
        "  damping: {}\n  beta: {}\n  {}: {}\n  left: {}\n  right: {}\nrun: {{t_end: {}}}\n",
        N, list(m, 0, n), list(v, 0, n), list(K, 0, n), list(C, 0, n), list(k, 1, n), list(gamma, 1, n),
        list(beta, 1, n), gap ? "gap" : "precompression", list(apart, 1, n), end_text(left, 0),
        end_text(right, n), end);
  }

  // y = (x, v)
  void slope(double t, const Vec& y, Vec& f) const {
    const double* x = y.data();
    const double* u = x + N;
    std::vector<double> force(static_cast<std::size_t>(N) + 1, 0);
    for (int n = 0; n <= N; ++n) {
      const auto c = static_cast<std::size_t>(n);
      if (k[c] == 0) continue;
      const double d = (n > 0 ? x[n - 1] : left.place(t)) - (n < N ? x[n] : right.place(t)) + a[c],
                   rate = (n > 0 ? u[n - 1] : left.rate(t)) - (n < N ? u[n] : right.rate(t));
      if (d > 0) force[c] = k[c] * (std::pow(d, 1.5) + gamma[c] * beta[c] * std::pow(d, beta[c] - 1) * rate);
    }
    for (int i = 0; i < N; ++i) {
      const auto b = static_cast<std::size_t>(i);
      f[i] = u[i];
      f[N + i] = (force[b] - force[b + 1] - K[b] * x[i] - C[b] * u[i] + (i == 0 ? left.push(t) : 0) +
                  (i == N - 1 ? right.push(t) : 0)) /
                 m[b];
    }
  }
  Vec start() const {
    Vec y = Vec::Zero(2 * N);
    for (int i = 0; i < N; ++i) y[N + i] = v[static_cast<std::size_t>(i)];
    return y;
  }
  Vec by_extrapolation() const {
    Gbs gbs(2 * N);
    const Gbs::Rhs rhs = [this](double t, const Vec& y, Vec& f) { slope(t, y, f); };
    Vec y = start(), next = y;
    double t = 0, h = 0.01;
    while (t < end) {
      double step = std::min(h, end - t);
      const double done = gbs.adaptive_step(rhs, t, y, step, 1e-13, next);
      if (done == 0) break;
      t = end - t - done < 1e-14 * end ? end : t + done;
      h = step, y = next;
    }
    EXPECT_EQ(t, end);
    return y;
  }
};

// How many error bars were compared, and how many were too small.
struct Bars {
  int all = 0, missed = 0;
  void compare(double error, double bar, std::uint64_t seed) {
    ++all;
    if (error > bar) ++missed;
    EXPECT_LE(error, 3 * bar) << "seed " << seed;
  }
};

// The promises of a run by tolerance (docs/explanation/tolerance.md): each component within five tolerances
// of the size that it had in the run, and within its error bar, which is an estimate: of random mechanisms 97
// in 100 hold, and none is to be wrong by a factor of three.
void compare(const RandomChain& c, const Vec& reference, double rtol, std::uint64_t seed, Bars& bars) {
  const auto scene = load_scene_text(c.text(), "random.yaml");
  const CatalogProblem p = scene->entry.make({}, {});
  MethodTexts asked;
  asked.rtol = fmt::format("{}", rtol);
  RunResult result;
  std::optional<ErrorEstimate> estimate;
  run_within_tolerance(Measures({}, {}), {p, choose_method(p.method, asked), {}}, {}, result, estimate);
  ASSERT_EQ(result.status, RunStatus::finished) << seed << ": " << result.message << "\n" << c.text();
  ASSERT_TRUE(estimate) << seed;
  constexpr double most = 5;
  const double of_reference = 1e-11 * std::max(estimate->q_size.maxCoeff(), estimate->u_size.maxCoeff());
  for (int i = 0; i < c.N; ++i) {
    const double x = std::abs(result.final.q[i] - reference[i]),
                 v = std::abs(result.final.u[i] - reference[c.N + i]);
    EXPECT_LE(x, most * rtol * estimate->q_size[i] + of_reference) << "seed " << seed << ", bead " << i;
    EXPECT_LE(v, most * rtol * estimate->u_size[i] + of_reference) << "seed " << seed << ", bead " << i;
    bars.compare(x, estimate->q_final[i] + of_reference, seed);
    bars.compare(v, estimate->u_final[i] + of_reference, seed);
  }
}

TEST(RandomChains, TwoHundredAgreeWithExtrapolationToTheTolerance) {
  Bars bars;
  for (std::uint64_t seed = 1; seed <= chains; ++seed) {
    const RandomChain c(seed);
    const Vec reference = c.by_extrapolation();
    for (const double rtol : {1e-5, 1e-8}) compare(c, reference, rtol, seed, bars);
  }
  EXPECT_GT(bars.all, 3000);
  EXPECT_LT(bars.missed, 0.01 * bars.all);
}

TEST(RandomChains, CvodeFindsTheSameMotions) {
#ifdef SALTUS_HAS_CVODE
  Bars bars;
  for (std::uint64_t seed = 1; seed <= chains; ++seed) {
    const RandomChain c(seed);
    const Vec other = testing::cvode_adams([&](double t, const Vec& y, Vec& f) { c.slope(t, y, f); },
                                           c.start(), c.end, 1e-12, 1e-13);
    // CVODE steps over the force of a dashpot that jumps when its contact closes, and loses digits there
    const bool jumps = std::count(c.beta.begin(), c.beta.end(), 1.0) > 0;
    EXPECT_LT((other - c.by_extrapolation()).lpNorm<Eigen::Infinity>(), jumps ? 1e-6 : 1e-8) << seed;
    compare(c, other, 1e-5, seed, bars);
  }
  EXPECT_LT(bars.missed, 0.01 * bars.all);
#else
  GTEST_SKIP() << "SUNDIALS (libsundials-dev) is not installed";
#endif
}

}  // namespace
}  // namespace saltus::test_random_chains
