// The commands of the program, called in this process. Keyword arguments of Python become words of the command
// line, so that both have the same options, the same checks and the same messages.
#pragma once
#include <pybind11/pybind11.h>

#include "saltus/cli/given_target.hpp"

namespace saltus::python {

void bind_commands(pybind11::module_& m);

}  // namespace saltus::python
