// The stiff scenes of tests/data/tolerance with SUNDIALS CVODE, BDF, event-driven as its manual shows: a root
// where the ball meets its stop (u+ = e |u-|, held once it is slow and pressed) and where the bumper is
// touched. Scales of the absolute tolerance are chosen by hand; the relative one is a thousandth of `rtol`.
//   cvode_stiff spring|bumper RTOL
//   g++ -O1 cvode_stiff.cpp -lsundials_cvode -lsundials_nvecserial -lsundials_sunmatrixdense
//       -lsundials_sunlinsoldense
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

struct Scene {
  bool bumper = false, held = false;
  double ball(const double* x) const {  // its acceleration
    return -9.81 - (bumper ? 400 * (x[1] - x[0] - 0.2) : 100 * (x[1] - x[0])) / 0.5;
  }
};

int slope(double t, N_Vector y, N_Vector d, void* user) {
  const Scene& s = *static_cast<Scene*>(user);
  const double* x = NV_DATA_S(y);
  double* f = NV_DATA_S(d);
  f[0] = x[2], f[1] = s.held ? 0 : x[3], f[3] = s.held ? 0 : s.ball(x);
  if (s.bumper)
    f[2] =
        (x[0] < 0 ? -1e8 * x[0] - 4e3 * x[2] : 0) - 9.81 + 400 * (x[1] - x[0] - 0.2) + 30 * std::sin(7 * t);
  else
    f[2] = -1e8 * x[0] - 2e3 * x[2] - 9.81 * (1 + 0.5 * std::sin(20 * t)) + 100 * (x[1] - x[0]);
  return 0;
}
int roots(double, N_Vector y, double* g, void* user) {
  const Scene& s = *static_cast<Scene*>(user);
  const double* x = NV_DATA_S(y);
  g[0] = s.held ? -s.ball(x) : x[1] - 0.12;
  g[1] = x[0];
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::puts("cvode_stiff spring|bumper RTOL"), 2;
  Scene scene;
  scene.bumper = std::string_view(words[1]) == "bumper";
  const double rtol = std::atof(words[2]), end = 2;
  const double scale[2][4] = {{1e-7, 0.3, 1e-3, 2}, {0.2, 0.3, 3, 3}};
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(4, context), atol = N_VNew_Serial(4, context);
  double* x = NV_DATA_S(y);
  x[0] = scene.bumper ? 0.05 : 0, x[1] = 0.3, x[2] = x[3] = 0;
  for (int i = 0; i < 4; ++i) NV_Ith_S(atol, i) = rtol * scale[scene.bumper ? 1 : 0][i];
  void* memory = CVodeCreate(CV_BDF, context);
  CVodeInit(memory, slope, 0, y);
  CVodeSetUserData(memory, &scene);
  CVodeSVtolerances(memory, 1e-3 * rtol, atol);
  SUNMatrix J = SUNDenseMatrix(4, 4, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, J, context);
  CVodeSetLinearSolver(memory, linear, J);
  CVodeRootInit(memory, scene.bumper ? 2 : 1, roots);
  CVodeSetMaxNumSteps(memory, 10000000);
  CVodeSetStopTime(memory, end);
  long steps = 0, evaluations = 0, jacobians = 0, n = 0;
  const auto tally = [&] {
    CVodeGetNumSteps(memory, &n), steps += n;
    CVodeGetNumRhsEvals(memory, &n), evaluations += n;
    CVodeGetNumLinRhsEvals(memory, &n), jacobians += n;
  };
  for (double t = 0; t < end;) {
    const int flag = CVode(memory, end, y, &t, CV_NORMAL);
    if (flag < 0) return std::printf("CVODE ends with %d\n", flag), 1;
    if (flag != CV_ROOT_RETURN) continue;
    tally();
    int found[2] = {0, 0};
    CVodeGetRootInfo(memory, found);
    if (found[0] && scene.held) {
      scene.held = false;
    } else if (found[0]) {
      x[1] = 0.12, x[3] = 0.6 * std::abs(x[3]);
      if (x[3] < 1e-6 && scene.ball(x) < 0) scene.held = true, x[3] = 0;
    }
    CVodeReInit(memory, t, y);
    CVodeSetStopTime(memory, end);
  }
  tally();
  std::printf("q %.10g %.10g u %.10g %.10g steps %ld evaluations %ld, of Jacobians %ld\n", x[0], x[1], x[2],
              x[3], steps, evaluations, jacobians);
}
