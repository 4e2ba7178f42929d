#include "saltus/result/vtu.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <unordered_map>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/system/sketch.hpp"
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

// What a contact's force can act on: a body of the sketch.
struct Body {
  double x, y;
  Sketch::Coordinates at;
  const std::vector<std::array<double, 2>>* outline;  // null: a round
  double radius;

  /// How far it reaches from its centre against n.
  double reach(double nx, double ny) const {
    if (!outline) return radius;
    double least = 0;
    for (const auto& [px, py] : *outline) least = std::min(least, (px - x) * nx + (py - y) * ny);
    return -least;
  }
};

std::vector<Body> bodies_of(const Sketch& s) {
  std::vector<Body> out;
  for (const auto& r : s.rounds) out.push_back({r.x, r.y, r.at, nullptr, r.radius});
  for (const auto& p : s.polygons) out.push_back({p.x, p.y, p.at, &p.points, 0});
  return out;
}

class Frames {
 public:
  Frames(const System* system, const Result& result) : system_(system), tr_(result.trajectory) {}
  std::int64_t lost = 0;

  /// The grids of one sample, with all that contacts did after time `since`.
  void draw(int i, double since, Grid& bodies, Grid& contacts) {
    const double t = tr_.t(i);
    const Vec q = tr_.q(i), u = tr_.u(i);
    sketch_.clear();
    if (system_) {
      system_->gaps(t, q, set_);
      system_->directions(t, q, set_);
    }
    if (system_ && system_->sketch(t, q, sketch_)) {
      shapes(u, bodies);
      if (since < t) acts(i, t - since, contacts);
    } else {
      graph(i, q, u, t - since, bodies);
    }
  }

 private:
  void shapes(const Vec& u, Grid& out) const {
    int body = 0;
    const auto data = [&](const Sketch::Coordinates& at, int colour) {
      const bool moves = at.x >= 0;
      out.vector("velocity", moves ? u[at.x] : 0, moves ? u[at.x + 1] : 0);
      out.number("spin", moves && at.turns ? u[at.x + 2] : 0);
      out.integer("colour", colour), out.integer("body", body++);
    };
    for (const auto& r : sketch_.rounds) {
      for (int k = 0; k < corners_of_a_round; ++k) {
        const double a = r.angle + 2 * M_PI * k / corners_of_a_round;
        out.point(r.x + r.radius * std::cos(a), r.y + r.radius * std::sin(a));
      }
      if (r.colour < 0) out.point(r.x + r.radius * std::cos(r.angle), r.y + r.radius * std::sin(r.angle));
      out.cell(r.colour < 0 ? poly_line : polygon, corners_of_a_round + (r.colour < 0));
      data(r.at, r.colour);
    }
    for (const auto& p : sketch_.polygons) {
      for (const auto& [x, y] : p.points) out.point(x, y);
      out.cell(polygon, static_cast<int>(p.points.size()));
      data(p.at, p.colour);
    }
    const SketchBox box = box_of(sketch_);
    const double far = box.x1 - box.x0 + box.y1 - box.y0;
    for (const auto& l : sketch_.lines) {
      out.point(l.x - far * l.dx, l.y - far * l.dy), out.point(l.x + far * l.dx, l.y + far * l.dy);
      out.cell(line, 2);
      data({}, -1);
    }
  }

  // Atoms of this sample: those up to it that no sample before took.
  template <class F>
  void each_atom(int i, F&& f) {
    const auto& atoms = tr_.atoms();
    rows_.clear();
    for (const Contact& c : set_.contacts)
      rows_[c.id] = {c.row, rows(system_->laws()[static_cast<std::size_t>(c.law)])};
    for (; next_ < atoms.size() && atoms[next_].t <= tr_.t(i); ++next_) {
      const auto& a = atoms[next_];
      const auto row = rows_.find(a.contact);
      if (row == rows_.end()) {
        ++lost;
        continue;
      }
      if (a.rows > row->second.count)
        fail(
            "contact {} has {} rows in the result and {} in its problem: the file is damaged, or of another "
            "run",
            a.contact, a.rows, row->second.count);
      f(a, row->second.first);
    }
  }

  // The point of a contact lies on its line of action, where the body ends: the direction of its first row on
  // the body is the normal and, by the lever in the turning column, says where that line runs.
  void acts(int i, double dt, Grid& out) {
    struct Act {
      double x = 0, y = 0, Px = 0, Py = 0;
      int mode = 0, body = 0;
    };
    std::map<std::uint64_t, Act> acts;
    const auto bodies = bodies_of(sketch_);
    std::map<int, int> owner;  // of the columns x and y
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (bodies[k].at.x >= 0) owner[bodies[k].at.x] = owner[bodies[k].at.x + 1] = static_cast<int>(k);
    each_atom(i, [&](const Trajectory::Atom& a, int row) {
      const auto entry = [&](int r, int column) {
        for (const auto& e : set_.Wt.row(r))
          if (e.column == column) return e.value;
        return 0.0;
      };
      for (const auto& e : set_.Wt.row(row)) {
        const auto found = owner.find(e.column);
        if (found == owner.end()) continue;
        const Body& b = bodies[found->second];
        const double nx = entry(row, b.at.x), ny = entry(row, b.at.x + 1), length = std::hypot(nx, ny);
        if (!(length > 0)) continue;
        const double lever = b.at.turns ? entry(row, b.at.x + 2) / length : 0;  // r × n
        const double back = b.reach(nx / length, ny / length);
        Act& act = acts[a.contact];
        act.x = b.x - back * nx / length + lever * ny / length;
        act.y = b.y - back * ny / length - lever * nx / length;
        for (int r = 0; r < a.rows; ++r) {
          const double P = tr_.impulse(a, r);
          act.Px += P * entry(row + r, b.at.x), act.Py += P * entry(row + r, b.at.x + 1);
        }
        act.mode = static_cast<int>(a.mode), act.body = found->second;
        break;
      }
    });
    for (const auto& [id, a] : acts) {
      out.point(a.x, a.y);
      out.cell(vertex, 1);
      out.vector("force", a.Px / dt, a.Py / dt), out.vector("impulse", a.Px, a.Py);
      out.integer("contact", static_cast<std::int64_t>(id)), out.integer("mode", a.mode),
          out.integer("body", a.body);
    }
  }

  void graph(int i, const Vec& q, const Vec& u, double dt, Grid& out) {
    Vec force = Vec::Zero(u.size());
    each_atom(i, [&](const Trajectory::Atom& a, int row) {
      for (int r = 0; r < a.rows; ++r)
        for (const auto& e : set_.Wt.row(row + r)) force[e.column] += tr_.impulse(a, r) * e.value;
    });
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      const bool known = q.size() == u.size();
      out.point(static_cast<double>(k), q[k]);
      out.cell(vertex, 1);
      out.integer("body", k);
      out.vector("velocity", 0, known ? u[k] : 0);
      out.vector("force", 0, known && dt > 0 ? force[k] / dt : 0);
    }
  }

  const System* system_;  // null: a family without bodies, a chain or an ODAE
  const Trajectory& tr_;
  Sketch sketch_;
  ContactSet set_;
  std::size_t next_ = 0;
  struct RowsOf {
    int first, count;
  };
  std::unordered_map<std::uint64_t, RowsOf> rows_;
};

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
  std::filesystem::create_directory(report.folder, trouble);
  if (!std::filesystem::is_directory(report.folder))
    fail("cannot make the folder '{}': no such folder above it, or not allowed", report.folder);
  for (const auto& old : std::filesystem::directory_iterator(report.folder, trouble))  // of an export before
    if (old.path().extension() == ".vtu") std::filesystem::remove(old.path(), trouble);
  const std::string folder = std::filesystem::path(report.folder).filename().string();
  std::string list =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "<Collection>\n";
  Frames frames(as_mechanical(&dynamics), result);
  double since = tr.t(0);
  for (int i = 0; i < tr.size(); ++i) {
    const bool last = i + 1 == tr.size();
    if (!last && (i % report.every != 0 || tr.t(i + 1) == tr.t(i))) continue;  // of two limits the right one
    Grid bodies, contacts;
    frames.draw(i, since, bodies, contacts);
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
  report.lost = frames.lost;
  return report;
}

}  // namespace saltus
