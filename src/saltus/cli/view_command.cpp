// `saltus view`: a result or a scene on a page in the browser. The page is the web lab where it was built
// (./dev web); without it a page with the motion and the report that the program makes itself.
#include <spawn.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/html_page.hpp"
#include "saltus/cli/played_file.hpp"
#include "saltus/cli/web_server.hpp"
#include "saltus/core/error.hpp"
#include "saltus/result/result.hpp"

extern char** environ;

namespace saltus::cli {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string file, site;
  bool no_open = false, plain = false;
};

std::string type_of(const std::string& name) {
  static const std::map<std::string, std::string> types = {{".html", "text/html; charset=utf-8"},
                                                           {".js", "text/javascript"},
                                                           {".mjs", "text/javascript"},
                                                           {".css", "text/css"},
                                                           {".wasm", "application/wasm"},
                                                           {".png", "image/png"},
                                                           {".svg", "image/svg+xml"},
                                                           {".json", "application/json"}};
  const auto it = types.find(fs::path(name).extension().string());
  return it == types.end() ? "application/octet-stream" : it->second;
}

// The folder of the built page: as told, beside the program, where it is installed, or in the tree it was
// built in.
std::string site_folder(const ViewOptions& o) {
  if (!o.site.empty()) {
    if (!fs::exists(fs::path(o.site) / "index.html"))
      fail("--site {}: no page is there (index.html)", o.site);
    return o.site;
  }
  std::error_code trouble;
  const fs::path self = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  for (const fs::path& at :
       {self / "site", self / ".." / "share" / "saltus" / "site", self / ".." / "web" / "dist"})
    if (fs::exists(at / "index.html", trouble) && fs::exists(at / "module" / "saltus.wasm.xz", trouble))
      return at.string();
  return {};
}

std::map<std::string, ServedFile> site_files(const std::string& folder) {
  std::map<std::string, ServedFile> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const std::string name = fs::relative(entry.path(), folder).generic_string();
    out[name] = {type_of(name), entry.path().string(), {}};
  }
  return out;
}

void open_browser(const std::string& address, Console& io) {
  std::string program = "xdg-open", url = address;
  char* arguments[] = {program.data(), url.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "xdg-open", nullptr, nullptr, arguments, environ) != 0)
    io.err << "saltus: no browser could be started (xdg-open); open the address yourself\n";
}

int execute(const ViewOptions& o, Console& io) {
  if (!fs::is_regular_file(o.file)) fail("{}: no such file", o.file);
  const bool result = is_result_name(o.file);
  const std::string site = o.plain ? std::string() : site_folder(o);
  std::map<std::string, ServedFile> files;
  std::string fragment;
  if (site.empty()) {
    files["index.html"] = {"text/html; charset=utf-8", {}, page_of_file(o.file)};
  } else {
    if (result) read_result_summary(o.file);  // says what is wrong with it before a browser opens
    files = site_files(site);
    const std::string name = result ? "result.h5" : "scene.yaml";
    files["data/" + name] = {"application/octet-stream", fs::absolute(o.file).string(), {}};
    fragment = "#file=" + name;
  }
  WebServer server(std::move(files));
  const std::string address = server.address() + fragment;
  io.out << "view      " << address << "\n"
         << (site.empty() ? "page      of the program itself; ./dev web builds the web lab\n" : "")
         << "stop      Ctrl-C" << std::endl;
  if (!o.no_open) open_browser(address, io);
  server.serve(io.interrupted);
  return success;
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* c = app.add_subcommand("view", "show a result or a scene in the browser, from this machine only");
  c->add_option("FILE", options->file, "a result (.h5) or a scene (.yaml)")->required();
  c->add_option("--site", options->site, "folder of the built page (./dev web --out FOLDER)");
  c->add_flag("--plain", options->plain, "the program's own page, even where the web lab is there");
  c->add_flag("--no-open", options->no_open, "print the address, start no browser");
  c->callback([options, &action] { action = [options](Console& io) { return execute(*options, io); }; });
}

}  // namespace saltus::cli
