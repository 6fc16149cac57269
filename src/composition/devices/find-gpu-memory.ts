import type { DeviceChoice } from '../../core/compute-device.ts'
import { listDevices } from './list-devices.ts'

/** Part of a GPU's memory that models may take; the desktop and what drawing and batches need for a moment have the rest. */
const share = 0.9

/** Bytes of the GPU that models may take: 0 = there is none, null = it does not tell. */
export async function findGpuMemory({ gpu, gpuDevice }: DeviceChoice, options: { readonly signal: AbortSignal }): Promise<number | null> {
  if (gpu === 'off') return 0
  const devices = (await listDevices(options)).filter(({ software }) => gpu !== 'auto' || !software)
  if (devices.length === 0) return 0
  const told = devices.filter(({ index }) => gpuDevice === null || index === gpuDevice).map(({ memoryBytes }) => memoryBytes ?? 0)
  const memoryBytes = Math.max(0, ...told)
  return memoryBytes === 0 ? null : Math.floor(memoryBytes * share)
}
