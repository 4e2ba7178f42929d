// Siconos' numerics on an FCP file:   peer_siconos_friction file=x.fcp solver=nsgs|admm|nsn|prox tol=1e-8
// maxit=N CPU time of the driver call alone; the residual is our own, from the impulses returned.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc2d_Solvers.h>
#include <fc3d_Solvers.h>
#include "bench.hpp"
#include "fcp.hpp"

static int solver_id(const std::string& name, int dim) {
  if (dim == 2) return name == "nsgs" ? SICONOS_FRICTION_2D_NSGS : 0;
  if (name == "nsgs") return SICONOS_FRICTION_3D_NSGS;
  if (name == "admm") return SICONOS_FRICTION_3D_ADMM;
  if (name == "nsn") return SICONOS_FRICTION_3D_NSN_AC;
  if (name == "prox") return SICONOS_FRICTION_3D_PROX;
  return 0;
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  fcp::Problem p;
  try {
    p = fcp::read(args.str("file", ""));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  const std::string solver = args.str("solver", "nsgs");
  const int d = p.dim, n = p.contacts * d, id = solver_id(solver, d);
  if (!id) {
    std::fprintf(stderr, "no solver %s in %d dimensions\n", solver.c_str(), d);
    return 2;
  }
  NumericsMatrix* W = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(W, long(p.W.size()) * d * d);
  for (const auto& b : p.W)
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l) NM_entry(W, b.i * d + k, b.j * d + l, b.a[k * d + l]);
  if (solver == "nsgs") {  // its own storage: blocks
    NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, n, n);
    SBM_from_csparse(d, NM_csc(W), blocks->matrix1);
    W = blocks;
  }
  FrictionContactProblem* problem =
      frictionContactProblem_new_with_data(d, p.contacts, W, p.q.data(), p.mu.data());
  SolverOptions* options = solver_options_create(id);
  options->dparam[SICONOS_DPARAM_TOL] = args.num("tol", 1e-8);
  if (const long most = args.integer("maxit", 0)) options->iparam[SICONOS_IPARAM_MAX_ITER] = int(most);
  std::vector<double> r(n, 0.0), u(n, 0.0);
  const auto start = bench::snap();
  if (d == 3)
    fc3d_driver(problem, r.data(), u.data(), options);
  else
    fc2d_driver(problem, r.data(), u.data(), options);
  const double seconds = bench::snap().user - start.user;
  bench::Line line;
  line.str("problem", p.name)
      .str("solver", solver)
      .integer("iterations", options->iparam[SICONOS_IPARAM_ITER_DONE]);
  line.num("solve_s", seconds).num("residual", fcp::residual(p, r.data())).print();
}
