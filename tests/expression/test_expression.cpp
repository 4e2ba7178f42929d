// Formulas: precedence, derivatives by dual numbers, and errors that point at the place.
#include "saltus/expression/expression.hpp"

#include <gtest/gtest.h>

#include <random>

#include "saltus/autodiff/dual.hpp"
#include "saltus/core/error.hpp"

namespace saltus::test_expression {
namespace {

double value(std::string_view text, std::vector<double> x = {}) {
  std::vector<double> work;
  return Expression::parse(text).evaluate(std::span<const double>(x), work);
}

std::string error_of(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Expression, PrecedenceIsThatOfMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-1^2"), 0.5);
  EXPECT_EQ(value("-2*-3"), 6);
  EXPECT_EQ(value("2 - -3"), 5);
  EXPECT_EQ(value("+-+1"), -1);
  EXPECT_EQ(value("1e-3*.5"), 5e-4);
}

// The same with variables: constants are folded while parsing, and the two ways must agree.
TEST(Expression, VariablesGiveWhatNumbersGive) {
  const char* patterns[] = {"A + B*C",     "A - B - C",     "A/B/C",
                            "A^B^C",       "-A^B",          "A^-B",
                            "-(A - B)*-C", "atan2(A, B)^C", "min(A, B, C)*max(C, B, A)"};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0.3, 3);
  for (std::string pattern : patterns)
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::string numbers = pattern;
      const double x[] = {number(random), number(random), number(random)};
      for (int k = 0; k < 3; ++k)
        for (std::size_t at; (at = numbers.find(static_cast<char>('A' + k))) != std::string::npos;)
          numbers.replace(at, 1, fmt::format("({})", x[k]));
      const Expression e = Expression::parse(pattern);
      std::vector<double> work, values;
      for (const auto& v : e.variables()) values.push_back(x[v.name[0] - 'A']);
      EXPECT_EQ(e.evaluate(std::span<const double>(values), work), value(numbers))
          << pattern << " as " << numbers;
    }
}

TEST(Expression, FunctionsAndNames) {
  EXPECT_DOUBLE_EQ(value("sqrt(2)*sin(pi/6) + log(exp(2)) + log10(1000) + hypot(3, 4) + pow(2, 5) + abs(-1)"),
                   std::sqrt(2) * std::sin(M_PI / 6) + 2 + 3 + 5 + 32 + 1);
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2)"), 4);
  for (const char* text : {"min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)"})
    EXPECT_TRUE(std::isnan(value(text, {NAN}))) << text;
  const Expression e = Expression::parse("final.q[2] + m*final.q[-1] - m^2 + final.q[2] + final.q");
  ASSERT_EQ(e.variables().size(), 4u);
  EXPECT_EQ(e.variables()[0].name, "final.q");
  EXPECT_EQ(e.variables()[0].index, 2);
  EXPECT_EQ(e.variables()[1].name, "m");
  EXPECT_EQ(e.variables()[2].index, -1);
  EXPECT_EQ(e.variables()[2].position, 15u);
  EXPECT_FALSE(e.variables()[3].index);
}

TEST(Expression, DualNumbersDifferentiateIt) {
  const Expression e =
      Expression::parse("x^3 - 2*x/sqrt(1 + x^2) + sin(x)*exp(-x) + max(x, 0) + (-x)^2 + log10(x^2)");
  std::vector<double> work;
  std::vector<Dual<double, 1>> dual_work;
  std::vector<Dual<Dual<double, 1>, 1>> second_work;
  for (double x : {-1.3, 0.4, 2.0}) {
    const auto f = [&](double at) { return e.evaluate(std::span<const double>(&at, 1), work); };
    Dual<double, 1> dual = x;
    dual.d[0] = 1;
    const auto y = e.evaluate(std::span<const Dual<double, 1>>(&dual, 1), dual_work);
    const double h = 1e-5;
    EXPECT_DOUBLE_EQ(y.v, f(x));
    EXPECT_NEAR(y.d[0], (f(x + h) - f(x - h)) / (2 * h), 1e-8);
    Dual<Dual<double, 1>, 1> twice = dual;
    twice.d[0] = 1;
    const auto z = e.evaluate(std::span<const Dual<Dual<double, 1>, 1>>(&twice, 1), second_work);
    EXPECT_NEAR(z.d[0].d[0], (f(x + h) - 2 * f(x) + f(x - h)) / (h * h), 1e-4);
  }
}

TEST(Expression, ErrorsPointAtThePlace) {
  const std::tuple<const char*, const char*, int> cases[] = {{"", "empty", 0},
                                                             {"   ", "empty", 3},
                                                             {"1 +", "ends too early", 3},
                                                             {"1 + * 2", "expected a number", 4},
                                                             {"(1 + 2", "expected )", 6},
                                                             {"1 + 2)", "has no (", 5},
                                                             {"2x", "products are written", 1},
                                                             {"2 ** 3", "written ^", 2},
                                                             {"1 + sine(2)", "did you mean 'sin'", 4},
                                                             {"sin(1, 2)", "1 argument", 0},
                                                             {"atan2(1)", "2 arguments", 0},
                                                             {"max(1)", "or more", 0},
                                                             {"q[x]", "whole number", 2},
                                                             {"q[1", "expected ]", 3},
                                                             {"q[99999999999]", "whole number", 2},
                                                             {"a $ b", "operator", 2},
                                                             {"1e999", "represented", 0},
                                                             {"a b", "operator", 2},
                                                             {"sin()", "expected a number", 4},
                                                             {"x; system(1)", "operator", 1},
                                                             {"θ + 1", "expected a number", 0},
                                                             {"1.2.3", "operator", 3},
                                                             {"f(1 2)", "unknown function", 0},
                                                             {"abs(1 2)", "expected , or )", 6}};
  for (const auto& [text, words, column] : cases) {
    const std::string message = error_of(text);
    EXPECT_NE(message.find(words), std::string::npos) << text << ": " << message;
    EXPECT_EQ(message.substr(message.rfind('\n') + 1), "  " + std::string(column, ' ') + "^") << message;
  }
}

TEST(Expression, DeepNestingAndLongTextsAreRefused) {
  const auto nested = [](int n) { return std::string(n, '(') + "1" + std::string(n, ')'); };
  EXPECT_EQ(value(nested(90)), 1);
  EXPECT_NE(error_of(nested(1000)).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '-')).find("nested too deeply"), std::string::npos);
  std::string powers = "2", functions;
  for (int i = 0; i < 3000; ++i) powers += "^1";
  EXPECT_NE(error_of(powers).find("nested too deeply"), std::string::npos);
  for (int i = 0; i < 1000; ++i) functions += "sin(";
  EXPECT_NE(error_of(functions).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(20000, ' ')).find("too long"), std::string::npos);
  std::string flat = "x";
  for (int i = 0; i < 2000; ++i) flat += " + x";
  EXPECT_EQ(value(flat, {1}), 2001);
}

TEST(Expression, NoTextCrashesTheParser) {
  std::mt19937 random(5);
  const std::string letters = "01.e+-*/^()[], qxsinmax._\t\xce\xb8";
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    try {
      const Expression e = Expression::parse(text);
      std::vector<double> work, x(e.variables().size(), 0.5);
      e.evaluate(std::span<const double>(x), work);
      ++parsed;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(parsed, 500);
}

}  // namespace
}  // namespace saltus::test_expression
