import { fork } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type DeviceChoice, type FoundDevice, type GpuSetting, imageBackend, textBackend } from '../../core/compute-device.ts'
import type { Abortable } from '../../core/waiting.ts'

const entry = fileURLToPath(new URL('./probe-devices.ts', import.meta.url))

/** Arguments of `probe-devices.ts`. */
const probes = { text: ['text'], images: ['images'], softwareImages: ['images', '--software'] } as const

/** Time limit for a driver's answer. */
const timeoutMs = 60_000

/** Devices that each engine could use besides the processor; software GPUs are listed only if there is no real one. */
export async function listDevices(options: Abortable): Promise<readonly FoundDevice[]> {
  const [text, images] = await Promise.all([probe('text', options), probe('images', options)])
  return [...text, ...(images.length > 0 ? images : await probe('softwareImages', options))]
}

/** The missing part of the backend named by `gpu`, as a sentence; null = nothing is missing, or no backend is named. */
export async function findMissingBackend(gpu: GpuSetting, options: Abortable): Promise<string | null> {
  const named = [
    { engine: 'text', backend: textBackend(gpu) },
    { engine: 'images', backend: imageBackend(gpu) },
  ].filter(({ backend }) => backend !== 'auto' && backend !== 'off')
  if (named.length === 0) return null
  const found = await listDevices(options)
  const missing = named.filter(({ engine, backend }) => !found.some((device) => device.engine === engine && device.backend === backend))
  if (missing.length === 0) return null
  const seen = found.map(({ engine, backend, name }) => `${backend} for ${engine}${name === null ? '' : ` (${name})`}`)
  return (
    `No ${gpu} device was found for ${missing.map(({ engine }) => engine).join(' and ')}; found: ${seen.join(', ') || 'the processor only'}. ` +
    'Install its driver (see docs/hardware.md), or set gpu to auto.'
  )
}

/** A driver may crash or hang, so it is probed in a separate process; without an answer there are no devices. */
async function probe(name: keyof typeof probes, { signal }: Abortable): Promise<readonly FoundDevice[]> {
  signal.throwIfAborted()
  const child = fork(entry, [...probes[name]], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    killSignal: 'SIGKILL',
  })
  const found = await new Promise<readonly FoundDevice[]>((resolve) => {
    child.once('message', (devices) => resolve(devices as readonly FoundDevice[]))
    child.once('exit', () => resolve([]))
    child.once('error', () => resolve([]))
  })
  signal.throwIfAborted()
  return found
}

/** Share of the GPU's memory for models; the rest is left to the desktop and to temporary buffers. */
const share = 0.9

/** Bytes of GPU memory for models: 0 = no GPU, null = unknown. */
export async function findGpuMemory({ gpu, gpuDevice }: DeviceChoice, options: Abortable): Promise<number | null> {
  if (gpu === 'off') return 0
  const devices = (await listDevices(options)).filter(({ software }) => gpu !== 'auto' || !software)
  if (devices.length === 0) return 0
  const reported = devices.filter(({ index }) => gpuDevice === null || index === gpuDevice).map(({ memoryBytes }) => memoryBytes ?? 0)
  const memoryBytes = Math.max(0, ...reported)
  return memoryBytes === 0 ? null : Math.floor(memoryBytes * share)
}

/** Device nodes of the drivers of NVIDIA, AMD and the Windows Subsystem for Linux. */
const nodes = ['/dev/nvidiactl', '/dev/kfd', '/dev/dxg'] as const

/**
 * Whether the system may have a GPU; true if only probing can tell. Probing takes half a second per start of an engine and is skipped on
 * servers without a GPU.
 */
export function mayHaveGpu(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'linux' || nodes.some((node) => existsSync(node)) || hasRenderNode()
}

function hasRenderNode(): boolean {
  try {
    return readdirSync('/dev/dri').some((name) => name.startsWith('renderD'))
  } catch {
    return false
  }
}
