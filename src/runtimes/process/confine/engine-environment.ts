/** Variables for locations of libraries, temporary files, drivers' caches and compiled code, and for locales. */
const names = new Set([
  ...[
    'PATH',
    'HOME',
    'TMPDIR',
    'TEMP',
    'TMP',
    'LANG',
    'LC_ALL',
    'TZ',
    'LD_LIBRARY_PATH',
    'DYLD_LIBRARY_PATH',
    'XDG_RUNTIME_DIR',
    'NODE_COMPILE_CACHE',
  ],
  ...[
    'SYSTEMROOT',
    'WINDIR',
    'SYSTEMDRIVE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
    'NUMBER_OF_PROCESSORS',
  ],
])

/** Beginnings of the variables that graphics drivers and the libraries of the engines read. */
const families =
  /^(?:CUDA|NVIDIA|NCCL|CUDNN|GGML|LLAMA|ORT|OMP|GOMP|KMP|MKL|VK|MESA|LIBGL|ROCM|ROCR|HIP|HSA|AMD|ONEAPI|SYCL|ZE|MTL|METAL|D3D12)_/

/** The part of the service's environment that an engine needs; never settings, passwords or Node flags. */
export function engineEnvironment(environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const named = Object.entries(environment).filter(([name]) => names.has(name.toUpperCase()) || families.test(name.toUpperCase()))
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}
