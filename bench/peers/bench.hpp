// CPU timing, key=value arguments and one-line JSON reports ("@@{...}") for all speed programs.
// Time is CPU user time from getrusage(RUSAGE_SELF). A preloaded library that defines mc_calls and mc_bytes
// adds heap allocation counts.
#pragma once
#include <sys/resource.h>
#include <time.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

extern "C" unsigned long mc_calls(void) __attribute__((weak));
extern "C" unsigned long mc_bytes(void) __attribute__((weak));

namespace bench {

struct Snap {
  double user, sys;
  unsigned long calls, bytes;
};

inline Snap snap() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  Snap s;
  s.user = double(r.ru_utime.tv_sec) + 1e-6 * double(r.ru_utime.tv_usec);
  s.sys = double(r.ru_stime.tv_sec) + 1e-6 * double(r.ru_stime.tv_usec);
  s.calls = mc_calls ? mc_calls() : 0;
  s.bytes = mc_bytes ? mc_bytes() : 0;
  return s;
}

inline long max_rss_kb() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_maxrss;
}

// Builds one JSON object: string, double and integer fields, in order.
class Line {
  std::string s_ = "{";
  void key(const char* k) {
    if (s_.size() > 1) s_ += ", ";
    s_ += std::string("\"") + k + "\": ";
  }

 public:
  Line& str(const char* k, const std::string& v) {
    key(k);
    s_ += "\"" + v + "\"";
    return *this;
  }
  Line& num(const char* k, double v) {
    key(k);
    char b[64];
    if (std::isfinite(v))
      std::snprintf(b, sizeof b, "%.9g", v);
    else
      std::snprintf(b, sizeof b, "\"%s\"", std::isnan(v) ? "nan" : "inf");
    s_ += b;
    return *this;
  }
  Line& integer(const char* k, long v) {
    key(k);
    s_ += std::to_string(v);
    return *this;
  }
  // all digits
  Line& numbers(const char* k, const std::vector<double>& v) {
    key(k);
    s_ += "[";
    for (size_t i = 0; i < v.size(); ++i) {
      char b[64];
      std::snprintf(b, sizeof b, std::isfinite(v[i]) ? "%.17g" : "null", v[i]);
      s_ += (i ? ", " : "") + std::string(b);
    }
    s_ += "]";
    return *this;
  }
  // setup = [a,b], loop = [b,c] over `steps` steps
  Line& timing(const Snap& a, const Snap& b, const Snap& c, long steps) {
    num("setup_user_s", b.user - a.user);
    num("loop_user_s", c.user - b.user);
    num("loop_sys_s", c.sys - b.sys);
    integer("steps", steps);
    num("us_per_step", 1e6 * (c.user - b.user) / double(steps));
    if (mc_calls) {
      num("mallocs_per_step", double(c.calls - b.calls) / double(steps));
      num("malloc_bytes_per_step", double(c.bytes - b.bytes) / double(steps));
    }
    integer("max_rss_kb", max_rss_kb());
    return *this;
  }
  void print() {
    std::printf("@@%s}\n", s_.c_str());
    std::fflush(stdout);
  }
};

// CPU time to the nanosecond: user time counts ticks, which is too coarse for runs of microseconds.
inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// The least CPU time of one call, of `reps` measurements of at least 20 ms.
template <class F>
double least_time(F&& f, long reps) {
  double best = 1e300;
  for (long k = 0; k < reps; ++k) {
    const double begin = cpu_seconds();
    long runs = 0;
    double used = 0;
    do {
      for (int i = 0; i < 8; ++i) f();
      runs += 8, used = cpu_seconds() - begin;
    } while (used < 0.02);
    best = std::min(best, used / double(runs));
  }
  return best;
}

// key=value command line
class Args {
  std::map<std::string, std::string> m_;

 public:
  Args(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const char* eq = std::strchr(argv[i], '=');
      if (!eq) {
        std::fprintf(stderr, "arguments are key=value, got '%s'\n", argv[i]);
        std::exit(2);
      }
      m_[std::string(argv[i], size_t(eq - argv[i]))] = eq + 1;
    }
  }
  double num(const char* k, double d) const {
    auto i = m_.find(k);
    return i == m_.end() ? d : std::atof(i->second.c_str());
  }
  long integer(const char* k, long d) const {
    auto i = m_.find(k);
    return i == m_.end() ? d : std::atol(i->second.c_str());
  }
  std::string str(const char* k, const char* d) const {
    auto i = m_.find(k);
    return i == m_.end() ? std::string(d) : i->second;
  }
};

// Exact bouncing ball: f = -2, e = 1/2, q(0) = 1, v(0) = 0 (impacts at
// t = 1, 2, 2.5, 2.75, ... ; rest from t = 3 on).
inline void exact_ball(double t, double& q, double& v) {
  double t0 = 0, q0 = 1, v0 = 0, tn = 1.0;
  while (t >= tn && tn < 3.0 - 1e-13) {
    double vm = v0 - 2.0 * (tn - t0);
    t0 = tn;
    q0 = 0;
    v0 = -0.5 * vm;
    tn = t0 + v0;  // flight time of q = v0 s - s^2
  }
  if (t >= 3.0 - 1e-13) {
    q = v = 0;
    return;
  }
  double s = t - t0;
  q = q0 + v0 * s - s * s;
  v = v0 - 2 * s;
}

}  // namespace bench
