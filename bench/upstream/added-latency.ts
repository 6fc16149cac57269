/**
 * What does the service add to chat completions that an upstream answers, one at a time, and how many does it pass on a second with 32 connections? The rivals before the same
 * upstream are Portkey's gateway, the fastest of its kind on Node, and a bare node:http proxy, which passing on costs at least; rounds alternate. The upstream answers at once, so
 * that everything else is what the gateways take. What budgets cost besides: `bench/budgets/cost-per-request.ts`.
 *
 * Settings: PORTKEY_GATEWAY (path of `node_modules/@portkey-ai/gateway/build/start-server.js`, installed anywhere), ROUNDS.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import autocannon from 'autocannon'
import { describeMachine, median, summarize } from '../measure.ts'
import { type Gateway, startBareProxy, startOurs, startPortkey, startUpstream } from './gateways.ts'

const rounds = Number(process.env.ROUNDS ?? 5)
const [requests, connections, seconds] = [500, 32, 4]
const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'What is the capital of France?' }]
const bodies = {
  'whole answers': { model: 'fake', messages },
  streams: { model: 'fake', messages, stream: true, stream_options: { include_usage: true } },
}

await using stack = new AsyncDisposableStack()
const upstream = stack.use(await startUpstream())
const bare = stack.use(await startBareProxy(upstream))
const ours = stack.use(await startOurs(upstream))
const portkey = await startPortkey(upstream)
if (portkey !== null) stack.use(portkey)
const gateways = [upstream, bare, ours, ...(portkey === null ? [] : [portkey])]

/** Milliseconds of one request after the other. */
async function measureLatencies(gateway: Gateway, body: string): Promise<Float64Array> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = new Float64Array(requests)
  for (const index of times.keys()) {
    const startedAt = performance.now()
    const sent = request(gateway.url + path, { agent, method: 'POST', headers: { ...gateway.headers, 'content-type': 'application/json' } })
    sent.end(body)
    const [response] = await once(sent, 'response')
    if (response.statusCode !== 200) throw new Error(`${gateway.name} answered ${response.statusCode}.`)
    for await (const _ of response);
    times[index] = performance.now() - startedAt
  }
  agent.destroy()
  return times
}

async function canAnswer(gateway: Gateway, body: string): Promise<boolean> {
  const headers = { ...gateway.headers, 'content-type': 'application/json' }
  const { status } = await fetch(gateway.url + path, { method: 'POST', headers, body })
  if (status !== 200) console.log(`${gateway.name} is left out below: it answers ${status}.`)
  return status === 200
}

async function measureThroughput(gateway: Gateway, body: string): Promise<number> {
  const headers = { ...gateway.headers, 'content-type': 'application/json' }
  const result = await autocannon({ url: gateway.url + path, method: 'POST', connections, duration: seconds, headers, body })
  if (result.non2xx + result.errors > 0) throw new Error(`${gateway.name}: ${result.non2xx} refusals, ${result.errors} errors.`)
  return result.requests.average
}

console.log(`${describeMachine()}${portkey === null ? '; set PORTKEY_GATEWAY to compare' : ''}`)
for (const [kind, value] of Object.entries(bodies)) {
  const body = JSON.stringify(value)
  const able = await Promise.all(gateways.map((gateway) => canAnswer(gateway, body)))
  const results = gateways
    .filter((_, index) => able[index])
    .map((gateway) => ({ gateway, latencies: [] as number[], rates: [] as number[] }))
  for (let round = -1; round < rounds; round++)
    for (const { gateway, latencies, rates } of results) {
      const { p50 } = summarize(await measureLatencies(gateway, body))
      const rate = await measureThroughput(gateway, body)
      if (round < 0) continue
      latencies.push(p50)
      rates.push(rate)
    }
  const [base] = results.map(({ latencies }) => median(latencies))
  console.log(`${kind}, median of ${rounds} rounds`)
  for (const { gateway, latencies, rates } of results)
    console.log(
      `  ${gateway.name.padEnd(16)} p50 ${median(latencies).toFixed(3)} ms (+ ${(median(latencies) - (base ?? 0)).toFixed(3)}); ` +
        `${connections} connections ${Math.round(median(rates))}/s`,
    )
}
