// One JSON object printed piece by piece, in the layout of json_text: lists may be longer than memory holds.
#pragma once
#include <iosfwd>
#include <string_view>

#include "saltus/cli/json.hpp"

namespace saltus::cli {

class JsonStream {
 public:
  explicit JsonStream(std::ostream& out);
  void key(std::string_view name, const Json& value);
  /// A list as the value of a key: its elements, then its end.
  void begin_list(std::string_view name);
  void element(const Json& value);
  void end_list();
  /// The end of the object.
  void finish();

 private:
  void start_key(std::string_view name);

  std::ostream& out_;
  bool first_key_ = true, first_element_ = true;
};

}  // namespace saltus::cli
