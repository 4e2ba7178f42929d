#!/usr/bin/env python3
"""The program takes only exact functions from the system's mathematical library: rounding, remainders, roots.

The others, whose last digits differ from system to system and from processor to processor, are its own (cmake/same_bits.cmake)."""
import subprocess
import sys

EXACT = set("signgam __signgam fabs floor ceil trunc rint nearbyint round lround llround lrint llrint fmin fmax fmod remainder fma modf frexp "
            "ldexp scalbn scalbln ilogb logb nextafter copysign sqrt sqrtf".split())


def names(*arguments):
    lines = subprocess.run(["nm", "-D", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line}


def main():
    program = sys.argv[1]
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    library = next(line.split()[2] for line in listed.splitlines() if "libm.so" in line)
    foreign = names("--undefined-only", program) & names("--defined-only", library)
    if not foreign:
        sys.exit(f"{program} needs nothing of {library}: this test looks at the wrong place")
    if foreign - EXACT:
        sys.exit(f"functions of {library} with bits of their own: {', '.join(sorted(foreign - EXACT))}; "
                 "add them to cmake/same_bits.cmake")


if __name__ == "__main__":
    main()
