// The problems of impact_problems.hpp by SUNDIALS CVODE with root finding on the gaps, Newton's law at a
// root, restart; as its manual shows.
//   peer_cvode_problems problem=ball lmm=adams|bdf rtol=1e-8 samples=5 reps=5
// Reported: states at `samples` equal parts of the time, and the least CPU time of repeated runs that return
// at impacts and at the end only. Adams iterates on the fixed point; BDF uses Newton with the dense solver
// and CVODE's own difference quotients.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "bench.hpp"
#include "impact_problems.hpp"

namespace {

using impacts::Problem;

int slope(double t, N_Vector y, N_Vector d, void* user) {
  const Problem& p = *static_cast<Problem*>(user);
  const double* x = NV_DATA_S(y);
  double* f = NV_DATA_S(d);
  for (int i = 0; i < p.n; ++i) f[i] = x[p.n + i];
  p.force(t, x, x + p.n, f + p.n);
  impacts::solve_mass(p, x, f + p.n);
  return 0;
}
int gaps(double, N_Vector y, double* g, void* user) {
  const Problem& p = *static_cast<Problem*>(user);
  const double* x = NV_DATA_S(y);
  for (std::size_t k = 0; k < p.gaps.size(); ++k) {
    g[k] = p.gaps[k].b;
    for (int i = 0; i < p.n; ++i) g[k] += p.gaps[k].a[i] * x[i];
  }
  return 0;
}
void silent(int, const char*, const char*, char*, void*) {}

class Solver {
 public:
  Solver(Problem& p, bool adams, double rtol) : p_(p) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(2 * p.n, context_);
    start();
    memory_ = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_);
    CVodeInit(memory_, slope, 0, y_);
    CVodeSetErrHandlerFn(memory_, silent, nullptr);
    CVodeSStolerances(memory_, rtol, rtol);
    CVodeSetUserData(memory_, &p_);
    if (adams) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      CVodeSetNonlinearSolver(memory_, iteration_);
    } else {
      J_ = SUNDenseMatrix(2 * p.n, 2 * p.n, context_);
      linear_ = SUNLinSol_Dense(y_, J_, context_);
      CVodeSetLinearSolver(memory_, linear_, J_);
    }
    const int m = static_cast<int>(p.gaps.size());
    CVodeRootInit(memory_, m, gaps);
    std::vector<int> down(m, -1);
    CVodeSetRootDirection(memory_, down.data());
    CVodeSetNoInactiveRootWarn(memory_);
    CVodeSetMaxNumSteps(memory_, 1000000);
    hit_.resize(m);
  }

  long roots = 0, evaluations = 0;
  int flag = CV_SUCCESS;
  double t = 0;
  std::vector<double> samples;

  void run(int parts, long most_roots) {
    samples.clear();
    t = 0, roots = 0, evaluations = 0;
    start();
    CVodeReInit(memory_, 0, y_);
    for (int k = 1; k <= parts; ++k) {
      const double end = p_.T * k / parts;
      while (t < end && roots < most_roots) {
        CVodeSetStopTime(memory_, end);
        flag = CVode(memory_, end, y_, &t, CV_NORMAL);
        if (flag < 0) return count();
        if (flag == CV_ROOT_RETURN) {
          ++roots;
          bounce();
        }
      }
      double* x = NV_DATA_S(y_);
      samples.insert(samples.end(), x, x + 2 * p_.n);
    }
    count();
  }

 private:
  void start() {
    for (int i = 0; i < p_.n; ++i) NV_Ith_S(y_, i) = p_.q0[i], NV_Ith_S(y_, p_.n + i) = p_.v0[i];
  }
  void bounce() {
    CVodeGetRootInfo(memory_, hit_.data());
    double* x = NV_DATA_S(y_);
    for (std::size_t k = 0; k < hit_.size(); ++k)
      if (hit_[k] != 0) impacts::impact(p_, p_.gaps[k], x, x + p_.n);
    count();
    CVodeReInit(memory_, t, y_);
  }
  void count() {
    long f = 0;
    CVodeGetNumRhsEvals(memory_, &f);
    evaluations += f;
  }

  Problem& p_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix J_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
  std::vector<int> hit_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Args A(argc, argv);
  Problem p = impacts::problem(A.str("problem", "ball"));
  const double rtol = A.num("rtol", 1e-8);
  const long most = A.integer("roots", 100000);
  Solver solver(p, A.str("lmm", "adams") == std::string("adams"), rtol);
  solver.run(static_cast<int>(A.integer("samples", 5)), most);
  bench::Line L;
  L.str("problem", p.name).str("peer", "cvode").str("method", A.str("lmm", "adams")).num("rtol", rtol);
  const bool finished = solver.flag >= 0 && solver.t >= p.T;
  L.str("status", finished ? "finished" : solver.flag < 0 ? CVodeGetReturnFlagName(solver.flag) : "no end");
  L.num("t", solver.t).integer("impacts", solver.roots).integer("evaluations", solver.evaluations);
  L.numbers("samples", solver.samples);
  if (finished) L.num("seconds", bench::least_time([&] { solver.run(1, most); }, A.integer("reps", 5)));
  L.print();
}
