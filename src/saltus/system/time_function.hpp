// A number that depends on time, with its rate: how a wall moves, how an end is pushed.
#pragma once

namespace saltus {

class TimeFunction {
 public:
  struct Value {
    double value = 0, rate = 0;
  };
  virtual ~TimeFunction() = default;
  /// Evaluated several times in every step: it must not allocate.
  virtual Value at(double t) const = 0;
};

}  // namespace saltus
