// The chains of bench/chain.cpp with SUNDIALS, as a user would write them in C: regularised equations
// (10)-(11), state interleaved, the right-hand side in one loop. Nothing of Saltus is used but the file with
// the exact states.
//   peer_sundials_chain problem=C method=adams|adams-newton|bdf|dopri|fehlberg tol=1e-5 file=c.bin rounds=3
// adams: CVODE's Adams with fixed-point iteration; adams-newton and bdf: modified Newton with the banded
// analytic Jacobian; dopri and fehlberg: ARKODE's explicit Dormand-Prince 5(4) and Fehlberg 8(7). Ten
// outputs, interpolated by the integrators; the error is the largest of x and v there. The least CPU time of
// `rounds` runs is told.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "bench.hpp"

namespace {

const int outputs = 10;

struct Chain {
  int N = 25;
  double T = 30, gamma = 0.06, eps = 0.59;
  bool impact = true;
  std::vector<double> inverse_mass;
  long evaluations = 0;
};

Chain chain_of(char letter) {
  Chain c;
  if (letter == 'B') c.N = 1000;
  if (letter == 'C') c.N = 1000, c.impact = false;
  if (letter == 'D') c.N = 10000, c.T = 10, c.impact = false;
  if (letter == 'E') c.N = 1001, c.T = 10, c.eps = 1e-4, c.impact = false;
  for (int n = 0; n < c.N; ++n) c.inverse_mass.push_back(n % 2 ? 1 / c.eps : 1);
  return c;
}

int slope(double, N_Vector yv, N_Vector fv, void* user) {
  Chain& c = *static_cast<Chain*>(user);
  const double *y = N_VGetArrayPointer(yv), gamma = c.gamma;
  double *f = N_VGetArrayPointer(fv), left = 0;
  ++c.evaluations;
  for (int n = 0; n < c.N; ++n) {
    double right = 0;
    if (n < c.N - 1) {
      const double d = y[2 * n] - y[2 * n + 2];
      if (d > 0) right = d * std::sqrt(d);
    }
    const double g = (left - right) * c.inverse_mass[n];
    f[2 * n] = y[2 * n + 1] + gamma * g;
    f[2 * n + 1] = g;
    left = right;
  }
  return 0;
}

int jacobian(double, N_Vector yv, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
  const Chain& c = *static_cast<Chain*>(user);
  const double* y = N_VGetArrayPointer(yv);
  SUNMatZero(J);
  for (int n = 0; n < c.N; ++n) SM_ELEMENT_B(J, 2 * n, 2 * n + 1) = 1;
  for (int n = 0; n + 1 < c.N; ++n) {
    const double d = y[2 * n] - y[2 * n + 2];
    if (d <= 0) continue;
    const double q = 1.5 * std::sqrt(d);
    const int at[2] = {2 * n, 2 * n + 2};
    for (int a = 0; a < 2; ++a) {
      const double qa = q * c.inverse_mass[n + a];
      for (int b = 0; b < 2; ++b) {
        const double s = a == b ? -qa : qa;
        SM_ELEMENT_B(J, at[a], at[b]) += c.gamma * s;
        SM_ELEMENT_B(J, at[a] + 1, at[b]) += s;
      }
    }
  }
  return 0;
}

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

void start(const Chain& c, double* y) {
  unsigned long seed = 12345;
  for (int n = 0; n < c.N; ++n) {
    seed = (1103515245UL * seed + 12345UL) & 0x7fffffffUL;
    y[2 * n] = c.impact ? 0 : -0.2 * n;
    y[2 * n + 1] = c.impact ? n == 0 : 0.5 * (2.0 * double(seed) / 2147483648.0 - 1);
  }
  // w = v - gamma g(x)
  if (!c.impact) {
    std::vector<double> force(c.N + 1, 0.2 * std::sqrt(0.2));
    force[0] = force[c.N] = 0;
    for (int n = 0; n < c.N; ++n) y[2 * n + 1] -= c.gamma * (force[n] - force[n + 1]) * c.inverse_mass[n];
  }
}

double error_at(const Chain& c, const double* y, const double* exact) {
  double most = 0, left = 0;
  for (int n = 0; n < c.N; ++n) {
    double right = 0;
    if (n < c.N - 1) {
      const double d = y[2 * n] - y[2 * n + 2];
      if (d > 0) right = d * std::sqrt(d);
    }
    const double v = y[2 * n + 1] + c.gamma * (left - right) * c.inverse_mass[n];
    most = std::max({most, std::fabs(y[2 * n] - exact[n]), std::fabs(v - exact[c.N + n])});
    left = right;
  }
  return most;
}

struct Outcome {
  double seconds = 0, error = 0;
  long steps = 0;
  bool ok = true;
};

Outcome solve(Chain& c, const std::string& method, double tol, const std::vector<double>& exact) {
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial(2 * c.N, context);
  start(c, N_VGetArrayPointer(y));
  c.evaluations = 0;
  const bool explicit_rk = method == "dopri" || method == "fehlberg";
  SUNMatrix A = NULL;
  SUNLinearSolver linear = NULL;
  SUNNonlinearSolver iteration = NULL;
  void* memory = NULL;
  Outcome out;
  double begin = now();
  if (explicit_rk) {
    memory = ERKStepCreate(slope, 0, y, context);
    ERKStepSStolerances(memory, 0, tol);
    ERKStepSetUserData(memory, &c);
    ERKStepSetMaxNumSteps(memory, 100000000);
    ERKStepSetTableNum(memory, method == "dopri" ? ARKODE_DORMAND_PRINCE_7_4_5 : ARKODE_FEHLBERG_13_7_8);
  } else {
    memory = CVodeCreate(method == "bdf" ? CV_BDF : CV_ADAMS, context);
    CVodeInit(memory, slope, 0, y);
    CVodeSStolerances(memory, 0, tol);
    CVodeSetUserData(memory, &c);
    CVodeSetMaxNumSteps(memory, 100000000);
    if (method == "adams") {
      iteration = SUNNonlinSol_FixedPoint(y, 0, context);
      CVodeSetNonlinearSolver(memory, iteration);
    } else {
      A = SUNBandMatrix(2 * c.N, 2, 3, context);
      linear = SUNLinSol_Band(y, A, context);
      CVodeSetLinearSolver(memory, linear, A);
      CVodeSetJacFn(memory, jacobian);
    }
  }
  double t = 0;
  out.seconds = now() - begin;
  for (int i = 1; i <= outputs && out.ok; ++i) {
    begin = now();
    const double end = c.T * i / outputs;
    const int flag =
        explicit_rk ? ERKStepEvolve(memory, end, y, &t, ARK_NORMAL) : CVode(memory, end, y, &t, CV_NORMAL);
    out.seconds += now() - begin;
    out.ok = flag >= 0;
    out.error = std::max(out.error, error_at(c, N_VGetArrayPointer(y), exact.data() + 2L * c.N * i));
  }
  if (explicit_rk)
    ERKStepGetNumSteps(memory, &out.steps), ERKStepFree(&memory);
  else
    CVodeGetNumSteps(memory, &out.steps), CVodeFree(&memory);
  if (linear) SUNLinSolFree(linear);
  if (A) SUNMatDestroy(A);
  if (iteration) SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Args args(argc, argv);
  const std::string letter = args.str("problem", "A"), method = args.str("method", "adams");
  Chain c = chain_of(letter[0]);
  std::vector<double> exact(2L * c.N * (outputs + 1));
  std::FILE* file = std::fopen(args.str("file", "reference.bin").c_str(), "rb");
  if (!file || std::fread(exact.data(), 8, exact.size(), file) != exact.size()) {
    std::fprintf(stderr, "the reference file is missing or too short\n");
    return 2;
  }
  std::fclose(file);
  Outcome best = solve(c, method, args.num("tol", 1e-5), exact);
  const long evaluations = c.evaluations;
  for (long k = 1; k < args.integer("rounds", 3); ++k)
    best.seconds = std::min(best.seconds, solve(c, method, args.num("tol", 1e-5), exact).seconds);
  bench::Line line;
  line.str("problem", letter).str("method", method).num("tol", args.num("tol", 1e-5));
  line.num("error", best.ok ? best.error : INFINITY).num("cpu_s", best.seconds);
  line.integer("steps", best.steps).integer("evaluations", evaluations).print();
  return best.ok ? 0 : 1;
}
