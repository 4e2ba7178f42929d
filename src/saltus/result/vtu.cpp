#include "saltus/result/vtu.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/run/frames.hpp"
#include "saltus/system/system.hpp"

namespace saltus {
namespace {

constexpr int corners_of_a_round = 32;
enum CellType : int { vertex = 1, line = 3, poly_line = 4, polygon = 7 };

/// One unstructured grid: points, cells, and arrays of either.
class Grid {
 public:
  void point(double x, double y) { points_ += fmt::format("{:.9g} {:.9g} 0\n", x, y), ++n_points_; }
  /// Of the last `n` points.
  void cell(CellType type, int n) {
    for (int k = n; k > 0; --k) connectivity_ += fmt::format("{} ", n_points_ - k);
    offset_ += n, ++n_cells_;
    offsets_ += fmt::format("{} ", offset_), types_ += fmt::format("{} ", static_cast<int>(type));
  }
  void number(const char* name, double x) { arrays_[{1, name}] += fmt::format("{:.9g} ", x); }
  void integer(const char* name, std::int64_t x) { integers_[name] += fmt::format("{} ", x); }
  void vector(const char* name, double x, double y) {
    arrays_[{3, name}] += fmt::format("{:.9g} {:.9g} 0\n", x, y);
  }

  std::string text(const char* data_of) const {
    std::string out = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"LittleEndian\">\n"
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        n_points_, n_cells_);
    out += "<Points>\n" + array("Float64", "position", 3, points_) + "</Points>\n<Cells>\n" +
           array("Int64", "connectivity", 1, connectivity_) + array("Int64", "offsets", 1, offsets_) +
           array("UInt8", "types", 1, types_) + fmt::format("</Cells>\n<{}>\n", data_of);
    for (const auto& [name, values] : integers_) out += array("Int64", name, 1, values);
    for (const auto& [key, values] : arrays_) out += array("Float64", key.second, key.first, values);
    return out + fmt::format("</{}>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", data_of);
  }

 private:
  static std::string array(const char* type, const std::string& name, int components,
                           const std::string& values) {
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n{}\n</DataArray>\n",
        type, name, components, values);
  }
  std::int64_t n_points_ = 0, n_cells_ = 0, offset_ = 0;
  std::string points_, connectivity_, offsets_, types_;
  std::map<std::pair<int, std::string>, std::string> arrays_;
  std::map<std::string, std::string> integers_;
};

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
    out.point(a.x, a.y);
    out.cell(vertex, 1);
    out.vector("force", a.Px / frame.dt, a.Py / frame.dt), out.vector("impulse", a.Px, a.Py);
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
    Grid bodies, contacts;
    const RunFrame& frame = frames.at(i, since);
    if (frame.has_sketch && !frame.sketch.in_space())
      shapes(frame, bodies), acts(frame, contacts);
    else
      graph(frame, bodies);
    since = tr.t(i);
    int part = 0;
    for (const auto& [what, grid, data] :
         {std::tuple{"bodies", &bodies, "CellData"}, {"contacts", &contacts, "PointData"}}) {
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
