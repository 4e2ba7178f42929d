// A result as pictures that move, for ParaView: a list of times (.pvd) and, for each of them, two
// unstructured grids (.vtu) in a folder beside it.
//
//   bodies    a polygon per body, a line per wall; cell data body, velocity, spin, colour
//   contacts  a point per contact that acted since the frame before; point data force (the mean over that
//             time, on the first of its bodies), impulse (its integral), contact, mode, body
//
// A system that has no picture of its bodies is drawn as the graph of its coordinates: point i at (i, q_i),
// with velocity and the contacts' force along y.
#pragma once
#include <string>

#include "saltus/result/result.hpp"

namespace saltus {

struct VtuOptions {
  std::int64_t every = 0;  ///< samples per frame; 0: so many that there are at most `most` frames
  std::int64_t most = 1000;
};
struct VtuReport {
  std::string pvd, folder;
  std::int64_t frames = 0, every = 1;
  std::int64_t lost =
      0;  ///< contacts that acted before a frame and are not near any more: they are not drawn
};

/// Writes NAME.pvd and NAME-vtu/. Throws Error when a file cannot be written.
VtuReport write_vtu(const std::string& name, const Result& result, const DynamicSystem& system,
                    const VtuOptions& options = {});

}  // namespace saltus
