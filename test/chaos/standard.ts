/**
 * `npm run chaos -- --cluster [<requests> [<rounds>]]`: three nodes on one database and one bucket, under every fault there is.
 * `npm run chaos -- --rolling <checkout of the last release>`: three nodes go from that to this version and back under load.
 * `npm run chaos [-- <requests> <minutes at most>]`: the long run, 10 000 requests under kills and pauses without end; exits 1 unless nothing was lost or done twice.
 */
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { runRollingVersions } from './cluster/rolling-versions.ts'
import { runStandardCluster } from './cluster/standard-cluster.ts'
import { drainDuringStream } from './drain-streams.ts'
import { printReport, runChaos } from './run-chaos.ts'

const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const requests = Number(given[0] ?? 10_000)
if (process.argv.includes('--cluster')) await runStandardCluster(requests, Number(given[1] ?? 6))
else if (process.argv.includes('--rolling')) await runRollingVersions(given[0] ?? '')
else await runOneMachine(requests, Number(given[1] ?? 120))

async function runOneMachine(requests: number, minutes: number): Promise<void> {
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
}
