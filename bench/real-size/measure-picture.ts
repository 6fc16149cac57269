import { readFile } from 'node:fs/promises'
import { loadCheckpointPipeline } from '../../src/runtimes/diffusion/checkpoint/load-checkpoint-pipeline.ts'
import { drawImage } from '../../src/runtimes/diffusion/draw-image.ts'
import { encodePrompts } from '../../src/runtimes/diffusion/prompts/encode-prompts.ts'

/** Draws a whole picture of 1024 × 1024 in two guided steps and says how long that took and what memory it held at the peak. */
const [path = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const startedAt = performance.now()
await using pipeline = await loadCheckpointPipeline({ weights: path, prediction: null }, { threads: 2, refiner: null, signal })
const load = (performance.now() - startedAt) / 1000
const text = [{ text: 'a tiger', weight: 1 }]
const pair = { first: text, second: text }
const prompts = await encodePrompts(pipeline.base.text, { positive: pair, negative: pair, clipSkip: 0, truncate: true }, { signal })
const settings = {
  sampler: 'K_EULER',
  scheduler: pipeline.scheduler,
  steps: 2,
  seed: 1,
  width: 1024,
  height: 1024,
  guidanceScale: 5,
  guidanceRescale: 0,
} as const
await drawImage(pipeline, { ...settings, prompts, start: null, refining: null }, { signal, onStep: async () => undefined }).catch(
  (error: unknown) => {
    // Random weights may lose their numbers; the work and the memory are the same.
    process.stderr.write(`${String(error)}\n`)
  },
)
const peak = Math.round(Number(/VmHWM:\s+(\d+)/u.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024)
process.stdout.write(`${JSON.stringify({ load, seconds: (performance.now() - startedAt) / 1000, peak })}\n`)
