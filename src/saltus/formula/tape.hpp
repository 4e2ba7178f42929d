// The operations that some nodes of a graph need, in order, each once. Constants and inputs stand before them
// in the list of values. Evaluation does not allocate once its workspace has seen the longest tape.
#pragma once
#include <cstring>

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
    if (!constants_.empty()) std::memcpy(x, constants_.data(), constants_.size() * sizeof(double));
    double* at = x + constants_.size();
    for (const int k : loads_) *at++ = get(k);
    run(x, at);
    for (std::size_t k = 0; k < outputs_.size(); ++k) put(static_cast<int>(k), x[outputs_[k]]);
  }

 private:
  struct Step {
    Graph::Op op;
    int a, b, c;
  };
  double* long_room(TapeRoom& room) const;
  void run(double* x, double* at) const;

  std::vector<double> constants_;
  std::vector<int> loads_, outputs_;
  std::vector<Step> steps_;
  int size_ = 0;
};

}  // namespace saltus
