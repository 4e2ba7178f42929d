// A run as a film, GIF or MP4, made by ffmpeg.
#pragma once
#include <string>

#include "saltus/cli/html_page.hpp"

namespace saltus::cli {

bool is_film(const std::string& file);
/// Throws Error where ffmpeg is not installed.
void check_film_maker();
/// The whole run in eight seconds, as pages play it. Throws Error.
void write_film(const std::string& file, const PlayedRun& run);

}  // namespace saltus::cli
