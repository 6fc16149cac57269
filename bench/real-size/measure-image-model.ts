import { readFile, writeFile } from 'node:fs/promises'
import { loadCheckpointPipeline } from '../../src/runtimes/diffusion/checkpoint/load-checkpoint-pipeline.ts'
import { drawLatents } from '../../src/runtimes/diffusion/draw-image.ts'
import { decodeLatents } from '../../src/runtimes/diffusion/vae/latent-colours.ts'

/** The cost of a part for one picture: seconds, seconds of processor time, and the peak memory in MB. */
export interface PartMeasure {
  readonly seconds: number
  readonly processor: number
  readonly peak: number
}

export type ImageModelMeasure = Readonly<Record<'load' | 'text' | 'step' | 'vae', PartMeasure>>

/** Loads a model and draws one picture without guidance. */
const [settings = '{}'] = process.argv.slice(2)
const { weights, files, threads, inTurn, side, steps } = JSON.parse(settings)
const { signal } = new AbortController()

async function timed<Result>(run: () => Promise<Result>): Promise<PartMeasure & { readonly result: Result }> {
  // Linux starts to count the peak again.
  await writeFile('/proc/self/clear_refs', '5')
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  const result = await run()
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - startedAt) / 1000
  const peak = Math.round(Number(/VmHWM:\s+(\d+)/u.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024)
  return { seconds, processor: (user + system) / 1e6, peak, result }
}

const loaded = await timed(() => loadCheckpointPipeline({ weights, prediction: null, files }, { threads, refiner: null, inTurn, signal }))
await using pipeline = loaded.result
const pair = { first: [{ text: 'a glossy red apple', weight: 1 }], second: [{ text: 'a glossy red apple', weight: 1 }] }
const texts = await timed(() => pipeline.base.encode({ positive: pair, negative: null, clipSkip: 0, truncate: true }, { signal }))
const drawing = {
  sampler: 'K_EULER',
  scheduler: pipeline.scheduler,
  steps,
  seed: 1,
  width: side,
  height: side,
  guidanceScale: 0,
  guidanceRescale: 0,
  prompts: texts.result,
  start: null,
  refining: null,
} as const
const drawn = await timed(() => drawLatents(pipeline, drawing, { signal, onStep: async () => undefined }))
// Random weights may lose their numbers in the decoder; the work and the memory are the same.
const decoded = await timed(() => decodeLatents(pipeline, drawn.result.latents, drawn.result.size).catch(() => null))
const measure = ({ seconds, processor, peak }: PartMeasure): PartMeasure => ({ seconds, processor, peak })
const measured: ImageModelMeasure = { load: measure(loaded), text: measure(texts), step: measure(drawn), vae: measure(decoded) }
process.stdout.write(`${JSON.stringify(measured)}\n`)
