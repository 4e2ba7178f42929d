// A formula of the time alone, with its rate.
#pragma once
#include <array>

#include "saltus/formula/tape.hpp"
#include "saltus/system/time_function.hpp"

namespace saltus {

class TimeFormula final : public TimeFunction {
 public:
  /// Input 0 of the graph is the time; no other occurs in f.
  TimeFormula(Graph& graph, Graph::Id f) {
    const std::array<Graph::Id, 2> both = {f, graph.derivative(f, 0)};
    tape_ = Tape(graph, both);
  }
  Value at(double t) const override {
    constexpr int usual = 256;
    if (tape_.size() <= usual) {
      double room[usual];
      return at(t, room);
    }
    std::vector<double> room(static_cast<std::size_t>(tape_.size()));
    return at(t, room.data());
  }

 private:
  Value at(double t, double* room) const {
    Value out;
    tape_.evaluate_in(
        room, [t](int) { return t; }, [&](int k, double x) { (k == 0 ? out.value : out.rate) = x; });
    return out;
  }
  Tape tape_;
};

}  // namespace saltus
