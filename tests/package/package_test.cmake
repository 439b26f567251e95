# cmake -DBUILD=folder -DSOURCE=folder -DEXAMPLES=folder -DWORK=folder -DCXX=compiler -DC=compiler -DOLD_GCC=bool
#       -DMPIRUN=command;... -P package_test.cmake
# Installs the build, and builds and runs the examples against what was installed, as a user does.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(NOT MPIRUN OR MPIRUN MATCHES "NOTFOUND")
  message("skipped: there is no mpirun to run the example with")
  return()
endif()

# Builds the example in a copy, so that no header is found beside it.
function(build example)
  file(COPY ${EXAMPLES}/${example} DESTINATION ${WORK}/source)
  run(${CMAKE_COMMAND} -S ${WORK}/source/${example} -B ${WORK}/${example} -DCMAKE_PREFIX_PATH=${WORK}/installed
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${C} -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  run(${CMAKE_COMMAND} --build ${WORK}/${example})
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
build(allreduce)
build(predict)

file(READ ${WORK}/allreduce/compile_commands.json commands)
if(commands MATCHES "-Wconversion|-Werror")
  message(FATAL_ERROR "the package forces its warnings on its users:\n${commands}")
endif()
if(OLD_GCC AND NOT commands MATCHES "-fno-delete-null-pointer-checks")
  message(FATAL_ERROR "GCC 12 would break the templates of the package:\n${commands}")
endif()
if(commands MATCHES "-(I|isystem) *${SOURCE}( |/algorithms)")
  message(FATAL_ERROR "the package refers to the sources that it was built from:\n${commands}")
endif()

run(${MPIRUN} -np 4 ${WORK}/allreduce/allreduce_example)
foreach(algorithm ssar-recursive-double ssar-split-allgather)
  if(NOT output MATCHES "${algorithm}: 3 ranks, [0-9]+ non-zeros of 100000, agrees with MPI_Allreduce")
    message(FATAL_ERROR "no such line for ${algorithm}:\n${output}")
  endif()
endforeach()
message("${output}")

run(${WORK}/predict/predict_example)
if(NOT output MATCHES "\nssar-split-allgather +[1-9][0-9]*\\.[0-9] +[1-9][0-9]*\\.[0-9]\n")
  message(FATAL_ERROR "no times of ssar-split-allgather:\n${output}")
endif()
message("${output}")
