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

// How often nodes are operands of others, or outputs.
class Uses {
 public:
  Uses(const Graph& graph, std::span<const Graph::Id> needed, std::span<const Graph::Id> outputs)
      : graph_(graph), count_(needed.empty() ? 0 : static_cast<std::size_t>(needed.back()) + 1, 0) {
    for (const Graph::Id i : outputs) ++count_[i];
    for (const Graph::Id i : needed) {
      const auto& n = graph.node(i);
      if (n.op == Op::number || n.op == Op::variable) continue;
      ++count_[n.a], ++count_[n.b];
      if (n.op == Op::select) ++count_[n.c];
    }
  }
  /// The product that is an operand of a sum or a difference and of nothing else, or −1.
  Graph::Id product_in(const Graph::Node& n) const {
    if (n.op != Op::add && n.op != Op::subtract) return -1;
    for (const Graph::Id i : {n.b, n.a})
      if (graph_.node(i).op == Op::multiply && count_[i] == 1) return i;
    return -1;
  }

 private:
  const Graph& graph_;
  std::vector<int> count_;
};

}  // namespace

Tape::Kind Tape::kind_of(Op op) {
  switch (op) {
    case Op::add:
      return Kind::add;
    case Op::subtract:
      return Kind::subtract;
    case Op::multiply:
      return Kind::multiply;
    case Op::divide:
      return Kind::divide;
    case Op::negate:
      return Kind::negate;
    case Op::select:
      return Kind::select;
    case Op::sin:
      return Kind::sin;
    case Op::cos:
      return Kind::cos;
    case Op::sqrt:
      return Kind::sqrt;
    default:
      return Kind::other;
  }
}

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
  const Uses uses(graph, needed, outputs);
  std::vector<char> inside(seen.size(), 0);  // products that are part of another step
  for (const Graph::Id i : needed)
    if (const Graph::Id product = uses.product_in(graph.node(i)); product >= 0) inside[product] = 1;
  std::vector<int> place(seen.size(), 0);
  int next = 0;
  const auto push = [&](Op op, int a, int b, int c) { steps_.push_back({kind_of(op), op, a, b, c}), ++next; };
  for (const Graph::Id i : needed)
    if (graph.node(i).op == Op::number) constants_.push_back(graph.node(i).value), place[i] = next++;
  for (const Graph::Id i : needed)
    if (graph.node(i).op == Op::variable) loads_.push_back(graph.node(i).a), place[i] = next++;
  for (const Graph::Id i : needed) {
    const auto& n = graph.node(i);
    if (n.op == Op::number || n.op == Op::variable || inside[i]) continue;
    if (const double p = half_power(graph, n); p > 0) {  // x^1.5 = √x x, x^2.5 = √x x x
      place[i] = next, push(Op::sqrt, place[n.a], place[n.a], 0);
      for (double k = 0.5; k < p; ++k) {
        const int root = std::exchange(place[i], next);
        push(Op::multiply, root, place[n.a], 0);
      }
      continue;
    }
    place[i] = next;
    const Graph::Id product = uses.product_in(n);
    if (product < 0) {
      push(n.op, place[n.a], place[n.b], n.op == Op::select ? place[n.c] : 0);
      continue;
    }
    const auto& factors = graph.node(product);
    push(n.op, place[factors.a], place[factors.b], place[product == n.b ? n.a : n.b]);
    steps_.back().kind = n.op == Op::add  ? Kind::add_product
                         : product == n.b ? Kind::subtract_product
                                          : Kind::product_less;
  }
  for (const Graph::Id i : outputs) outputs_.push_back(place[i]);
  size_ = next;
  sort_steps(next - static_cast<int>(steps_.size()));
}

// Places from `first` on are results of steps. Within a window, so that values stay close to where they are
// used, the operation is next that most steps are ready for.
void Tape::sort_steps(int first) {
  constexpr int window = 256;
  const int n = static_cast<int>(steps_.size());
  std::vector<int> order, moved(static_cast<std::size_t>(n)), waits(static_cast<std::size_t>(n), 0);
  std::vector<std::vector<int>> users(static_cast<std::size_t>(n));
  std::vector<std::vector<int>> ready(static_cast<std::size_t>(Kind::other) + 1);
  order.reserve(n);
  const auto has_third = [](const Step& s) {
    return s.kind == Kind::select || s.kind == Kind::add_product || s.kind == Kind::subtract_product ||
           s.kind == Kind::product_less;
  };
  const auto operands = [&](const Step& s) { return std::array{s.a, s.b, has_third(s) ? s.c : s.a}; };
  for (int begin = 0; begin < n; begin += window) {
    const int end = std::min(n, begin + window);
    for (int i = begin; i < end; ++i) {
      for (const int place : operands(steps_[i]))
        if (const int from = place - first; from >= begin) users[from].push_back(i), ++waits[i];
      if (waits[i] == 0) ready[static_cast<std::size_t>(steps_[i].kind)].push_back(i);
    }
    while (static_cast<int>(order.size()) < end) {
      auto& most = *std::max_element(ready.begin(), ready.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
      const std::vector<int> now = std::exchange(most, {});
      for (const int i : now) {
        moved[i] = first + static_cast<int>(order.size());
        order.push_back(i);
        for (const int user : users[i])
          if (--waits[user] == 0) ready[static_cast<std::size_t>(steps_[user].kind)].push_back(user);
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
    if (has_third(sorted.back())) follow(sorted.back().c);
  }
  if (n > 0) sorted.push_back({Kind::end, Op::number, 0, 0, 0});
  steps_.swap(sorted);
  for (int& place : outputs_) follow(place);
}

void Tape::place_constants(TapeRoom& room) const {
  if (room.values.size() < static_cast<std::size_t>(size_)) room.values.resize(size_);
  std::copy(constants_.begin(), constants_.end(), room.values.begin());
  room.tape = stamp_;
}

void Tape::run(double* x, double* at) const {
  const Step* s = steps_.data();
  const auto each = [&](Kind kind, auto&& result) {  // of that kind, there is one at least
    do *at++ = result(*s++);
    while (s->kind == kind);
  };
  for (;;) switch (s->kind) {
      case Kind::add:
        each(Kind::add, [x](const Step& o) { return x[o.a] + x[o.b]; });
        break;
      case Kind::subtract:
        each(Kind::subtract, [x](const Step& o) { return x[o.a] - x[o.b]; });
        break;
      case Kind::multiply:
        each(Kind::multiply, [x](const Step& o) { return x[o.a] * x[o.b]; });
        break;
      case Kind::divide:
        each(Kind::divide, [x](const Step& o) { return x[o.a] / x[o.b]; });
        break;
      case Kind::negate:
        each(Kind::negate, [x](const Step& o) { return -x[o.a]; });
        break;
      case Kind::select:
        each(Kind::select, [x](const Step& o) { return x[o.c] != 0 ? x[o.a] : x[o.b]; });
        break;
      case Kind::sin:
        each(Kind::sin, [x](const Step& o) { return std::sin(x[o.a]); });
        break;
      case Kind::cos:
        each(Kind::cos, [x](const Step& o) { return std::cos(x[o.a]); });
        break;
      case Kind::sqrt:
        each(Kind::sqrt, [x](const Step& o) { return std::sqrt(x[o.a]); });
        break;
      case Kind::add_product:
        each(Kind::add_product, [x](const Step& o) { return x[o.c] + x[o.a] * x[o.b]; });
        break;
      case Kind::subtract_product:
        each(Kind::subtract_product, [x](const Step& o) { return x[o.c] - x[o.a] * x[o.b]; });
        break;
      case Kind::product_less:
        each(Kind::product_less, [x](const Step& o) { return x[o.a] * x[o.b] - x[o.c]; });
        break;
      case Kind::other:
        each(Kind::other, [x](const Step& o) { return Expression::apply(o.op, x[o.a], x[o.b]); });
        break;
      case Kind::end:
        return;
    }
}

}  // namespace saltus
