#!/bin/sh
# Builds the rivals: llama-server and llama-bench from the very llama.cpp sources that the packages @node-llama-cpp/* were built from. Nothing of it is committed.
#
#   bench/text/build-llama-server.sh [folder, default /tmp/llama-build]
#
# native       compiled for this processor
# without-amx  the same without AMX; only where the processor has it
# variants     native's programs on the libraries that these packages ship, which choose their kernels at start
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:-/tmp/llama-build}"
folder=$(cd "${1:-/tmp/llama-build}" && pwd)
cd "$folder"
if [ ! -d src ]; then
  # The sources lie in a package of the same version that the service does not need.
  version=$(node -p "require('$root/package.json').optionalDependencies['@node-llama-cpp/linux-x64']")
  tar -xzf "$(npm pack --silent --ignore-scripts "node-llama-cpp@$version")" package/llama/gitRelease.bundle
  git clone --quiet package/llama/gitRelease.bundle src
fi
# GCC 12 drops the stores to the tile configuration before AMX reads it, and the first batch dies of SIGILL; a barrier keeps them.
grep -q 'asm volatile("" : : "r"(&tc)' src/ggml/src/ggml-cpu/amx/mmq.cpp ||
  sed -i 's|^    _tile_loadconfig(&tc);|    asm volatile("" : : "r"(\&tc) : "memory");\n    _tile_loadconfig(\&tc);|' src/ggml/src/ggml-cpu/amx/mmq.cpp

build() {
  cmake -S src -B "$1" -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DCMAKE_C_FLAGS="$2" -DCMAKE_CXX_FLAGS="$2" -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF
  nice -n 19 cmake --build "$1" --target llama-server llama-bench -j "${JOBS:-2}"
}
# The folder of compiled files is called build since before there were several.
build build ''
mkdir -p builds/native builds/variants
ln -sf "$folder"/build/bin/llama-server "$folder"/build/bin/llama-bench builds/native/
if grep -q amx_tile /proc/cpuinfo; then
  build build-without-amx '-mno-amx-tile -mno-amx-int8 -mno-amx-bf16'
  mkdir -p builds/without-amx
  ln -sf "$folder"/build-without-amx/bin/llama-server "$folder"/build-without-amx/bin/llama-bench builds/without-amx/
fi

shipped=$(echo "$root"/node_modules/@node-llama-cpp/linux-"$(node -p process.arch)"/bins/linux-*)
cd builds/variants
# Copied: links would lead nowhere once this working tree is gone, and the loader would silently take the native libraries.
cp "$shipped"/libggml* .
ln -sf libggml.v* libggml.so.0
ln -sf libggml-base.so libggml-base.so.0
for program in llama-server llama-bench; do
  # Kernels are looked for beside the program.
  cp "$folder/build/bin/$program" "$program.bin"
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec %s "$@"\n' "$PWD" "$PWD/$program.bin" >"$program"
  chmod +x "$program"
done
echo "export LLAMA_BUILDS=$folder/builds LLAMA_SERVER=$folder/builds/native/llama-server"
