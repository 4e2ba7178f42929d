// Long chains are solved in pieces: the same motion as in one, and the same bits with any team.
#include <gtest/gtest.h>

#include "saltus/core/threads/worker_team.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scheme/stepper.hpp"
#include "support/chains.hpp"

namespace saltus::test_pieces {
namespace {
using namespace testing;

// `copies` of a chain one behind the other, too far apart to meet.
ChainData repeated(const ChainData& one, int copies) {
  const int n = static_cast<int>(one.m.size());
  ChainData out;
  out.beta = one.beta, out.formulation = one.formulation;
  out.m.resize(n * copies), out.k.setZero(n * copies + 1), out.gamma.setZero(n * copies + 1);
  out.a.setZero(n * copies + 1), out.K.resize(n * copies);
  for (int c = 0; c < copies; ++c) {
    out.m.segment(c * n, n) = one.m, out.K.segment(c * n, n) = one.K;
    out.k.segment(c * n + 1, n - 1) = one.k.segment(1, n - 1);
    out.gamma.segment(c * n + 1, n - 1) = one.gamma.segment(1, n - 1);
    if (c > 0) out.k[c * n] = 1, out.gamma[c * n] = one.gamma[1], out.a[c * n] = -1e3;
  }
  return out;
}
Vec repeated(const Vec& one, int copies) {
  return one.replicate(copies, 1);
}
ChainData some_chain(int n, Formulation f) {
  ChainData d = random_chain(n, 7, true);
  d.formulation = f;
  d.K = Vec::LinSpaced(n, 0.02, 0.2);
  return d;
}

State steps(const Chain& chain, const SchemeSpec& scheme, const Vec& x, const Vec& v, double h, int count) {
  const auto stepper = make_stepper(scheme, chain, AutomaticSolver{});
  State now = stepper->start(0, x, v), next = now;
  for (int k = 0; k < count; ++k) {
    EXPECT_EQ(stepper->step(now, h, next).status, StepStatus::ok);
    std::swap(now, next);
  }
  return now;
}

class ChainPieces : public ::testing::TestWithParam<const char*> {};

TEST_P(ChainPieces, MoveAsTheChainThatTheyRepeat) {
  constexpr int n = 131, copies = 200;  // 26200 beads: seams lie within copies
  const std::string name = GetParam();
  const bool explicitly = name == "explicit";
  const SchemeSpec scheme = explicitly ? SchemeSpec(rk("herk-4")) : chain_scheme(name).scheme;
  const Formulation f =
      !explicitly && std::string(chain_scheme(name).formulation) == "x" ? Formulation::x : Formulation::y;
  const ChainData one = some_chain(n, f);
  const ChainStart s = random_start(n, 8);
  const double h = explicitly ? 0.02 : 0.1;
  const State alone = steps(Chain(one), scheme, s.x, s.v, h, 3);
  const Chain chain(repeated(one, copies));
  const Vec x = repeated(s.x, copies), v = repeated(s.v, copies);
  const State all = steps(chain, scheme, x, v, h, 3);
  const double size = alone.q.lpNorm<Eigen::Infinity>() + alone.u.lpNorm<Eigen::Infinity>();
  EXPECT_LT((all.q - repeated(alone.q, copies)).lpNorm<Eigen::Infinity>(), 2e-11 * size);
  EXPECT_LT((all.u - repeated(alone.u, copies)).lpNorm<Eigen::Infinity>(), 2e-10 * size);
  for (const int threads : {2, 3, 8}) {
    const TeamOfThread team(threads);
    const State again = steps(chain, scheme, x, v, h, 3);
    EXPECT_EQ(again.q, all.q) << threads;
    EXPECT_EQ(again.u, all.u) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ChainPieces,
                         ::testing::Values("cnX", "cnY", "glX", "glY", "theta", "irk", "explicit"));

// Stiff contacts: what happens at one end of a piece is felt at the other, and the seams carry it on. The
// general engine, which knows nothing of pieces, finds the same.
TEST(StiffPieces, AreJoinedExactly) {
  constexpr int n = 20'000;
  ChainData d;
  constexpr double k = 1e10, overlap = 1e-3;
  d.m = Vec::Ones(n), d.k = Vec::Constant(n + 1, k), d.gamma = Vec::Zero(n + 1);
  d.k[0] = d.k[n] = 0;
  d.a = Vec::Constant(n + 1, overlap);
  d.F = Vec::Zero(n);  // keep it together
  d.F[0] = k * std::pow(overlap, 1.5), d.F[n - 1] = -d.F[0];
  const Chain chain(d);
  Vec x = Vec::Zero(n), v = Vec::Zero(n);
  for (int i = 0; i < n; ++i) v[i] = 1e-3 * std::sin(1e-3 * i);
  Rk general = rk("gauss-4");
  general.newton = Rk::Newton::full;
  const State a = steps(chain, rk("gauss-4"), x, v, 0.1, 1), b = steps(chain, general, x, v, 0.1, 1);
  const double moved = (b.q - x).lpNorm<Eigen::Infinity>();
  EXPECT_GT(moved, 5e-5);
  EXPECT_LT((a.q - b.q).lpNorm<Eigen::Infinity>(), 1e-6 * moved);
}

TEST(LongChains, RunsHaveTheSameBitsAndLedgers) {
  const auto p =
      make_problem("dimer-chain", {{"n", "20000"}, {"disorder", "0.1"}, {"reference", "none"}}, 0.5);
  for (const char* scheme : {"gauss-2", "rk:tableau=herk-4"}) {
    Method m;
    m.scheme = parse_spec<SchemeSpec>(scheme, "scheme"), m.stepping = FixedSteps{0.1};
    const RunResult alone = run(p.problem, m, {});
    ASSERT_EQ(alone.status, RunStatus::finished);
    for (const int threads : {2, 3, 8}) {
      const TeamOfThread team(threads);
      const RunResult r = run(p.problem, m, {});
      EXPECT_EQ(r.final.q, alone.final.q);
      EXPECT_EQ(r.ledger.damping, alone.ledger.damping);
      EXPECT_EQ(r.ledger.remainder, alone.ledger.remainder);
    }
  }
}

}  // namespace
}  // namespace saltus::test_pieces
