// A formula in text, parsed once and evaluated for any scalar (double, Dual).
//
//   sum     = product { (+|-) product }          power   = primary [ ^ factor ]      2^3^2 = 512
//   product = factor { (*|/) factor }            primary = number | name | function(…) | (sum)
//   factor  = - factor | + factor | power        -2^2 = -4, 2^-1 = 0.5
//
// Conditions are 1 or 0: sum (< | <= | > | >= | == | !=) sum, joined by `not`, `and`, `or` (in this order),
// and used by if(condition, a, b) or piecewise(condition, a, condition, b, …, otherwise). A name is letters,
// digits and _, joined by dots, with an index where it is wanted: m, final.q[2], u[-1], arrival(20); x' is
// the rate of x. distance(a, b) is a name too, of two bodies.
#pragma once
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

class Expression {
 public:
  struct Variable {
    std::string name;
    std::optional<int> index;
    std::size_t position = 0;  ///< in the text, where it comes first
  };

  /// Throws Error with the text and a caret at the place.
  static Expression parse(std::string_view text);
  static constexpr int deepest = 200;    ///< nesting
  static constexpr int longest = 10000;  ///< characters

  const std::string& text() const { return text_; }
  /// Each once, in the order they come.
  std::span<const Variable> variables() const { return variables_; }
  /// The value, given those of variables(). Does not allocate once `work` is large enough.
  template <class T>
  T evaluate(std::span<const T> values, std::vector<T>& work) const;
  /// Throws Error with the text and a caret at the position.
  [[noreturn]] void fail_at(std::size_t position, std::string_view message) const;

  // clang-format off
  enum class Op : std::uint8_t { number, variable, add, subtract, multiply, divide, power, negate, sqrt, exp, log, log10,
    sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, abs, hypot, min, max,
    sign, less, less_equal, equal, both, either, invert, select };
  // clang-format on
  /// An operator acts on earlier nodes; the last node is the whole.
  struct Node {
    Op op = Op::number;
    int a = 0, b = 0;  ///< operands, or the number of the variable
    double value = 0;
    int c = 0;   ///< of select: the condition
    int at = 0;  ///< where in the text
  };
  std::span<const Node> nodes() const { return nodes_; }
  template <class T>
  static T apply(Op op, const T& a, const T& b);

 private:
  friend class ExpressionParser;
  std::string text_;
  std::vector<Variable> variables_;
  std::vector<Node> nodes_;
};

template <class T>
T Expression::apply(Op op, const T& a, const T& b) {
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan,
      std::atan2, std::sinh, std::cosh, std::tanh, std::abs, std::hypot, std::pow;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return pow(a, b);
    case Op::negate:
      return -a;
    case Op::sqrt:
      return sqrt(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::log10:
      return log(a) / T(std::log(10.0));
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::atan2:
      return atan2(a, b);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::abs:
      return abs(a);
    case Op::hypot:
      return hypot(a, b);
    case Op::min:
      return a != a || a < b ? a : b;  // a NaN on either side stays visible
    case Op::max:
      return a != a || b < a ? a : b;
    case Op::sign:
      return a != a ? a : T(a > T(0) ? 1 : a < T(0) ? -1 : 0);
    case Op::less:
      return T(a < b ? 1 : 0);
    case Op::less_equal:
      return T(a <= b ? 1 : 0);
    case Op::equal:
      return T(a == b ? 1 : 0);
    case Op::both:
      return T(a != T(0) && b != T(0) ? 1 : 0);
    case Op::either:
      return T(a != T(0) || b != T(0) ? 1 : 0);
    case Op::invert:
      return T(a == T(0) ? 1 : 0);
    case Op::number:
    case Op::variable:
    case Op::select:
      break;
  }
  return T(0);
}

template <class T>
T Expression::evaluate(std::span<const T> values, std::vector<T>& work) const {
  if (work.size() < nodes_.size()) work.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    if (n.op == Op::number)
      work[i] = T(n.value);
    else if (n.op == Op::variable)
      work[i] = values[n.a];
    else if (n.op == Op::power && nodes_[n.b].op == Op::number) {
      using std::pow;
      work[i] = pow(work[n.a], nodes_[n.b].value);  // x^2 is smooth below zero too, exp(2 log x) is not
    } else if (n.op == Op::select)
      work[i] = work[n.c] != T(0) ? work[n.a] : work[n.b];
    else
      work[i] = apply(n.op, work[n.a], work[n.b]);
  }
  return work[nodes_.size() - 1];
}

}  // namespace saltus
