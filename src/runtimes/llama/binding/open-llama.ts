import { env } from 'node:process'
import { type ComputeDevice, type DeviceChoice, gpuBackendsOfText, textBackend } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'
import { type BuildTarget, findBuild } from './llama-builds.ts'
import { type LlamaLibrary, openLibrary } from './llama-library.ts'

/** llama.cpp with the backend it computes on. */
export interface OpenLlama {
  readonly library: LlamaLibrary
  readonly device: ComputeDevice
}

/**
 * Opens llama.cpp on what `gpu` asks for. A backend without a device counts as missing: llama.cpp itself would compute on the
 * processor and say nothing.
 *
 * @throws {ServiceError} `inference_failed` when a backend was named and has no build or no device here, or llama.cpp is not installed or of another version.
 */
export async function openLlama({ gpu, gpuDevice }: DeviceChoice): Promise<OpenLlama> {
  const backend = textBackend(gpu)
  if (backend !== 'off') {
    showOnly(gpuDevice)
    for (const each of backend === 'auto' ? gpuBackendsOfText : [backend]) {
      const library = await openBuild(each)
      const [device] = library?.gpus() ?? []
      if (library !== null && device !== undefined) return { library, device: { backend: each, name: device.name } }
    }
    if (backend !== 'auto') throw missing(backend)
  }
  const library = await openBuild('processor')
  if (library === null) throw new ServiceError('inference_failed', 'llama.cpp has no build for this platform here; run npm ci.')
  return { library, device: { backend: 'cpu', name: null } }
}

const opened = new Map<BuildTarget, Promise<LlamaLibrary | null>>()

/**
 * One build of llama.cpp, once per process; null when it is not installed.
 *
 * @throws {ServiceError} `inference_failed` when it is of another version.
 */
export function openBuild(target: BuildTarget): Promise<LlamaLibrary | null> {
  const library = opened.get(target) ?? open(target)
  opened.set(target, library)
  return library
}

async function open(target: BuildTarget): Promise<LlamaLibrary | null> {
  const build = await findBuild(target)
  if (build === null) return null
  const library = await openLibrary(build.folder)
  if (build.fallback !== null && library.gpus().length === 0) library.functions.ggml_backend_load_all_from_path(build.fallback)
  return library
}

/** llama.cpp reads these when its library is opened, which happens once per process. */
function showOnly(gpuDevice: number | null): void {
  if (gpuDevice === null) return
  for (const name of ['GGML_VK_VISIBLE_DEVICES', 'CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES']) env[name] = String(gpuDevice)
}

function missing(backend: 'cuda' | 'vulkan' | 'metal'): ServiceError {
  return new ServiceError('inference_failed', `llama.cpp finds no device for gpu ${backend}; ${fixes[backend]}, or start with --gpu auto.`)
}

const fixes = {
  cuda: 'install its CUDA build (see docs/hardware.md) and check the driver',
  vulkan: 'install a Vulkan driver, or select a software one with --gpu-device',
  metal: 'Metal is available on macOS only',
} as const
