// The operations that some nodes of a graph need, each once, operands before results. Constants and inputs
// stand before them in the list of values. Equal operations that do not need each other's results stand side
// by side, so that there is one decision for all of them; a product that only a sum or a difference needs is
// part of that. Evaluation does not allocate once its workspace has seen the longest tape.
#pragma once
#include <algorithm>

#include "saltus/core/stamp.hpp"
#include "saltus/formula/graph.hpp"
#include "saltus/system/workspace.hpp"

namespace saltus {

/// The workspace of systems made of tapes.
struct TapeRoom : Workspace {
  std::vector<double> values;   ///< of one evaluation
  std::uint64_t tape = 0;       ///< whose: its constants are in place
  std::vector<double> outputs;  ///< for systems that sort them afterwards
};

class Tape {
 public:
  Tape() = default;
  Tape(const Graph& graph, std::span<const Graph::Id> outputs);

  int outputs() const { return static_cast<int>(outputs_.size()); }
  int operations() const { return steps_.empty() ? 0 : static_cast<int>(steps_.size()) - 1; }
  bool is_constant() const { return steps_.empty() && loads_.empty(); }
  int size() const { return size_; }  ///< values of an evaluation

  /// put(k, value) for each output; get(k) gives input k and is asked only for those that occur.
  /// w is a TapeRoom.
  template <class Get, class Put>
  void evaluate(Get&& get, Put&& put, Workspace& w) const {
    auto& room = static_cast<TapeRoom&>(w);
    if (room.tape != stamp_) place_constants(room);
    double *x = room.values.data(), *at = x + constants_.size();
    for (const int k : loads_) *at++ = get(k);
    if (!steps_.empty()) run(x, at);
    for (std::size_t k = 0; k < outputs_.size(); ++k) put(static_cast<int>(k), x[outputs_[k]]);
  }
  /// The same in memory of the caller, of size() numbers. Constants are placed every time: for a few
  /// operations.
  template <class Get, class Put>
  void evaluate_in(double* x, Get&& get, Put&& put) const {
    double* at = std::copy(constants_.begin(), constants_.end(), x);
    for (const int k : loads_) *at++ = get(k);
    if (!steps_.empty()) run(x, at);
    for (std::size_t k = 0; k < outputs_.size(); ++k) put(static_cast<int>(k), x[outputs_[k]]);
  }

 private:
  // What run() tells apart; the product is of a and b.
  enum class Kind : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    negate,
    select,
    sin,
    cos,
    sqrt,
    add_product,
    subtract_product,
    product_less,
    other,
    end
  };
  static Kind kind_of(Graph::Op op);
  struct Step {
    Kind kind;
    Graph::Op op;
    int a, b, c;
  };
  void sort_steps(int first);
  void place_constants(TapeRoom& room) const;
  void run(double* x, double* at) const;

  std::vector<double> constants_;
  std::vector<int> loads_, outputs_;
  std::vector<Step> steps_;  // if any, the last is Kind::end
  int size_ = 0;
  std::uint64_t stamp_ = next_stamp();  // a place in memory may be another tape's later; copies are alike
};

}  // namespace saltus
