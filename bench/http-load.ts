import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { readProcessorMs } from './processor-time.ts'

const connections = 32

/** Where load is sent, and the process that answers it. */
export interface Target {
  readonly url: string
  readonly pid: number
}

/** Sends requests over 32 connections, prints what became of them and what they cost, and returns how many were answered in a second. */
export async function measureHttpLoad(
  name: string,
  { url, pid }: Target,
  make: () => autocannon.Request[],
  seconds: number,
): Promise<number> {
  const [served, own] = [readProcessorMs(pid), process.cpuUsage()]
  const result = await autocannon({ url, connections, duration: seconds, setupClient: (client) => client.setRequests(make()) })
  const { user, system } = process.cpuUsage(own)
  const each = (ms: number) => `${((1000 * ms) / result.requests.total).toFixed(0)} µs`
  const { latency } = result
  const refused = result.non2xx + result.errors + result.timeouts
  console.log(
    `${name}: ${Math.round(result.requests.average)}/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms, max ${latency.max} ms, not 2xx ${refused}; ` +
      `processor ${each(readProcessorMs(pid) - served)}, load generator ${each((user + system) / 1000)}`,
  )
  return result.requests.average
}

/** A bare node:http server as a process of its own: what the machine and the load generator do. */
export async function startBareServer(): Promise<Target & AsyncDisposable> {
  const server = fork(fileURLToPath(new URL('queue/bare-server.ts', import.meta.url)))
  const [port] = await once(server, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    pid: server.pid ?? Number.NaN,
    [Symbol.asyncDispose]: async () => server.disconnect(),
  }
}
