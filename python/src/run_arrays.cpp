// Arrays of a run: views into its memory where it has them in rows, else copies.
#include <pybind11/stl.h>

#include <algorithm>

#include "run_data.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/trajectory_states.hpp"

namespace saltus::python {
namespace {

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Columns [first, first + count[ of all samples, without a copy; the run lives as long as the array.
py::array columns(const py::object& self, int first, int count, bool flat) {
  const Trajectory& tr = self.cast<const RunData&>().trajectory();
  const py::ssize_t n = tr.size(), bytes = sizeof(double);
  const py::ssize_t row = bytes * (1 + tr.nq() + tr.nu() + tr.multipliers());
  const double* start = n > 0 ? tr.q(0).data() - 1 + first : nullptr;
  std::vector<py::ssize_t> shape = {n}, strides = {row};
  if (!flat) shape.push_back(count), strides.push_back(bytes);
  if (n == 0 || (!flat && count == 0)) return py::array(py::dtype::of<double>(), shape);
  py::array out(py::dtype::of<double>(), shape, strides, start, self);
  out.attr("flags").attr("writeable") = false;
  return out;
}

Side side_of(const std::string& text) {
  if (text == "-" || text == "left") return Side::left;
  if (text == "+" || text == "right") return Side::right;
  fail("side = '{}': not one of '-' (the limit from the left), '+' (from the right)", text);
}

// q and u at times of any shape: that shape with one more axis.
py::tuple states(const RunData& run, const Doubles& times, const std::string& side) {
  const Trajectory& tr = run.trajectory();
  const Side from = side_of(side);
  if (tr.size() == 0) fail("the run has no states");
  std::vector<py::ssize_t> shape(times.shape(), times.shape() + times.ndim()), u_shape;
  u_shape = shape;
  shape.push_back(tr.nq()), u_shape.push_back(tr.nu());
  Doubles q(shape), u(u_shape);
  std::vector<double> list(times.data(), times.data() + times.size());
  const double first = tr.t(0), last = tr.t(tr.size() - 1);
  // sums of steps, as in numpy.arange, miss the ends by rounding
  const double rounding =
      8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(first), std::abs(last));
  for (double& t : list) {
    if (!(t >= first - rounding && t <= last + rounding))
      fail("t = {} is not within the run, which goes from {} to {}", t, first, last);
    t = std::clamp(t, first, last);
  }
  double *q_data = q.mutable_data(), *u_data = u.mutable_data();
  {
    const py::gil_scoped_release free;
    states_at(tr, list, from, q_data, u_data);
  }
  return py::make_tuple(q, u);
}

template <class T, class F>
py::array_t<T> collect(std::size_t n, F&& value) {
  py::array_t<T> out(static_cast<py::ssize_t>(n));
  T* data = out.mutable_data();
  for (std::size_t i = 0; i < n; ++i) data[i] = value(i);
  return out;
}

// Rows of blocks, NaN where a block is shorter.
template <class F>
py::array_t<double> blocks(std::size_t n, int width, F&& block) {
  py::array_t<double> out({static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(width)});
  double* data = out.mutable_data();
  std::fill(data, data + out.size(), std::nan(""));
  for (std::size_t i = 0; i < n; ++i) {
    const Block b = block(i);
    std::copy_n(b.data(), std::min<Eigen::Index>(b.size(), width),
                data + i * static_cast<std::size_t>(width));
  }
  return out;
}

py::dict events(const RunData& run) {
  const auto& list = run.trajectory().events();
  const std::size_t n = list.size();
  int width = 1;
  for (const Event& e : list) width = std::max(width, static_cast<int>(e.impulse.size()));
  py::dict out;
  out["t"] = collect<double>(n, [&](std::size_t i) { return list[i].t; });
  out["id"] = collect<std::uint64_t>(n, [&](std::size_t i) { return list[i].contact; });
  py::list kind, from, to;
  for (const Event& e : list) {
    kind.append(py::str(std::string(to_string(e.kind))));
    from.append(py::str(std::string(to_string(e.from)))), to.append(py::str(std::string(to_string(e.to))));
  }
  out["kind"] = kind, out["from"] = from, out["to"] = to;
  out["impulse"] = blocks(n, width, [&](std::size_t i) { return list[i].impulse; });
  out["u_minus"] = blocks(n, width, [&](std::size_t i) { return list[i].u_minus; });
  out["u_plus"] = blocks(n, width, [&](std::size_t i) { return list[i].u_plus; });
  out["energy_loss"] = collect<double>(n, [&](std::size_t i) { return list[i].energy_loss; });
  out["t_before"] = collect<double>(n, [&](std::size_t i) { return list[i].t_before; });
  return out;
}

py::dict impulses(const RunData& run) {
  const Trajectory& tr = run.trajectory();
  const auto& list = tr.atoms();
  const std::size_t n = list.size();
  int width = 1;
  for (const auto& a : list) width = std::max(width, a.rows);
  py::dict out;
  out["t"] = collect<double>(n, [&](std::size_t i) { return list[i].t; });
  out["id"] = collect<std::uint64_t>(n, [&](std::size_t i) { return list[i].contact; });
  py::list modes;
  for (int m = 0; m <= static_cast<int>(last_mode); ++m)
    modes.append(py::str(std::string(to_string(static_cast<Mode>(m)))));
  out["modes"] = modes;
  out["mode"] =
      collect<std::uint8_t>(n, [&](std::size_t i) { return static_cast<std::uint8_t>(list[i].mode); });
  py::array_t<double> P({static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(width)});
  double* p = P.mutable_data();
  for (const auto& a : list)
    for (int r = 0; r < width; ++r) *p++ = r < a.rows ? tr.impulse(a, r) : std::nan("");
  out["impulse"] = P;
  return out;
}

py::dict solid_of(const Sketch::Solid& s) {
  static constexpr const char* kinds[] = {"sphere", "capsule", "cylinder", "polytope", "plane"};
  return py::dict(py::arg("kind") = kinds[static_cast<int>(s.kind)], py::arg("name") = s.name,
                  py::arg("place") = s.place, py::arg("turn") = s.turn, py::arg("radius") = s.radius,
                  py::arg("half") = s.half, py::arg("corners") = s.corners, py::arg("faces") = s.faces,
                  py::arg("colour") = s.colour);
}

// None, or circles (x, y, radius, angle, colour), polygons with their colours, and lines (x, y, dx, dy) of
// the plane; solids and strands (points, colour, whether it is a spring) of space.
py::object sketch(RunData& run, double t, const std::string& side) {
  const Trajectory& tr = run.trajectory();
  if (tr.size() == 0) return py::none();
  Sketch s;
  if (!run.sketch(t, tr.q(t, side_of(side)), s)) return py::none();
  py::list rounds, polygons, lines;
  for (const auto& r : s.rounds) rounds.append(py::make_tuple(r.x, r.y, r.radius, r.angle, r.colour));
  for (const auto& p : s.polygons) {
    py::array_t<double> points({static_cast<py::ssize_t>(p.points.size()), py::ssize_t{2}});
    for (std::size_t i = 0; i < p.points.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k) points.mutable_at(i, k) = p.points[i][k];
    polygons.append(py::make_tuple(points, p.colour));
  }
  for (const auto& l : s.lines) lines.append(py::make_tuple(l.x, l.y, l.dx, l.dy));
  py::list solids, strands;
  for (const auto& b : s.solids) solids.append(solid_of(b));
  for (const auto& b : s.strands) strands.append(py::make_tuple(b.points, b.colour, b.spring));
  return py::dict(py::arg("rounds") = rounds, py::arg("polygons") = polygons, py::arg("lines") = lines,
                  py::arg("solids") = solids, py::arg("strands") = strands);
}

}  // namespace

void bind_run_data(py::module_& m) {
  py::class_<RunData>(m, "RunData", "What a run computed, or a file of results has.")
      .def(py::init<const std::string&>(), py::arg("file"), "Reads a file of results.")
      .def_property_readonly("t", [](const py::object& self) { return columns(self, 0, 1, true); })
      .def_property_readonly("q",
                             [](const py::object& self) {
                               return columns(self, 1, self.cast<const RunData&>().trajectory().nq(), false);
                             })
      .def_property_readonly("u",
                             [](const py::object& self) {
                               const Trajectory& tr = self.cast<const RunData&>().trajectory();
                               return columns(self, 1 + tr.nq(), tr.nu(), false);
                             })
      .def_property_readonly("psi",
                             [](const py::object& self) {
                               const Trajectory& tr = self.cast<const RunData&>().trajectory();
                               return columns(self, 1 + tr.nq() + tr.nu(), tr.multipliers(), false);
                             })
      .def_property_readonly("report", &RunData::report)
      .def_property_readonly("warnings", &RunData::warnings)
      .def_readonly("said", &RunData::said)
      .def_readonly("interrupted", &RunData::interrupted)
      .def_readonly("success", &RunData::success)
      .def_property_readonly("pieces", [](const RunData& r) { return r.trajectory().pieces().size(); })
      .def("states", &states, py::arg("times"), py::arg("side"))
      .def("events", &events)
      .def("impulses", &impulses)
      .def("energy", &RunData::energy)
      .def("contact_name", &RunData::contact_name, py::arg("id"))
      .def("sketch", &sketch, py::arg("t"), py::arg("side"))
      .def(
          "save",
          [](const RunData& r, const std::string& file) {
            const py::gil_scoped_release free;
            r.save(file);
          },
          py::arg("file"));
}

}  // namespace saltus::python
