// What the header of a scheme's options needs in order to declare its make_stepper(): the one function a
// scheme is made by, found by overloading (scheme.cpp). So options can be included everywhere without any
// stepper.
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
