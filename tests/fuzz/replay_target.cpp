// The name of the one target that a program of replay.cpp is linked with.
extern const char* const fuzz_target;
const char* const fuzz_target = SALTUS_FUZZ_TARGET;
