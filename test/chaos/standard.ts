/** `npm run chaos [-- <requests>]`: the long run, 10 000 requests under kills and pauses without end; exits 1 unless nothing was lost or done twice. */
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { printReport, runChaos } from './run-chaos.ts'

const requests = Number(process.argv[2] ?? 10_000)
await using folder = await createTemporaryFolder()
const root = new URL('../..', import.meta.url).pathname
const report = await runChaos({ root, dataFolder: `${folder.path}/data`, leaseMs: 1000, requests, clients: 32, faultEvery: 28 })
console.log(printReport(report))
const { lost, duplicated, damaged, unexplained, zombies } = report.verdict
if (lost.length + duplicated.length + damaged.length + unexplained.length > 0 || zombies === 0) process.exitCode = 1
