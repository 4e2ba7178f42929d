#include "saltus/core/file/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "saltus/core/file/descriptor.hpp"
#include "saltus/core/plain_text.hpp"

namespace saltus {
namespace {

/// Our end and the child's of a connection, both closed in other programs. A socket, because writing to one
/// whose reader is gone can be set not to raise a signal.
bool connect(Descriptor& ours, Descriptor& theirs) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  ours.fd = pair[0], theirs.fd = pair[1];
  return true;
}

// The child's standard streams must not be dup'ed onto themselves: that would keep FD_CLOEXEC.
bool above_standard(Descriptor& d) {
  if (d.fd > STDERR_FILENO) return true;
  const int higher = ::fcntl(d.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (higher < 0) return false;
  d.close();
  d.fd = higher;
  return true;
}

int spawn(pid_t& child, const std::string& program, std::vector<std::string> words, int in, int out,
          int error) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, error, STDERR_FILENO);
  sigset_t none, pipe;  // the parent process may have blocked or ignored signals
  sigemptyset(&none);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string path = "PATH=/usr/bin:/bin", locale = "LC_ALL=C.UTF-8", home = "HOME=/nonexistent";
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  char* const environment[] = {path.data(), locale.data(), home.data(), nullptr};
  const int trouble =
      posix_spawn(&child, program.c_str(), &files, &attributes, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return trouble;
}

// Reads what is there; closes our end when the other is.
void receive(Descriptor& d, std::string& into) {
  char buffer[1 << 16];
  const ssize_t n = ::recv(d.fd, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n > 0)
    into.append(buffer, static_cast<std::size_t>(n));
  else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
    d.close();
}

// Feeds the input and collects both outputs at the same time: neither side waits for the other for ever.
void talk(Descriptor& in, std::string_view input, Descriptor& out, std::string& bytes, Descriptor& error,
          std::string& words) {
  while (out.fd >= 0 || error.fd >= 0) {
    pollfd waiting[] = {{in.fd, POLLOUT, 0}, {out.fd, POLLIN, 0}, {error.fd, POLLIN, 0}};
    if (::poll(waiting, 3, -1) < 0 && errno != EINTR) return;
    if (waiting[0].revents) {
      const ssize_t n = ::send(in.fd, input.data(), input.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
      const bool lost = n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
      if (input.empty() || lost) in.close();
    }
    if (waiting[1].revents) receive(out, bytes);
    if (waiting[2].revents) receive(error, words);
  }
}

// The last line that says something; many repeat the command and point into it before.
std::string last_words(const std::string& text) {
  std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "it printed nothing";
  const std::size_t begin = text.rfind('\n', end);
  return plain_text(text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin));
}

}  // namespace

std::string find_program(std::string_view name) {
  const char* given = std::getenv("PATH");
  std::string_view path = given ? given : "/usr/local/bin:/usr/bin:/bin";
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (folder.empty() || folder[0] != '/') continue;  // nothing from the folder one happens to be in
    std::string file = fmt::format("{}/{}", folder, name);
    struct stat found {};
    if (::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

ProgramEnd run_program(const std::string& program, std::vector<std::string> arguments,
                       std::string_view input) {
  ProgramEnd end;
  const std::string name = program.substr(program.rfind('/') + 1);
  arguments.insert(arguments.begin(), name);
  Descriptor in, out, error, child_in, child_out, child_error;
  pid_t child = -1;
  const bool ready = connect(in, child_in) && connect(out, child_out) && connect(error, child_error) &&
                     above_standard(child_in) && above_standard(child_out) && above_standard(child_error);
  const int bad =
      ready ? spawn(child, program, std::move(arguments), child_in.fd, child_out.fd, child_error.fd) : errno;
  if (bad != 0) {
    end.trouble = fmt::format("cannot start {}: {}", program, std::strerror(bad));
    return end;
  }
  child_in.close(), child_out.close(), child_error.close();
  std::string words;
  talk(in, input, out, end.output, error, words);
  in.close();
  int status = 0;
  pid_t ended;
  do ended = ::waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  // no word of its end where SIGCHLD is ignored: the caller looks whether the result is whole
  if (ended < 0 && errno == ECHILD) return end;
  if (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) return end;
  end.trouble = ended == child && WIFSIGNALED(status)
                    ? fmt::format("{} was ended by signal {}", name, WTERMSIG(status))
                    : fmt::format("{} failed: {}", name, last_words(words));
  return end;
}

}  // namespace saltus
