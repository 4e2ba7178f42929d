// Calls of Python functions: arguments are arrays of their own, results are checked.
#include <limits>

#include "function_system.hpp"
#include "gil.hpp"
#include "saltus/core/error.hpp"

namespace saltus::python {
namespace {

using Complex = std::complex<double>;

template <class T>
py::array_t<T> array_of(const T* data, std::size_t n) {
  return py::array_t<T>(static_cast<py::ssize_t>(n), data);
}

py::array_t<double> array_of(In x) {
  return array_of(x.data(), static_cast<std::size_t>(x.size()));
}

std::string shape_text(const py::array& a) {
  std::string out = "(";
  for (py::ssize_t k = 0; k < a.ndim(); ++k) out += fmt::format("{}{}", k ? ", " : "", a.shape(k));
  return out + (a.ndim() == 1 ? ",)" : ")");
}

// The result as numbers of type T.
template <class T>
py::array_t<T, py::array::c_style | py::array::forcecast> numbers(const py::object& result,
                                                                  const std::string& name) {
  using Numbers = py::array_t<T, py::array::c_style | py::array::forcecast>;
  if (result.is_none()) fail("{} returned None: is its return missing?", name);
  const py::array plain = py::array::ensure(result);
  if (!plain) {
    PyErr_Clear();
    fail("{} returned {}, which is no array of numbers", name, std::string(py::str(py::type::of(result))));
  }
  const char kind = plain.dtype().kind();
  if (kind == 'c' && !std::is_same_v<T, Complex>) fail("{} returned complex numbers", name);
  if (std::string("fiubc").find(kind) == std::string::npos)
    fail("{} returned an array of type {}, not of numbers", name, std::string(py::str(plain.dtype())));
  Numbers out = Numbers::ensure(plain);
  if (!out) {
    PyErr_Clear();
    fail("{} returned what cannot be taken as numbers", name);
  }
  return out;
}

template <class T>
void take(const py::object& result, const std::string& name, T* out, int n) {
  const auto a = numbers<T>(result, name);
  if (a.size() != n || a.ndim() > 1)
    fail("{} returned an array of shape {}; expected {}", name, shape_text(a),
         n == 1 ? "a number" : fmt::format("shape ({},)", n));
  std::copy_n(a.data(), n, out);
}

// Ctrl-C while a function of Python is at work: the run ends after its step, which needs the value.
template <class Call>
py::object value_of(Call&& call) {
  try {
    return call();
  } catch (py::error_already_set& e) {
    if (!Interrupt::took(e)) throw;
  }
  return call();
}

}  // namespace

py::object Callback::raw(double t, In q) const {
  return f_->get()(t, array_of(q));
}

void Callback::operator()(double t, In q, double* out, int n) const {
  const py::gil_scoped_acquire lock;
  take(value_of([&] { return f_->get()(t, array_of(q)); }), name_, out, n);
}

void Callback::operator()(double t, In q, In u, double* out, int n) const {
  const py::gil_scoped_acquire lock;
  take(value_of([&] { return f_->get()(t, array_of(q), array_of(u)); }), name_, out, n);
}

void Callback::operator()(Complex t, const std::vector<Complex>& q, const std::vector<Complex>* u,
                          Complex* out, int n) const {
  const py::gil_scoped_acquire lock;
  const auto value = [&] {
    const auto x = array_of(q.data(), q.size());
    return u ? f_->get()(t, x, array_of(u->data(), u->size())) : f_->get()(t, x);
  };
  take(value_of(value), name_, out, n);
}

void Callback::matrix(double t, In q, double* out, int rows, int columns) const {
  const py::gil_scoped_acquire lock;
  const auto a = numbers<double>(value_of([&] { return f_->get()(t, array_of(q)); }), name_);
  const bool row = rows == 1 && a.ndim() == 1;
  if (!(row || a.ndim() == 2) || a.size() != static_cast<py::ssize_t>(rows) * columns ||
      (a.ndim() == 2 && a.shape(0) != rows))
    fail("{} returned an array of shape {}; expected shape ({}, {})", name_, shape_text(a), rows, columns);
  std::copy_n(a.data(), a.size(), out);
}

// ---- derivatives

Differentiable::Differentiable(Callback f, int n, double t, In q, const Vec* u) : f_(std::move(f)), n_(n) {
  if (n == 0) return;
  Vec v(q.size()), w(q.size());  // a direction in which nothing is special
  for (Eigen::Index i = 0; i < v.size(); ++i)
    v[i] = 0.7 + 0.1 * static_cast<double>(i % 5), w[i] = 0.9 - 0.1 * static_cast<double>(i % 3);
  Vec exact(n), rough(n), again(n);
  const Vec* second = u ? &w : nullptr;
  by_differences(t, q, u, 0.3, v, second, rough.data());  // throws what the function throws
  try {
    by_complex(t, q, u, 0.3, v, second, exact.data());
  } catch (const Error&) {
    return;
  } catch (const py::error_already_set&) {
    return;  // it does not take complex numbers
  }
  const double scale = rough.cwiseAbs().maxCoeff();
  complex_ = (exact - rough).cwiseAbs().maxCoeff() <= 1e-5 * std::max(scale, 1e-300);
}

void Differentiable::value(double t, In q, const Vec* u, double* out) const {
  if (u)
    f_(t, q, *u, out, n_);
  else
    f_(t, q, out, n_);
}

void Differentiable::by_complex(double t, In q, const Vec* u, double tau, In v, const Vec* w,
                                double* out) const {
  constexpr double h = 1e-30;
  std::vector<Complex> x(static_cast<std::size_t>(q.size())), y(u ? x.size() : 0),
      f(static_cast<std::size_t>(n_));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    x[i] = {q[k], h * v[k]};
    if (u) y[i] = {(*u)[k], h * (*w)[k]};
  }
  f_(Complex(t, h * tau), x, u ? &y : nullptr, f.data(), n_);
  for (int i = 0; i < n_; ++i) out[i] = f[static_cast<std::size_t>(i)].imag() / h;
}

void Differentiable::by_differences(double t, In q, const Vec* u, double tau, In v, const Vec* w,
                                    double* out) const {
  const double small = std::cbrt(std::numeric_limits<double>::epsilon());
  double size = std::abs(tau) * 1e-3, far = 1;  // how fast the arguments change, and how large they are
  size = std::max(size, v.size() ? v.cwiseAbs().maxCoeff() : 0.0);
  if (w) size = std::max(size, w->cwiseAbs().maxCoeff());
  far = std::max({far, q.size() ? q.cwiseAbs().maxCoeff() : 0.0, u ? u->cwiseAbs().maxCoeff() : 0.0});
  const double s = size > 0 ? small * far / size : small;
  Vec low(n_), high(n_), y0, y1;
  if (u) y0 = *u - s * *w, y1 = *u + s * *w;
  value(t - s * tau, q - s * v, u ? &y0 : nullptr, low.data());
  value(t + s * tau, q + s * v, u ? &y1 : nullptr, high.data());
  for (int i = 0; i < n_; ++i) out[i] = (high[i] - low[i]) / (2 * s);
}

void Differentiable::along(double t, In q, const Vec* u, double tau, In v, const Vec* w, double* out) const {
  if (complex_)
    by_complex(t, q, u, tau, v, w, out);
  else
    by_differences(t, q, u, tau, v, w, out);
}

void Differentiable::twice_along(double t, In q, In u, double* out) const {
  const double eps = std::numeric_limits<double>::epsilon();
  const double size = std::max(1e-3, u.size() ? u.cwiseAbs().maxCoeff() : 0.0);
  const double far = std::max(1.0, q.size() ? q.cwiseAbs().maxCoeff() : 0.0);
  Vec low(n_), middle(n_), high(n_);
  if (complex_) {
    const double s = std::cbrt(eps) * far / size;
    by_complex(t - s, q - s * u, nullptr, 1, u, nullptr, low.data());
    by_complex(t + s, q + s * u, nullptr, 1, u, nullptr, high.data());
    for (int i = 0; i < n_; ++i) out[i] = (high[i] - low[i]) / (2 * s);
    return;
  }
  const double s = std::sqrt(std::sqrt(eps)) * far / size;
  value(t - s, q - s * u, nullptr, low.data());
  value(t, q, nullptr, middle.data());
  value(t + s, q + s * u, nullptr, high.data());
  for (int i = 0; i < n_; ++i) out[i] = (high[i] - 2 * middle[i] + low[i]) / (s * s);
}

}  // namespace saltus::python
