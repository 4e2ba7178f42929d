#include "contact.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "gil.hpp"
#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/contact/kernels.hpp"
#include "saltus/core/error.hpp"

namespace saltus::python {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

struct Solution {
  Vec impulse, velocity;
  SolveReport report;
  double residual = infinity;  // of the FCP format, as Siconos'
  double natural = infinity;
  bool solved = false;
  std::string message;
};

void check_finite(const Sparse& A, const char* name) {
  for (int k = 0; k < A.outerSize(); ++k)
    for (Sparse::InnerIterator it(A, k); it; ++it)
      if (!std::isfinite(it.value())) fail("{}[{}, {}] is {}", name, it.row(), it.col(), it.value());
}

void check_finite(const Vec& x, const char* name) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) fail("{}[{}] is {}", name, i, x[i]);
}

// What is allowed beyond the sizes, which the caller in Python has checked with names that users know.
void check(const FrictionProblem& p) {
  for (std::size_t i = 0; i < p.mu.size(); ++i)
    if (!(p.mu[i] >= 0) || !std::isfinite(p.mu[i])) fail("mu[{}] is {}; it must be a number >= 0", i, p.mu[i]);
  for (std::size_t i = 0; i < p.rolling.size(); ++i)
    if (!(p.rolling[i] >= 0) || !std::isfinite(p.rolling[i]))
      fail("rolling[{}] is {}; it must be a number >= 0", i, p.rolling[i]);
  if (p.local) check_finite(p.local->W, "W"), check_finite(p.local->q, "q");
  if (p.global) {
    check_finite(p.global->M, "A"), check_finite(p.global->H, "H"), check_finite(p.global->free, "free velocity");
    check_finite(p.global->b, "q"), check_finite(p.global->J, "J"), check_finite(p.global->d, "d");
  }
}

std::string message_of(const Solution& s, double tolerance) {
  const SolveReport& r = s.report;
  if (s.solved) return fmt::format("solved to {:.1e}", s.residual);
  if (r.contradictory)
    return fmt::format("contacts {} contradict each other: impulses of any size leave a violation, the problem "
                       "has no solution",
                       r.rival_block < 0 ? fmt::format("{} and others", r.worst_block)
                                         : fmt::format("{} and {}", r.worst_block, r.rival_block));
  if (r.immovable)
    return fmt::format("contact {} approaches, and no impulse moves it: the problem has no solution",
                       r.worst_block);
  return fmt::format("the residual is {:.2e} after {} iterations, above the tolerance {:.1e}; try another solver or "
                     "a larger tolerance",
                     s.residual, r.iterations, tolerance);
}

Solution solve(const FrictionProblem& p, const std::string& solver, double tolerance, const std::optional<Vec>& guess) {
  check(p);
  const SolverSpec spec = parse_spec<SolverSpec>(solver, "solver");
  if (!(tolerance > 0) || !std::isfinite(tolerance)) fail("tolerance = {} is not allowed: it must be above 0", tolerance);
  PosedFriction posed(p);
  Solution out;
  const auto settings = split_spec(solver).settings;
  const bool own =
      std::any_of(settings.begin(), settings.end(), [](const auto& s) { return s.first == "tolerance"; });
  Vec P = guess ? posed.from_file_rows(*guess) : Vec(Vec::Zero(posed.problem.rows()));
  out.report = own ? make_contact_solver(spec)->solve(posed.problem, P)
                   : solve_to_file_residual(posed, spec, tolerance, P);
  out.residual = posed.file_residual(P), out.natural = out.report.residual;
  out.solved = posed.is_solved(P, tolerance);
  out.impulse = posed.on_file_rows(P);
  if (p.local)
    out.velocity = p.local->W * out.impulse + p.local->q;
  else
    out.velocity = posed.velocities(P);
  out.message = message_of(out, tolerance);
  return out;
}

// Compressed columns as NumPy arrays, (data, indices, starts, (rows, columns)): scipy.sparse is not needed.
using Columns = std::tuple<Vec, std::vector<int>, std::vector<int>, std::pair<int, int>>;

Sparse matrix_of(const Columns& given) {
  const auto& [data, rows, starts, shape] = given;
  std::vector<Eigen::Triplet<double>> entries;
  if (std::ssize(starts) != shape.second + 1 || starts.back() > std::ssize(rows) || std::ssize(rows) != data.size())
    fail("a sparse matrix whose arrays do not fit each other");
  for (int j = 0; j < shape.second; ++j)
    for (int k = starts[static_cast<std::size_t>(j)]; k < starts[static_cast<std::size_t>(j) + 1]; ++k) {
      const int i = k < 0 ? -1 : rows[static_cast<std::size_t>(k)];
      if (i < 0 || i >= shape.first) fail("a sparse matrix with {} rows has an entry in row {}", shape.first, i);
      entries.emplace_back(i, j, data[k]);
    }
  Sparse out(shape.first, shape.second);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

py::object columns_of(const Sparse& given) {
  Sparse m = given;
  m.makeCompressed();
  const std::vector<int> rows(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
  const std::vector<int> starts(m.outerIndexPtr(), m.outerIndexPtr() + m.cols() + 1);
  return py::cast(Columns{Eigen::Map<const Vec>(m.valuePtr(), m.nonZeros()), rows, starts,
                          {static_cast<int>(m.rows()), static_cast<int>(m.cols())}});
}

FrictionProblem local(const Columns& W, const Vec& q, const std::vector<double>& mu, const std::vector<double>& rolling,
                      int dim, const std::string& name) {
  FrictionProblem p;
  p.name = name, p.dim = dim, p.mu = mu, p.rolling = rolling;
  p.local.emplace(FrictionProblem::Local{matrix_of(W), q});
  return p;
}

FrictionProblem global(const Columns& M, const Columns& H, const Vec& free, const Vec& b, const std::vector<double>& mu, const std::vector<double>& rolling, int dim,
                       const std::string& name) {
  FrictionProblem p;
  p.name = name, p.dim = dim, p.mu = mu, p.rolling = rolling;
  const Sparse mass = matrix_of(M);
  p.global.emplace(GlobalFriction{mass, matrix_of(H), free, b, Sparse(0, mass.cols()), Vec(), 1});
  return p;
}

}  // namespace

void bind_contact(py::module_& m) {
  py::class_<FrictionProblem>(m, "FrictionProblem", "A frictional contact problem.")
      .def_static("local", &local, py::arg("W"), py::arg("q"), py::arg("mu"), py::arg("rolling"), py::arg("dim"),
                  py::arg("name"))
      .def_static("global_", &global, py::arg("A"), py::arg("H"), py::arg("free"), py::arg("q"), py::arg("mu"), py::arg("rolling"), py::arg("dim"), py::arg("name"))
      .def_static("read", &read_friction_problem, py::arg("file"))
      .def(
          "write", [](const FrictionProblem& p, const std::string& file) { write_friction_problem(file, p); },
          py::arg("file"))
      .def_readonly("name", &FrictionProblem::name)
      .def_readonly("dim", &FrictionProblem::dim)
      .def_readonly("mu", &FrictionProblem::mu)
      .def_readonly("rolling", &FrictionProblem::rolling)
      .def_readwrite("solution", &FrictionProblem::solution)
      .def_property_readonly("W", [](const FrictionProblem& p) -> py::object {
        return p.local ? columns_of(p.local->W) : py::none();
      })
      .def_property_readonly("q", [](const FrictionProblem& p) -> py::object {
        return p.local ? py::cast(p.local->q) : p.global ? py::cast(p.global->b) : py::none();
      })
      .def_property_readonly("A", [](const FrictionProblem& p) -> py::object {
        return p.global ? columns_of(p.global->M) : py::none();
      })
      .def_property_readonly("H", [](const FrictionProblem& p) -> py::object {
        return p.global ? columns_of(p.global->H) : py::none();
      })
      .def_property_readonly("free", [](const FrictionProblem& p) -> py::object {
        return p.global ? py::cast(p.global->free) : py::none();
      })
      .def_property_readonly("J", [](const FrictionProblem& p) -> py::object {
        return p.global ? columns_of(p.global->J) : py::none();
      });
  py::class_<Solution>(m, "ContactSolution", "Impulses and velocities of a contact problem.")
      .def_readonly("impulse", &Solution::impulse)
      .def_readonly("velocity", &Solution::velocity)
      .def_readonly("residual", &Solution::residual)
      .def_readonly("natural_residual", &Solution::natural)
      .def_readonly("solved", &Solution::solved)
      .def_readonly("message", &Solution::message)
      .def_property_readonly("iterations", [](const Solution& s) { return s.report.iterations; })
      .def_property_readonly("contradictory", [](const Solution& s) { return !s.solved && s.report.contradictory; })
      .def_property_readonly("immovable", [](const Solution& s) { return !s.solved && s.report.immovable; })
      .def_property_readonly("worst_contact", [](const Solution& s) { return s.solved ? -1 : s.report.worst_block; });
  m.def(
      "contact_solve",
      [](const FrictionProblem& p, const std::string& solver, double tolerance, const std::optional<Vec>& guess) {
        const py::gil_scoped_release free;
        return solve(p, solver, tolerance, guess);
      },
      py::arg("problem"), py::arg("solver"), py::arg("tolerance"), py::arg("guess"));
}

}  // namespace saltus::python
