// SUNDIALS CVODE, which shares no line with us, where it is installed: Adams of variable order with
// functional iteration.
#pragma once
#ifdef SALTUS_HAS_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <functional>

#include "saltus/core/types.hpp"

namespace saltus::testing {

using CvodeSlope = std::function<void(double t, const Vec& y, Vec& f)>;

inline Vec cvode_adams(const CvodeSlope& slope, const Vec& start, double end, double rtol, double atol) {
  struct User {
    const CvodeSlope& slope;
    Vec y, f;
  } user{slope, start, start};
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(start.size(), context);
  Eigen::Map<Vec> state(N_VGetArrayPointer(y), start.size());
  state = start;
  void* memory = CVodeCreate(CV_ADAMS, context);
  CVodeInit(
      memory,
      [](double t, N_Vector in, N_Vector out, void* data) {
        User& u = *static_cast<User*>(data);
        u.y = Eigen::Map<const Vec>(N_VGetArrayPointer(in), u.y.size());
        u.slope(t, u.y, u.f);
        Eigen::Map<Vec>(N_VGetArrayPointer(out), u.f.size()) = u.f;
        return 0;
      },
      0, y);
  CVodeSStolerances(memory, rtol, atol);
  CVodeSetUserData(memory, &user);
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

}  // namespace saltus::testing
#endif
