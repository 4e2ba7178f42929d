#include "saltus/cli/json_stream.hpp"

#include <ostream>
#include <string>

#include "saltus/cli/report.hpp"

namespace saltus::cli {
namespace {

std::string indented(const Json& value, std::size_t by) {
  const std::string text = json_text(value), space(by, ' ');
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += space;
  }
  return out;
}

}  // namespace

JsonStream::JsonStream(std::ostream& out) : out_(out) {
  out_ << "{";
}

void JsonStream::start_key(std::string_view name) {
  out_ << (first_key_ ? "\n  " : ",\n  ") << json_text(Json(name)) << ": ";
  first_key_ = false;
}

void JsonStream::key(std::string_view name, const Json& value) {
  start_key(name);
  out_ << indented(value, 2);
}

void JsonStream::begin_list(std::string_view name) {
  start_key(name);
  out_ << "[";
  first_element_ = true;
}

void JsonStream::element(const Json& value) {
  out_ << (first_element_ ? "\n    " : ",\n    ") << indented(value, 4);
  first_element_ = false;
}

void JsonStream::end_list() {
  out_ << (first_element_ ? "]" : "\n  ]");
}

void JsonStream::finish() {
  out_ << (first_key_ ? "}" : "\n}") << "\n";
}

}  // namespace saltus::cli
