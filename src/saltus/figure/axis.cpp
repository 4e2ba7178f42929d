#include "saltus/figure/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double largest = 1e300, smallest = 1e-300;
constexpr double noise = 1e-10;  // relative: below it a curve is constant, and tics have no room

// 1, 2 and 5 times powers of ten, for ranges without two powers of ten inside.
std::vector<double> steps_within(double low, double high) {
  std::vector<double> out;
  for (int k = static_cast<int>(std::floor(std::log10(low))); std::pow(10, k) <= high; ++k)
    for (int f : {1, 2, 5})
      if (const double x = f * std::pow(10, k); x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9))
        out.push_back(x);
  return out;
}

}  // namespace

double drawable(double value, bool logarithmic) {
  if (!std::isfinite(value) || (logarithmic && value <= 0)) return std::nan("");
  value = std::clamp(value, -largest, largest);
  return logarithmic ? std::max(value, smallest) : value;
}

void Axis::add(double value) {
  value = drawable(value, logarithmic);
  if (std::isnan(value)) return;
  low = fits ? std::min(low, value) : value;
  high = fits ? std::max(high, value) : value;
  fits = true;
}

void Axis::widen(double margin) {
  if (!fits) {
    low = logarithmic ? 0.1 : 0, high = 1;
  } else if (logarithmic && margin > 0) {
    low = std::pow(10, std::floor(std::log10(low) + 1e-9));
    high = std::pow(10, std::ceil(std::log10(high) - 1e-9));
    if (!(high > low)) low /= 10, high *= 10;
  } else if (logarithmic) {
    if (!(high > low * (1 + noise))) low /= 3, high *= 3;
  } else {
    const double size = std::max(std::abs(low), std::abs(high)), span = high - low;
    const double more = span > std::max(noise * size, smallest) ? margin * span
                        : size > smallest                       ? 0.1 * size
                                                                : 1;
    low -= more, high += more;
  }
}

int Axis::digits() const {
  const double size = std::max(std::abs(low), std::abs(high));
  return std::clamp(static_cast<int>(std::ceil(std::log10(size / (high - low)))) + 2, 6, 15);
}

int Axis::label_width() const {
  if (logarithmic) return 5;
  const double step = std::pow(10, std::floor(std::log10((high - low) / 4)));
  std::size_t widest = 0;
  for (int k = 0; k <= 40; ++k)
    if (const double x = (std::ceil(low / step) + k) * step; x <= high)
      widest = std::max(widest, fmt::format("{:.{}g}", std::abs(x) < 1e-9 * step ? 0.0 : x, digits()).size());
  return static_cast<int>(widest);
}

std::string Axis::script(char letter) const {
  std::string out = fmt::format("set {}range [{:.15g}:{:.15g}]\n", letter, low, high);
  if (!logarithmic)
    return out + fmt::format("unset logscale {0}\nset format {0} '%.{1}g'\nset {0}tics autofreq\n", letter,
                             digits());
  out += fmt::format("set logscale {0}\nset format {0} '10^{{%L}}'\nset {0}tics autofreq\n", letter);
  const double first = std::ceil(std::log10(low) - 1e-9), last = std::floor(std::log10(high) + 1e-9);
  if (last - first >= 1) return out;
  std::string list;
  for (double x : steps_within(low, high))
    list += fmt::format("{}'{:g}' {:.15g}", list.empty() ? "" : ", ", x, x);
  return list.empty() ? out + fmt::format("set format {0} '%g'\n", letter)
                      : out + fmt::format("set {}tics ({})\n", letter, list);
}

}  // namespace saltus
