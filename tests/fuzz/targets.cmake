# The readers that are fuzzed. Each is one source here with libFuzzer's entry point, and a folder of inputs in
# corpus/. `./dev fuzz NAME` builds and runs it with clang; the tests run the same entry point on the corpus.
set(SALTUS_FUZZ_TARGETS scene checkpoint journal fcp formula command-line)
set(SALTUS_FUZZ_SOURCE_scene scene_reader.cpp)
set(SALTUS_FUZZ_SOURCE_checkpoint checkpoint_reader.cpp)
set(SALTUS_FUZZ_SOURCE_journal journal_reader.cpp)
set(SALTUS_FUZZ_SOURCE_fcp fcp_reader.cpp)
set(SALTUS_FUZZ_SOURCE_formula formula_reader.cpp)
set(SALTUS_FUZZ_SOURCE_command-line command_line_reader.cpp)
set(SALTUS_FUZZ_LIBRARY_command-line saltus_commands)
# binary files
foreach(target result fclib)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${target}_reader.cpp)
    list(APPEND SALTUS_FUZZ_TARGETS ${target})
    set(SALTUS_FUZZ_SOURCE_${target} ${target}_reader.cpp)
  endif()
endforeach()
