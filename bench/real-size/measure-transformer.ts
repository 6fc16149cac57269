import { readFile, writeFile } from 'node:fs/promises'
import { loadCheckpointPipeline } from '../../src/runtimes/diffusion/checkpoint/load-checkpoint-pipeline.ts'
import { drawLatents } from '../../src/runtimes/diffusion/draw-image.ts'
import { decodeLatents } from '../../src/runtimes/diffusion/vae/latent-colours.ts'

/** What one picture of one step takes: seconds, and the most memory of each part in MB. */
export interface TransformerMeasure {
  readonly load: number
  readonly text: number
  readonly step: number
  readonly vae: number
  readonly peaks: Readonly<Record<'load' | 'text' | 'step' | 'vae', number>>
}

/** Loads a model whose parts lie in files of their own and draws one step of one picture. */
const [settings = '{}'] = process.argv.slice(2)
const { weights, files, threads, inTurn, side } = JSON.parse(settings)
const { signal } = new AbortController()
const peaks: Record<string, number> = {}

async function timed<Result>(part: string, run: () => Promise<Result>): Promise<{ readonly seconds: number; readonly result: Result }> {
  // Linux starts to count the peak again.
  await writeFile('/proc/self/clear_refs', '5')
  const startedAt = performance.now()
  const result = await run()
  const seconds = (performance.now() - startedAt) / 1000
  peaks[part] = Math.round(Number(/VmHWM:\s+(\d+)/u.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024)
  return { seconds, result }
}

const loaded = await timed('load', () =>
  loadCheckpointPipeline({ weights, prediction: null, files }, { threads, refiner: null, inTurn, signal }),
)
await using pipeline = loaded.result
const pair = { first: [{ text: 'a glossy red apple', weight: 1 }], second: [{ text: 'a glossy red apple', weight: 1 }] }
const texts = await timed('text', () => pipeline.base.encode({ positive: pair, negative: null, clipSkip: 0, truncate: true }, { signal }))
const drawing = {
  sampler: 'K_EULER',
  scheduler: pipeline.scheduler,
  steps: 1,
  seed: 1,
  width: side,
  height: side,
  guidanceScale: 0,
  guidanceRescale: 0,
  prompts: texts.result,
  start: null,
  refining: null,
} as const
const drawn = await timed('step', () => drawLatents(pipeline, drawing, { signal, onStep: async () => undefined }))
// Random weights may lose their numbers in the decoder; the work and the memory are the same.
const decoded = await timed('vae', () => decodeLatents(pipeline, drawn.result.latents, drawn.result.size).catch(() => null))
const measured = { load: loaded.seconds, text: texts.seconds, step: drawn.seconds, vae: decoded.seconds, peaks }
process.stdout.write(`${JSON.stringify(measured)}\n`)
