#include "saltus/formula/graph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/port.hpp"

namespace saltus {

using Op = Expression::Op;

std::size_t Graph::Hash::operator()(const Node& n) const {
  std::size_t h = static_cast<std::size_t>(n.op);
  for (const std::uint64_t x : {static_cast<std::uint64_t>(n.a), static_cast<std::uint64_t>(n.b),
                                static_cast<std::uint64_t>(n.c), port::bit_cast<std::uint64_t>(n.value)})
    h = (h ^ x) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

bool Graph::Equal::operator()(const Node& x, const Node& y) const {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         port::bit_cast<std::uint64_t>(x.value) == port::bit_cast<std::uint64_t>(y.value);
}

Graph::Graph() {
  number(0);
  number(1);
}

Graph::Id Graph::insert(const Node& n) {
  if (const auto it = known_.find(n); it != known_.end()) return it->second;
  if (nodes_.size() >= most_nodes)
    fail("the formulas and their derivatives need more than {} operations: write them more simply",
         most_nodes);
  const Id id = static_cast<Id>(nodes_.size());
  std::uint64_t inputs = 0;
  if (n.op == Op::variable)
    inputs = std::uint64_t{1} << (n.a % 64);
  else if (n.op != Op::number)
    inputs = inputs_[n.a] | inputs_[n.b] | (n.op == Op::select ? inputs_[n.c] : 0);
  nodes_.push_back(n);
  inputs_.push_back(inputs);
  known_.emplace(n, id);
  return id;
}

Graph::Id Graph::number(double x) {
  return insert({Op::number, 0, 0, 0, x == 0 ? 0.0 : x});  // one zero
}

Graph::Id Graph::input(int k) {
  return insert({Op::variable, k, 0, 0, 0});
}

Graph::Id Graph::simplify_sum(Op op, Id a, Id b) {
  if (is_zero(b)) return a;
  if (op == Op::subtract) {
    if (a == b) return number(0);
    if (is_zero(a)) return make(Op::negate, b, b);
    if (nodes_[b].op == Op::negate) return add(a, nodes_[b].a);
    return insert({op, a, b, 0, 0});
  }
  if (is_zero(a)) return b;
  if (nodes_[b].op == Op::negate) return subtract(a, nodes_[b].a);
  if (nodes_[a].op == Op::negate) return subtract(b, nodes_[a].a);
  if (a > b) std::swap(a, b);
  return insert({op, a, b, 0, 0});
}

Graph::Id Graph::simplify_product(Op op, Id a, Id b) {
  const auto is = [&](Id i, double x) { return nodes_[i].op == Op::number && nodes_[i].value == x; };
  if (is_zero(a)) return number(0);  // 0 x is 0 also where x is not finite: structure before pedantry
  if (op == Op::divide) {
    if (is(b, 1)) return a;
    if (is(b, -1)) return make(Op::negate, a, a);
    if (a == b) return number(1);
    if (nodes_[a].op == Op::negate) {
      const Id x = insert({op, nodes_[a].a, b, 0, 0});
      return make(Op::negate, x, x);
    }
    return insert({op, a, b, 0, 0});
  }
  if (is_zero(b)) return number(0);
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  if (is(a, -1)) return make(Op::negate, b, b);
  if (is(b, -1)) return make(Op::negate, a, a);
  const bool minus_a = nodes_[a].op == Op::negate, minus_b = nodes_[b].op == Op::negate;
  if (minus_a || minus_b) {
    const Id x = make(op, minus_a ? nodes_[a].a : a, minus_b ? nodes_[b].a : b);
    return minus_a && minus_b ? x : make(Op::negate, x, x);
  }
  if (is_number(b)) std::swap(a, b);
  if (is_number(a)) {  // 2 (3 x) = 6 x
    const Node x = nodes_[b];
    if (x.op == Op::multiply && is_number(x.a))
      return make(op, number(nodes_[a].value * nodes_[x.a].value), x.b);
    return insert({op, a, b, 0, 0});
  }
  if (a > b) std::swap(a, b);
  return insert({op, a, b, 0, 0});
}

// Whole powers by products: quicker than pow, and smooth below zero. x^1.5 stays one node: its derivative is
// finite at 0, that of x √x is not as a formula.
Graph::Id Graph::simplify_power(Id a, Id b) {
  if (!is_number(b)) return insert({Op::power, a, b, 0, 0});
  const double p = nodes_[b].value;
  if (p == 0) return number(1);
  if (p == 1) return a;
  if (p < 0 && p >= -8 && 2 * p == std::floor(2 * p)) return make(Op::divide, number(1), power(a, -p));
  if (p == 0.5) return make(Op::sqrt, a, a);
  if (p > 0 && p <= 16 && p == std::floor(p)) {
    const Id half = power(a, std::floor(p / 2)), square = multiply(half, half);
    return std::fmod(p, 2) == 0 ? square : multiply(square, a);
  }
  return insert({Op::power, a, b, 0, 0});
}

Graph::Id Graph::make(Op op, Id a, Id b, Id c) {
  if (op == Op::select) {
    if (is_number(c)) return nodes_[c].value != 0 ? a : b;
    return a == b ? a : insert({op, a, b, c, 0});
  }
  if (is_number(a) && is_number(b)) return number(Expression::apply(op, nodes_[a].value, nodes_[b].value));
  switch (op) {
    case Op::add:
    case Op::subtract:
      return simplify_sum(op, a, b);
    case Op::multiply:
    case Op::divide:
      return simplify_product(op, a, b);
    case Op::power:
      return simplify_power(a, b);
    case Op::negate:
      if (nodes_[a].op == Op::negate) return nodes_[a].a;
      if (nodes_[a].op == Op::subtract) return subtract(nodes_[a].b, nodes_[a].a);
      return insert({op, a, a, 0, 0});
    case Op::log10:
      return multiply(number(1 / std::log(10.0)), make(Op::log, a, a));
    default:
      return insert({op, a, b, 0, 0});
  }
}

Graph::Id Graph::expression(const Expression& e, std::span<const Id> variables) {
  std::vector<Id> at;
  for (const auto& n : e.nodes())
    at.push_back(n.op == Op::number     ? number(n.value)
                 : n.op == Op::variable ? variables[n.a]
                                        : make(n.op, at[n.a], at[n.b], n.op == Op::select ? at[n.c] : 0));
  return at.back();
}

std::vector<int> Graph::inputs_of(Id f, int first, int last) const {
  std::uint64_t wanted = 0;
  for (int k = first; k < last && ~wanted; ++k) wanted |= std::uint64_t{1} << (k % 64);
  std::vector<int> out;
  visited_.resize(nodes_.size(), 0);
  ++searches_;
  std::vector<Id> stack = {f};
  while (!stack.empty()) {
    const Id i = stack.back();
    stack.pop_back();
    const Node& n = nodes_[i];
    if (!(inputs_[i] & wanted) || std::exchange(visited_[i], searches_) == searches_) continue;
    if (n.op == Op::variable) {
      if (n.a >= first && n.a < last) out.push_back(n.a - first);
      continue;
    }
    stack.push_back(n.a), stack.push_back(n.b);
    if (n.op == Op::select) stack.push_back(n.c);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Graph::Id Graph::at_zero(Id f, int first, int last) {
  std::unordered_map<Id, Id> done;
  std::vector<Id> stack = {f};
  while (!stack.empty()) {
    const Id i = stack.back();
    const Node n = nodes_[i];
    if (n.op == Op::number || n.op == Op::variable) {
      done[i] = n.op == Op::variable && n.a >= first && n.a < last ? number(0) : i;
      stack.pop_back();
      continue;
    }
    const std::size_t before = stack.size();
    for (const Id operand : {n.a, n.b, n.op == Op::select ? n.c : n.a})
      if (!done.contains(operand)) stack.push_back(operand);
    if (stack.size() > before) continue;
    done[i] = make(n.op, done[n.a], done[n.b], n.op == Op::select ? done[n.c] : 0);
    stack.pop_back();
  }
  return done[f];
}

// Operands first, without recursion: formulas may be long chains.
Graph::Id Graph::derivative(Id f, int k) {
  const auto key = [k](Id i) { return static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(k); };
  const std::uint64_t bit = std::uint64_t{1} << (k % 64);
  if (!(inputs_[f] & bit)) return number(0);
  std::vector<Id> stack = {f};
  while (!stack.empty()) {
    const Id i = stack.back();
    const Node n = nodes_[i];
    if (derivatives_.contains(key(i))) {
      stack.pop_back();
      continue;
    }
    if (n.op == Op::variable) {
      derivatives_[key(i)] = number(n.a == k ? 1 : 0);
      stack.pop_back();
      continue;
    }
    bool ready = true;
    for (const Id operand : {n.a, n.b})
      if (inputs_[operand] & bit && !derivatives_.contains(key(operand)))
        stack.push_back(operand), ready = false;
    if (!ready) continue;
    derivatives_[key(i)] = rule(i, k);
    stack.pop_back();
  }
  return derivatives_.at(key(f));
}

Graph::Id Graph::rule(Id f, int k) {
  const auto of = [&](Id i) {
    return inputs_[i] & std::uint64_t{1} << (k % 64)
               ? derivatives_.at(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(k))
               : number(0);
  };
  const Node n = nodes_[f];
  const Id a = n.a, b = n.b, da = of(a), db = of(b), one = number(1);
  const auto square = [&](Id x) { return multiply(x, x); };
  const auto unary = [&](Op op, Id x) { return make(op, x, x); };
  const auto over = [&](Id x, Id y) { return make(Op::divide, x, y); };
  if (is_zero(da) && is_zero(db)) return number(0);
  switch (n.op) {
    case Op::add:
    case Op::subtract:
      return make(n.op, da, db);
    case Op::negate:
      return unary(Op::negate, da);
    case Op::multiply:
      return add(multiply(da, b), multiply(a, db));
    case Op::divide:
      return over(subtract(da, multiply(f, db)), b);
    case Op::power:
      if (is_number(b)) {
        // the slope of x^p, 0 < p < 1, is kept finite at 0, so that an iteration may pass through (x²)^{p/2}
        const double p = nodes_[b].value;
        const Id base = p > 0 && p < 1 ? make(Op::max, a, number(1e-100)) : a;
        return multiply(multiply(b, power(base, p - 1)), da);
      }
      // a^b (b' log a + b a'/a)
      return multiply(f, add(multiply(db, unary(Op::log, a)), over(multiply(b, da), a)));
    case Op::sqrt:
      return over(da, multiply(number(2), f));
    case Op::exp:
      return multiply(f, da);
    case Op::log:
      return over(da, a);
    case Op::sin:
      return multiply(unary(Op::cos, a), da);
    case Op::cos:
      return unary(Op::negate, multiply(unary(Op::sin, a), da));
    case Op::tan:
      return multiply(add(one, square(f)), da);
    case Op::asin:
      return over(da, unary(Op::sqrt, subtract(one, square(a))));
    case Op::acos:
      return over(unary(Op::negate, da), unary(Op::sqrt, subtract(one, square(a))));
    case Op::atan:
      return over(da, add(one, square(a)));
    case Op::atan2:  // of y = a, x = b
      return over(subtract(multiply(b, da), multiply(a, db)), add(square(a), square(b)));
    case Op::sinh:
      return multiply(unary(Op::cosh, a), da);
    case Op::cosh:
      return multiply(unary(Op::sinh, a), da);
    case Op::tanh:
      return multiply(subtract(one, square(f)), da);
    case Op::abs:
      return make(Op::select, unary(Op::negate, da), da, make(Op::less, a, number(0)));
    case Op::hypot:
      return over(add(multiply(a, da), multiply(b, db)), f);
    case Op::min:
      return make(Op::select, da, db, make(Op::less, a, b));
    case Op::max:
      return make(Op::select, da, db, make(Op::less, b, a));
    case Op::select:
      return make(Op::select, da, db, n.c);
    default:  // signs and conditions are constant by pieces
      return number(0);
  }
}

}  // namespace saltus
