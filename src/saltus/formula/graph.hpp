// Formulas as one graph in which equal parts are one node. Nodes are simplified as they are made, so what
// does not depend on an input is a number, and derivatives that vanish are zero: structure can be read off.
#pragma once
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "saltus/expression/expression.hpp"

namespace saltus {

class Graph {
 public:
  using Op = Expression::Op;
  using Id = int;
  struct Node {
    Op op = Op::number;
    Id a = 0, b = 0, c = 0;  ///< operands; c: the condition of a select; a: the number of an input
    double value = 0;
  };
  /// More nodes than this are refused: a formula whose derivatives explode.
  static constexpr int most_nodes = 1'000'000;

  Graph();
  const Node& node(Id i) const { return nodes_[i]; }

  Id number(double x);
  Id input(int k);
  Id make(Op op, Id a, Id b, Id c = 0);
  Id add(Id a, Id b) { return make(Op::add, a, b); }
  Id subtract(Id a, Id b) { return make(Op::subtract, a, b); }
  Id multiply(Id a, Id b) { return make(Op::multiply, a, b); }
  Id power(Id a, double p) { return make(Op::power, a, number(p)); }
  /// The formula, given what its variables stand for.
  Id expression(const Expression& e, std::span<const Id> variables);

  bool is_zero(Id i) const { return nodes_[i].op == Op::number && nodes_[i].value == 0; }
  bool is_number(Id i) const { return nodes_[i].op == Op::number; }
  /// Whether one of the inputs first … last − 1 occurs.
  bool depends(Id f, int first, int last) const { return !inputs_of(f, first, last).empty(); }
  /// Which of the inputs first … last − 1 occur, counted from `first`, in increasing order.
  std::vector<int> inputs_of(Id f, int first, int last) const;
  /// All that occur.
  std::vector<int> inputs_of(Id f) const { return inputs_of(f, 0, std::numeric_limits<int>::max()); }
  /// ∂f/∂(input k), exact. Kinks (abs, min, max, if) take the derivative of the branch the value is in.
  Id derivative(Id f, int k);
  /// f with the inputs first … last − 1 set to zero.
  Id at_zero(Id f, int first, int last);

 private:
  Id insert(const Node& n);
  Id simplify_sum(Op op, Id a, Id b);
  Id simplify_product(Op op, Id a, Id b);
  Id simplify_power(Id a, Id b);
  Id rule(Id f, int k);  // the chain rule at one node, derivatives of the operands known

  struct Hash {
    std::size_t operator()(const Node& n) const;
  };
  struct Equal {
    bool operator()(const Node& x, const Node& y) const;
  };
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> inputs_;  // per node: bit k mod 64 is set when input k may occur
  std::unordered_map<Node, Id, Hash, Equal> known_;
  std::unordered_map<std::uint64_t, Id> derivatives_;  // (node, input), of nodes that have the input's bit
  mutable std::vector<int> visited_;                   // per node: the last search that came here
  mutable int searches_ = 0;
};

}  // namespace saltus
