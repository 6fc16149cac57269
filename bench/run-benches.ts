/**
 * Runs benches, one after the other, and prints what they print. Put what is worth keeping into bench/results; `npm run docs` makes docs/performance.md of it.
 *
 * Run: `npm run bench`, or `npm run bench -- <name> …` for some of them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './measure.ts'

const benches = [
  'text/throughput',
  'text/greedy-identity',
  'text/prefix-cache',
  'text/long-conversation',
  'text/speculation',
  'text/json-answers',
  'diffusion/seconds-per-step',
  'queue/durable-submits',
  'queue/polls',
  'postgres/submits-and-claims',
  'cluster/submits-over-http',
  'queue/over-http',
  'streams/open-streams',
  'upstream/added-latency',
  'workers/scaling',
  'security/hostile-neighbour',
  'real-size/language-model-at-size',
  'real-size/checkpoint-at-size',
  'real-size/image-model-at-size',
  'console/first-load-and-interactions',
  'console/long-conversations',
  'start/first-answer',
] as const

const wanted = process.argv.slice(2)
console.log(`${describeMachine()}, ${new Date().toISOString().slice(0, 10)}`)
for (const name of benches) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n${name}`)
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const [exitCode] = await once(spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], { stdio: 'inherit' }), 'exit')
  if (exitCode !== 0) {
    console.log(`${name} ended with exit code ${exitCode}`)
    process.exitCode = 1
  }
}
