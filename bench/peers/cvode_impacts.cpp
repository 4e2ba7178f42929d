// The problems of event_capturing.cpp with SUNDIALS CVODE, event-driven as its manual shows: root finding on
// the gap, u+ = -e u-, restart. Parameters and the exact solution come from the catalog of Saltus, nothing
// else does.
//   peer_cvode_impacts case=oscillator lmm=adams|bdf rtol=1e-10 atol=1e-10 reps=20
//   peer_cvode_impacts case=ball lmm=adams rtol=1e-10 outward=1 roots=100000
// The error is the largest error of q over CVODE's own steps. Adams iterates on the fixed point; BDF uses
// Newton with the dense solver and the exact Jacobian. What is timed is the cheapest use: memory set up
// before, CVODE returning at impacts only, nothing kept. Rebounds of the size of the tolerance are noise: the
// velocity at a root may already point outwards, and u+ = -e u- then sends the ball through the wall.
// outward=1 takes u+ = e |u-| instead.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <vector>

#include "bench.hpp"
#include "saltus/catalog/problems.hpp"

namespace {

struct Mass {  // m q" + c q' + k q = A + B sin(W t), wall at q = 0
  double m, c, k, A, B, W, e, q0, v0;
};

int slope(double t, N_Vector y, N_Vector d, void* user) {
  const Mass& s = *static_cast<Mass*>(user);
  const double* x = NV_DATA_S(y);
  double* f = NV_DATA_S(d);
  f[0] = x[1];
  f[1] = (s.A + s.B * std::sin(s.W * t) - s.c * x[1] - s.k * x[0]) / s.m;
  return 0;
}
int jacobian(double, N_Vector, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
  const Mass& s = *static_cast<Mass*>(user);
  SM_ELEMENT_D(J, 0, 0) = 0;
  SM_ELEMENT_D(J, 0, 1) = 1;
  SM_ELEMENT_D(J, 1, 0) = -s.k / s.m;
  SM_ELEMENT_D(J, 1, 1) = -s.c / s.m;
  return 0;
}
int gap(double, N_Vector y, double* g, void*) {
  g[0] = NV_Ith_S(y, 0);
  return 0;
}
void silent(int, const char*, const char*, char*, void*) {}

class Solver {
 public:
  Solver(Mass& mass, bool adams, double rtol, double atol) : mass_(mass) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(2, context_);
    start();
    memory_ = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_);
    CVodeInit(memory_, slope, 0, y_);
    CVodeSetErrHandlerFn(memory_, silent, nullptr);
    CVodeSStolerances(memory_, rtol, atol);
    CVodeSetUserData(memory_, &mass_);
    if (adams) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      CVodeSetNonlinearSolver(memory_, iteration_);
    } else {
      J_ = SUNDenseMatrix(2, 2, context_);
      linear_ = SUNLinSol_Dense(y_, J_, context_);
      CVodeSetLinearSolver(memory_, linear_, J_);
      CVodeSetJacFn(memory_, jacobian);
    }
    CVodeRootInit(memory_, 1, gap);
    int down = -1;
    CVodeSetRootDirection(memory_, &down);  // only gaps that close
    CVodeSetNoInactiveRootWarn(memory_);
    CVodeSetMaxNumSteps(memory_, 100000);
  }
  ~Solver() {
    CVodeFree(&memory_);
    if (iteration_) SUNNonlinSolFree(iteration_);
    if (linear_) SUNLinSolFree(linear_), SUNMatDestroy(J_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  struct Sample {
    double t, q;
  };
  std::vector<Sample> path;
  double t = 0;
  long roots = 0, steps = 0, evaluations = 0;
  int flag = CV_SUCCESS;
  double q() const { return NV_Ith_S(y_, 0); }
  double u() const { return NV_Ith_S(y_, 1); }

  // Ends at T, when CVODE complains, or after so many impacts. `keep` every step, or return at impacts only.
  void run(double T, long most_roots, bool outward, bool keep) {
    path.clear();
    t = 0, roots = 0, steps = 0, evaluations = 0;
    start();
    CVodeReInit(memory_, 0, y_);
    CVodeSetStopTime(memory_, T);
    while (t < T && roots < most_roots) {
      flag = CVode(memory_, T, y_, &t, keep ? CV_ONE_STEP : CV_NORMAL);
      if (flag < 0) break;
      if (keep) path.push_back({t, NV_Ith_S(y_, 0)});
      if (flag != CV_ROOT_RETURN) continue;
      ++roots;
      count();
      NV_Ith_S(y_, 0) = 0;
      const double before = NV_Ith_S(y_, 1);
      NV_Ith_S(y_, 1) = outward ? mass_.e * std::abs(before) : -mass_.e * before;
      CVodeReInit(memory_, t, y_);
      CVodeSetStopTime(memory_, T);
    }
    count();
  }

 private:
  void start() {
    NV_Ith_S(y_, 0) = mass_.q0;
    NV_Ith_S(y_, 1) = mass_.v0;
  }
  void count() {
    long n = 0, f = 0;
    CVodeGetNumSteps(memory_, &n);
    CVodeGetNumRhsEvals(memory_, &f);
    steps += n, evaluations += f;
  }

  Mass& mass_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix J_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Args A(argc, argv);
  const std::string name = A.str("case", "oscillator"), lmm = A.str("lmm", "adams");
  const bool ball = name == "ball";
  const double rtol = A.num("rtol", 1e-10), atol = A.num("atol", rtol), T = A.num("T", ball ? 5 : 60);
  std::shared_ptr<const saltus::Reference> exact;
  Mass mass{};
  if (ball) {
    const saltus::BouncingBall b;
    mass = {b.m, 0, 0, b.f, 0, 0, b.e, b.q0, b.v0};
    exact = saltus::bouncing_ball_reference(b);
  } else {
    saltus::ImpactOscillator o;
    o.m = 1, o.c = 0.2, o.k = 10, o.B = 5, o.Omega = 6, o.e = 0.8, o.q0 = 1;
    mass = {o.m, o.c, o.k, o.A, o.B, o.Omega, o.e, o.q0, o.v0};
    exact = saltus::impact_oscillator_reference(o, T);
  }
  Solver solver(mass, lmm == "adams", rtol, atol);
  const long most_roots = A.integer("roots", 100000);
  const bool outward = A.integer("outward", 0) != 0;
  solver.run(T, most_roots, outward, true);
  double error = 0;
  saltus::Vec q(1), u(1);
  for (const auto& s : solver.path) {
    exact->state(std::min(s.t, T), saltus::Side::right, q, u);
    error = std::max(error, std::abs(s.q - q[0]));
  }
  const char* status = solver.t >= T     ? "finished"
                       : solver.flag < 0 ? CVodeGetReturnFlagName(solver.flag)
                                         : "no end";
  bench::Line L;
  char version[32];
  SUNDIALSGetVersion(version, sizeof version);
  L.str("case", name)
      .str("peer", "cvode")
      .str("version", version)
      .str("method", lmm)
      .num("rtol", rtol)
      .num("atol", atol);
  L.integer("outward", outward).num("T", T).str("status", status).num("t_end", solver.t).num("error", error);
  L.num("q_end", solver.q()).num("u_end", solver.u());
  L.integer("impacts", solver.roots)
      .integer("steps", solver.steps)
      .integer("evaluations", solver.evaluations);
  if (!ball) {
    double best = 1e300;
    for (long k = 0; k < A.integer("reps", 3); ++k) {
      const bench::Snap begin = bench::snap();
      long runs = 0;
      double used = 0;
      do {
        solver.run(T, most_roots, outward, false);
        ++runs, used = bench::snap().user - begin.user;
      } while (used < 0.02);
      best = std::min(best, used / double(runs));
    }
    L.num("us_per_run", 1e6 * best);
  }
  L.print();
}
