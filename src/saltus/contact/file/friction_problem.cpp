#include "saltus/contact/file/friction_problem.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contact/file/formats.hpp"
#include "saltus/contact/kernels.hpp"

namespace saltus {
namespace {

using Sparse = FrictionProblem::Sparse;
using ByRow = Eigen::SparseMatrix<double, Eigen::RowMajor>;

bool ends_with(const std::string& file, std::string_view tail) {
  return file.size() >= tail.size() && file.compare(file.size() - tail.size(), tail.size(), tail) == 0;
}

enum class Format : std::uint8_t { fcp, fclib };
Format format_of(const std::string& file) {
  if (ends_with(file, ".fcp")) return Format::fcp;
  if (ends_with(file, ".hdf5") || ends_with(file, ".h5")) return Format::fclib;
  fail("{}: the extension names no format of contact problems; known: .fcp (text), .hdf5 or .h5 (FCLIB)",
       file);
}

// The smallest of our patterns for a mass: diagonal, equal blocks of up to 12, any.
Pattern pattern_of(const Sparse& M) {
  const int n = static_cast<int>(M.rows());
  const auto fits = [&](int width) {
    if (n % width != 0) return false;
    for (int k = 0; k < n; ++k)
      for (Sparse::InnerIterator it(M, k); it; ++it)
        if (it.row() / width != k / width && it.value() != 0) return false;
    return true;
  };
  if (fits(1)) return {Pattern::diagonal, 0, nullptr};
  for (int width = 2; width <= 12; ++width)
    if (fits(width)) return {Pattern::blocks, width, nullptr};
  auto entries = std::make_shared<Pattern::Entries>();
  for (int k = 0; k < n; ++k)
    for (Sparse::InnerIterator it(M, k); it; ++it) entries->emplace_back(static_cast<int>(it.row()), k);
  return {Pattern::sparse, 0, std::move(entries)};
}

Factor factor_of(const Sparse& M) {
  Matrix A(static_cast<int>(M.rows()), pattern_of(M));
  for (int k = 0; k < M.outerSize(); ++k)
    for (Sparse::InnerIterator it(M, k); it; ++it)
      if (it.value() != 0) A.add(static_cast<int>(it.row()), k, it.value());
  Factor factor;
  if (!factor.factorize(A)) fail("the mass matrix is singular at row {}", factor.bad_row());
  return factor;
}

void append(const ByRow& A, int row, SparseRows& out) {
  for (ByRow::InnerIterator it(A, row); it; ++it)
    if (it.value() != 0) out.add(static_cast<int>(it.col()), it.value());
  out.end_row();
}

void build_global(const FrictionProblem::Global& g, const std::vector<int>& file_row,
                  std::span<const int> sizes, ContactProblem& problem) {
  const ByRow H = g.H, J = g.J;
  SparseRows Wt;
  const Vec u = g.H * g.free + g.b, joint = g.J.rows() > 0 ? Vec(g.J * g.free + g.d) : Vec();
  int joints = 0;
  for (const int row : file_row)
    if (row >= 0) {
      append(H, row, Wt);
      problem.c.push_back(u[row]);
    } else {
      append(J, joints, Wt);
      problem.c.push_back(joint[joints++]);
    }
  problem.G.build(factor_of(g.M), Wt, sizes);
}

// Blocks of W with the rows that were left out dropped.
void build_local(const FrictionProblem::Local& l, int dim, const std::vector<int>& file_row,
                 std::span<const int> sizes, ContactProblem& problem) {
  for (const int row : file_row) problem.c.push_back(l.q[row]);
  const ByRow W = l.W;
  std::deque<std::vector<double>> values;
  std::vector<Delassus::GivenBlock> blocks;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    std::vector<std::pair<int, std::size_t>> row;  // contact j, its place in `values`
    std::vector<int> place(sizes.size(), -1);
    for (int a = 0; a < sizes[i]; ++a)
      for (ByRow::InnerIterator it(W, i * dim + a); it; ++it) {
        const int j = static_cast<int>(it.col()) / dim, b = static_cast<int>(it.col()) % dim;
        if (b >= sizes[j]) continue;
        if (place[j] < 0) {
          place[j] = static_cast<int>(values.size());
          values.emplace_back(static_cast<std::size_t>(sizes[i]) * sizes[j], 0.0);
          blocks.push_back({i, j, values.back().data()});
        }
        values[place[j]][a * sizes[j] + b] = it.value();
      }
  }
  problem.G.build_blocks(blocks, sizes);
}

// x ← the nearest point of {|x_j| ≤ bound_j x₀ for all discs j}. With the discs that bind known, x₀ minimises
// (x₀ − t)² + Σ (|x_j| − bound_j t)²; they are those with the largest |x_j| / bound_j.
void onto_cone(const FrictionDiscs& discs, double* x) {
  double length[3] = {}, top = x[0], bottom = 1;
  const auto count = static_cast<int>(discs.end() - discs.begin());
  for (int j = 0; j < count; ++j) {
    const FrictionDisc& d = discs.begin()[j];
    length[j] = d.rows == 1 ? std::abs(x[d.at]) : std::sqrt(x[d.at] * x[d.at] + x[d.at + 1] * x[d.at + 1]);
  }
  bool binds[3] = {};
  for (int round = 0; round < count; ++round) {
    int next = -1;
    double largest = top / bottom;
    for (int j = 0; j < count; ++j)
      if (const double bound = discs.begin()[j].bound; !binds[j] && bound > 0 && length[j] / bound > largest)
        next = j, largest = length[j] / bound;
    if (next < 0) break;
    const double bound = discs.begin()[next].bound;
    binds[next] = true;
    top += bound * length[next];
    bottom += bound * bound;
  }
  x[0] = std::max(0.0, top / bottom);
  for (int j = 0; j < count; ++j)
    if (const FrictionDisc& d = discs.begin()[j]; length[j] > d.bound * x[0])
      for (int a = d.at; a < d.at + d.rows; ++a) x[a] *= d.bound * x[0] / length[j];
}

}  // namespace

Law FrictionProblem::law(int i) const {
  if (!rolling.empty() && (mu[i] > 0 || rolling[i] > 0))
    return RollingFriction{mu[i], rolling[i], 0, 0, 0, 1, dim == 5 ? 2 : 1};
  return mu[i] > 0 ? Law(Coulomb{mu[i], 0, 0, dim - 1}) : Law(Unilateral{});
}

FrictionProblem read_friction_problem(const std::string& file) {
  FrictionProblem p = format_of(file) == Format::fcp ? detail::read_fcp(file) : detail::read_fclib(file);
  for (std::size_t i = 0; i < p.mu.size(); ++i)
    if (!(p.mu[i] >= 0)) detail::fail_in(file, "mu", "contact {} has {}, which is below 0", i, p.mu[i]);
  for (std::size_t i = 0; i < p.rolling.size(); ++i)
    if (!(p.rolling[i] >= 0))
      detail::fail_in(file, "mu_r", "contact {} has {}, which is below 0", i, p.rolling[i]);
  if (!p.local && !p.global) fail("{}: holds neither W and q nor mass, vfree and H", file);
  return p;
}

void write_friction_problem(const std::string& file, const FrictionProblem& problem) {
  if (format_of(file) == Format::fcp)
    detail::write_fcp(file, problem);
  else
    detail::write_fclib(file, problem);
}

PosedFriction::PosedFriction(const FrictionProblem& from) : file_rows_(from.rows()) {
  if (!from.local && !from.global)
    fail("the friction problem '{}' has neither a local nor a global form", from.name);
  std::vector<int> sizes;
  const auto add = [&](Law law, int file_row) {
    sizes.push_back(rows(law));
    for (int a = 0; a < sizes.back(); ++a) file_row_.push_back(file_row < 0 ? -1 : file_row + a);
    laws_.push_back(std::move(law));
    problem.laws.push_back(&laws_.back());
  };
  for (int i = 0; i < from.contacts(); ++i) add(from.law(i), i * from.dim);
  if (from.global) {
    for (int k = 0; k < from.global->J.rows(); ++k) add(Equality{1}, -1);
    build_global(*from.global, file_row_, sizes, problem);
  } else {
    build_local(*from.local, from.dim, file_row_, sizes, problem);
  }
}

Vec PosedFriction::on_file_rows(const Vec& P) const {
  Vec r = Vec::Zero(file_rows_);
  for (std::size_t k = 0; k < file_row_.size(); ++k)
    if (file_row_[k] >= 0) r[file_row_[k]] = P[static_cast<Eigen::Index>(k)];
  return r;
}

Vec PosedFriction::from_file_rows(const Vec& r) const {
  Vec P = Vec::Zero(problem.rows());
  for (std::size_t k = 0; k < file_row_.size(); ++k)
    if (file_row_[k] >= 0) P[static_cast<Eigen::Index>(k)] = r[file_row_[k]];
  return P;
}

Vec PosedFriction::velocities(const Vec& P) const {
  std::vector<double> u(problem.c.size());
  detail::evaluate(problem, P.data(), u.data());
  Vec out = Vec::Constant(file_rows_, std::nan(""));
  for (std::size_t k = 0; k < file_row_.size(); ++k)
    if (file_row_[k] >= 0) out[file_row_[k]] = u[k];
  return out;
}

double PosedFriction::file_residual(const Vec& P) const {
  if (P.size() != problem.rows()) fail("the contact problem has {} rows, P has {}", problem.rows(), P.size());
  std::vector<double> u(problem.c.size());
  detail::evaluate(problem, P.data(), u.data());
  double error = 0, q2 = 0, r2 = 0, u2 = 0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    q2 += problem.c[k] * problem.c[k];
    r2 += P[static_cast<Eigen::Index>(k)] * P[static_cast<Eigen::Index>(k)];
    u2 += u[k] * u[k];
  }
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const double *r = P.data() + at, *v = u.data() + at;
    if (std::holds_alternative<Equality>(*problem.laws[i])) {
      error += v[0] * v[0];
      continue;
    }
    const FrictionDiscs discs = discs_of(*problem.laws[i]);
    double x[max_block_rows];
    for (int a = 0; a < n; ++a) x[a] = r[a] - v[a];
    for (const FrictionDisc& d : discs) {
      double slip = 0;
      for (int a = d.at; a < d.at + d.rows; ++a) slip += v[a] * v[a];
      x[0] -= d.bound * std::sqrt(slip);
    }
    onto_cone(discs, x);
    for (int a = 0; a < n; ++a) error += (r[a] - x[a]) * (r[a] - x[a]);
  }
  const double scale = std::max({q2, r2, u2});
  return std::sqrt(scale > 0 ? error / scale : error);
}

// The file's residual is relative to the impulses too: those of contacts that contradict each other make any
// violation small. So what is left must be little next to the free velocities as well.
bool PosedFriction::is_solved(const Vec& P, double tolerance) const {
  constexpr double enough = 1e-6, room = 100;
  if (!(file_residual(P) <= tolerance)) return false;
  std::vector<double> none(problem.c.size(), 0.0);
  const double violation = natural_residual(problem, P) * velocity_scale(problem, P.data());
  return violation <= std::max(enough, room * tolerance) * velocity_scale(problem, none.data());
}

SolveReport solve_to_file_residual(PosedFriction& posed, SolverSpec spec, double tolerance, Vec& P) {
  constexpr int most_rounds = 4;
  SolveReport report;
  double own = 0.1 * tolerance;
  for (int round = 0, iterations = 0; round < most_rounds; ++round, own *= 0.1) {
    std::visit([&](auto& s) { s.tolerance = own; }, spec);
    report = make_contact_solver(spec)->solve(posed.problem, P);
    report.iterations = iterations += report.iterations;
    const bool enough = report.solved;
    report.solved = posed.is_solved(P, tolerance);
    if (report.solved || !enough) break;
  }
  return report;
}

FrictionProblem to_friction_problem(const ContactProblem& problem, std::string name) {
  FrictionProblem p;
  p.name = std::move(name);
  p.dim = 2;
  for (int i = 0; i < problem.blocks(); ++i) {
    const Law& law = *problem.laws[i];
    const auto* friction = std::get_if<Coulomb>(&law);
    if (!friction && !std::holds_alternative<Unilateral>(law))
      fail(
          "contact {} of the problem has the law '{}'; the formats hold unilateral contacts and Coulomb "
          "friction only",
          i, std::visit([](const auto& l) { return l.name; }, law));
    p.mu.push_back(friction ? friction->mu : 0);
    if (friction && friction->tangents == 2) p.dim = 3;
  }
  const Delassus& G = problem.G;
  const auto row_of = [&](int i, int a) { return i * p.dim + a; };
  std::vector<Eigen::Triplet<double>> W, H;
  G.for_each_block([&](int i, int j, const double* g) {
    for (int a = 0; a < G.block_size(i); ++a)
      for (int b = 0; b < G.block_size(j); ++b)
        if (const double x = g[a * G.block_size(j) + b]; x != 0)
          W.emplace_back(row_of(i, a), row_of(j, b), x);
  });
  auto& local = p.local.emplace();
  local.W.resize(p.rows(), p.rows());
  local.W.setFromTriplets(W.begin(), W.end());
  local.q = Vec::Zero(p.rows());
  for (int i = 0; i < problem.blocks(); ++i)
    for (int a = 0; a < G.block_size(i); ++a) local.q[row_of(i, a)] = problem.c[G.offset(i) + a];
  if (!G.has_columns()) return p;

  // z = w/m on every row means a diagonal mass m.
  std::vector<double> mass;
  for (int i = 0; i < problem.blocks(); ++i)
    for (int a = 0; a < G.block_size(i); ++a) {
      const auto w = G.W().row(G.offset(i) + a), z = G.Z().row(G.offset(i) + a);
      if (w.size() != z.size()) return p;
      for (std::size_t k = 0; k < w.size(); ++k) {
        const int column = w[k].column;
        if (column != z[k].column || z[k].value == 0) return p;
        if (column >= static_cast<int>(mass.size())) mass.resize(column + 1, 0.0);
        const double m = w[k].value / z[k].value;
        if (!(m > 0) || (mass[column] > 0 && std::abs(m - mass[column]) > 1e-12 * m)) return p;
        if (mass[column] == 0) mass[column] = m;
        H.emplace_back(row_of(i, a), column, w[k].value);
      }
    }
  if (mass.empty()) return p;
  auto& g = p.global.emplace();
  const auto n = static_cast<Eigen::Index>(mass.size());
  std::vector<Eigen::Triplet<double>> M;
  for (Eigen::Index k = 0; k < n; ++k) M.emplace_back(k, k, mass[k] > 0 ? mass[k] : 1);
  g.M.resize(n, n);
  g.M.setFromTriplets(M.begin(), M.end());
  g.H.resize(p.rows(), n);
  g.H.setFromTriplets(H.begin(), H.end());
  g.free = Vec::Zero(n);
  g.b = local.q;
  g.J.resize(0, n);
  return p;
}

}  // namespace saltus
