#include "saltus/cli/film.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/file/program.hpp"
#include "saltus/picture/svg_frame.hpp"

namespace saltus::cli {
namespace {

namespace fs = std::filesystem;

constexpr int frames_a_second = 25, film_seconds = 8;

/// A folder of its own for the frames; removed with all of them.
struct FrameFolder {
  std::string path;
  FrameFolder() : path((fs::temp_directory_path() / "saltus-film-XXXXXX").string()) {
    if (!::mkdtemp(path.data())) fail("no folder for the frames of a film can be made at {}", path);
  }
  ~FrameFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  FrameFolder(const FrameFolder&) = delete;
  FrameFolder& operator=(const FrameFolder&) = delete;
};

}  // namespace

bool is_film(const std::string& file) {
  return file.ends_with(".gif") || file.ends_with(".mp4");
}

void check_film_maker() {
  if (find_program("ffmpeg").empty())
    fail(
        "--animate: films (.gif, .mp4) are made by ffmpeg, which is not installed; install it (package "
        "ffmpeg), or write a page (.html)");
}

void write_film(const std::string& file, const PlayedRun& run) {
  PictureOptions options;
  options.frames = frames_a_second * film_seconds,
  options.impacts = 0;  // equal times: a film has no limits from two sides
  const MovingPicture motion = motion_of(run.problem, run.trajectory, run.drawing, options);
  const FrameFolder folder;
  for (int i = 0; i < motion.frames(); ++i)
    if (const std::string name = fmt::format("{}/{:05d}.svg", folder.path, i);
        !(std::ofstream(name) << svg_frame(motion, i, run.title) << std::flush))
      fail("{}: a frame of the film cannot be written; is the disk full?", name);
  const bool gif = file.ends_with(".gif");
  OutputFile out(file);
  std::vector<std::string> arguments = {"-loglevel",
                                        "error",
                                        "-y",
                                        "-framerate",
                                        fmt::format("{}", frames_a_second),
                                        "-i",
                                        folder.path + "/%05d.svg"};
  if (gif)  // its own 256 colours, of all frames
    arguments.insert(
        arguments.end(),
        {"-vf", "scale=720:-1:flags=lanczos,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse",
         "-f", "gif"});
  else
    arguments.insert(arguments.end(), {"-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"});
  arguments.push_back(out.path());
  if (const ProgramEnd end = run_program(find_program("ffmpeg"), std::move(arguments)); !end.trouble.empty())
    fail("{}: no film was made: {}", file, end.trouble);
  out.commit();
}

}  // namespace saltus::cli
