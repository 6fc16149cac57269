/** `npm run chaos [-- <requests> <minutes at most>]`: the long run, 10 000 requests under kills and pauses without end; exits 1 unless nothing was lost or done twice. */
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { drainDuringStream } from './drain-streams.ts'
import { printReport, runChaos } from './run-chaos.ts'

const requests = Number(process.argv[2] ?? 10_000)
const minutes = Number(process.argv[3] ?? 120)
await using folder = await createTemporaryFolder()
const root = new URL('../..', import.meta.url).pathname
const report = await runChaos({ root, dataFolder: `${folder.path}/data`, leaseMs: 1000, requests, minutes, clients: 32, faultEvery: 26 })
console.log(printReport(report))
const drains = await drainDuringStream({ root, dataFolder: `${folder.path}/drained`, leaseMs: 1000 }, 17)
const drained = drains.filter(
  ({ streamFinished, exitCode, deferredOutcome }) => streamFinished && exitCode === 0 && deferredOutcome === 'succeeded',
)
console.log(`drained ${drained.length} of ${drains.length} SIGTERMs during streams`)
const { lost, duplicated, damaged, unexplained, zombies } = report.verdict
if (lost.length + duplicated.length + damaged.length + unexplained.length > 0 || zombies === 0 || drained.length < drains.length)
  process.exitCode = 1
