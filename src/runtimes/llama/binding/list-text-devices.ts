import { readFile } from 'node:fs/promises'
import { type FoundDevice, gpuBackendsOfText } from '../../../core/compute-device.ts'
import { openBuild } from './open-llama.ts'

/** All devices found by llama.cpp's builds here, by opening each build, since an installed library may have no device. */
export async function listTextDevices(): Promise<readonly FoundDevice[]> {
  const found: FoundDevice[] = []
  for (const backend of gpuBackendsOfText) {
    const library = await openBuild(backend).catch(() => null)
    for (const [index, { name, memoryBytes, freeBytes }] of (library?.gpus() ?? []).entries())
      found.push({
        engine: 'text',
        index,
        backend,
        name,
        software: softwareName.test(name),
        memoryBytes,
        freeBytes,
        driver: await readDriver(name),
      })
  }
  return found
}

const softwareName = /llvmpipe|swiftshader|lavapipe/i

/** Only NVIDIA's kernel module provides its version in a file; of others only the name is known. */
async function readDriver(name: string): Promise<string | null> {
  if (!/nvidia/i.test(name)) return null
  const text = await readFile('/proc/driver/nvidia/version', 'utf8').catch(() => '')
  return /Kernel Module[^\d]*([\d.]+)/.exec(text)?.[1] ?? null
}
