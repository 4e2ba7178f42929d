#include "saltus/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace saltus::cli {

ProgressBar::ProgressBar(double from)
    : start_(std::chrono::steady_clock::now()), from_(from), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double fraction) {
  if (!terminal_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (elapsed < 1 || elapsed < shown_ + 0.1) return;
  drawn_ = true, shown_ = elapsed;
  constexpr int width = 40;
  const int done = std::clamp(static_cast<int>(fraction * width), 0, width);
  const double left = fraction > from_ ? elapsed * (1 - fraction) / (fraction - from_) : 0;
  const std::string bar = std::string(done, '#') + std::string(width - done, '.');
  const std::string line = fmt::format("\r[{}] {:3.0f} %  {:.0f} s left ", bar, 100 * fraction, left);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace saltus::cli
