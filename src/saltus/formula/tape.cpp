#include "saltus/formula/tape.hpp"

#include <algorithm>
#include <array>
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
  sort_steps(next - operations());
}

// Places from `first` on are results of steps. Within a window, so that values stay close to where they are
// used, the operation is next that most steps are ready for.
void Tape::sort_steps(int first) {
  constexpr int window = 256;
  const int n = operations();
  std::vector<int> order, moved(static_cast<std::size_t>(n)), waits(static_cast<std::size_t>(n), 0);
  std::vector<std::vector<int>> users(static_cast<std::size_t>(n));
  std::vector<std::vector<int>> ready(static_cast<std::size_t>(Op::select) + 1);
  order.reserve(n);
  const auto operands = [](const Step& s) { return std::array{s.a, s.b, s.op == Op::select ? s.c : s.a}; };
  for (int begin = 0; begin < n; begin += window) {
    const int end = std::min(n, begin + window);
    for (int i = begin; i < end; ++i) {
      for (const int place : operands(steps_[i]))
        if (const int from = place - first; from >= begin) users[from].push_back(i), ++waits[i];
      if (waits[i] == 0) ready[static_cast<std::size_t>(steps_[i].op)].push_back(i);
    }
    while (static_cast<int>(order.size()) < end) {
      auto& most = *std::max_element(ready.begin(), ready.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
      const std::vector<int> now = std::exchange(most, {});
      const Op op = steps_[now.front()].op;
      if (runs_.empty() || runs_.back().op != op) runs_.push_back({op, 0});
      for (const int i : now) {
        moved[i] = first + static_cast<int>(order.size());
        order.push_back(i), ++runs_.back().count;
        for (const int user : users[i])
          if (--waits[user] == 0) ready[static_cast<std::size_t>(steps_[user].op)].push_back(user);
      }
    }
  }
  const auto follow = [&](int& place) {
    if (place >= first) place = moved[place - first];
  };
  std::vector<Step> sorted;
  for (const int i : order) {
    sorted.push_back(steps_[i]);
    follow(sorted.back().a), follow(sorted.back().b);
    if (sorted.back().op == Op::select) follow(sorted.back().c);
  }
  steps_.swap(sorted);
  for (int& place : outputs_) follow(place);
}

double* Tape::long_room(TapeRoom& room) const {
  if (room.values.size() < static_cast<std::size_t>(size_)) room.values.resize(size_);
  return room.values.data();
}

void Tape::run(double* x, double* at) const {
  const Step* s = steps_.data();
  const auto each = [&](int count, auto&& result) {  // there is one at least
    do *at++ = result(*s++);
    while (--count != 0);
  };
  for (const Run& run : runs_) switch (run.op) {
      case Op::add:
        each(run.count, [x](const Step& o) { return x[o.a] + x[o.b]; });
        break;
      case Op::subtract:
        each(run.count, [x](const Step& o) { return x[o.a] - x[o.b]; });
        break;
      case Op::multiply:
        each(run.count, [x](const Step& o) { return x[o.a] * x[o.b]; });
        break;
      case Op::divide:
        each(run.count, [x](const Step& o) { return x[o.a] / x[o.b]; });
        break;
      case Op::negate:
        each(run.count, [x](const Step& o) { return -x[o.a]; });
        break;
      case Op::select:
        each(run.count, [x](const Step& o) { return x[o.c] != 0 ? x[o.a] : x[o.b]; });
        break;
      case Op::sin:
        each(run.count, [x](const Step& o) { return std::sin(x[o.a]); });
        break;
      case Op::cos:
        each(run.count, [x](const Step& o) { return std::cos(x[o.a]); });
        break;
      default:
        each(run.count, [x](const Step& o) { return Expression::apply(o.op, x[o.a], x[o.b]); });
    }
}

}  // namespace saltus
