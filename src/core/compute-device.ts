/** Threads for an engine whose model runs wholly on a GPU: one feeds the GPU, the other decodes its output. */
const threadsBesideGpu = 2

/**
 * Threads for a model.
 *
 * @param allowed Processor threads that engines may use.
 */
export function chooseThreads(allowed: number, { wholeOnGpu }: { readonly wholeOnGpu: boolean }): number {
  return wholeOnGpu ? Math.min(allowed, threadsBesideGpu) : allowed
}

/** Values of `gpu`: off, any available device, or one required backend. */
export const gpuSettings = ['auto', 'off', 'cuda', 'vulkan', 'metal', 'webgpu'] as const
export type GpuSetting = (typeof gpuSettings)[number]

export type ComputeBackend = 'cpu' | 'cuda' | 'vulkan' | 'metal' | 'webgpu'

/** The device a loaded model computes on. */
export interface ComputeDevice {
  readonly backend: ComputeBackend
  /** Name reported by the driver; null = the backend does not report it. */
  readonly name: string | null
  /** Layers on the device when a language model did not fit as a whole; the processor computes the rest. */
  readonly layers?: { readonly onDevice: number; readonly total: number }
  /** Device memory used by the model, in bytes; absent = the backend does not report it. */
  readonly takenBytes?: number
}

/** A device that an engine can use besides the processor. */
export interface FoundDevice extends ComputeDevice {
  readonly engine: 'text' | 'images'
  /** Position in its backend's list, for `gpu-device`. */
  readonly index: number
  /** Whether it emulates a GPU on the processor; `auto` skips it. */
  readonly software: boolean
  /** Device memory in bytes; null = the backend does not report it. */
  readonly memoryBytes: number | null
  readonly freeBytes: number | null
  /** Name and version of the driver, if the system reports them. */
  readonly driver: string | null
}

/** The settings from which an engine chooses its device. */
export interface DeviceChoice {
  readonly gpu: GpuSetting
  /** Index in the backend's list of devices; null = the backend's default. */
  readonly gpuDevice: number | null
}

/** Backends of the text engine, fastest first. */
export const gpuBackendsOfText = ['cuda', 'metal', 'vulkan'] as const
/** Backends of the image engine, fastest first. */
export const gpuBackendsOfImages = ['cuda', 'webgpu'] as const

/** The text engine's backend for a value of `gpu`; `auto` if the value names a backend of the image engine only. */
export function textBackend(gpu: GpuSetting): 'auto' | 'off' | 'cuda' | 'vulkan' | 'metal' {
  return gpu === 'webgpu' ? 'auto' : gpu
}

/** The image engine's backend for a value of `gpu`; `auto` if the value names a backend of the text engine only. */
export function imageBackend(gpu: GpuSetting): 'auto' | 'off' | 'cuda' | 'webgpu' {
  return gpu === 'vulkan' || gpu === 'metal' ? 'auto' : gpu
}
