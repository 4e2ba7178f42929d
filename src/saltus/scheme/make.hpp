// What the header of a scheme's options needs in order to declare its build_stepper(): the function that
// make_stepper() (scheme.hpp) finds by overloading after it has checked options and family. So options can be
// included everywhere without any stepper.
#pragma once
#include <memory>

#include "saltus/contact/solver.hpp"
#include "saltus/system/dynamic_system.hpp"

namespace saltus {

class Stepper;
class System;

/// What a scheme does between impacts; its options say it by a member `SmoothMotion smooth() const`.
struct SmoothMotion {
  int order = 1;  ///< of the positions, where forces do not depend on velocities
  /// The largest hω of a linear vibration that steps do not multiply, for schemes that are explicit in the
  /// positions. Infinite: there is none, or the driver looks for it in the run (tableaus).
  double stable_up_to = infinity;
  bool explicit_damping = false;    ///< its forces have the velocity at the start of the step: steps
                                    ///< beyond h²ω²/2 + hδ = 2 are refused (run/stability.cpp)
  bool stable_at_any_step = false;  ///< no linear vibration grows, however fast it is
};

/// For schemes of that family, after make_stepper() has checked it.
const System& mechanical(const DynamicSystem& system);

}  // namespace saltus
