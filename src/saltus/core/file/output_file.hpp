// A file that appears whole or not at all, and never elsewhere than where it was asked for.
#pragma once
#include <string>
#include <string_view>

namespace saltus {

/// Text or bytes for `name`, collected in a new file of the same folder. The new file is created exclusively
/// (a link of that name is not followed), every write is checked, and commit() puts it in the place of
/// `name` once all of it is on the disk. Without commit() it is removed and what stood at `name` stays. What
/// is no ordinary file (/dev/stdout, a pipe) is written as it is. Throws Error with the reason of the system.
class OutputFile {
 public:
  explicit OutputFile(std::string name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;

  void write(std::string_view bytes);
  /// Flushes, syncs, renames. Nothing may be written after it.
  void commit();

  const std::string& name() const { return name_; }
  /// The file that is being written, for programs that write it themselves (gnuplot); `name` itself where
  /// that is no ordinary file.
  const std::string& path() const { return path_; }

 private:
  void flush();
  [[noreturn]] void give_up(const char* what);

  std::string name_, path_, buffer_;
  int descriptor_ = -1;
  bool temporary_ = false;
};

/// Why a call of the system failed, for a message about a file.
std::string system_reason(int error);

/// All of it at once.
void write_file(const std::string& name, std::string_view bytes);

/// Before the work whose result will be written: throws Error where `name` cannot be written. Nothing is left
/// there; devices and pipes are not touched.
void check_writable(const std::string& name);

/// A new empty file beside `name` of its own: created exclusively, its name ends in `ending`. The
/// caller owns the descriptor, which is closed when a program is started. Throws Error.
int create_beside(const std::string& name, std::string_view ending, std::string& path);

}  // namespace saltus
