import { readFile } from 'node:fs/promises'
import { type FoundDevice, gpuBackendsOfText } from '../../../core/compute-device.ts'
import { openBuild } from './open-llama.ts'

/** Every device that llama.cpp's builds here find, by opening each build: a library that is there may still have no device. */
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

/** Only NVIDIA's kernel module says its version in a file; of the others the name is all that is known. */
async function readDriver(name: string): Promise<string | null> {
  if (!/nvidia/i.test(name)) return null
  const text = await readFile('/proc/driver/nvidia/version', 'utf8').catch(() => '')
  return /Kernel Module[^\d]*([\d.]+)/.exec(text)?.[1] ?? null
}
