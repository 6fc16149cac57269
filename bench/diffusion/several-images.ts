/**
 * Are four images of one request drawn faster in one batch than one after the other?
 *
 * Run: `node bench/diffusion/several-images.ts [threads]`. The rival is the same engine with four requests of one image each, in
 * alternating rounds; the pictures are the same.
 */
import { loadavg } from 'node:os'
import { openBuiltIn } from '../../scripts/images/draw.ts'
import { describeMachine, median } from '../measure.ts'

const rounds = 7
const steps = 8
const seeds = [1, 2, 3, 4]
const threads = Number(process.argv[2] ?? 1)

interface Instant {
  readonly wall: number
  readonly processor: number
}

async function measure(work: () => Promise<unknown>): Promise<Instant> {
  const [wall, { user, system }] = [performance.now(), process.cpuUsage()]
  await work()
  const after = process.cpuUsage()
  return { wall: performance.now() - wall, processor: (after.user + after.system - user - system) / 1000 }
}

await using engine = await openBuiltIn(threads)
const together = () => engine.draw({ steps, seeds })
const oneByOne = async (): Promise<void> => {
  for (const seed of seeds) await engine.draw({ steps, seeds: [seed] })
}
await oneByOne()
await together()
const pairs: { readonly together: Instant; readonly oneByOne: Instant }[] = []
for (let round = 0; round < rounds; round++) pairs.push({ together: await measure(together), oneByOne: await measure(oneByOne) })

const spread = (values: readonly number[]): string =>
  [Math.min(...values), median(values), Math.max(...values)].map((value) => value.toFixed(0)).join(' / ')
const ratio = (key: keyof Instant): string => median(pairs.map((pair) => pair.together[key] / pair.oneByOne[key])).toFixed(3)
console.log(`${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}, ${threads} engine thread(s)`)
console.log(`milliseconds for ${seeds.length} images of ${steps} guided steps at 256 × 256, ${rounds} rounds (min / median / max)`)
console.log(
  `  in one request    wall ${spread(pairs.map((pair) => pair.together.wall))}; processor ${spread(pairs.map((pair) => pair.together.processor))}`,
)
console.log(
  `  in four requests  wall ${spread(pairs.map((pair) => pair.oneByOne.wall))}; processor ${spread(pairs.map((pair) => pair.oneByOne.processor))}`,
)
console.log(`  one request over four, median of the rounds: wall ${ratio('wall')}, processor ${ratio('processor')}`)
