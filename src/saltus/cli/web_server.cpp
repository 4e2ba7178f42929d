#include "saltus/cli/web_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <vector>

#include "saltus/cli/html_page.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t longest_request = 16384, most_connections = 32;
constexpr auto patience = std::chrono::seconds(15);

// Pages come from here alone; the module is compiled, and the page's editor writes one sheet of styles.
constexpr const char* policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-saltus-editor'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string head(int code, const char* reason, const std::string& type, std::size_t size, bool with_policy) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: "
      "no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: "
      "same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n{}\r\n",
      code, reason, type, size, with_policy ? fmt::format("Content-Security-Policy: {}\r\n", policy) : "");
}
std::string refusal(int code, const char* reason) {
  const std::string text = fmt::format("{} {}\n", code, reason);
  return head(code, reason, "text/plain", text.size(), true) + text;
}

// The value of a header, empty where there is none.
std::string header(const std::string& request, std::string_view name) {
  std::istringstream lines(request);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto colon = line.find(':');
    if (colon != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < colon; ++i)
      same = same && std::tolower(static_cast<unsigned char>(line[i])) ==
                         std::tolower(static_cast<unsigned char>(name[i]));
    if (!same) continue;
    const auto first = line.find_first_not_of(" \t", colon + 1), last = line.find_last_not_of(" \t\r");
    return first == std::string::npos || last < first ? std::string() : line.substr(first, last - first + 1);
  }
  return {};
}

// All of two texts have to be looked at, so that the time does not tell how much of a token is right.
bool same_text(std::string_view a, std::string_view b) {
  unsigned different = a.size() != b.size();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) different |= static_cast<unsigned>(a[i] ^ b[i]);
  return different == 0;
}

struct Connection {
  int fd;
  Clock::time_point since;
  std::string in, out;
  std::size_t sent = 0;
};

}  // namespace

WebServer::WebServer(std::map<std::string, ServedFile> files)
    : files_(std::move(files)), token_(random_letters(32)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK), at.sin_port = 0;
  socklen_t size = sizeof at;
  if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(socket_, 16) != 0 || ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    fail("no port of this machine (127.0.0.1) can be opened: {}", system_reason(errno));
  port_ = ntohs(at.sin_port);
}

WebServer::~WebServer() {
  if (socket_ >= 0) ::close(socket_);
}

std::string WebServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port_, token_);
}

std::string WebServer::answer(const std::string& request) const {
  const auto end = request.find("\r\n");
  std::istringstream first(request.substr(0, end));
  std::string method, target, version;
  first >> method >> target >> version;
  if (!version.starts_with("HTTP/1.")) return refusal(400, "Bad Request");
  if (method != "GET" && method != "HEAD") return refusal(405, "Method Not Allowed");
  // names that other sites could point at this machine are refused, and so are their scripts
  const std::string host = header(request, "Host"), own = fmt::format("127.0.0.1:{}", port_);
  if (host != own && host != fmt::format("localhost:{}", port_)) return refusal(403, "Forbidden");
  if (const std::string origin = header(request, "Origin"); !origin.empty() && origin != "http://" + host)
    return refusal(403, "Forbidden");
  if (const std::string site = header(request, "Sec-Fetch-Site");
      !site.empty() && site != "same-origin" && site != "none")
    return refusal(403, "Forbidden");
  target = target.substr(0, target.find('?'));
  if (target.size() < token_.size() + 2 || target[0] != '/' || target[token_.size() + 1] != '/' ||
      !same_text(std::string_view(target).substr(1, token_.size()), token_))
    return refusal(403, "Forbidden");
  std::string name = target.substr(token_.size() + 2);
  if (name.empty()) name = "index.html";
  const auto found = files_.find(name);  // a list, not a path: nothing else is reachable
  if (found == files_.end()) return refusal(404, "Not Found");
  std::string bytes = found->second.bytes;
  if (!found->second.path.empty()) {
    std::ifstream in(found->second.path, std::ios::binary);
    std::ostringstream all;
    if (in) all << in.rdbuf();
    if (!in || !all) return refusal(500, "Cannot Be Read");
    bytes = std::move(all).str();
  }
  // a page of its own has its own policy, with a nonce
  const bool with_policy = found->second.bytes.empty() || !found->second.type.starts_with("text/html");
  const std::string top = head(200, "OK", found->second.type, bytes.size(), with_policy);
  return method == "HEAD" ? top : top + bytes;
}

void WebServer::serve(const std::atomic<bool>& stop) {
  std::vector<Connection> open;
  while (!stop) {
    std::vector<pollfd> wait = {
        {socket_, static_cast<short>(open.size() < most_connections ? POLLIN : 0), 0}};
    for (const auto& c : open)
      wait.push_back({c.fd, static_cast<short>(c.out.empty() ? POLLIN : POLLOUT), 0});
    if (::poll(wait.data(), wait.size(), 200) < 0 && errno != EINTR) fail("poll: {}", system_reason(errno));
    for (std::size_t i = 0; i < open.size(); ++i) {
      Connection& c = open[i];
      bool done = Clock::now() - c.since > patience;
      if (const short got = wait[i + 1].revents; got != 0 && !done) {
        if (c.out.empty()) {
          char buffer[4096];
          const ssize_t n = ::recv(c.fd, buffer, sizeof buffer, 0);
          if (n > 0) c.in.append(buffer, static_cast<std::size_t>(n));
          done = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
          if (c.in.find("\r\n\r\n") != std::string::npos)
            c.out = answer(c.in);
          else if (c.in.size() > longest_request)
            c.out = refusal(431, "Request Too Large");
        } else {
          const ssize_t n = ::send(c.fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
          if (n > 0) c.sent += static_cast<std::size_t>(n), c.since = Clock::now();
          done = c.sent == c.out.size() || (n < 0 && errno != EAGAIN && errno != EINTR);
        }
      }
      if (done) ::close(c.fd), c.fd = -1;
    }
    std::erase_if(open, [](const Connection& c) { return c.fd < 0; });
    if (wait[0].revents & POLLIN)
      if (const int fd = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); fd >= 0)
        open.push_back({fd, Clock::now(), {}, {}});
  }
  for (const auto& c : open) ::close(c.fd);
}

}  // namespace saltus::cli
