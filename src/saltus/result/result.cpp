#include "saltus/result/result.hpp"

#include <algorithm>
#include <cctype>

#include <cstring>
#include <sstream>

namespace saltus {
namespace {

class Fnv {
 public:
  void bytes(const void* data, std::size_t n) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < n; ++i) value = (value ^ p[i]) * 0x100000001b3ULL;
  }
  template <class T>
  void number(T x) {
    bytes(&x, sizeof x);
  }
  void vector(const Vec& x) {
    number(static_cast<std::uint64_t>(x.size()));
    bytes(x.data(), static_cast<std::size_t>(x.size()) * sizeof(double));
  }
  std::uint64_t value = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string state_hash(const State& x) {
  Fnv h;
  h.number(x.t);
  h.vector(x.q), h.vector(x.u), h.vector(x.aux);
  for (const auto& r : x.contacts.closed) {  // member by member: records have padding
    h.number(r.id), h.number(r.rows), h.number(r.mode);
    h.number(static_cast<char>(r.has_gap)), h.number(static_cast<char>(r.resting));
    h.bytes(x.contacts.impulse.data() + r.offset, r.rows * sizeof(double));
  }
  h.number(x.contacts.speed), h.number(x.contacts.step);
  return fmt::format("{:016x}", h.value);
}

std::string Result::name(std::uint64_t contact) const {
  const auto it = names.find(contact);
  return it == names.end() ? fmt::format("{}", contact) : it->second;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string as_lines(std::span<const std::string> list) {
  std::string out;
  for (const auto& line : list) out += line + "\n";
  return out;
}

bool is_result_name(const std::string& file) {
  std::string lower = file.substr(file.size() - std::min<std::size_t>(file.size(), 5));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.ends_with(".h5") || lower.ends_with(".hdf5");
}

}  // namespace saltus
