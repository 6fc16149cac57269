import { readFile } from 'node:fs/promises'
import { type FoundDevice, gpuBackendsOfText } from '../../../core/compute-device.ts'
import { openBackend } from './open-llama.ts'

/** Every device that llama.cpp's builds here find, by opening each build: a library that is there may still have no device. */
export async function listTextDevices(): Promise<readonly FoundDevice[]> {
  const found: FoundDevice[] = []
  for (const backend of gpuBackendsOfText) {
    const llama = await openBackend(1, backend).catch(() => null)
    if (llama === null) continue
    const names = llama.gpu === backend && llama.supportsGpuOffloading ? await llama.getGpuDeviceNames() : []
    const { total, free } = await llama.getVramState()
    for (const [index, name] of names.entries())
      found.push({
        engine: 'text',
        index,
        backend,
        name,
        software: softwareName.test(name),
        // The binding tells the memory of all devices together.
        memoryBytes: names.length === 1 ? total : null,
        freeBytes: names.length === 1 ? free : null,
        driver: await readDriver(name),
      })
    await llama.dispose()
  }
  return found
}

const softwareName = /llvmpipe|swiftshader|lavapipe/i

/** Only NVIDIA's kernel module says its version in a file; of the others the name is all that is told. */
async function readDriver(name: string): Promise<string | null> {
  if (!/nvidia/i.test(name)) return null
  const text = await readFile('/proc/driver/nvidia/version', 'utf8').catch(() => '')
  return /Kernel Module[^\d]*([\d.]+)/.exec(text)?.[1] ?? null
}
