// Eigen includes this header of MMX beside SSE's; emscripten has SSE's and not this one, and clang's is for x86 only.
