// One unstructured grid of a VTU file: points, cells, and arrays of either. Bodies in space as such grids.
#pragma once
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "saltus/run/frames.hpp"

namespace saltus::vtu {

enum CellType : int { vertex = 1, line = 3, poly_line = 4, polygon = 7 };

class Grid {
 public:
  void point(double x, double y, double z = 0) {
    points_ += fmt::format("{:.9g} {:.9g} {:.9g}\n", x, y, z), ++n_points_;
  }
  /// Of the last `n` points.
  void cell(CellType type, int n) {
    for (int k = n; k > 0; --k) connectivity_ += fmt::format("{} ", n_points_ - k);
    offset_ += n, ++n_cells_;
    offsets_ += fmt::format("{} ", offset_), types_ += fmt::format("{} ", static_cast<int>(type));
  }
  void number(const char* name, double x) { arrays_[{1, name}] += fmt::format("{:.9g} ", x); }
  void integer(const char* name, std::int64_t x) { integers_[name] += fmt::format("{} ", x); }
  /// Of points by their places among those added since `first`.
  void cell(CellType type, std::int64_t first, const std::vector<int>& corners) {
    for (const int k : corners) connectivity_ += fmt::format("{} ", first + k);
    offset_ += static_cast<std::int64_t>(corners.size()), ++n_cells_;
    offsets_ += fmt::format("{} ", offset_), types_ += fmt::format("{} ", static_cast<int>(type));
  }
  std::int64_t points() const { return n_points_; }
  void vector(const char* name, double x, double y, double z = 0) {
    arrays_[{3, name}] += fmt::format("{:.9g} {:.9g} {:.9g}\n", x, y, z);
  }
  void quaternion(const char* name, const std::array<double, 4>& q) {
    arrays_[{4, name}] += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", q[0], q[1], q[2], q[3]);
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

/// The surfaces of bodies in space, face by face; of round ones fewer faces where there are many.
void put_solids(const RunFrame& frame, Grid& out);
/// A point for each body: where it is, how it is turned and how it moves.
void put_centres(const RunFrame& frame, Grid& out);

}  // namespace saltus::vtu
