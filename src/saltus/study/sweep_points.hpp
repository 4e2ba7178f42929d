// The points of a sweep: the product of series and lists, of the lines of a table, and of samples. None is
// stored: point k is found from k.
#pragma once
#include <optional>

#include "saltus/catalog/catalog.hpp"
#include "saltus/study/point_table.hpp"
#include "saltus/study/sampling/samples.hpp"
#include "saltus/study/sweep_axis.hpp"

namespace saltus {

struct SweepPoints {
  std::vector<SweepAxis> axes = {};
  std::optional<PointTable> table = {};
  std::optional<Samples> samples = {};

  /// What varies, in the order of the columns: axes, columns of the table, sampled parameters.
  std::vector<std::string> names() const;
  /// How many. Throws Error when nothing varies, a name is there twice, an axis has no values, or there are
  /// too many points.
  std::size_t count() const;
  /// The values of a point, k < count(); the last kind varies fastest, and among axes the last one.
  Settings point(std::size_t k) const;
};

}  // namespace saltus
