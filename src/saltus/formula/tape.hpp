// The operations that some nodes of a graph need, in order, each once. Constants and inputs stand before them
// in the list of values. Evaluation does not allocate once a thread has met the longest tape.
#pragma once
#include <cstring>

#include "saltus/formula/graph.hpp"

namespace saltus {

class Tape {
 public:
  Tape() = default;
  Tape(const Graph& graph, std::span<const Graph::Id> outputs);

  int outputs() const { return static_cast<int>(outputs_.size()); }
  int operations() const { return static_cast<int>(steps_.size()); }
  bool is_constant() const { return steps_.empty() && loads_.empty(); }

  /// put(k, value) for each output; get(k) gives input k and is asked only for those that occur.
  template <class Get, class Put>
  void evaluate(Get&& get, Put&& put) const {
    constexpr int small = 192;
    double room[small];
    double* x = size_ <= small ? room : long_room(size_);
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
  static double* long_room(int size);
  void run(double* x, double* at) const;

  std::vector<double> constants_;
  std::vector<int> loads_, outputs_;
  std::vector<Step> steps_;
  int size_ = 0;
};

}  // namespace saltus
