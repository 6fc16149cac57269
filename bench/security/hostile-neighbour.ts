/**
 * How much does an attacking account slow another one down?
 *
 * One account sends 1 000 honest chats, eight at a time, to a fake model in an engine process that takes 50 ms for each. Another account sends 200 hostile
 * requests of one class, 20 at once after every 100 honest answers. Each class runs without the attacker and with it. Printed are the ratios of the honest
 * p50 and p99 (bar: 2), and whether every honest chat was answered. The longest hold of the event loop is compared with that of a bare node:http server
 * that reads the same bodies and does nothing with them (bar: 50 ms more). Server, engine, attacker and honest clients are processes of one machine, so
 * the wall clock includes waiting for a processor. The processor time of the longest turn does not; the ratios of the bare server show the effect of the
 * attacker on the machine itself. `node bench/security/hostile-neighbour.ts <part of a name> …` runs some of the classes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describeMachine, measureRate, type Spread } from '../measure.ts'
import type { BenchTarget, HeldReport } from './bench-target.ts'

const honestRequests = 1000
const honestLanes = 8
const hostileRequests = 200
const bursts = 10

interface Run {
  readonly latency: Spread
  readonly answered: number
  readonly heldMs: number
  readonly busyMs: number
  readonly peakBytes: number
  /** How the hostile requests ended, and how many each way. */
  readonly ends: string
}

const enemy = start('enemy.ts')
enemy.setMaxListeners(50)
let orders = 0
const [names] = await once(enemy, 'message')
const wanted = process.argv.slice(2)
console.log(describeMachine())
const results: {
  readonly p50: number
  readonly p99: number
  readonly answered: number
  readonly extraMs: number
  readonly extraBusyMs: number
}[] = []
for (const name of names.filter((name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part)))) {
  const quietRival = await measure('bare', null)
  const rival = await measure('bare', name)
  const quiet = await measure('service', null)
  const beside = await measure('service', name)
  const p50 = beside.latency.p50 / quiet.latency.p50
  const p99 = beside.latency.p99 / quiet.latency.p99
  results.push({ p50, p99, answered: beside.answered, extraMs: beside.heldMs - rival.heldMs, extraBusyMs: beside.busyMs - rival.busyMs })
  console.log(`${name} (${beside.ends})`)
  console.log(`  alone  ${describe(quiet)}`)
  console.log(`  beside ${describe(beside)}`)
  console.log(`  bare node:http beside the same enemy ${describe(rival)}`)
  const bareRatio = (of: (run: Run) => number) => (of(rival) / of(quietRival)).toFixed(2)
  const bare = `bare node:http p50 ${bareRatio(({ latency }) => latency.p50)}, p99 ${bareRatio(({ latency }) => latency.p99)}`
  console.log(`  ratios p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}; ${bare}`)
}
const worst = (of: (result: (typeof results)[number]) => number) => Math.max(...results.map(of))
console.log(
  `worst of ${results.length} classes: ratio p50 ${worst(({ p50 }) => p50).toFixed(2)}, p99 ${worst(({ p99 }) => p99).toFixed(2)} (bar 2); ` +
    `held ${worst(({ extraMs }) => extraMs).toFixed(0)} ms more than bare node:http (bar 50), ${worst(({ extraBusyMs }) => extraBusyMs).toFixed(0)} ms of a processor; ` +
    `honest unanswered ${results.reduce((sum, { answered }) => sum + honestRequests - answered, 0)} of ${honestRequests * results.length}`,
)
enemy.disconnect()

/** One run of honest requests against a fresh server, beside the enemy or without it; over when both are. */
async function measure(variant: 'service' | 'bare', attack: string | null): Promise<Run> {
  const server = start('neighbour-server.ts', variant)
  const [target] = await once(server, 'message')
  const agent = new Agent({ keepAlive: true, maxSockets: honestLanes })
  // Loads the model and warms the code up.
  await measureRate(100, honestLanes, () => chat(target, agent))
  await ask(server, 'reset')
  const attacks: Promise<readonly string[]>[] = []
  let done = 0
  let answered = 0
  const { latency } = await measureRate(honestRequests, honestLanes, async () => {
    if (attack !== null && done++ % (honestRequests / bursts) === 0)
      attacks.push(order({ target, attack, count: hostileRequests / bursts }))
    if (await chat(target, agent)) answered += 1
  })
  const ends = (await Promise.all(attacks)).flat()
  agent.destroy()
  const counts = [...Map.groupBy(ends, (end) => end)].map(([end, all]) => `${all.length} × ${end}`)
  const report = await ask(server, 'report')
  server.disconnect()
  await once(server, 'exit')
  return { latency, answered, ...report, ends: counts.join(', ') }
}

/** Lets the enemy send a burst; resolves to how each request of it ended. */
async function order(wish: { readonly target: BenchTarget; readonly attack: string; readonly count: number }): Promise<readonly string[]> {
  const number = orders++
  enemy.send({ ...wish, number })
  for await (const [report] of on(enemy, 'message')) if (report.number === number) return report.ends
  throw new Error('The enemy has left.')
}

async function chat({ url, honest }: BenchTarget, agent: Agent): Promise<boolean> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${honest}` }
  try {
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent })
    sent.end('{"model":"fake-chat","messages":[{"role":"user","content":"hello"}]}')
    const [response] = await once(sent, 'response')
    await text(response)
    return response.statusCode === 200
  } catch {
    return false
  }
}

async function ask(server: ChildProcess, wish: 'reset' | 'report'): Promise<HeldReport> {
  server.send(wish)
  const [report] = await once(server, 'message')
  return report
}

function start(file: string, ...argv: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), argv)
}

function describe({ latency, answered, heldMs, busyMs, peakBytes }: Run): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const held = `held ${ms(heldMs)} (${ms(busyMs)} of a processor)`
  return `p50 ${ms(latency.p50)}, p99 ${ms(latency.p99)}, max ${ms(latency.max)}; ${answered} answered; ${held}; ${Math.round(peakBytes / 2 ** 20)} MiB`
}
