// Numbers of the layout, shared by writer and reader.
#pragma once
#include "saltus/core/types.hpp"

namespace saltus::layout {

constexpr int version = 1, event_rows = max_block_rows, name_length = 96;

}  // namespace saltus::layout
