/** Variables that say where libraries, temporary files and drivers' caches are, how to write dates, and where compiled code is kept. */
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

/** Of the service's environment, what an engine needs; never a setting, a password or a flag of Node. */
export function engineEnvironment(environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const named = Object.entries(environment).filter(([name]) => names.has(name.toUpperCase()) || families.test(name.toUpperCase()))
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}
