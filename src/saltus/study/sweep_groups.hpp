// Points of a sweep in groups by one or two parameters: the values of a series or list, the words of a
// choice, or equal intervals of numbers.
#pragma once
#include <span>

#include "saltus/study/statistics.hpp"
#include "saltus/study/sweep_points.hpp"

namespace saltus {

/// The groups by one parameter.
struct GroupAxis {
  std::string name;
  std::vector<std::string> values = {};                   ///< one group each
  std::optional<Bins> bins = {};                          ///< instead of values
  SweepAxis::Spacing spacing = SweepAxis::Spacing::list;  ///< of the values

  std::size_t size() const { return bins ? bins->count : values.size(); }
  std::string label(std::size_t i) const;  ///< the value, or the centre of the interval
};

class SweepGroups {
 public:
  /// `by`: "NAME" or "NAME=BINS", up to two. Throws Error for an unknown name and for too many groups.
  SweepGroups(const SweepPoints& points, std::span<const std::string> by);

  std::span<const GroupAxis> axes() const { return axes_; }
  std::size_t count() const;  ///< 1 without parameters
  /// The group of point k; the last parameter varies fastest.
  std::size_t of(std::size_t k) const;

 private:
  struct Part {  // of the number of a point: k / divisor % size
    std::size_t divisor = 1, size = 1;
    std::vector<std::uint32_t> groups = {};  // of each, where they are not the numbers themselves
  };
  void add(const SweepPoints& points, const std::string& text);

  std::vector<GroupAxis> axes_;
  std::vector<Part> parts_;
};

}  // namespace saltus
