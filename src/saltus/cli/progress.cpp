#include "saltus/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace saltus::cli {

ProgressBar::ProgressBar(double from, std::function<void(double)> shown)
    : start_(std::chrono::steady_clock::now()),
      told_(std::move(shown)),
      from_(from),
      terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double fraction) {
  if (told_) return told_(fraction);
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

ProgressLines::ProgressLines(std::size_t already, std::size_t total, double every, std::string who)
    : start_(std::chrono::steady_clock::now()),
      already_(already),
      total_(total),
      every_(every),
      next_(every),
      who_(std::move(who)) {}

void ProgressLines::show(std::size_t done) {
  if (!(every_ > 0)) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (elapsed < next_) return;
  next_ = elapsed + every_;
  const double rate = static_cast<double>(done - already_) / elapsed;
  const std::string line =
      fmt::format("saltus: {} of {} points ({:.3g} %){}, {:.3g} points/s, {} left\n", done, total_,
                  100 * static_cast<double>(done) / static_cast<double>(total_), who_, rate,
                  rate > 0 ? duration_text(static_cast<double>(total_ - done) / rate) : "an unknown time");
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

std::string duration_text(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  const std::int64_t minutes = std::llround(seconds / 60);
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 24 * 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  return fmt::format("{} d {} h", minutes / (24 * 60), minutes / 60 % 24);
}

}  // namespace saltus::cli
