// The player of pages, web/player, as texts in the program (cmake/player.cmake).
#pragma once
#include <string_view>

namespace saltus::cli {

extern const std::string_view player_page, player_style, player_script;

}  // namespace saltus::cli
