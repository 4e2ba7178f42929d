// Functions of Python as a target of commands: sizes are found by calling each once at the start.
#include <pybind11/stl.h>

#include "function_system.hpp"
#include "saltus/catalog/catalog.hpp"
#include "saltus/cli/given_target.hpp"
#include "saltus/core/error.hpp"

namespace saltus::python {
namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

Vec vector_of(const py::object& given, const char* name) {
  const Doubles a = Doubles::ensure(given);
  if (!a) {
    PyErr_Clear();
    fail("{} is no array of numbers", name);
  }
  if (a.ndim() > 1) fail("{} has {} dimensions; it is a list of numbers", name, a.ndim());
  return Eigen::Map<const Vec>(a.data(), a.size());
}

// One number for all contacts, or one for each.
std::vector<double> by_contact(const py::object& given, int contacts, const char* name) {
  const Vec x = vector_of(given, name);
  if (x.size() == 1) return std::vector<double>(static_cast<std::size_t>(contacts), x[0]);
  if (x.size() != contacts)
    fail("{} has {} entries for {} contacts; give one number, or one for each", name, x.size(), contacts);
  return {x.data(), x.data() + x.size()};
}

// How many numbers f(t, q) returns.
int count_of(const Callback& f, double t, In q) {
  if (!f.given()) return 0;
  const py::array a = py::array::ensure(f.raw(t, q));
  if (!a) {
    PyErr_Clear();
    fail("{} returned no array of numbers", f.name());
  }
  if (a.ndim() > 1)
    fail("{} returned an array with {} dimensions; it returns one number for each contact, in one row", f.name(),
         a.ndim());
  if (a.size() == 0) fail("{} returned an empty array", f.name());
  return static_cast<int>(a.size());
}

void set_mass(Functions& f, const py::object& mass, double t, In q) {
  const bool callable = PyCallable_Check(mass.ptr()) != 0;
  if (callable) f.mass = Callback("mass(t, q)", mass);
  const Doubles a = Doubles::ensure(callable ? f.mass.raw(t, q) : mass);
  if (!a) {
    PyErr_Clear();
    fail("mass is no array of numbers");
  }
  const int n = f.n;
  const bool matrix = a.ndim() == 2;
  if (!(matrix && a.shape(0) == n && a.shape(1) == n) && !(a.ndim() < 2 && (a.size() == n || (a.size() == 1 && !callable))))
    fail("mass has {} entries in {} dimensions; give {} numbers (the diagonal) or a {}×{} matrix", a.size(), a.ndim(),
         n, n, n);
  f.mass_pattern = matrix ? Pattern{} : Pattern{Pattern::diagonal, 0, nullptr};
  f.constant_mass = Matrix(n, f.mass_pattern);
  const double* x = a.data();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (!matrix && i != j) continue;
      const double value = matrix ? x[i * n + j] : a.size() == 1 ? x[0] : x[i];
      if (matrix && value != x[j * n + i])
        fail("mass is not symmetric: entry ({}, {}) is {}, ({}, {}) is {}", i, j, value, j, i, x[j * n + i]);
      f.constant_mass.set(i, j, value);
    }
}

FieldDescription field(const std::string& name, const std::string& help, double value) {
  FieldDescription out;
  out.name = name, out.help = help, out.value = fmt::format("{}", value);
  return out;
}

// `e` and `mu` are parameters where they are the same for all contacts.
struct Constants {
  std::vector<double> e, mu;

  static bool same(const std::vector<double>& x) {
    return !x.empty() && std::all_of(x.begin(), x.end(), [&](double y) { return y == x[0]; });
  }
  std::vector<FieldDescription> fields() const {
    std::vector<FieldDescription> out;
    if (same(e)) out.push_back(field("e", "coefficient of restitution", e[0]));
    if (same(mu)) out.push_back(field("mu", "coefficient of friction", mu[0]));
    return out;
  }
  void set(const Settings& settings) {
    for (const auto& [name, text] : settings) {
      const double value = parse_number(text, name);
      const bool known = (name == "e" && same(e)) || (name == "mu" && same(mu));
      if (!known) fail("the functions have no parameter '{}'; known are e and mu, where all contacts have the same", name);
      auto& list = name == "e" ? e : mu;
      list.assign(list.size(), value);
    }
  }
};

std::unique_ptr<cli::Given> make(const std::string& name, double t0, double t_end, const py::object& q0,
                                 const py::object& u0, const py::object& force, const py::dict& others,
                                 const std::vector<std::string>& coordinates,
                                 const std::vector<std::string>& contacts) {
  const auto other = [&](const char* key) { return py::object(others[key]); };
  auto f = std::make_shared<Functions>();
  const Vec q = vector_of(q0, "q0"), u = vector_of(u0, "u0");
  if (q.size() == 0) fail("q0 is empty");
  if (u.size() != q.size()) fail("q0 has {} entries, u0 {}", q.size(), u.size());
  check_times(t0, t_end);
  check_sizes(static_cast<int>(q.size()), static_cast<int>(u.size()), q, u);
  f->n = static_cast<int>(q.size());
  if (!coordinates.empty() && std::ssize(coordinates) != f->n)
    fail("{} names for {} coordinates", coordinates.size(), f->n);
  set_mass(*f, other("mass"), t0, q);
  const auto callback = [&](const char* key, const char* text) { return Callback(text, other(key)); };
  const Callback gap = callback("gap", "gap(t, q)"), joint = callback("joint", "joint(t, q)");
  f->contacts = count_of(gap, t0, q);
  f->force = Differentiable(Callback("force(t, q, u)", force), f->n, t0, q, &u);
  f->gap = Differentiable(gap, f->contacts, t0, q);
  f->joint = Differentiable(joint, count_of(joint, t0, q), t0, q);
  const Callback potential = callback("potential", "potential(t, q)");
  if (potential.given()) f->potential = Differentiable(potential, 1, t0, q);
  f->gap_jacobian = callback("gap_jacobian", "gap_jacobian(t, q)");
  f->force_jacobian = callback("force_jacobian", "force_jacobian(t, q, u)");
  f->names = contacts;
  Constants constants;
  constants.e = by_contact(other("e"), f->contacts, "e");
  if (const Callback slip = callback("slip", "slip(t, q, u)"); slip.given()) {
    if (f->contacts == 0) fail("slip(t, q, u) is given without gap(t, q)");
    f->tangents = py::cast<int>(other("tangents"));
    f->slip = Differentiable(slip, f->contacts * f->tangents, t0, q, &u);
    constants.mu = by_contact(other("mu"), f->contacts, "mu");
  }
  FunctionSystem(f, constants.e, constants.mu);  // throws for constants that are not allowed

  CatalogEntry entry;
  entry.name = name, entry.summary = "functions of Python";
  entry.t_end = t_end, entry.parameters = constants.fields();
  entry.resolve = [constants](const Settings& settings) {
    Constants c = constants;
    c.set(settings);
    return c.fields();
  };
  entry.make = [f, constants, q, u, t0, t_end, coordinates](const Settings& settings, std::optional<double> end) {
    Constants c = constants;
    c.set(settings);
    CatalogProblem p;
    p.problem.system = std::make_shared<FunctionSystem>(f, c.e, c.mu);
    p.problem.t0 = t0, p.problem.t_end = end.value_or(t_end);
    p.problem.q0 = q, p.problem.u0 = u;
    p.problem.coordinates = coordinates;
    p.method.stepping = FixedSteps{(p.problem.t_end - t0) / 1000};
    return p;
  };
  return std::make_unique<cli::Given>(cli::GivenTarget{name, {}, std::move(entry)});
}

}  // namespace

void bind_function_system(py::module_& m) {
  m.def("functions", &make, py::arg("name"), py::arg("t0"), py::arg("t_end"), py::arg("q0"), py::arg("u0"),
        py::arg("force"), py::arg("others"), py::arg("coordinates"), py::arg("contacts"),
        "Functions as a target for commands.");
}

}  // namespace saltus::python
