// A system of first order from formulas: ẏ = f(t, y), with its exact Jacobian.
#pragma once
#include "saltus/formula/tape.hpp"
#include "saltus/linalg/pattern.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus {

class FormulaOde final : public FirstOrderSystem {
 public:
  /// Inputs of the graph: t, then y.
  FormulaOde(Graph graph, std::span<const Graph::Id> rhs, std::vector<std::string> names,
             std::vector<Parameter> parameters = {})
      : n_(static_cast<int>(rhs.size())),
        names_(std::move(names)),
        parameters_(std::move(parameters)),
        rhs_(graph, rhs) {
    std::vector<Graph::Id> entries;
    for (int i = 0; i < n_; ++i)
      for (const int j : graph.inputs_of(rhs[i], 1, 1 + n_))
        if (const Graph::Id d = graph.derivative(rhs[i], 1 + j); !graph.is_zero(d))
          places_.emplace_back(i, j), entries.push_back(d);
    jacobian_ = Tape(graph, entries);
    pattern_ = pattern_holding(n_, places_);
  }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<TapeRoom>(); }
  std::span<const Parameter> parameters() const override { return parameters_; }
  int size() const override { return n_; }
  Pattern pattern() const override { return pattern_; }
  void rhs(double t, In y, Out f, Workspace& w) const override {
    rhs_.evaluate([&](int k) { return k == 0 ? t : y[k - 1]; }, [&](int k, double x) { f[k] = x; }, w);
  }
  void jacobian(double t, In y, Matrix& J, Workspace& w) const override {
    jacobian_.evaluate([&](int k) { return k == 0 ? t : y[k - 1]; },
                       [&](int k, double x) { J.set(places_[k].first, places_[k].second, x); }, w);
  }
  std::string component_name(int i) const override { return names_[i]; }

 private:
  int n_;
  std::vector<std::string> names_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<int, int>> places_;
  Pattern pattern_;
  Tape rhs_, jacobian_;
};

}  // namespace saltus
