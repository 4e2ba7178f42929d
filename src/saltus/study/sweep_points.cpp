#include "saltus/study/sweep_points.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {

std::vector<std::string> SweepPoints::names() const {
  std::vector<std::string> out;
  for (const auto& a : axes) out.push_back(a.name);
  if (table) out.insert(out.end(), table->names().begin(), table->names().end());
  if (samples)
    for (const auto& p : samples->parameters()) out.push_back(p.name);
  return out;
}

std::size_t SweepPoints::count() const {
  const auto all = names();
  if (all.empty()) fail("nothing varies: give --over, --over-file or --sample");
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) !=
        all.begin() + static_cast<std::ptrdiff_t>(i))
      fail("'{}' is given twice as a parameter that varies (--over, --over-file, --sample)", all[i]);
  std::size_t out = 1;
  const auto times = [&](std::size_t n) {
    if (n > 0 && out > largest_sweep / n) fail("the sweep has more than {} points", largest_sweep);
    out *= n;
  };
  for (const auto& a : axes) {
    if (a.size() == 0) fail("--over {}: no values", a.name);
    times(a.size());
  }
  if (table) times(table->size());
  if (samples) {
    if (samples->points() == 0) fail("--points 0: samples need at least one point");
    times(samples->points());
  }
  return out;
}

Settings SweepPoints::point(std::size_t k) const {
  Settings out;
  const std::size_t sample = samples ? k % samples->points() : 0;
  if (samples) k /= samples->points();
  const std::size_t row = table ? k % table->size() : 0;
  if (table) k /= table->size();
  out.resize(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    out[i] = {axes[i].name, axes[i].value(k % axes[i].size())};
    k /= axes[i].size();
  }
  if (table) {
    auto cells = table->row_at(row);
    for (std::size_t i = 0; i < cells.size(); ++i) out.emplace_back(table->names()[i], std::move(cells[i]));
  }
  if (samples)
    for (std::size_t j = 0; j < samples->parameters().size(); ++j)
      out.emplace_back(samples->parameters()[j].name, samples->value(sample, j));
  return out;
}

}  // namespace saltus
