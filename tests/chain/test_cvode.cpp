// SUNDIALS CVODE, which shares no line with us, on the same equations.
#include <gtest/gtest.h>

#include "support/chains.hpp"
#include "support/cvode.hpp"

namespace saltus::test_cvode {
namespace {
using namespace testing;

TEST(ChainOracle, CvodeFindsTheSameMotion) {
#ifdef SALTUS_HAS_CVODE
  const std::pair<const char*, Settings> problems[] = {
      {"dimer-chain", {}},
      {"trimer", {{"beta", "1"}}},
      {"trimer", {{"beta", "2.5"}, {"preset", "compressed"}}},
      {"newtons-cradle", {{"k", "13.115"}}},
      {"homogeneous-chain", {{"n", "20"}, {"gravity", "0.05"}, {"right_wall", "true"}, {"overlap", "0.1"}}}};
  for (const auto& [name, settings] : problems) {
    const auto p = make_problem(name, settings, 10);
    const Chain& chain = chain_of(p);
    Vec q(chain.nq()), u(chain.nu()), x, v;
    const auto work = chain.make_workspace();
    Vec start(chain.size());
    chain.pack(0, p.problem.q0, p.problem.u0, start);
    const Vec end = cvode_adams([&](double t, const Vec& y, Vec& f) { chain.rhs(t, y, f, *work); }, start, 10,
                                1e-12, 1e-13);
    chain.unpack(10, end, q, u);
    p.reference->state(10, Side::right, x, v);
    EXPECT_LT((x - q).lpNorm<Eigen::Infinity>(), 1e-8) << name;
    EXPECT_LT((v - u).lpNorm<Eigen::Infinity>(), 1e-8) << name;
  }
#else
  GTEST_SKIP() << "SUNDIALS (libsundials-dev) is not installed";
#endif
}

}  // namespace
}  // namespace saltus::test_cvode
