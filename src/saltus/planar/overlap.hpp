// The area in which two convex polygons overlap, as a function of the coordinates x, y, θ of a, then those of
// b, with its first and second derivatives. To compliant pairs it adds the potential V = k dᵖ⁺¹/(p + 1) of
//
//     d = A / l,     l a quarter of the shorter perimeter (of a square: its side)
//
// so that the force is a gradient at any depth, and the stored energy is given back.
//
// The boundary of the overlap consists of pieces of a's sides and of b's. With n ds the outer normal times
// the length, dA = Σ_pieces ∫ (velocity of its body)·n ds: a piece from p to r adds f = (r−p turned by −90°)
// to the derivative by its body's centre and ((p+r)/2 − centre) × f to that by its turn. Second derivatives
// follow from how p and r move: with their body, or, where a side of each crosses, on both lines.
#pragma once
#include <vector>

#include "saltus/planar/rigid_touch.hpp"

namespace saltus {

struct Overlap {
  double area = 0;
  TouchVector gradient;
  TouchMatrix hessian;  ///< where it was asked for
};

/// Scratch memory: the boundary of what is left of a, before and after a cut.
struct OverlapRoom {
  /// A corner of the overlap and the piece of the boundary that begins there: of a (0) or b (1), on a side
  /// with this outer normal.
  struct Piece {
    Vec2 at;
    int body = 0;
    Vec2 normal{0, 0};
  };
  std::vector<Piece> pieces, clipped;
};

/// False when the polygons do not overlap. Corners against the clock, in the bodies' frames.
bool overlap_of(const Frame& a, const std::vector<Vec2>& corners_a, const Frame& b,
                const std::vector<Vec2>& corners_b, bool second, OverlapRoom& room, Overlap& out);

}  // namespace saltus
