/**
 * How long from starting the service to the first chat answer and the first picture, and how much memory does the idle API process hold?
 *
 * The rival is the same service without the compiled code that the install keeps, on the same machine in turns.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeMachine } from '../measure.ts'

const rounds = 5
/** The service has released what only its start needed by then. */
const releasedMs = 4000
const root = fileURLToPath(new URL('../../', import.meta.url))
type Command = readonly [string, ...string[]]
const asInstalled: Command = [join(root, 'sepia')]
const withoutKeptCode: Command = [process.execPath, '--expose-gc', '--min-semi-space-size=8', join(root, 'src/bin.ts')]

interface Start {
  readonly readyMs: number
  readonly chatMs: number
  readonly imageMs: number
  /** MB of the API process: before any request, and after both answers. */
  readonly idleMemory: number
  readonly memoryAfter: number
}

async function start([command, ...words]: Command): Promise<Start> {
  const data = await mkdtemp(join(tmpdir(), 'sepia-bench-'))
  let startedAt = performance.now()
  const service = spawn(command, [...words, 'serve', '--port', '0', '--data', data, '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let token = ''
    let url = ''
    for await (const line of createInterface({ input: service.stdout })) {
      token = /TOKEN=(\S+)/.exec(line)?.[1] ?? token
      url = /^ready (\S+)/.exec(line)?.[1] ?? ''
      if (url !== '') break
    }
    const readyMs = performance.now() - startedAt
    await pause(releasedMs)
    startedAt += releasedMs
    const idleMemory = await residentMegabytes(service.pid)
    const post = async (path: string, body: object): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
      return performance.now() - startedAt
    }
    const messages = [{ role: 'user', content: 'What is the capital of France?' }]
    const chatMs = await post('/v1/chat/completions', { model: 'smollm2-135m-instruct', messages, temperature: 0 })
    const imageMs = await post('/generate/sdxl', { prompt: 'pizza, flat style', steps: 4 })
    return { readyMs, chatMs, imageMs, idleMemory, memoryAfter: await residentMegabytes(service.pid) }
  } finally {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'exit')
    await rm(data, { recursive: true, force: true })
  }
}

async function residentMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 0.001024
}

function spread(values: readonly number[], unit: string): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => Math.round(sorted[index] ?? Number.NaN)
  return `${at(0)} / ${at(Math.floor(sorted.length / 2))} / ${at(sorted.length - 1)} ${unit}`
}

console.log(describeMachine())
console.log('min / median / max of', rounds, 'starts each, in turns; times from the start of the process')
const kept: Start[] = []
const plain: Start[] = []
for (let round = 0; round < rounds; round++) {
  kept.push(await start(asInstalled))
  plain.push(await start(withoutKeptCode))
}
for (const [name, starts] of [
  ['as installed', kept],
  ['without kept code', plain],
] as const) {
  console.log(
    `${name.padEnd(18)} ready        ${spread(
      starts.map(({ readyMs }) => readyMs),
      'ms',
    )}`,
  )
  console.log(
    `${name.padEnd(18)} first chat   ${spread(
      starts.map(({ chatMs }) => chatMs),
      'ms',
    )}   bar 3000 ms`,
  )
  console.log(
    `${name.padEnd(18)} first image  ${spread(
      starts.map(({ imageMs }) => imageMs),
      'ms',
    )}   after the chat, 4 steps`,
  )
  console.log(
    `${name.padEnd(18)} idle memory  ${spread(
      starts.map(({ idleMemory }) => idleMemory),
      'MB',
    )}   bar 150 MB`,
  )
  console.log(
    `${name.padEnd(18)} memory after ${spread(
      starts.map(({ memoryAfter }) => memoryAfter),
      'MB',
    )}`,
  )
}
