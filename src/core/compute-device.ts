/** Threads that an engine needs where a GPU computes everything: one feeds it, the other makes text or pictures of what comes out. */
const threadsBesideGpu = 2

/** Threads for a model, of those that engines may compute with on the processor. */
export function chooseThreads(allowed: number, { wholeOnGpu }: { readonly wholeOnGpu: boolean }): number {
  return wholeOnGpu ? Math.min(allowed, threadsBesideGpu) : allowed
}

/** What `gpu` may be set to: off, whatever there is, or one graphics interface that must be there. */
export const gpuSettings = ['auto', 'off', 'cuda', 'vulkan', 'metal', 'webgpu'] as const
export type GpuSetting = (typeof gpuSettings)[number]

export type ComputeBackend = 'cpu' | 'cuda' | 'vulkan' | 'metal' | 'webgpu'

/** What a loaded model computes on. */
export interface ComputeDevice {
  readonly backend: ComputeBackend
  /** As its driver names it; null = the backend does not report it. */
  readonly name: string | null
  /** Of a language model of which a part did not fit: layers that the device computes, of all; the processor computes the rest. */
  readonly layers?: { readonly onDevice: number; readonly total: number }
  /** Bytes of the device's own memory that the model takes; absent = the backend does not report it. */
  readonly takenBytes?: number
}

/** A device that an engine could use, besides the processor. */
export interface FoundDevice extends ComputeDevice {
  readonly engine: 'text' | 'images'
  /** Position in its backend's list, for `gpu-device`. */
  readonly index: number
  /** Whether it only imitates a GPU on the processor, so that `auto` leaves it alone. */
  readonly software: boolean
  /** Bytes of its own memory; null = the backend does not report it. */
  readonly memoryBytes: number | null
  readonly freeBytes: number | null
  /** The driver's name and version, as far as the system tells. */
  readonly driver: string | null
}

/** How an engine chooses what it computes on. */
export interface DeviceChoice {
  readonly gpu: GpuSetting
  /** Position in the backend's own list of devices; null = the backend's first choice. */
  readonly gpuDevice: number | null
}

/** Backends that the text engine may have, the fastest first. */
export const gpuBackendsOfText = ['cuda', 'metal', 'vulkan'] as const
/** Backends that the image engine may have, the fastest first. */
export const gpuBackendsOfImages = ['cuda', 'webgpu'] as const

/** The backend that `gpu` binds the text engine to; `auto` where it names one of the image engine's. */
export function textBackend(gpu: GpuSetting): 'auto' | 'off' | 'cuda' | 'vulkan' | 'metal' {
  return gpu === 'webgpu' ? 'auto' : gpu
}

/** The backend that `gpu` binds the image engine to; `auto` where it names one of the text engine's. */
export function imageBackend(gpu: GpuSetting): 'auto' | 'off' | 'cuda' | 'webgpu' {
  return gpu === 'vulkan' || gpu === 'metal' ? 'auto' : gpu
}
