// A mechanical system from functions of Python: force(t, q, u), mass(t, q), gap(t, q), slip(t, q, u),
// joint(t, q), potential(t, q). For quick tries: every evaluation calls the interpreter.
//
// Derivatives that no function gives are computed here. Where a function accepts complex numbers they are
// Im f(x + i h)/h with h = 1e-30 of the scale, exact to rounding; else central differences with a step of
// ε^(1/3), good to about ten digits. Which of the two is tried once, at the start: both must agree there.
#pragma once
#include <pybind11/numpy.h>

#include <complex>

#include "saltus/system/system.hpp"

namespace saltus::python {

namespace py = pybind11;

/// An object that may be dropped in any thread, with or without the interpreter's lock.
class Held {
 public:
  explicit Held(py::object object) : object_(std::move(object)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const py::gil_scoped_acquire lock;
    object_ = py::object();
  }
  const py::object& get() const { return object_; }
  bool given() const { return !object_.is_none(); }

 private:
  py::object object_;
};

/// A function of Python, called with the lock; results are checked for their size.
class Callback {
 public:
  Callback() = default;
  Callback(std::string name, const py::object& f) : name_(std::move(name)), f_(std::make_shared<Held>(f)) {}
  bool given() const { return f_ && f_->given(); }
  const std::string& name() const { return name_; }

  /// n numbers, in one row. Throws Error for anything else, and what the function throws.
  void operator()(double t, In q, double* out, int n) const;
  void operator()(double t, In q, In u, double* out, int n) const;
  void operator()(std::complex<double> t, const std::vector<std::complex<double>>& q,
                  const std::vector<std::complex<double>>* u, std::complex<double>* out, int n) const;
  /// A matrix of so many rows and columns, row by row.
  void matrix(double t, In q, double* out, int rows, int columns) const;
  /// The result as it is. Needs the lock.
  py::object raw(double t, In q) const;

 private:
  std::string name_;
  std::shared_ptr<Held> f_;
};

/// f(t, q[, u]) with n values and its derivatives.
class Differentiable {
 public:
  Differentiable() = default;
  /// `n`: how many values. Tries complex numbers at (t, q[, u]).
  Differentiable(Callback f, int n, double t, In q, const Vec* u = nullptr);
  int size() const { return n_; }
  bool given() const { return n_ > 0; }
  bool is_complex() const { return complex_; }
  const Callback& function() const { return f_; }

  /// d/ds f(t + s τ, q + s v[, u + s w]) at s = 0.
  void along(double t, In q, const Vec* u, double tau, In v, const Vec* w, double* out) const;
  /// d²/ds² f(t + s, q + s u) at s = 0, f without u.
  void twice_along(double t, In q, In u, double* out) const;

 private:
  void by_complex(double t, In q, const Vec* u, double tau, In v, const Vec* w, double* out) const;
  void by_differences(double t, In q, const Vec* u, double tau, In v, const Vec* w, double* out) const;
  void value(double t, In q, const Vec* u, double* out) const;

  Callback f_;
  int n_ = 0;
  bool complex_ = false;
};

/// What the functions of a system are; `e` and `mu` by contact.
struct Functions {
  Callback mass, gap_jacobian, force_jacobian;
  Differentiable force, gap, slip, joint, potential;
  Matrix constant_mass;  ///< where mass is no function
  Pattern mass_pattern;
  int n = 0, contacts = 0, tangents = 0;
  std::vector<std::string> names;  ///< of contacts, then joints
};

class FunctionSystem final : public System {
 public:
  FunctionSystem(std::shared_ptr<const Functions> functions, std::span<const double> e,
                 std::span<const double> mu);

  Shape shape() const override { return shape_; }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return contacts_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  double energy(double t, In q, In u, Workspace& w) const override;
  std::string contact_name(std::uint64_t id) const override;

 private:
  template <class Put>
  void rows_of(double t, In q, Put&& put) const;  // put(row, column, value)

  std::shared_ptr<const Functions> f_;
  std::vector<Law> laws_;
  std::vector<Contact> contacts_;
  Shape shape_;
  int rows_ = 0;
  std::vector<int> gap_row_, slip_row_;  // of the values of gap and joint, and of slip
};

void bind_function_system(py::module_& m);

}  // namespace saltus::python
