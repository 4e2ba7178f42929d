#include "saltus/expression/expression.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/core/port.hpp"

namespace saltus {
namespace {

using Op = Expression::Op;

struct Function {
  std::string_view name;
  Op op;
  int arguments;  // -1: two or more
};
constexpr Function functions[] = {
    {"sqrt", Op::sqrt, 1}, {"exp", Op::exp, 1},   {"log", Op::log, 1},     {"log10", Op::log10, 1},
    {"sin", Op::sin, 1},   {"cos", Op::cos, 1},   {"tan", Op::tan, 1},     {"asin", Op::asin, 1},
    {"acos", Op::acos, 1}, {"atan", Op::atan, 1}, {"sinh", Op::sinh, 1},   {"cosh", Op::cosh, 1},
    {"tanh", Op::tanh, 1}, {"abs", Op::abs, 1},   {"atan2", Op::atan2, 2}, {"hypot", Op::hypot, 2},
    {"pow", Op::power, 2}, {"min", Op::min, -1},  {"max", Op::max, -1},    {"sign", Op::sign, 1}};

// Quantities of a run that are written like a function of a whole number: arrival(20) is arrival[20].
constexpr std::string_view numbered[] = {"arrival"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void Expression::fail_at(std::size_t position, std::string_view message) const {
  constexpr std::size_t around = 100;       // bytes shown on either side
  const auto inside = [&](std::size_t i) {  // of a code point
    return i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80;
  };
  std::size_t first = position > around ? position - around : 0;
  std::size_t last = std::min(text_.size(), position + around);
  while (first > 0 && inside(first)) --first;
  while (inside(last)) ++last;
  std::string shown(first > 0 ? "…" : ""), blanks(first > 0 ? " " : "");
  for (std::size_t i = first; i < last; ++i) {
    shown += static_cast<unsigned char>(text_[i]) < ' ' ? ' ' : text_[i];
    if (i < position && !inside(i)) blanks += ' ';  // one column per code point
  }
  fail("{}\n  {}{}\n  {}^", message, shown, last < text_.size() ? "…" : "", blanks);
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) {
    if (text.size() > Expression::longest)
      fail("an expression of {} characters is too long: at most {}", text.size(), Expression::longest);
    out_.text_ = text;
  }

  Expression parse() {
    skip();
    if (at_end()) wrong("the expression is empty");
    condition();
    if (!at_end()) wrong(peek() == ')' ? "this ) has no (" : "expected an operator: + - * / ^");
    return std::move(out_);
  }

 private:
  struct Deeper {  // bounds the recursion
    explicit Deeper(ExpressionParser& p) : parser(p) {
      if (++p.depth_ > Expression::deepest) p.wrong("the expression is nested too deeply");
    }
    ~Deeper() { --parser.depth_; }
    ExpressionParser& parser;
  };

  const std::string& text() const { return out_.text_; }
  bool at_end() const { return at_ >= text().size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text().size() ? text()[at_ + ahead] : '\0'; }
  void skip() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    skip();
    return true;
  }
  [[noreturn]] void wrong(std::string_view message) const { out_.fail_at(at_, message); }
  [[noreturn]] void wrong(std::size_t at, const std::string& message) const { out_.fail_at(at, message); }

  // Every rule leaves its value in the last node and returns that node's number.
  int add(Expression::Node node) {
    out_.nodes_.push_back(node);
    return static_cast<int>(out_.nodes_.size()) - 1;
  }
  int operation(Op op, int a, int b, std::size_t at) {
    auto& nodes = out_.nodes_;
    const int place = static_cast<int>(at);
    if (nodes[a].op != Op::number || nodes[b].op != Op::number) return add({op, a, b, 0, 0, place});
    const double value = Expression::apply(op, nodes[a].value, nodes[b].value);
    nodes.resize(std::min(a, b));  // constants are single nodes at the end
    return add({Op::number, 0, 0, value, 0, place});
  }
  bool take_word(std::string_view word) {
    if (text().compare(at_, word.size(), word) != 0 || is_letter(peek(word.size())) ||
        is_digit(peek(word.size())))
      return false;
    at_ += word.size();
    skip();
    return true;
  }

  int condition() {
    int a = conjunction();
    for (std::size_t at = at_; take_word("or"); at = at_) a = operation(Op::either, a, conjunction(), at);
    return a;
  }

  int conjunction() {
    int a = comparison();
    for (std::size_t at = at_; take_word("and"); at = at_) a = operation(Op::both, a, comparison(), at);
    return a;
  }

  int comparison() {
    std::size_t at = at_;
    if (take_word("not")) {
      const Deeper guard(*this);
      const int a = comparison();
      return operation(Op::invert, a, a, at);
    }
    const int a = sum();
    at = at_;
    const char first = peek(), second = peek(1);
    if (first == '=' && second != '=') wrong("a comparison is written ==");
    if (first == '<' || first == '>') {
      ++at_;
      const Op op = second == '=' ? Op::less_equal : Op::less;
      if (second == '=') ++at_;
      skip();
      const int b = sum();
      return first == '<' ? operation(op, a, b, at) : operation(op, b, a, at);
    }
    if (second != '=' || (first != '=' && first != '!')) return a;
    at_ += 2;
    skip();
    const int same = operation(Op::equal, a, sum(), at);
    return first == '=' ? same : operation(Op::invert, same, same, at);
  }

  int sum() {
    const Deeper guard(*this);
    int a = product();
    for (;;) {
      const std::size_t at = at_;
      if (take('+'))
        a = operation(Op::add, a, product(), at);
      else if (take('-'))
        a = operation(Op::subtract, a, product(), at);
      else
        return a;
    }
  }

  int product() {
    int a = factor();
    for (;;) {
      const std::size_t at = at_;
      if (peek() == '*' && peek(1) == '*') wrong("powers are written ^");
      if (take('*'))
        a = operation(Op::multiply, a, factor(), at);
      else if (take('/'))
        a = operation(Op::divide, a, factor(), at);
      else
        return a;
    }
  }

  int factor() {
    const Deeper guard(*this);
    std::size_t at = at_;
    if (take('+')) return factor();
    if (take('-')) {
      const int a = factor();
      return operation(Op::negate, a, a, at);
    }
    const int a = primary();
    at = at_;
    return take('^') ? operation(Op::power, a, factor(), at) : a;
  }

  int primary() {
    if (take('(')) {
      const int a = condition();
      if (!take(')')) wrong("expected )");
      return a;
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (is_letter(peek())) return name();
    wrong(at_end() ? "the expression ends too early" : "expected a number, a name or (");
  }

  int number() {
    const int place = static_cast<int>(at_);
    double value = 0;
    const char* end = text().data() + text().size();
    const auto [next, error] = port::from_chars(text().data() + at_, end, value);
    if (error != std::errc()) wrong("this number cannot be represented");
    at_ = static_cast<std::size_t>(next - text().data());
    if (is_letter(peek()) || peek() == '.')
      wrong("expected an operator after the number; products are written with *");
    skip();
    return add({Op::number, 0, 0, value, 0, place});
  }

  int name() {
    const std::size_t start = at_;
    const int place = static_cast<int>(start);
    while (is_letter(peek()) || is_digit(peek()) ||
           (peek() == '.' && (is_letter(peek(1)) || is_digit(peek(1)))))
      ++at_;  // box.3.x is one name
    if (peek() == '\'') ++at_;
    if (peek() == '\'') wrong("only first rates x' can be written");
    std::string word = text().substr(start, at_ - start);
    skip();
    std::optional<int> index;
    if ((word == "distance" || word.ends_with(".distance")) && take('('))
      word += between();
    else if (std::find(std::begin(numbered), std::end(numbered), word) != std::end(numbered) && take('('))
      index = subscript(')');
    else if (take('('))
      return call(word, start);
    if (word == "pi") return add({Op::number, 0, 0, std::numbers::pi, 0, place});
    if (!index && take('[')) index = subscript(']');
    auto& known = out_.variables_;
    for (std::size_t k = 0; k < known.size(); ++k)
      if (known[k].name == word && known[k].index == index)
        return add({Op::variable, static_cast<int>(k), 0, 0, 0, place});
    known.push_back({word, index, start});
    return add({Op::variable, static_cast<int>(known.size()) - 1, 0, 0, 0, place});
  }

  // (a, b), names of two bodies, written without spaces; then ' for the rate.
  std::string between() {
    std::string out = "(";
    for (const char end : {',', ')'}) {
      const std::size_t start = at_;
      while (is_letter(peek()) || is_digit(peek()) ||
             (peek() == '.' && (is_letter(peek(1)) || is_digit(peek(1)))))
        ++at_;
      if (at_ == start) wrong("expected the name of a body: distance(a, b)");
      out += text().substr(start, at_ - start) + end;
      skip();
      if (!take(end)) wrong(fmt::format("expected {}: distance(a, b) is between two bodies", end));
    }
    return take('\'') ? out + "'" : out;
  }

  int subscript(char end) {
    int value = 0;
    const auto [next, error] = std::from_chars(text().data() + at_, text().data() + text().size(), value);
    if (error != std::errc()) wrong("an index is a whole number: q[0], or q[-1] for the last");
    at_ = static_cast<std::size_t>(next - text().data());
    skip();
    if (!take(end)) wrong(fmt::format("expected {}", end));
    return value;
  }

  // if(c, a, b), piecewise(c1, a1, c2, a2, …, otherwise): from the last pair backwards.
  int choice(const std::string& word, std::size_t start) {
    std::vector<int> arguments = {condition()};
    while (take(',')) arguments.push_back(condition());
    if (!take(')')) wrong("expected , or )");
    if (word == "if" && arguments.size() != 3)
      wrong(start, "if takes 3 arguments: if(condition, value, otherwise)");
    if (arguments.size() < 3 || arguments.size() % 2 == 0)
      wrong(start, "piecewise takes pairs and a last value: piecewise(condition, value, …, otherwise)");
    int value = arguments.back();
    for (int k = static_cast<int>(arguments.size()) - 2; k >= 1; k -= 2)
      value = add({Op::select, arguments[k], value, 0, arguments[k - 1], static_cast<int>(start)});
    return value;
  }

  int call(const std::string& word, std::size_t start) {
    if (word == "if" || word == "piecewise") return choice(word, start);
    const Function* f = nullptr;
    std::vector<std::string> known = {"if", "piecewise"};
    for (const auto& candidate : functions) {
      if (candidate.name == word) f = &candidate;
      known.emplace_back(candidate.name);
    }
    if (!f)
      wrong(start, fmt::format("unknown function '{}'{}; known: {}", word, suggestion(word, known),
                               fmt::join(known, ", ")));
    int value = condition(), count = 1;
    while (take(',')) {
      if (f->arguments == count)
        wrong(start, fmt::format("{} takes {} argument{}", word, count, count > 1 ? "s" : ""));
      value = operation(f->op, value, condition(), start);
      ++count;
    }
    if (!take(')')) wrong("expected , or )");
    if (count < std::abs(f->arguments) || (f->arguments < 0 && count < 2))
      wrong(start, fmt::format("{} takes {} arguments{}", word, 2, f->arguments < 0 ? " or more" : ""));
    return f->arguments == 1 ? operation(f->op, value, value, start) : value;
  }

  Expression out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

}  // namespace saltus
