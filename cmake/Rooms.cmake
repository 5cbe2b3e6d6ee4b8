# room(NAME [USES room...] [LIBS target...]): the library tw_NAME from compiler/NAME/**.cpp; server_room() is the same below
# server/. A folder without sources yet becomes an interface library, so that later rooms can already name it.
add_library(tw_options INTERFACE)
target_include_directories(tw_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(tw_options INTERFACE -Wall -Wextra $<$<BOOL:${TILEWRIGHT_WERROR}>:-Werror>)
# GCC sees overlaps and uninitialised members in its own std::string and std::optional (GCC bugs 105651, 105562), 14 still
# does, and under the sanitizers in std::regex and std::function, too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tw_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
# Clang reports what libstdc++ 12 itself still uses (std::get_temporary_buffer).
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(tw_options INTERFACE -Wno-deprecated-declarations)
endif()
if(TILEWRIGHT_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TILEWRIGHT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  # GCC warns of Asio's own fences, which this sanitizer does not follow.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
  add_link_options(-fsanitize=thread)
endif()
if(TILEWRIGHT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TILEWRIGHT_SANITIZE)
  add_compile_definitions(TILEWRIGHT_SANITIZED)
endif()
# GCC looks for memory that it can use again each time its heap doubles: up to a gigabyte that only takes time, 4 % of a unit's.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()
# At a fixed address the tables of the compiler need no relocations: 16,000 of them would be written at each start, into
# half a megabyte of pages that every process then has for itself.
if(NOT TILEWRIGHT_SANITIZE AND NOT TILEWRIGHT_FUZZ)
  add_compile_options($<$<NOT:$<IN_LIST:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY$<SEMICOLON>MODULE_LIBRARY>>:-fno-pie>)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # What is never called is left out: half a megabyte of templates and libraries between the functions that every start reads.
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--gc-sections>)
endif()

function(room_in FOLDER NAME)
  cmake_parse_arguments(ROOM "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${FOLDER}/${NAME}/*.cpp)
  if(sources)
    add_library(tw_${NAME} STATIC ${sources})
    set(kind PUBLIC)
  else()
    add_library(tw_${NAME} INTERFACE)
    set(kind INTERFACE)
  endif()
  target_link_libraries(tw_${NAME} ${kind} tw_options ${ROOM_LIBS})
  foreach(used ${ROOM_USES})
    target_link_libraries(tw_${NAME} ${kind} tw_${used})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_ROOMS ${NAME})
endfunction()

macro(room NAME)
  room_in(compiler ${NAME} ${ARGN})
endmacro()

macro(server_room NAME)
  room_in(server ${NAME} ${ARGN})
endmacro()
