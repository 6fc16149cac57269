import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type FoundDevice, type GpuSetting, imageBackend, textBackend } from '../../core/compute-device.ts'

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
