#include "saltus/linalg/frontal_lu.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <map>
#include <numeric>

namespace saltus {
namespace {

using Map = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// A front takes in that of a child when the zeros this adds are few, or both are small.
constexpr int small_front = 12;
constexpr double most_zeros = 0.03;

std::vector<int> merged(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> out;
  out.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

}  // namespace

// Columns with the same pattern, in the order of their first one.
void FrontalLu::find_nodes(const Sparse& A, std::vector<int>& node_of, Nodes& members) {
  std::map<std::vector<int>, int> known;
  node_of.resize(A.cols());
  for (int k = 0; k < A.cols(); ++k) {
    std::vector<int> rows(A.innerIndexPtr() + A.outerIndexPtr()[k],
                          A.innerIndexPtr() + A.outerIndexPtr()[k + 1]);
    const auto [it, fresh] = known.emplace(std::move(rows), static_cast<int>(members.size()));
    if (fresh) members.emplace_back();
    node_of[k] = it->second;
    members[it->second].push_back(k);
  }
}

// The neighbours of each node, by increasing number, without itself.
FrontalLu::Nodes FrontalLu::graph_of(const Sparse& A, const std::vector<int>& node_of, const Nodes& members) {
  Nodes out(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (Sparse::InnerIterator it(A, members[i].front()); it; ++it)
      if (node_of[it.row()] != static_cast<int>(i)) out[i].push_back(node_of[it.row()]);
    std::sort(out[i].begin(), out[i].end());
    out[i].erase(std::unique(out[i].begin(), out[i].end()), out[i].end());
  }
  return out;
}

void FrontalLu::analyze(const Sparse& A) {
  n_ = static_cast<int>(A.cols());
  std::vector<int> node_of;
  Nodes members;
  find_nodes(A, node_of, members);
  const Nodes graph = graph_of(A, node_of, members);
  const int nodes = static_cast<int>(members.size());

  std::vector<Eigen::Triplet<double>> edges;
  for (int i = 0; i < nodes; ++i) {
    edges.emplace_back(i, i, 1.0);
    for (const int j : graph[i]) edges.emplace_back(i, j, 1.0);
  }
  Sparse pattern(nodes, nodes);
  pattern.setFromTriplets(edges.begin(), edges.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  std::vector<int> rank(nodes);  // of each node in the order of elimination
  for (int k = 0; k < nodes; ++k) rank[order.indices()[k]] = k;

  // Elimination: what remains of a column is a clique; its first member is the parent. All by rank.
  Nodes columns(nodes), borders(nodes);
  std::vector<int> parent(nodes, -1), weight(nodes);
  Nodes children(nodes);
  for (int k = 0; k < nodes; ++k) {
    const int node = order.indices()[k];
    weight[k] = static_cast<int>(members[node].size());
    columns[k] = {k};
    std::vector<int> later;
    for (const int j : graph[node])
      if (rank[j] > k) later.push_back(rank[j]);
    std::sort(later.begin(), later.end());
    for (const int child : children[k]) {
      std::vector<int> rest;
      std::copy_if(borders[child].begin(), borders[child].end(), std::back_inserter(rest),
                   [&](int j) { return j > k; });
      later = merged(later, rest);
    }
    borders[k] = std::move(later);
    if (!borders[k].empty()) {
      parent[k] = borders[k].front();
      children[parent[k]].push_back(k);
    }
  }

  // Fronts take in children, from the leaves up.
  const auto dofs = [&](const std::vector<int>& list) {
    return std::accumulate(list.begin(), list.end(), 0, [&](int sum, int k) { return sum + weight[k]; });
  };
  std::vector<char> alive(nodes, true);
  for (int k = 0; k < nodes; ++k) {
    const int border = dofs(borders[k]);
    for (std::size_t c = 0; c < children[k].size(); ++c) {
      const int child = children[k][c];
      const int own = dofs(columns[k]), theirs = dofs(columns[child]), all = own + theirs + border;
      const int zeros = 2 * theirs * (own + border - dofs(borders[child]));
      if (zeros > most_zeros * all * all && own + theirs > small_front) continue;
      columns[k].insert(columns[k].end(), columns[child].begin(), columns[child].end());
      for (const int grandchild : children[child]) parent[grandchild] = k;
      children[k].insert(children[k].end(), children[child].begin(), children[child].end());
      children[k].erase(children[k].begin() + static_cast<std::ptrdiff_t>(c));
      alive[child] = false;
      --c;
    }
  }

  // The fronts that are left keep their order: children still come before parents.
  Nodes own, border;
  std::vector<int> number(nodes, -1), up;
  for (int k = 0; k < nodes; ++k)
    if (alive[k]) {
      number[k] = static_cast<int>(own.size());
      own.emplace_back();
      border.emplace_back();
      up.push_back(parent[k]);
      std::sort(columns[k].begin(), columns[k].end());
      for (const int r : columns[k])
        for (const int column : members[order.indices()[r]]) own.back().push_back(column);
      for (const int r : borders[k])
        for (const int column : members[order.indices()[r]]) border.back().push_back(column);
    }
  for (int& p : up)
    if (p >= 0) p = number[p];
  lay_out(A, own, border, up);
}

void FrontalLu::lay_out(const Sparse& A, const Nodes& columns, const Nodes& borders,
                        const std::vector<int>& parent) {
  const int fronts = static_cast<int>(columns.size());
  place_.assign(n_, 0);
  front_.assign(fronts, {});
  pivot_.resize(fronts);
  border_.clear(), map_.clear(), entry_.clear();
  int next = 0;
  std::size_t values = 0;
  std::vector<int> front_of(n_);
  for (int f = 0; f < fronts; ++f) {
    Front& x = front_[f];
    x.first = next, x.own = static_cast<int>(columns[f].size());
    x.border = static_cast<int>(borders[f].size());
    x.parent = parent[f];
    x.values = values;
    values += static_cast<std::size_t>(x.size()) * x.size();
    for (const int column : columns[f]) place_[column] = next++, front_of[column] = f;
  }
  value_.resize(values);
  x_.resize(n_), b_.resize(n_);
  for (int f = 0; f < fronts; ++f) {
    front_[f].rows = static_cast<int>(border_.size());
    for (const int column : borders[f]) border_.push_back(place_[column]);
    std::sort(border_.begin() + front_[f].rows, border_.end());
  }
  const auto in_front = [&](const Front& x, int place) {
    if (place < x.first + x.own) return place - x.first;
    const auto begin = border_.begin() + x.rows, end = begin + x.border;
    return x.own + static_cast<int>(std::lower_bound(begin, end, place) - begin);
  };
  for (Front& x : front_) {
    x.map = static_cast<int>(map_.size());
    for (int k = 0; x.parent >= 0 && k < x.border; ++k)
      map_.push_back(in_front(front_[x.parent], border_[x.rows + k]));
  }
  std::vector<std::vector<Entry>> entries(fronts);
  for (int column = 0; column < n_; ++column)
    for (int k = A.outerIndexPtr()[column]; k < A.outerIndexPtr()[column + 1]; ++k) {
      const int row = A.innerIndexPtr()[k];
      const int f = std::min(front_of[row], front_of[column]);
      entries[f].push_back({k, in_front(front_[f], place_[row]), in_front(front_[f], place_[column])});
    }
  for (int f = 0; f < fronts; ++f) {
    front_[f].entries = static_cast<int>(entry_.size());
    entry_.insert(entry_.end(), entries[f].begin(), entries[f].end());
    front_[f].entries_end = static_cast<int>(entry_.size());
  }
}

bool FrontalLu::factorize(const Sparse& A) {
  std::fill(value_.begin(), value_.end(), 0.0);
  const double* a = A.valuePtr();
  sign_ = 1;
  for (std::size_t f = 0; f < front_.size(); ++f) {
    const Front& x = front_[f];
    const int n = x.size(), p = x.own, b = x.border;
    double* F = value_.data() + x.values;
    for (int k = x.entries; k < x.entries_end; ++k)
      F[static_cast<std::size_t>(entry_[k].column) * n + entry_[k].row] += a[entry_[k].from];
    Map own(F, p, p, Eigen::OuterStride<>(n));
    auto& lu = pivot_[f];
    lu.compute(own);
    const auto diagonal = lu.matrixLU().diagonal();
    if (!diagonal.allFinite() || !(diagonal.cwiseAbs().minCoeff() > 0)) return false;
    if ((diagonal.array() < 0).count() % 2 != 0) sign_ = -sign_;
    if (lu.permutationP().determinant() < 0) sign_ = -sign_;
    if (b == 0) continue;
    Map right(F + static_cast<std::size_t>(p) * n, p, b, Eigen::OuterStride<>(n));
    Map below(F + p, b, p, Eigen::OuterStride<>(n));
    Map rest(F + static_cast<std::size_t>(p) * n + p, b, b, Eigen::OuterStride<>(n));
    right = lu.permutationP() * right;
    lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(right);
    lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    rest.noalias() -= below * right;
    const Front& up = front_[x.parent];
    double* U = value_.data() + up.values;
    const int* to = map_.data() + x.map;
    const int m = up.size();
    for (int column = 0; column < b; ++column) {
      double* target = U + static_cast<std::size_t>(to[column]) * m;
      const double* source = rest.data() + static_cast<std::size_t>(column) * n;
      for (int row = 0; row < b; ++row) target[to[row]] += source[row];
    }
  }
  return true;
}

void FrontalLu::solve(double* v) {
  for (int k = 0; k < n_; ++k) x_[place_[k]] = v[k];
  for (std::size_t f = 0; f < front_.size(); ++f) {
    const Front& x = front_[f];
    Eigen::Map<Eigen::VectorXd> own(x_.data() + x.first, x.own), add(b_.data(), x.border);
    own = pivot_[f].permutationP() * own;
    pivot_[f].matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(own);
    const Map below(value_.data() + x.values + x.own, x.border, x.own, Eigen::OuterStride<>(x.size()));
    add.noalias() = below * own;
    for (int k = 0; k < x.border; ++k) x_[border_[x.rows + k]] -= add[k];
  }
  for (auto f = front_.size(); f-- > 0;) {
    const Front& x = front_[f];
    Eigen::Map<Eigen::VectorXd> own(x_.data() + x.first, x.own), known(b_.data(), x.border);
    for (int k = 0; k < x.border; ++k) known[k] = x_[border_[x.rows + k]];
    const Map right(value_.data() + x.values + static_cast<std::size_t>(x.own) * x.size(), x.own, x.border,
                    Eigen::OuterStride<>(x.size()));
    own.noalias() -= right * known;
    pivot_[f].matrixLU().triangularView<Eigen::Upper>().solveInPlace(own);
  }
  for (int k = 0; k < n_; ++k) v[k] = x_[place_[k]];
}

}  // namespace saltus
