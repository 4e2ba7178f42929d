// Models of other programs, and meshes, as scene files.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/input_file.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/import/imported_model.hpp"

namespace saltus::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

struct ImportCommand {
  std::string file, output;
  std::vector<std::string> packages;
  double t_end = 1, scale = 1, density = 1000;
  bool fixed_base = false, obstacle = false, accept = false, json = false;
};

// A file that a model names: beside it, or of a package below one of the folders of --packages or above it.
std::string find_beside(const ImportCommand& o, std::string name) {
  namespace fs = std::filesystem;
  std::string package;
  for (const std::string_view start : {"package://", "model://", "file://"})
    if (name.starts_with(start)) name.erase(0, start.size()), package = start;
  std::vector<fs::path> folders;
  for (const std::string& p : o.packages) folders.emplace_back(p);
  fs::path up = fs::absolute(fs::path(o.file)).parent_path();
  for (int level = 0; level < 6; ++level, up = up.parent_path()) folders.push_back(up);
  std::error_code none;
  for (const fs::path& f : folders) {
    if (fs::is_regular_file(f / name, none)) return (f / name).string();
    const std::size_t slash = name.find('/');  // the folder of a package may have another name
    if (!package.empty() && slash != std::string::npos &&
        fs::is_regular_file(f / name.substr(slash + 1), none))
      return (f / name.substr(slash + 1)).string();
  }
  fail("not found{}", package.empty() ? "" : "; give the folder of its package with --packages");
}

int execute(const ImportCommand& o, Console& io) {
  io.json = o.json;
  if (!(o.scale > 0) || !(o.density > 0) || !(o.t_end >= 0))
    fail("--scale and --density must be above 0, --t-end not below");
  std::string end = std::filesystem::path(o.file).extension().string();
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool robot = end == ".urdf" || end == ".xml" || end == ".mjcf";
  if (!robot && end != ".stl" && end != ".obj")
    fail("{}: known are models .urdf and .xml (MJCF), and meshes .stl and .obj{}", o.file,
         end == ".xacro" ? "; let xacro make a URDF of it first" : "");
  check_writable(o.output);
  const std::string bytes = read_file(o.file, most_bytes),
                    name = std::filesystem::path(o.file).filename().string();
  ImportedModel model;
  std::string scene;
  if (robot) {
    const ReadModelFile read = [&](const std::string& f) { return read_file(find_beside(o, f), most_bytes); };
    model = (end == ".urdf" ? read_urdf : read_mjcf)(bytes, o.file, read, {o.fixed_base});
    scene = scene_of(model, o.t_end);
  } else {
    try {
      scene = scene_of_mesh(name, bytes, o.obstacle, o.scale, o.density);
    } catch (const Error& e) {
      fail("{}: {}", o.file, e.what());
    }
  }
  const bool good = model.troubles.empty() || o.accept;
  if (good) write_file(o.output, scene);
  if (o.json) {
    Json out = {{"file", o.file},
                {"output", good ? o.output : ""},
                {"bodies", model.bodies.size()},
                {"joints", model.joints.size()},
                {"notes", model.notes},
                {"troubles", model.troubles},
                {"status", good ? "finished" : "failed"}};
    io.out << out.dump(2) << "\n";
  } else {
    if (robot)
      io.out << fmt::format("model     {}: {} bodies, {} joints, {} gears\n", model.name, model.bodies.size(),
                            model.joints.size(), model.gears.size());
    for (const std::string& n : model.notes) io.out << "left out  " << n << "\n";
    for (const std::string& t : model.troubles) io.out << "missing   " << t << "\n";
    if (good) io.out << "wrote     " << o.output << "\n";
  }
  if (!good)
    fail(
        "{}: {} parts of the model that change its motion are missing in a scene; write it nevertheless with "
        "--accept",
        o.file, model.troubles.size());
  return success;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* c = app.add_subcommand("import", "make a scene of a robot (URDF, MJCF) or a mesh (STL, OBJ)");
  c->add_option("FILE", options->file, "robot.urdf, model.xml, mesh.stl or mesh.obj")->required();
  c->add_option("-o,--output", options->output, "the scene to write (.yaml)")->required();
  c->add_option("--packages", options->packages, "folders in which files of package:// are looked for");
  c->add_flag("--fixed-base", options->fixed_base, "the first link of a robot does not move");
  c->add_flag("--obstacle", options->obstacle,
              "a mesh as an obstacle; else the hull of its points, as a body");
  c->add_option("--scale", options->scale, "of a mesh: metres per unit of the file (1)");
  c->add_option("--density", options->density, "of a body made of a mesh, kg/m^3 (1000)");
  c->add_option("--t-end", options->t_end, "end time of the scene (1)");
  c->add_flag("--accept", options->accept, "write the scene although it moves otherwise than the model");
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli
