import { env } from 'node:process'
import type { Llama, LlamaGpuType } from 'node-llama-cpp'
import { type ComputeDevice, type DeviceChoice, textBackend } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'

/** llama.cpp with the backend it computes on. */
export interface OpenLlama extends AsyncDisposable {
  readonly llama: Llama
  readonly device: ComputeDevice
}

/**
 * Opens llama.cpp on what `gpu` asks for. A backend without a device counts as missing: llama.cpp itself would compute on the
 * processor and say nothing.
 *
 * @throws {ServiceError} `inference_failed` when a backend was named and has no build or no device here.
 */
export async function openLlama({ threads, gpu, gpuDevice }: { readonly threads: number } & DeviceChoice): Promise<OpenLlama> {
  const backend = textBackend(gpu)
  if (backend !== 'off') {
    showOnly(gpuDevice)
    const found = await openOnGpu(threads, backend)
    if (found !== null) return found
    if (backend !== 'auto') throw missing(backend)
  }
  const llama = await openForProcessor(threads)
  return { llama, device: { backend: 'cpu', name: null }, [Symbol.asyncDispose]: async () => {} }
}

let forProcessor: Promise<Llama> | null = null

/** The build for the processor, once per process: the binding tries its library in a process of its own each time, which takes longer than to open a small model. */
function openForProcessor(threads: number): Promise<Llama> {
  forProcessor ??= openBackend(threads, false).catch((cause) => {
    forProcessor = null
    throw cause
  })
  return forProcessor
}

async function openOnGpu(threads: number, backend: 'auto' | 'cuda' | 'vulkan' | 'metal'): Promise<OpenLlama | null> {
  const llama = await openBackend(threads, backend).catch(() => null)
  if (llama === null) return null
  // Asked for a backend that this platform has no build of, the binding hands over another one.
  const asked = llama.gpu !== false && (backend === 'auto' || backend === llama.gpu)
  const [name] = asked && llama.supportsGpuOffloading ? await llama.getGpuDeviceNames() : []
  if (llama.gpu !== false && name !== undefined)
    return { llama, device: { backend: llama.gpu, name }, [Symbol.asyncDispose]: () => llama.dispose() }
  await llama.dispose()
  return null
}

/** One build of llama.cpp; rejects when it is not installed. */
export async function openBackend(threads: number, gpu: LlamaGpuType | 'auto'): Promise<Llama> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  return getLlama({ gpu, build: 'never', skipDownload: true, progressLogs: false, maxThreads: threads, logLevel: LlamaLogLevel.error })
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
