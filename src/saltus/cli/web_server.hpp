// A server for one browser on this machine: loopback only, a random token in every path, a fixed list of
// files.
#pragma once
#include <atomic>
#include <map>
#include <string>

namespace saltus::cli {

struct ServedFile {
  std::string type;
  std::string path;   ///< on the disk; read when it is asked for
  std::string bytes;  ///< instead of a path
};

class WebServer {
 public:
  /// Names as in the address, without the token: "index.html", "data/run.h5". Nothing else is ever answered.
  explicit WebServer(std::map<std::string, ServedFile> files);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// "http://127.0.0.1:PORT/TOKEN/"
  std::string address() const;
  /// Answers until `stop` is set.
  void serve(const std::atomic<bool>& stop);

 private:
  std::string answer(const std::string& request) const;

  std::map<std::string, ServedFile> files_;
  std::string token_;
  int socket_ = -1, port_ = 0;
};

}  // namespace saltus::cli
