import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import koffi, { type LibraryHandle } from 'koffi'
import { ServiceError } from '../../../core/error.ts'
import { findFunctions, type LlamaFunctions } from './llama-functions.ts'
import { errorLevel, expectedDefaults, gpuDeviceTypes, type LlamaDefaults, llamaVersion, type Pointer } from './llama-layout.ts'

/** A GPU that llama.cpp can use. */
export interface GpuDevice {
  readonly name: string
  /** The backend's own name, such as `Vulkan` or `CUDA`. */
  readonly backend: string
  readonly memoryBytes: number
  readonly freeBytes: number
}

/** One build of llama.cpp in this process. */
export interface LlamaLibrary {
  readonly functions: LlamaFunctions
  /** GPUs that its backends find, with their currently free memory. */
  gpus(): readonly GpuDevice[]
  /** A function of the backend that computes on the processor; null = it has none of this name. */
  processorFunction(name: string): Pointer | null
  /** Target of abort callbacks: a function that takes the address of {@link tensorBytes} and returns whether they are zero. */
  readonly isEmpty: Pointer
  /** Collects llama.cpp's error messages while something runs. */
  listening<Result>(run: (errors: readonly string[]) => Promise<Result>): Promise<Result>
}

/**
 * Native code runs on stacks of koffi's own. llama.cpp's regular expressions go a level deeper with each character of a word, so that a call from here has what
 * a main thread has; memory that a stack never reached costs nothing. A context may have thousands of draws waiting.
 */
koffi.config({ sync_stack_size: 2 ** 23, async_stack_size: 2 ** 21, resident_async_pools: 32, max_async_calls: 4096 })

const logCallback = koffi.pointer(koffi.proto('void ggml_log_callback(int level, const char *text, void *data)'))

/** Requirements on a llama.cpp build for the known layouts. */
export interface ExpectedLibrary {
  readonly version: string
  readonly defaults: LlamaDefaults
}

/**
 * Opens the libraries of one build, with the kernels for this processor and the GPUs they find.
 *
 * @param expected Tests bring another one.
 * @throws {ServiceError} `inference_failed` when they are of another version than the engine's, or one is cut short.
 */
export async function openLibrary(
  folder: string,
  expected: ExpectedLibrary = { version: llamaVersion, defaults: expectedDefaults },
): Promise<LlamaLibrary> {
  const names = await readdir(folder)
  for (const name of names) if (name.endsWith('.so')) await refuseCutShort(folder, name)
  const files = ['llama', 'ggml', 'ggml-base'].map((name) => names.find((file) => isLibrary(file, name)))
  const handles = files.flatMap((file) => (file === undefined ? [] : koffi.load(join(folder, file))))
  const version = readVersion(handles)
  if (version !== expected.version) throw otherVersion(expected, version)
  const functions = requireFunctions(handles, expected)
  const silence = symbolOf(handles, 'llama_max_devices') // takes no argument and does nothing with those that log lines have
  functions.llama_log_set(silence, null)
  const difference = findDifference(functions, expected.defaults)
  if (difference !== null) throw otherVersion(expected, version, difference)
  functions.ggml_backend_load_all_from_path(folder)
  functions.llama_backend_init()
  return {
    functions,
    gpus: () => listDevices(functions).filter(({ type }) => gpuDeviceTypes.includes(type)),
    processorFunction: (name) => {
      const registry = listDevices(functions).find(({ type }) => type === processorType)?.registry
      return registry === undefined ? null : functions.ggml_backend_reg_get_proc_address(registry, name)
    },
    isEmpty: symbolOf(handles, 'ggml_is_empty'),
    listening: async (run) => {
      const errors: string[] = []
      const logLine = (level: number, text: string): void => void (level === errorLevel && errors.push(text.trim()))
      const callback = koffi.register(logLine, logCallback)
      functions.llama_log_set(callback, null)
      try {
        return await run(errors)
      } finally {
        functions.llama_log_set(silence, null)
        koffi.unregister(callback)
      }
    },
  }
}

/** `libllama.vulkan.v0.5.0.so` for `llama`, for instance. */
function isLibrary(file: string, name: string): boolean {
  return new RegExp(`^(?:lib)?${name}(?:\\.[a-z]+)?(?:\\.v[\\d.]+\\d)?\\.(?:so|dylib|dll)$`).test(file)
}

/**
 * Rejects a shared object whose last part, the table of sections, is missing: the system's loader would end the process (SIGBUS).
 *
 * @see elf(5): `e_shoff` at 40, `e_shentsize` at 58, `e_shnum` at 60
 */
async function refuseCutShort(folder: string, name: string): Promise<void> {
  await using file = await open(join(folder, name))
  const { buffer: header } = await file.read(Buffer.alloc(64), 0, 64, 0)
  const end = Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60)
  const is32Bit = header[4] === 1 // has other places, and is not examined
  if (is32Bit || (await file.stat()).size >= Math.max(end, header.length)) return
  throw new ServiceError('inference_failed', `llama.cpp's file ${name} is cut short; delete node_modules and run npm ci.`)
}

function readVersion(handles: readonly LibraryHandle[]): string | null {
  for (const handle of handles)
    try {
      return handle.func('llama_version', 'const char *', [])() as string
    } catch {}
  return null
}

function requireFunctions(handles: readonly LibraryHandle[], expected: ExpectedLibrary): LlamaFunctions {
  try {
    return findFunctions(handles)
  } catch (error) {
    throw otherVersion(expected, expected.version, error instanceof Error ? error.message : String(error))
  }
}

function symbolOf(handles: readonly LibraryHandle[], name: string): Pointer {
  for (const handle of handles)
    try {
      return handle.symbol(name) as Pointer
    } catch {}
  throw new Error(`llama.cpp has no ${name}.`)
}

/** The first default that is another than expected, in words; null = all are the same. */
function findDifference(functions: LlamaFunctions, { model, context }: LlamaDefaults): string | null {
  const pairs = [
    [model, functions.llama_model_default_params()],
    [context, functions.llama_context_default_params()],
  ] as const
  for (const [expected, found] of pairs)
    for (const [name, value] of Object.entries(expected)) {
      const answer: unknown = (found as unknown as Record<string, unknown>)[name]
      if (answer !== value) return `its ${name} is ${String(answer)} instead of ${String(value)}`
    }
  return null
}

const processorType = 0

interface Device extends GpuDevice {
  readonly type: number
  readonly registry: Pointer
}

function listDevices(functions: LlamaFunctions): readonly Device[] {
  return Array.from({ length: Number(functions.ggml_backend_dev_count()) }, (_, index) => {
    const device = functions.ggml_backend_dev_get(index)
    const registry = functions.ggml_backend_dev_backend_reg(device)
    const [free, total] = [new BigUint64Array(1), new BigUint64Array(1)]
    functions.ggml_backend_dev_memory(device, free, total)
    return {
      type: functions.ggml_backend_dev_type(device),
      registry,
      backend: functions.ggml_backend_reg_name(registry),
      name: functions.ggml_backend_dev_description(device),
      memoryBytes: Number(total[0]),
      freeBytes: Number(free[0]),
    }
  })
}

function otherVersion(expected: ExpectedLibrary, found: string | null, difference?: string): ServiceError {
  const what = `The installed llama.cpp is version ${found ?? 'unknown'}${difference === undefined ? '' : ` (${difference})`}`
  return new ServiceError('inference_failed', `${what}, but this version of Sepia requires ${expected.version}; run npm ci.`)
}
