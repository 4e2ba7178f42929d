#include "saltus/study/sampling/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {
namespace {

struct Form {
  std::string_view name, arguments;
};
constexpr Form forms[] = {{"uniform", "a, b"},   {"loguniform", "a, b"},    {"normal", "m, s"},
                          {"lognormal", "m, s"}, {"triangular", "a, c, b"}, {"integer", "a, b"},
                          {"choice", "v, w, …"}};

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> arguments_of(std::string_view text, char mark) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t end = text.find(mark);
    out.emplace_back(without_spaces(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

double normal_share(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double ratio(const double (&above)[8], const double (&under)[8], double r) {
  double p = above[7], q = under[7];
  for (int i = 6; i >= 0; --i) p = p * r + above[i], q = q * r + under[i];
  return p / q;
}

}  // namespace

double normal_quantile(double p) {
  static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[] = {1,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(a, b, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -x : x;
}

Distribution Distribution::parse(std::string_view text) {
  text = without_spaces(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')')
    fail("'{}' is no distribution: write it as uniform(0.5, 1) or normal(1, 0.1)", text);
  const std::string_view name = without_spaces(text.substr(0, open)),
                         inside = text.substr(open + 1, text.size() - open - 2);
  Distribution out;
  const auto* form =
      std::find_if(std::begin(forms), std::end(forms), [&](const Form& f) { return f.name == name; });
  if (form == std::end(forms)) {
    std::vector<std::string> names, all;
    for (const Form& f : forms) {
      names.emplace_back(f.name);
      all.push_back(fmt::format("{}({})", f.name, f.arguments));
    }
    fail("'{}': there is no distribution '{}'{}; known: {}", text, name, suggestion(name, names),
         fmt::join(all, ", "));
  }
  out.kind_ = static_cast<Kind>(form - std::begin(forms));
  const bool words = out.kind_ == Kind::choice;
  out.choices_ = arguments_of(inside, words && inside.find(';') != std::string_view::npos ? ';' : ',');
  if (!words) {
    for (const auto& x : out.choices_) out.x_.push_back(parse_number(x, name));
    out.choices_.clear();
  }
  out.check(text);
  if (out.kind_ == Kind::normal && out.x_.size() == 4) {
    out.low_ = normal_share((out.x_[2] - out.x_[0]) / out.x_[1]);
    out.span_ = normal_share((out.x_[3] - out.x_[0]) / out.x_[1]) - out.low_;
    if (!(out.span_ > 1e-10))
      fail("'{}': less than 1e-10 of the distribution lies between {} and {}", text, out.x_[2], out.x_[3]);
  }
  return out;
}

void Distribution::check(std::string_view text) const {
  const Form& form = forms[static_cast<std::size_t>(kind_)];
  const auto wrong = [&](std::string_view rule) {
    fail("'{}': {}({}) needs {}", text, form.name, form.arguments, rule);
  };
  const auto count = [&](std::size_t n, std::string_view rule) {
    if (x_.size() != n) wrong(rule);
  };
  for (const double x : x_)
    if (!std::isfinite(x)) wrong("finite numbers");
  for (const auto& word : choices_)
    if (word.empty()) wrong("values that are not empty");
  switch (kind_) {
    case Kind::uniform:
      count(2, "two numbers");
      if (!(x_[0] < x_[1]) || !std::isfinite(x_[1] - x_[0])) wrong("a < b");
      break;
    case Kind::loguniform:
      count(2, "two numbers");
      if (!(0 < x_[0] && x_[0] < x_[1])) wrong("0 < a < b");
      break;
    case Kind::normal:
      if (x_.size() != 2 && x_.size() != 4)
        wrong("mean and standard deviation, and then bounds a, b if it is cut");
      if (!(x_[1] > 0)) wrong("s > 0");
      if (x_.size() == 4 && !(x_[2] < x_[3])) wrong("a < b");
      break;
    case Kind::lognormal:
      count(2, "two numbers: mean and standard deviation of the logarithm");
      if (!(x_[1] > 0)) wrong("s > 0");
      break;
    case Kind::triangular:
      count(3, "three numbers");
      if (!(x_[0] <= x_[1] && x_[1] <= x_[2] && x_[0] < x_[2]) || !std::isfinite(x_[2] - x_[0]))
        wrong("a <= c <= b, a < b");
      break;
    case Kind::integer:
      count(2, "two whole numbers");
      if (!(x_[0] <= x_[1]) || x_[0] != std::floor(x_[0]) || x_[1] != std::floor(x_[1]) ||
          std::max(std::abs(x_[0]), std::abs(x_[1])) > 0x1p52)
        wrong("whole numbers a <= b");
      break;
    case Kind::choice:
      break;
  }
}

double Distribution::number(double u) const {
  switch (kind_) {
    case Kind::uniform:
      return std::min(x_[0] + (x_[1] - x_[0]) * u, x_[1]);
    case Kind::loguniform:
      return std::clamp(std::exp(std::lerp(std::log(x_[0]), std::log(x_[1]), u)), x_[0], x_[1]);
    case Kind::normal: {
      const double x = x_[0] + x_[1] * normal_quantile(low_ + span_ * u);
      return x_.size() == 4 ? std::clamp(x, x_[2], x_[3]) : x;
    }
    case Kind::lognormal:
      return std::exp(x_[0] + x_[1] * normal_quantile(u));
    case Kind::triangular: {
      const double width = x_[2] - x_[0], rise = x_[1] - x_[0], fall = x_[2] - x_[1];
      const double x = u * width < rise ? x_[0] + std::sqrt(u) * std::sqrt(width) * std::sqrt(rise)
                                        : x_[2] - std::sqrt(1 - u) * std::sqrt(width) * std::sqrt(fall);
      return std::clamp(x, x_[0], x_[2]);
    }
    case Kind::integer:
      return std::min(x_[0] + std::floor(u * (x_[1] - x_[0] + 1)), x_[1]);
    case Kind::choice:
      break;
  }
  const auto n = static_cast<double>(choices_.size());
  return std::min(std::floor(u * n), n - 1);
}

std::string Distribution::value(double u) const {
  const double x = number(u);
  return is_choice() ? choices_[static_cast<std::size_t>(x)] : number_text(x);
}

std::pair<double, double> Distribution::bounds() const {
  switch (kind_) {
    case Kind::normal:
      if (x_.size() == 4) return {x_[2], x_[3]};
      return {-infinity, infinity};
    case Kind::lognormal:
      return {0, infinity};
    case Kind::choice:
      return {0, static_cast<double>(choices_.size()) - 1};
    default:
      return {x_.front(), x_.back()};
  }
}

}  // namespace saltus
