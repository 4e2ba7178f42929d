#include "errors.hpp"

#include <new>

#include "saltus/core/error.hpp"
#include "saltus/scene/complaints.hpp"

namespace saltus::python {
namespace py = pybind11;
namespace {

PyObject* error_class = nullptr;
PyObject* scene_error_class = nullptr;

py::list list_of(const SceneError& e) {
  py::list out;
  for (const Complaint& c : e.complaints())
    out.append(py::dict(py::arg("file") = e.file(), py::arg("line") = c.place.line,
                        py::arg("column") = c.place.column, py::arg("path") = c.path,
                        py::arg("message") = c.message));
  return out;
}

// Texts of users may hold any bytes; an exception must not fail on them.
py::object text(const char* bytes) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(std::char_traits<char>::length(bytes)), "replace"));
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const SceneError& e) {
    const py::object value = py::handle(scene_error_class)(text(e.what()));
    value.attr("complaints") = list_of(e);
    value.attr("file") = e.file();
    PyErr_SetObject(scene_error_class, value.ptr());
  } catch (const Error& e) {
    PyErr_SetObject(error_class, text(e.what()).ptr());
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  error_class = PyErr_NewExceptionWithDoc(
      "saltus.Error", "Bad input. The message names the field, what was found and what is allowed.",
      PyExc_ValueError, nullptr);
  scene_error_class = PyErr_NewExceptionWithDoc(
      "saltus.SceneError",
      "A scene that cannot be used. ``complaints`` lists all that is wrong: file, line, column, path and\n"
      "message of each.",
      error_class, nullptr);
  m.attr("Error") = py::handle(error_class);
  m.attr("SceneError") = py::handle(scene_error_class);
  py::register_exception_translator(translate);
}

}  // namespace saltus::python
