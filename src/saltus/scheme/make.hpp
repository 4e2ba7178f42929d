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

/// For schemes of that family, after make_stepper() has checked it.
const System& mechanical(const DynamicSystem& system);

}  // namespace saltus
