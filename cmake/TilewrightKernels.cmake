# Tile scripts in a C++ project: compiled as the project is built, embedded, and launched through a generated header.
#
#   include(TilewrightKernels)
#   tilewright_kernels(my_kernels SCRIPTS kernels/scale.py [ARCHS sm_90a sm_100a] [ENTRIES EXPR...] [FORMAT cubin|fatbin]
#                      [NAMESPACE kernels] [DEPENDS FILE...])
#   target_link_libraries(app PRIVATE my_kernels)
#
# makes a static library. Of kernels/scale.py it has the header "scale.h", with a namespace for each kernel:
#
#   kernels::scale::Kernel k;                     // for the current context, whose device is `device`
#   CUresult r = kernels::scale::load(device, k);
#   r = kernels::scale::launch(k, A, B, stream);  // as `tilewright compile --emit host` has it, the CUfunction left out
#
# ARCHS: a cubin each, of which load() takes the one that the device runs; default: as `tilewright compile` finds it out.
# ENTRIES: expressions, as --entry has them; default: all entries of the script. What a script imports, and its settings, are
# watched as the script is. DEPENDS: further files to watch.
# FORMAT fatbin: one fat binary a kernel, made by CUDA's `fatbinary`. The header needs CUDA's cuda.h and links to the
# driver, libcuda: name it yourself where CMake's CUDAToolkit does not find it. The program is TILEWRIGHT, else found on
# the PATH.

cmake_minimum_required(VERSION 3.21)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TILEWRIGHT_KERNELS_FILE ${CMAKE_CURRENT_LIST_FILE})

  function(tilewright_kernels NAME)
    cmake_parse_arguments(K "" "FORMAT;NAMESPACE" "SCRIPTS;ARCHS;ENTRIES;DEPENDS" ${ARGN})
    if(NOT K_SCRIPTS OR K_UNPARSED_ARGUMENTS)
      message(FATAL_ERROR "tilewright_kernels(${NAME} SCRIPTS FILE... [ARCHS ...] [ENTRIES ...] [FORMAT cubin|fatbin] "
                          "[NAMESPACE NAME] [DEPENDS FILE...]), not '${ARGN}'")
    endif()
    if(NOT K_FORMAT)
      set(K_FORMAT cubin)
    elseif(NOT K_FORMAT MATCHES "^(cubin|fatbin)$")
      message(FATAL_ERROR "tilewright_kernels: FORMAT is cubin or fatbin, not ${K_FORMAT}")
    endif()
    if(NOT K_NAMESPACE)
      set(K_NAMESPACE kernels)
    endif()
    find_program(TILEWRIGHT tilewright REQUIRED)
    set(fatbinary "")
    if(K_FORMAT STREQUAL fatbin)
      find_program(FATBINARY fatbinary HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin REQUIRED)
      set(fatbinary ${FATBINARY})
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.tilewright)
    set(made "")
    foreach(script IN LISTS K_SCRIPTS)
      get_filename_component(script ${script} ABSOLUTE)
      get_filename_component(stem ${script} NAME_WE)
      add_custom_command(
        OUTPUT ${folder}/${stem}.h ${folder}/${stem}.cpp
        COMMAND ${CMAKE_COMMAND} -DTILEWRIGHT=${TILEWRIGHT} -DSCRIPT=${script} -DFOLDER=${folder} -DSTEM=${stem} "-DARCHS=${K_ARCHS}"
                "-DENTRIES=${K_ENTRIES}" -DNAMESPACE=${K_NAMESPACE} -DFATBINARY=${fatbinary} -P ${TILEWRIGHT_KERNELS_FILE}
        DEPENDS ${script} ${K_DEPENDS} ${TILEWRIGHT} ${TILEWRIGHT_KERNELS_FILE}
        DEPFILE ${folder}/${stem}.d
        COMMENT "Compiling the kernels of ${stem}.py"
        VERBATIM)
      list(APPEND made ${folder}/${stem}.h ${folder}/${stem}.cpp)
    endforeach()
    add_library(${NAME} STATIC ${made})
    target_include_directories(${NAME} PUBLIC ${folder})
    target_compile_features(${NAME} PUBLIC cxx_std_17)
    if(TARGET CUDA::cuda_driver)
      target_link_libraries(${NAME} PUBLIC CUDA::cuda_driver)
    endif()
  endfunction()
  return()
endif()

# ---- as a script: one of the commands above --------------------------------------------------------------------------

file(MAKE_DIRECTORY ${FOLDER})

function(tilewright OUT)
  execute_process(COMMAND ${TILEWRIGHT} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    # As people read it: in JSON findings are no messages.
    set(arguments ${ARGN})
    list(FIND arguments --emit emit)
    list(SUBLIST arguments 1 ${emit} checked)
    list(POP_BACK checked)
    execute_process(COMMAND ${TILEWRIGHT} check ${checked} OUTPUT_VARIABLE out ERROR_VARIABLE ignored)
    message("${out}${errors}")
    list(JOIN arguments " " arguments)
    message(FATAL_ERROR "tilewright ${arguments} ended with status ${status}")
  endif()
  set(${OUT} "${out}" PARENT_SCOPE)
endfunction()

set(asked "")
foreach(entry IN LISTS ENTRIES)
  list(APPEND asked --entry ${entry})
endforeach()
if(NOT ARCHS)
  set(ARCHS default)
endif()

set(includes "")
set(read "")     # every file that the kernels come from
set(kernels "")  # namespaces, in order
set(source "#include \"${STEM}.h\"\n\n")
foreach(arch IN LISTS ARCHS)
  set(for ${asked})
  if(NOT arch STREQUAL default)
    list(APPEND for --arch ${arch})
  endif()
  tilewright(json compile ${SCRIPT} ${for} --emit host --json)
  string(JSON count LENGTH "${json}" kernels)
  if(count EQUAL 0)
    message(FATAL_ERROR "${SCRIPT} has no kernel")
  endif()
  string(JSON files LENGTH "${json}" files)
  math(EXPR last "${files} - 1")
  foreach(i RANGE ${last})
    string(JSON file GET "${json}" files ${i})
    list(APPEND read ${file})
  endforeach()
  set(named "")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${json}" kernels ${i} name)
    string(JSON entry GET "${json}" kernels ${i} entry)
    string(JSON true_arch GET "${json}" kernels ${i} arch)
    string(JSON host GET "${json}" kernels ${i} sources host)
    set(kernel ${name})  # entries of one factory have one name
    set(n 2)
    while(kernel IN_LIST named)
      set(kernel ${name}_${n})
      math(EXPR n "${n} + 1")
    endwhile()
    list(APPEND named ${kernel})
    if(NOT kernel IN_LIST kernels)
      list(APPEND kernels ${kernel})
      set(archs_${kernel} "")
    endif()
    list(APPEND archs_${kernel} ${true_arch})

    # The launcher of this architecture, its includes taken out of the namespace.
    string(REGEX MATCHALL "#include [^\n]*\n" own "${host}")
    string(REGEX REPLACE "#include [^\n]*\n" "" host "${host}")
    list(APPEND includes ${own})
    string(REGEX MATCH "inline CUresult (launch_[A-Za-z0-9_]+)\\(([^)]*)\\)" ignored "${host}")
    set(launcher ${CMAKE_MATCH_1})
    set(before "kernel.function")
    if(CMAKE_MATCH_2 MATCHES "CUmodule")
      string(APPEND before ", kernel.module")
    endif()
    string(REGEX MATCH "// Launches ([A-Za-z0-9_]+) " ignored "${host}")
    set(symbol_${kernel} ${CMAKE_MATCH_1})
    string(APPEND text_${kernel} "namespace ${true_arch} {\n${host}\n}  // namespace ${true_arch}\n")
    set(call_${kernel}_${true_arch} "${true_arch}::${launcher}(${before}, arguments...)")

    set(folder ${FOLDER}/${STEM}/${kernel}.${true_arch})
    file(REMOVE_RECURSE ${folder})
    tilewright(ignored compile ${SCRIPT} --entry ${entry} --arch ${true_arch} --emit cubin -o ${folder})
    file(GLOB cubin ${folder}/*.cubin)
    set(image_${kernel}_${true_arch} ${cubin})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES includes)

function(embed SYMBOL FILE)
  file(READ ${FILE} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  set(source "${source}extern const unsigned char ${SYMBOL}[${size}];\nalignas(16) const unsigned char ${SYMBOL}[${size}] = {\n${bytes}};\n\n"
      PARENT_SCOPE)
endfunction()

set(body "")
foreach(kernel IN LISTS kernels)
  string(APPEND source "namespace ${NAMESPACE}::${kernel} {\n")
  set(images "")
  set(rows "")
  set(cases "")
  set(n 0)
  set(words "")
  foreach(arch IN LISTS archs_${kernel})
    string(REGEX MATCH "^sm_([0-9]+)([0-9])([af]?)$" ignored ${arch})
    set(suffix "${CMAKE_MATCH_3}")
    if(NOT suffix)
      set(suffix -)
    endif()
    string(APPEND rows "    {${CMAKE_MATCH_1}, ${CMAKE_MATCH_2}, '${suffix}', ")
    if(FATBINARY)
      string(APPEND rows "image},\n")
      string(SUBSTRING ${arch} 3 -1 sm)
      list(APPEND words --image3=kind=elf,sm=${sm},file=${image_${kernel}_${arch}})
    else()
      string(APPEND rows "image_${arch}},\n")
      embed(image_${arch} ${image_${kernel}_${arch}})
      string(APPEND images "extern const unsigned char image_${arch}[];\n")
    endif()
    string(APPEND cases "    case ${n}: return ${call_${kernel}_${arch}};\n")
    math(EXPR n "${n} + 1")
  endforeach()
  if(FATBINARY)
    set(fat ${FOLDER}/${STEM}/${kernel}.fatbin)
    execute_process(COMMAND ${FATBINARY} -64 --create=${fat} ${words} RESULT_VARIABLE status ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "fatbinary: status ${status}\n${errors}")
    endif()
    embed(image ${fat})
    set(images "extern const unsigned char image[];\n")
  endif()
  string(APPEND source "}  // namespace ${NAMESPACE}::${kernel}\n\n")
  string(APPEND body "
namespace ${NAMESPACE}::${kernel} {
${text_${kernel}}
${images}
struct Kernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  int image = -1;  // which of the images below it came from
};

// Into the current context. CUDA_ERROR_NO_BINARY_FOR_GPU: none of the images is for this device.
inline CUresult load(CUdevice device, Kernel& kernel) {
  struct Image {
    int major, minor;
    char only;  // 'a': this very device, 'f': its family, '-': this minor number and those above it
    const unsigned char* bytes;
  };
  const Image images[] = {
${rows}  };
  int major = 0, minor = 0;
  if (CUresult r = cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device); r != CUDA_SUCCESS) return r;
  if (CUresult r = cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device); r != CUDA_SUCCESS) return r;
  kernel.image = -1;
  int n = 0;
  for (const Image& image : images) {
    const bool runs = image.major == major && (image.only == 'a' ? image.minor == minor : image.minor <= minor);
    // The closest: made for this very device, else for the highest that it covers.
    if (runs && (kernel.image < 0 || image.only == 'a' || image.minor > images[kernel.image].minor)) kernel.image = n;
    ++n;
  }
  if (kernel.image < 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (CUresult r = cuModuleLoadData(&kernel.module, images[kernel.image].bytes); r != CUDA_SUCCESS) return r;
  return cuModuleGetFunction(&kernel.function, kernel.module, \"${symbol_${kernel}}\");
}

// The arguments of the launchers above behind the kernel.
template <class... Arguments>
CUresult launch(const Kernel& kernel, Arguments... arguments) {
  switch (kernel.image) {
${cases}    default: return CUDA_ERROR_NOT_INITIALIZED;
  }
}
}  // namespace ${NAMESPACE}::${kernel}
")
endforeach()

string(REPLACE ";" "" includes "${includes}")
file(WRITE ${FOLDER}/${STEM}.h.new "// Made from ${STEM}.py.\n#pragma once\n${includes}${body}")
file(WRITE ${FOLDER}/${STEM}.cpp.new "${source}")
foreach(file ${STEM}.h ${STEM}.cpp)
  file(RENAME ${FOLDER}/${file}.new ${FOLDER}/${file})
endforeach()

# As a compiler says what a file comes from.
list(REMOVE_DUPLICATES read)
list(TRANSFORM read REPLACE "([ #\\\\])" "\\\\\\1")
list(TRANSFORM read REPLACE "[$]" "$$$$")
list(JOIN read " " read)
string(REGEX REPLACE "([ #])" "\\\\\\1" header "${FOLDER}/${STEM}.h")
file(WRITE ${FOLDER}/${STEM}.d "${header}: ${read}\n")
