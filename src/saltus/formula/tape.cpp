#include "saltus/formula/tape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {

using Op = Graph::Op;

namespace {

// 1.5, 2.5, … of a power that is quicker by a root; 0 otherwise.
double half_power(const Graph& g, const Graph::Node& n) {
  if (n.op != Op::power || !g.is_number(n.b)) return 0;
  const double p = g.node(n.b).value;
  return p > 1 && p < 6 && p - 0.5 == std::floor(p) ? p : 0;
}

}  // namespace

Tape::Tape(const Graph& graph, std::span<const Graph::Id> outputs) {
  std::vector<Graph::Id> needed, stack(outputs.begin(), outputs.end());
  std::vector<char> seen;
  const auto mark = [&](Graph::Id i) {
    if (i >= static_cast<Graph::Id>(seen.size())) seen.resize(static_cast<std::size_t>(i) + 1, 0);
    return std::exchange(seen[i], char{1}) == 0;
  };
  while (!stack.empty()) {
    const Graph::Id i = stack.back();
    stack.pop_back();
    if (!mark(i)) continue;
    needed.push_back(i);
    const auto& n = graph.node(i);
    if (n.op == Op::number || n.op == Op::variable) continue;
    stack.push_back(n.a), stack.push_back(n.b);
    if (n.op == Op::select) stack.push_back(n.c);
  }
  std::sort(needed.begin(), needed.end());  // operands have smaller numbers
  std::vector<int> place(seen.size(), 0);
  int next = 0;
  for (const Graph::Id i : needed)
    if (graph.node(i).op == Op::number) constants_.push_back(graph.node(i).value), place[i] = next++;
  for (const Graph::Id i : needed)
    if (graph.node(i).op == Op::variable) loads_.push_back(graph.node(i).a), place[i] = next++;
  for (const Graph::Id i : needed) {
    const auto& n = graph.node(i);
    if (n.op == Op::number || n.op == Op::variable) continue;
    if (const double p = half_power(graph, n); p > 0) {  // x^1.5 = √x x, x^2.5 = √x x x
      steps_.push_back({Op::sqrt, place[n.a], place[n.a], 0});
      place[i] = next++;
      for (double k = 0.5; k < p; ++k) {
        steps_.push_back({Op::multiply, place[i], place[n.a], 0});
        place[i] = next++;
      }
      continue;
    }
    steps_.push_back({n.op, place[n.a], place[n.b], n.op == Op::select ? place[n.c] : 0});
    place[i] = next++;
  }
  for (const Graph::Id i : outputs) outputs_.push_back(place[i]);
  size_ = next;
}

double* Tape::long_room(TapeRoom& room) const {
  if (room.values.size() < static_cast<std::size_t>(size_)) room.values.resize(size_);
  return room.values.data();
}

void Tape::run(double* x, double* at) const {
  for (const Step& s : steps_) {
    const double a = x[s.a], b = x[s.b];
    switch (s.op) {  // the cheap ones here, so that the loop stays in its cache line
      case Op::add:
        *at++ = a + b;
        break;
      case Op::subtract:
        *at++ = a - b;
        break;
      case Op::multiply:
        *at++ = a * b;
        break;
      case Op::divide:
        *at++ = a / b;
        break;
      case Op::negate:
        *at++ = -a;
        break;
      case Op::select:
        *at++ = x[s.c] != 0 ? a : b;
        break;
      default:
        *at++ = Expression::apply(s.op, a, b);
    }
  }
}

}  // namespace saltus
