// The public surface: what a program on top of Saltus includes. Everything else may change without notice;
// what these headers need is installed with them (cmake/install.cmake), and nothing more.
#pragma once
#include "saltus/catalog/catalog.hpp"       // named problems with references
#include "saltus/chain/chain.hpp"           // granular chains
#include "saltus/contact/problem.hpp"       // contact problems and their residual
#include "saltus/contact/solver.hpp"        // their solvers
#include "saltus/core/error.hpp"            // what bad input throws
#include "saltus/flexible/bar.hpp"          // bars and
#include "saltus/flexible/beam.hpp"         // beams of finite elements
#include "saltus/law/law.hpp"               // set-valued laws, and yours
#include "saltus/odae/odae_model.hpp"       // overdetermined DAEs by formulas in C++
#include "saltus/planar/disk_system.hpp"    // disks and
#include "saltus/planar/rigid_system.hpp"   // rigid bodies in the plane
#include "saltus/reference/reference.hpp"   // solutions to compare with, and norms
#include "saltus/result/result.hpp"         // runs in files
#include "saltus/run/choose_method.hpp"     // methods by name
#include "saltus/run/run.hpp"               // run()
#include "saltus/run/trajectory.hpp"        // what a run computed
#include "saltus/scene/file/load_file.hpp"  // scene files
#include "saltus/study/convergence.hpp"     // errors over steps
#include "saltus/study/sweep.hpp"           // parameter studies
#include "saltus/system/first_order.hpp"    // systems y' = f(t, y)
#include "saltus/system/linear_system.hpp"  // systems with constant coefficients
#include "saltus/system/model.hpp"          // systems by formulas in C++
