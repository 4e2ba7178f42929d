// SUNDIALS CVODE, which shares no line with us, on the same equations.
#include <gtest/gtest.h>

#include "support/chains.hpp"

#ifdef SALTUS_HAS_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

namespace saltus::test_cvode {
namespace {
using namespace testing;

#ifdef SALTUS_HAS_CVODE
int slope(double t, N_Vector y, N_Vector f, void* user) {
  const auto& chain = *static_cast<const Chain*>(user);
  const Eigen::Map<const Vec> in(N_VGetArrayPointer(y), chain.size());
  Eigen::Map<Vec> out(N_VGetArrayPointer(f), chain.size());
  const auto work = chain.make_workspace();
  chain.rhs(t, in, out, *work);
  return 0;
}

// Adams of variable order with functional iteration
Vec adams(const Chain& chain, In q, In u, double end) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(chain.size(), context);
  Eigen::Map<Vec> state(N_VGetArrayPointer(y), chain.size());
  chain.pack(0, q, u, state);
  void* memory = CVodeCreate(CV_ADAMS, context);
  CVodeInit(memory, slope, 0, y);
  CVodeSStolerances(memory, 1e-12, 1e-13);
  CVodeSetUserData(memory, const_cast<Chain*>(&chain));
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(memory, iteration);
  CVodeSetMaxNumSteps(memory, 1000000);
  double t = 0;
  EXPECT_EQ(CVode(memory, end, y, &t, CV_NORMAL), CV_SUCCESS);
  const Vec out = state;
  CVodeFree(&memory);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return out;
}
#endif

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
    chain.unpack(10, adams(chain, p.problem.q0, p.problem.u0, 10), q, u);
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
