import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type GpuSetting, gpuSettings } from '../../../src/core/compute-device.ts'
import { chooseProvider } from '../../../src/runtimes/diffusion/onnx/choose-provider.ts'
import { openReferencePipeline, pipelineKey } from './open-pipeline.ts'
import { parseReferenceFile, type ReferenceCase } from './reference-case.ts'
import { type Deviation, isWithinLimits, replayCase } from './replay-case.ts'

const usage = `Usage: npm run parity -- <cases.json> [--models <folder>] [--gpu <setting>]

Replays reference cases of diffusers and prints the worst error per sampler or family.
--models  folder that holds the model the file names, or that model's folder (default test/fixtures/golden)
--gpu     what to compute on, as the setting gpu (default off)
`
const goldenFolder = fileURLToPath(new URL('../../fixtures/golden', import.meta.url))

/** The maximum deviation; NaN counts as the maximum. */
export function worst(deviations: readonly Deviation[]): Deviation {
  return {
    latents: Math.max(...deviations.map(({ latents }) => (Number.isNaN(latents) ? Number.POSITIVE_INFINITY : latents))),
    pixels: Math.max(...deviations.map(({ pixels }) => (Number.isNaN(pixels) ? Number.POSITIVE_INFINITY : pixels))),
  }
}

/**
 * Replays a file of reference cases.
 *
 * @returns The exit status: 0 if every case is within the limits, 1 otherwise, 2 for wrong arguments.
 */
export async function runParity(
  argv: readonly string[],
  { print, progress }: { readonly print: (line: string) => void; readonly progress: (text: string) => void },
): Promise<number> {
  const parsed = readArguments(argv)
  if (parsed === null) {
    print(usage)
    return 2
  }
  const file = parseReferenceFile(JSON.parse(await readFile(parsed.file, 'utf8')))
  const { signal } = new AbortController()
  const provider = await chooseProvider({ gpu: parsed.gpu, gpuDevice: null })
  const options = { threads: Math.max(1, availableParallelism() - 1), provider, signal }
  const groups = new Map<string, Deviation[]>()
  const failures = file.unreadable.map(({ name, reason }) => `${name}: cannot be read: ${reason}`)
  let done = 0
  for (const cases of Map.groupBy(file.cases, pipelineKey).values()) {
    const [first] = cases
    if (first === undefined) continue
    const folder = basename(parsed.models) === first.model ? dirname(parsed.models) : parsed.models
    const opened = await openReferencePipeline(folder, first, options).catch(messageOf)
    if (typeof opened === 'string') {
      failures.push(...cases.map(({ name }) => `${name}: cannot be replayed: ${opened}`))
      continue
    }
    await using pipeline = opened
    for (const reference of cases) {
      progress(`${++done}/${file.cases.length} ${reference.name}`)
      try {
        const deviation = await replayCase(pipeline, reference, { signal })
        const group = groupOf(reference)
        groups.set(group, [...(groups.get(group) ?? []), deviation])
        if (!isWithinLimits(deviation))
          failures.push(`${reference.name}: over the limits: latents ${deviation.latents.toExponential(2)}, pixels ${deviation.pixels}/255`)
      } catch (error) {
        failures.push(`${reference.name}: cannot be replayed: ${messageOf(error)}`)
      }
    }
  }
  progress('')
  print(`${'cases of'.padEnd(34)} cases  worst latent error / range  worst pixel error`)
  for (const [group, deviations] of groups) {
    const { latents, pixels } = worst(deviations)
    print(
      `${group.padEnd(34)} ${String(deviations.length).padStart(5)}  ${latents.toExponential(2).padStart(26)}  ${`${pixels}/255`.padStart(17)}`,
    )
  }
  for (const failure of failures) print(failure)
  const count = file.cases.length + file.unreadable.length
  print(`${count - failures.length} of ${count} cases within 1e-3 of the latents' range and 1/255 per pixel`)
  return failures.length === 0 && count > 0 ? 0 : 1
}

/** Group of a case: its sampler, or, for a file with several families, its family and the kind of asset. */
function groupOf({ family, sampler, loras, textualInversions, controlnet, vae, refiner, schedulerOptions }: ReferenceCase): string {
  if (family === null) return sampler
  const kinds = [
    loras.length > 0 && 'LoRA',
    textualInversions.length > 0 && 'textual inversion',
    controlnet !== null && 'ControlNet',
    vae !== null && 'separate VAE',
    refiner !== null && 'with refiner',
    schedulerOptions.prediction_type === 'v_prediction' && 'v-prediction',
  ].filter((kind) => kind !== false)
  return [family, ...kinds].join(', ')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function readArguments(argv: readonly string[]): { readonly file: string; readonly models: string; readonly gpu: GpuSetting } | null {
  try {
    const options = { models: { type: 'string' }, gpu: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const gpu = gpuSettings.find((word) => word === (values.gpu ?? 'off'))
    const [file, ...rest] = positionals
    return file === undefined || rest.length > 0 || gpu === undefined ? null : { file, models: values.models ?? goldenFolder, gpu }
  } catch {
    return null
  }
}

if (import.meta.main) {
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  const progress = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
    else if (text !== '') process.stderr.write(`${text}\n`)
  }
  try {
    process.exitCode = await runParity(process.argv.slice(2), { print, progress })
  } catch (error) {
    print(`The cases cannot be replayed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
