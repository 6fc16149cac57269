/**
 * How long does a denoising step take, and what share of a 30-step picture is everything else?
 *
 * Run: `node bench/diffusion/seconds-per-step.ts [threads]`. Rivals in the same run: a bare onnxruntime-node loop on the
 * same file, and Python's onnxruntime where it is installed.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openBuiltIn } from '../../scripts/images/draw.ts'
import { describeMachine } from '../measure.ts'
import { openBareUnet } from './bare-unet.ts'

const rounds = 7
const steps = 30
const threads = Number(process.argv[2] ?? 1)
const modelFolder = fileURLToPath(new URL('../../models/sepia-mini-image', import.meta.url))

/** Minimum, median and maximum. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  return `${sorted[0]?.toFixed(1)} / ${median(values).toFixed(1)} / ${sorted.at(-1)?.toFixed(1)}`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function pythonSteps(): Promise<Readonly<Record<'batched' | 'split', readonly number[]>> | null> {
  const script = fileURLToPath(new URL('python-unet.py', import.meta.url))
  try {
    const { stdout } = await promisify(execFile)('python3', [script, modelFolder, String(threads), String(steps)])
    return JSON.parse(stdout)
  } catch {
    return null
  }
}

await using engine = await openBuiltIn(threads)
await using bare = await openBareUnet(modelFolder, threads)
const ours: number[] = []
const rival = { batched: [] as number[], split: [] as number[] }
const shares: number[] = []

/** One picture of ours: the time between two progress events is a step with everything that belongs to it. */
async function drawOnce(): Promise<{ readonly stepTimes: readonly number[]; readonly total: number }> {
  const marks: number[] = []
  const startedAt = performance.now()
  await engine.draw({ steps, encoding: 'jpeg' }, () => marks.push(performance.now()))
  return { stepTimes: marks.slice(1).map((mark, i) => mark - (marks[i] ?? 0)), total: performance.now() - startedAt }
}

await drawOnce()
await bare.step('batched')
await bare.step('split')
for (let round = 0; round < rounds; round++) {
  const { stepTimes, total } = await drawOnce()
  ours.push(median(stepTimes))
  shares.push(100 * (1 - (median(stepTimes) * steps) / total))
  for (const way of ['batched', 'split'] as const) {
    const times: number[] = []
    for (let step = 0; step < steps; step++) times.push(await bare.step(way))
    rival[way].push(median(times))
  }
}
const best = rival.batched.map((batched, i) => Math.min(batched, rival.split[i] ?? batched))
const ratios = ours.map((value, i) => value / (best[i] ?? Number.NaN))

console.log(`${describeMachine()}, ${threads} engine thread(s), ${rounds} rounds of ${steps} guided steps, 256 × 256`)
console.log('milliseconds per step (medians of the rounds: min / median / max)')
console.log(`  Sepia, with scheduler and guidance     ${spread(ours)}`)
console.log(`  bare onnxruntime-node, batch of two    ${spread(rival.batched)}`)
console.log(`  bare onnxruntime-node, two runs        ${spread(rival.split)}`)
console.log(
  `  Sepia / the faster bare loop           ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}; median ${median(ratios).toFixed(3)}`,
)
console.log(`everything but the steps, share of the picture: median ${median(shares).toFixed(1)} % (min / median / max ${spread(shares)})`)
const python = await pythonSteps()
if (python === null) console.log('Python onnxruntime is not installed here: not compared.')
else {
  const fastest = Math.min(median(python.batched), median(python.split))
  console.log(`  Python onnxruntime, batch of two       ${spread(python.batched)}`)
  console.log(`  Python onnxruntime, two runs           ${spread(python.split)}`)
  console.log(`  Sepia / the faster Python loop         ${(median(ours) / fastest).toFixed(3)}`)
}
