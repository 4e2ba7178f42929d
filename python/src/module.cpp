// The extension module saltus._saltus. What users see is in python/saltus.
#include <pybind11/pybind11.h>

#include "commands.hpp"
#include "contact.hpp"
#include "errors.hpp"
#include "function_system.hpp"
#include "run_data.hpp"

PYBIND11_MODULE(_saltus, m) {
  using namespace saltus::python;
  m.doc() = "The C++ of Saltus. Use the package saltus.";
  m.attr("version") = SALTUS_VERSION;
  bind_errors(m);
  bind_run_data(m);
  bind_commands(m);
  bind_function_system(m);
  bind_contact(m);
}
