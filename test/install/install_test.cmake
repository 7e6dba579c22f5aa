# Run by ctest with BUILD_DIR, SOURCE_DIR, WORK_DIR, PLAN, LIBDIR, GENERATOR, CXX.
set(prefix ${WORK_DIR}/prefix)
set(consumer ${WORK_DIR}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component library development)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component ${component})
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/consumer -B ${consumer} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${consumer})
run(${consumer}/consumer_of_nestrt ${PLAN})
run(${consumer}/consumer_of_nestrt_shared ${PLAN})

# pkg-config alone is enough too.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs nestrt
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CXX} -std=c++20 ${SOURCE_DIR}/examples/consumer/main.cpp -o ${consumer}/by_pkg_config ${flags}
      -Wl,-rpath,${prefix}/${LIBDIR})
  run(${consumer}/by_pkg_config ${PLAN})
endif()
