// The vocabulary every folder shares: vectors, arguments and results, small blocks for one contact.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <limits>

namespace saltus {

/// The distance from 1 to the next larger number.
inline constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

using Vec = Eigen::VectorXd;
using In = const Eigen::Ref<const Eigen::VectorXd>&;  ///< an argument; pass vectors, not expressions
using Out = Eigen::Ref<Eigen::VectorXd>;              ///< a result, sized by the caller

/// No contact or joint has more rows than this; blocks live on the stack.
inline constexpr int max_block_rows = 6;
using Block = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_block_rows, 1>;
using BlockMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_block_rows, max_block_rows>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace saltus
