/**
 * How many tokens a second reach 500 clients that stream at once, and how long after they were made?
 *
 * A fake model makes a token with its time every 30 ms per stream. `service` is the whole interface with the model in its process; `engine` is the same
 * with the model in a separate process, as for real models. The rival is a bare node:http server that writes the same events. Clients, server and engine
 * share the machine.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describeMachine, type Spread, summarize } from '../measure.ts'
import { readSharedClock } from './stamped-model.ts'

const streams = 500
const tokensPerStream = 200
const tokenDelayMs = 30
const rounds = 3

interface Outcome {
  readonly perSecond: number
  /** Processor time the server spent on each token, in microseconds; unlike the rest it does not depend on what else runs. */
  readonly cost: number
  readonly added: Spread
}

async function measure(variant: 'bare' | 'service' | 'engine'): Promise<Outcome> {
  const entry = fileURLToPath(new URL('./stream-server.ts', import.meta.url))
  const server = fork(entry, [variant, String(tokenDelayMs), String(streams)])
  try {
    const [{ url, token }] = await once(server, 'message')
    await readStream(url, token, 5, () => {})
    const delays = new Float64Array(streams * tokensPerStream)
    let count = 0
    const busyBefore = await readBusy(server)
    const startedAt = readSharedClock()
    const note = (delay: number) => {
      delays[count++] = delay
    }
    await Promise.all(Array.from({ length: streams }, () => readStream(url, token, tokensPerStream, note)))
    const seconds = (readSharedClock() - startedAt) / 1000
    if (count !== delays.length) throw new Error(`${count} of ${delays.length} tokens arrived.`)
    return { perSecond: count / seconds, cost: ((await readBusy(server)) - busyBefore) / count, added: summarize(delays) }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Processor time a server has spent, in microseconds. */
async function readBusy(server: ChildProcess): Promise<number> {
  server.send('busy')
  const [busy] = await once(server, 'message')
  return busy
}

/** Reads one stream to its end and returns the delay of each token. */
async function readStream(url: string, token: string, tokens: number, note: (delayMs: number) => void): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false })
  sent.end(JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'go' }], max_tokens: tokens, stream: true }))
  const [response] = await once(sent, 'response')
  if (response.statusCode !== 200) throw new Error(`The server answered ${response.statusCode}.`)
  response.setEncoding('latin1')
  let rest = ''
  for await (const piece of response) {
    const events = `${rest}${piece}`.split('\n\n')
    rest = events.pop() ?? ''
    const now = readSharedClock()
    for (const event of events) {
      const stamp = /"content":"([\d.]+) "/.exec(event)?.[1]
      if (stamp !== undefined) note(now - Number(stamp))
    }
  }
}

function describe({ perSecond, cost, added }: Outcome): string {
  return `${Math.round(perSecond)} tokens/s, ${cost.toFixed(1)} µs each, added p50 ${added.p50.toFixed(2)} ms, p99 ${added.p99.toFixed(2)} ms, max ${added.max.toFixed(2)} ms`
}

console.log(describeMachine())
console.log(
  `${streams} streams, ${tokensPerStream} tokens each, one every ${tokenDelayMs} ms: at most ${Math.round((streams * 1000) / tokenDelayMs)} tokens/s`,
)
for (let round = 1; round <= rounds; round++) {
  const bare = await measure('bare')
  const service = await measure('service')
  const engine = await measure('engine')
  console.log(`round ${round}: bare node:http ${describe(bare)}`)
  console.log(`round ${round}: service        ${describe(service)}`)
  console.log(`round ${round}: with engine    ${describe(engine)}`)
  const ratio = (value: number) => (value / bare.perSecond).toFixed(2)
  console.log(`round ${round}: ratios         service ${ratio(service.perSecond)}, with engine ${ratio(engine.perSecond)}`)
}
