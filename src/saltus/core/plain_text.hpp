// Text of unknown origin made fit for a line of a report, a label of a figure or XML; numbers as text.
#pragma once
#include <string>
#include <string_view>

namespace saltus {

/// One line of valid UTF-8: line breaks and tabs become spaces, other control characters go, and so do the
/// two code points that XML forbids; bytes that are no UTF-8 become U+FFFD.
std::string plain_text(std::string_view text);

/// Its number of characters (code points).
std::size_t text_width(std::string_view text);

/// plain_text with &, <, > and quotes escaped for XML.
std::string xml_text(std::string_view text);

/// Appends x as "{}" of fmt writes it: for tables of many numbers, without a string in between.
void append(std::string& line, double x);

}  // namespace saltus
