// Up to how many bodies all pairs are listed as contacts; with more, only those that are near.
#pragma once

namespace saltus {

inline constexpr int few_bodies = 24;

}  // namespace saltus
