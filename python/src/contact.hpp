// Frictional contact problems of others: arrays in, impulses with a certificate out; files of FCLIB.
#pragma once
#include <pybind11/pybind11.h>

namespace saltus::python {

void bind_contact(pybind11::module_& m);

}  // namespace saltus::python
