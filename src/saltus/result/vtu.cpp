#include "saltus/result/vtu.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <tuple>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/result/vtu_grid.hpp"
#include "saltus/system/system.hpp"

namespace saltus {
namespace {

using vtu::Grid, vtu::line, vtu::poly_line, vtu::polygon, vtu::vertex;

constexpr int corners_of_a_round = 32;

// Bodies and walls as they are drawn.
void shapes(const RunFrame& frame, Grid& out) {
  int body = 0;
  const auto data = [&](const Sketch::Coordinates& at, int colour) {
    const bool moves = at.x >= 0;
    out.vector("velocity", moves ? frame.u[at.x] : 0, moves ? frame.u[at.x + 1] : 0);
    out.number("spin", moves && at.turns ? frame.u[at.x + 2] : 0);
    out.integer("colour", colour), out.integer("body", body++);
  };
  for (const auto& r : frame.sketch.rounds) {
    for (int k = 0; k < corners_of_a_round; ++k) {
      const double a = r.angle + 2 * M_PI * k / corners_of_a_round;
      out.point(r.x + r.radius * std::cos(a), r.y + r.radius * std::sin(a));
    }
    if (r.colour < 0) out.point(r.x + r.radius * std::cos(r.angle), r.y + r.radius * std::sin(r.angle));
    out.cell(r.colour < 0 ? poly_line : polygon, corners_of_a_round + (r.colour < 0));
    data(r.at, r.colour);
  }
  for (const auto& p : frame.sketch.polygons) {
    for (const auto& [x, y] : p.points) out.point(x, y);
    out.cell(polygon, static_cast<int>(p.points.size()));
    data(p.at, p.colour);
  }
  const SketchBox box = box_of(frame.sketch);
  const double far = box.x1 - box.x0 + box.y1 - box.y0;
  for (const auto& l : frame.sketch.lines) {
    out.point(l.x - far * l.dx, l.y - far * l.dy), out.point(l.x + far * l.dx, l.y + far * l.dy);
    out.cell(line, 2);
    data({}, -1);
  }
}

void acts(const RunFrame& frame, Grid& out) {
  for (const ContactAct& a : frame.contacts) {
    out.point(a.x, a.y, a.z);
    out.cell(vertex, 1);
    out.vector("force", a.Px / frame.dt, a.Py / frame.dt, a.Pz / frame.dt);
    out.vector("impulse", a.Px, a.Py, a.Pz);
    out.integer("contact", static_cast<std::int64_t>(a.contact)), out.integer("mode", a.mode),
        out.integer("body", a.body);
  }
}

// Coordinates over their numbers, where there is no picture.
void graph(const RunFrame& frame, Grid& out) {
  for (Eigen::Index k = 0; k < frame.q.size(); ++k) {
    const bool known = frame.q.size() == frame.u.size();
    out.point(static_cast<double>(k), frame.q[k]);
    out.cell(vertex, 1);
    out.integer("body", k);
    out.vector("velocity", 0, known ? frame.u[k] : 0);
    out.vector("force", 0, known && frame.dt > 0 ? frame.impulse[k] / frame.dt : 0);
  }
}

// The frames into their folder, and the list of them.
void write_frames(const Trajectory& tr, const DynamicSystem& dynamics, VtuReport& report) {
  const std::string folder = std::filesystem::path(report.folder).filename().string();
  std::string list =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "<Collection>\n";
  RunFrames frames(as_mechanical(&dynamics), tr);
  double since = tr.t(0);
  for (int i = 0; i < tr.size(); ++i) {
    const bool last = i + 1 == tr.size();
    if (!last && (i % report.every != 0 || tr.t(i + 1) == tr.t(i))) continue;  // of two limits the right one
    Grid bodies, contacts, centres;
    const RunFrame& frame = frames.at(i, since);
    const bool in_space = frame.has_sketch && frame.sketch.in_space();
    if (in_space)
      vtu::put_solids(frame, bodies), vtu::put_centres(frame, centres), acts(frame, contacts);
    else if (frame.has_sketch)
      shapes(frame, bodies), acts(frame, contacts);
    else
      graph(frame, bodies);
    since = tr.t(i);
    int part = 0;
    for (const auto& [what, grid, data] : {std::tuple{"bodies", &bodies, "CellData"},
                                           {"contacts", &contacts, "PointData"},
                                           {"centres", &centres, "PointData"}}) {
      if (grid == &centres && !in_space) continue;
      const std::string file = fmt::format("{}-{:06}.vtu", what, report.frames);
      write_file(report.folder + "/" + file, grid->text(data));
      list += fmt::format("<DataSet timestep=\"{:.17g}\" part=\"{}\" name=\"{}\" file=\"{}/{}\"/>\n", tr.t(i),
                          part++, what, folder, file);
    }
    ++report.frames;
  }
  write_file(report.pvd, list + "</Collection>\n</VTKFile>\n");
  report.lost = frames.lost();
}

}  // namespace

VtuReport write_vtu(const std::string& name, const Result& result, const DynamicSystem& dynamics,
                    const VtuOptions& options) {
  const Trajectory& tr = result.trajectory;
  if (tr.size() == 0) fail("the result has no samples");
  if (const System* system = as_mechanical(&dynamics)) {
    const Shape shape = system->shape();
    if (shape.nq != tr.nq() || shape.nu != tr.nu())
      fail(
          "the result has {} coordinates and {} velocities, its problem {} and {}: the file is damaged, or "
          "of another "
          "run",
          tr.nq(), tr.nu(), shape.nq, shape.nu);
  }
  VtuReport report;
  report.every =
      options.every > 0 ? options.every : 1 + (tr.size() - 1) / std::max<std::int64_t>(options.most, 1);
  report.pvd = name + ".pvd", report.folder = name + "-vtu";
  std::error_code trouble;
  const bool made = std::filesystem::create_directory(report.folder, trouble);
  if (!std::filesystem::is_directory(report.folder))
    fail("cannot make the folder '{}': no such folder above it, or not allowed", report.folder);
  for (const auto& old : std::filesystem::directory_iterator(report.folder, trouble))  // of an export before
    if (old.path().extension() == ".vtu") std::filesystem::remove(old.path(), trouble);
  try {
    check_writable(report.pvd);
    write_frames(tr, dynamics, report);
  } catch (...) {
    if (made) std::filesystem::remove(report.folder, trouble);  // if it is empty
    throw;
  }
  return report;
}

}  // namespace saltus
