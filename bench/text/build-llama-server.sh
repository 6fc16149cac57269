#!/bin/sh
# Builds the rival: llama-server from the very llama.cpp sources that node-llama-cpp's binary was built from. Nothing of it is committed.
#
#   bench/text/build-llama-server.sh [folder, default /tmp/llama-build]
#   export LLAMA_SERVER=<folder>/build/bin/llama-server
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-/tmp/llama-build}
mkdir -p "$folder"
cd "$folder"
[ -d src ] || git clone --quiet "$root/node_modules/node-llama-cpp/llama/gitRelease.bundle" src
# GCC 12 drops the stores to the tile configuration before AMX reads it, and the first batch dies of SIGILL; a barrier keeps them.
grep -q 'asm volatile("" : : "r"(&tc)' src/ggml/src/ggml-cpu/amx/mmq.cpp ||
  sed -i 's|^    _tile_loadconfig(&tc);|    asm volatile("" : : "r"(\&tc) : "memory");\n    _tile_loadconfig(\&tc);|' src/ggml/src/ggml-cpu/amx/mmq.cpp
cmake -S src -B build -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF
nice -n 19 cmake --build build --target llama-server -j "${JOBS:-2}"
echo "$folder/build/bin/llama-server"
