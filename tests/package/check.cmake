# Installs the build tree, then configures, builds and runs the consumer in this folder against it.
# cmake -DBUILD_DIR= -DWORK_DIR= -DCONFIG= -DGENERATOR= -DMAKE_PROGRAM= -DCXX= -P check.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${code}:\n${text}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/first)
# What was installed may be moved: nothing in it may point back to where it was made.
file(RENAME ${WORK_DIR}/first ${prefix})

foreach(private cli reproduce scheme/kit scheme/moreau/moreau_jean_stepper.hpp)
  if(EXISTS ${prefix}/include/saltus/${private})
    message(FATAL_ERROR "${private} was installed: only what saltus/saltus.hpp needs is public")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${CONFIG}
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG})
run(${WORK_DIR}/build/consumer)
