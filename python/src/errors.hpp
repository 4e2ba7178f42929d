// Exceptions of the package: saltus.Error and saltus.SceneError, with the messages of the program.
#pragma once
#include <pybind11/pybind11.h>

namespace saltus::python {

void bind_errors(pybind11::module_& m);

}  // namespace saltus::python
