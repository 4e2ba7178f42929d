// The operations that some nodes of a graph need, each once, operands before results. Constants and inputs
// stand before them in the list of values. Equal operations that do not need each other's results stand side
// by side, so that there is one decision for all of them. Evaluation does not allocate once its workspace has
// seen the longest tape.
#pragma once
#include "saltus/formula/graph.hpp"
#include "saltus/system/workspace.hpp"

namespace saltus {

/// The workspace of systems made of tapes.
struct TapeRoom : Workspace {
  std::vector<double> values;   ///< of one evaluation
  std::vector<double> outputs;  ///< for systems that sort them afterwards
};

class Tape {
 public:
  Tape() = default;
  Tape(const Graph& graph, std::span<const Graph::Id> outputs);

  int outputs() const { return static_cast<int>(outputs_.size()); }
  int operations() const { return static_cast<int>(steps_.size()); }
  bool is_constant() const { return steps_.empty() && loads_.empty(); }

  /// put(k, value) for each output; get(k) gives input k and is asked only for those that occur.
  /// w is a TapeRoom.
  template <class Get, class Put>
  void evaluate(Get&& get, Put&& put, Workspace& w) const {
    constexpr int small = 192;
    double room[small];
    double* x = size_ <= small ? room : long_room(static_cast<TapeRoom&>(w));
    double* at = x;
    for (const double constant : constants_) *at++ = constant;
    for (const int k : loads_) *at++ = get(k);
    if (!steps_.empty()) run(x, at);
    for (std::size_t k = 0; k < outputs_.size(); ++k) put(static_cast<int>(k), x[outputs_[k]]);
  }

 private:
  struct Step {
    Graph::Op op;
    int a, b, c;
  };
  struct Run {
    Graph::Op op;
    int count;
  };
  void sort_steps(int first);
  double* long_room(TapeRoom& room) const;
  void run(double* x, double* at) const;

  std::vector<double> constants_;
  std::vector<int> loads_, outputs_;
  std::vector<Step> steps_;
  std::vector<Run> runs_;  // steps_ in parts of one operation each
  int size_ = 0;
};

}  // namespace saltus
