/**
 * How long does a denoising step take, and what share of a 30-step picture is everything else?
 *
 * Run: `node bench/diffusion/seconds-per-step.ts [threads] [side]`. Rivals in the same run: a bare onnxruntime-node loop on the
 * same file, and Python's onnxruntime where it is installed. Short rounds alternate, and processor time is printed beside
 * wall time: with one engine thread it hardly depends on what else the machine does.
 */
import { execFile } from 'node:child_process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openBuiltIn } from '../../scripts/images/draw.ts'
import { describeMachine, median } from '../measure.ts'
import { openBareUnet } from './bare-unet.ts'

const roundSteps = 10
const pictureSteps = 30
const pictures = 3
const threads = Number(process.argv[2] ?? 1)
/** Width and height in pixels. */
const side = Number(process.argv[3] ?? 256)
const rounds = side > 256 ? 2 : 12
const modelFolder = fileURLToPath(new URL('../../models/sepia-mini-image', import.meta.url))

/** Milliseconds by the wall and by the processor. */
interface Instant {
  readonly wall: number
  readonly processor: number
}

function now(): Instant {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), processor: (user + system) / 1000 }
}

function since(start: Instant, end = now()): Instant {
  return { wall: end.wall - start.wall, processor: end.processor - start.processor }
}

/** Minimum, median and maximum. */
function spread(values: readonly number[]): string {
  return [Math.min(...values), median(values), Math.max(...values)].map((value) => value.toFixed(1)).join(' / ')
}

function describe(name: string, times: readonly Instant[]): string {
  const wall = spread(times.map((time) => time.wall))
  return `  ${name.padEnd(38)} wall ${wall}; processor ${spread(times.map(({ processor }) => processor))}`
}

async function pythonSteps(): Promise<Readonly<Record<'batched' | 'split', readonly number[]>> | null> {
  const script = fileURLToPath(new URL('python-unet.py', import.meta.url))
  try {
    const { stdout } = await promisify(execFile)('python3', [script, modelFolder, String(threads), String(pictureSteps)])
    return JSON.parse(stdout)
  } catch {
    return null
  }
}

await using engine = await openBuiltIn(threads, side)
await using bare = await openBareUnet(modelFolder, { threads, side })

/** Times of one picture: of a step (the median), of all, of what comes before the first step (which is taken for a median one) and of what comes after the last. */
interface Drawn {
  readonly step: Instant
  readonly total: Instant
  readonly before: Instant
  readonly after: Instant
}

/** One picture of ours: the time between two progress events is a step with everything that belongs to it. */
async function draw(steps: number, encoding: 'jpeg' | 'png' = 'jpeg'): Promise<Drawn> {
  const marks: Instant[] = []
  const start = now()
  await engine.draw({ steps, encoding }, () => marks.push(now()))
  const end = now()
  const times = marks.slice(1).map((mark, i) => since(marks[i] ?? mark, mark))
  const step = { wall: median(times.map(({ wall }) => wall)), processor: median(times.map(({ processor }) => processor)) }
  const first = since(start, marks[0])
  return {
    step,
    total: since(start, end),
    before: { wall: first.wall - step.wall, processor: first.processor - step.processor },
    after: since(marks.at(-1) ?? end, end),
  }
}

async function runBare(way: 'batched' | 'split'): Promise<Instant> {
  const start = now()
  for (let step = 0; step < roundSteps; step++) await bare.step(way)
  const { wall, processor } = since(start)
  return { wall: wall / roundSteps, processor: processor / roundSteps }
}

await draw(roundSteps)
await runBare('batched')
await runBare('split')
const ours: Instant[] = []
const rival = { batched: [] as Instant[], split: [] as Instant[] }
for (let round = 0; round < rounds; round++) {
  ours.push((await draw(roundSteps)).step)
  rival.batched.push(await runBare('batched'))
  rival.split.push(await runBare('split'))
}
const share = async (encoding: 'jpeg' | 'png'): Promise<string> => {
  const drawn: Drawn[] = []
  for (let picture = 0; picture < pictures; picture++) drawn.push(await draw(pictureSteps, encoding))
  const of = (part: (times: Drawn) => number) => spread(drawn.map((times) => (100 * part(times)) / times.total.processor))
  const [all, before, after] = [
    of((times) => times.before.processor + times.after.processor),
    of((times) => times.before.processor),
    of((times) => times.after.processor),
  ]
  return `${encoding} ${all} % (texts ${before}, VAE and encoding ${after})`
}
const shares = [await share('jpeg'), await share('png')]
const ratio = (measure: keyof Instant): string => {
  const best = (i: number): number => Math.min(rival.batched[i]?.[measure] ?? Number.NaN, rival.split[i]?.[measure] ?? Number.NaN)
  return median(ours.map((time, i) => time[measure] / best(i))).toFixed(3)
}

console.log(`${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}, ${threads} engine thread(s)`)
console.log(`milliseconds per guided step at ${side} × ${side}, ${rounds} rounds of ${roundSteps} (min / median / max)`)
console.log(describe('Sepia, with scheduler and guidance', ours))
console.log(describe('bare onnxruntime-node, batch of two', rival.batched))
console.log(describe('bare onnxruntime-node, two runs', rival.split))
console.log(`  Sepia over the faster bare loop, median of the rounds: wall ${ratio('wall')}, processor ${ratio('processor')}`)
console.log(`everything but the steps, share of the processor time of a ${pictureSteps}-step picture, min / median / max:`)
for (const line of shares) console.log(`  ${line}`)
const python = side === 256 ? await pythonSteps() : null
if (python === null) console.log('Python onnxruntime is not installed here, or draws at 256 × 256 only: not compared.')
else {
  const fastest = Math.min(median(python.batched), median(python.split))
  console.log(`  Python onnxruntime: batch of two ${spread(python.batched)}, two runs ${spread(python.split)}`)
  console.log(`  Sepia over the faster Python loop: ${(median(ours.map(({ wall }) => wall)) / fastest).toFixed(3)}`)
}
