import { fork } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type DeviceChoice, type FoundDevice, type GpuSetting, imageBackend, textBackend } from '../../core/compute-device.ts'

type Options = { readonly signal: AbortSignal }

const probes = {
  text: { entry: new URL('./text-devices.ts', import.meta.url), flags: [] },
  images: { entry: new URL('./image-devices.ts', import.meta.url), flags: [] },
  softwareImages: { entry: new URL('./image-devices.ts', import.meta.url), flags: ['--software'] },
} as const

/** Longest time for a driver to answer. */
const patienceMs = 60_000

/** What each engine could compute on besides the processor; devices that imitate a GPU are listed where there is no real one. */
export async function listDevices(options: Options): Promise<readonly FoundDevice[]> {
  const [text, images] = await Promise.all([probe('text', options), probe('images', options)])
  return [...text, ...(images.length > 0 ? images : await probe('softwareImages', options))]
}

/** What is missing of the backend that `gpu` names, as one sentence; null = nothing, or none is named. */
export async function findMissingBackend(gpu: GpuSetting, options: Options): Promise<string | null> {
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

/** A driver may crash or hang, so it is asked in a process of its own; what ends without an answer has found nothing. */
async function probe(name: keyof typeof probes, { signal }: Options): Promise<readonly FoundDevice[]> {
  const { entry, flags } = probes[name]
  signal.throwIfAborted()
  const child = fork(fileURLToPath(entry), [...flags], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
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

/** Part of a GPU's memory that models may take; the desktop and what drawing and batches need for a moment have the rest. */
const share = 0.9

/** Bytes of the GPU that models may take: 0 = there is none, null = unknown. */
export async function findGpuMemory({ gpu, gpuDevice }: DeviceChoice, options: { readonly signal: AbortSignal }): Promise<number | null> {
  if (gpu === 'off') return 0
  const devices = (await listDevices(options)).filter(({ software }) => gpu !== 'auto' || !software)
  if (devices.length === 0) return 0
  const reported = devices.filter(({ index }) => gpuDevice === null || index === gpuDevice).map(({ memoryBytes }) => memoryBytes ?? 0)
  const memoryBytes = Math.max(0, ...reported)
  return memoryBytes === 0 ? null : Math.floor(memoryBytes * share)
}

/** Nodes that the drivers of NVIDIA, AMD and of Windows' subsystem for Linux make. */
const nodes = ['/dev/nvidiactl', '/dev/kfd', '/dev/dxg'] as const

/**
 * Whether the system shows a GPU at all; where only trying can tell, the answer is yes. Trying takes half a second of every start of an
 * engine, so a server without a GPU is not asked.
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
