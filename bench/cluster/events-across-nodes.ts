/**
 * How soon does a client that waits on another node get the answer of a model, and how long does a cancellation through another node take?
 *
 * Three nodes run as separate processes on one PostgreSQL and a bucket in memory, with eight clients. The first rival is the same on the node that
 * received the request, which may have run it itself. The second, in the same round and equally often, is the bare mechanism: NOTIFY on one connection,
 * LISTEN on another, and then a SELECT there.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { ClusterClient, describeSubmission, readResponseId } from '../../test/chaos/cluster/cluster-client.ts'
import { type ChaosNode, startCluster } from '../../test/chaos/cluster/cluster-under-test.ts'
import { describeMachine } from '../measure.ts'

const [waits, cancels, clients] = [400, 40, 8]
const rounds = Number(process.argv[2] ?? 3)
const root = new URL('../..', import.meta.url).pathname

console.log(describeMachine())
await using cluster = await startCluster({ root, leaseMs: 6000 })
const { nodes, model } = cluster
const client = new ClusterClient(cluster)
const nodeAt = (place: number): ChaosNode => nodes[place % nodes.length] ?? fail('there are no nodes')

for (let round = 0; round < 30; round++) await wait(`warm-${round}`, { submit: round, poll: round + 1 })
for (let round = 1; round <= rounds; round++) {
  const near = await measure(waits, (index) => wait(`near-${round}-${index}`, { submit: index, poll: index }))
  const far = await measure(waits, (index) => wait(`far-${round}-${index}`, { submit: index, poll: index + 1 }))
  const bare = await measureBare()
  const cancelled = await measure(cancels, (index) => cancel(`cancelled-${round}-${index}`, index))
  console.log(
    `round ${round}: wait on the receiving node ${near}; on another ${far}; NOTIFY, LISTEN and SELECT alone ${bare}; cancel from another ${cancelled}`,
  )
}

/** Milliseconds from a NOTIFY to the answer of a SELECT on the connection that heard it, as often at a time as there are clients. */
async function measureBare(): Promise<string> {
  await using parts = new AsyncDisposableStack()
  const connect = async () => {
    const connection = new Client({ connectionString: cluster.server.url('cluster') })
    await connection.connect()
    parts.defer(() => connection.end())
    return connection
  }
  // A connection of pg takes one statement at a time.
  const [listener, ...lanes] = await Promise.all(Array.from({ length: 1 + 2 * clients }, connect))
  const free = lanes.slice()
  const take = () => free.pop() ?? fail('there are more waits than connections')
  if (listener === undefined) fail('there is no connection')
  const waiting = new Map<string, () => void>()
  listener.on('notification', ({ payload = '' }) => waiting.get(payload)?.())
  await listener.query('listen bare')
  return await measure(waits, async (index) => {
    await pause(200)
    const received = Promise.withResolvers<void>()
    waiting.set(`${index}`, received.resolve)
    const [speaker, reader] = [take(), take()]
    const startedAt = performance.now()
    const spoken = speaker.query('select pg_notify($1, $2)', ['bare', `${index}`])
    await received.promise
    await reader.query('select 1 from inferences limit 1')
    const took = performance.now() - startedAt
    await spoken
    free.push(speaker, reader)
    return took
  })
}

/** Milliseconds from the model's last word to the answer of a poll that waits. */
async function wait(name: string, at: { readonly submit: number; readonly poll: number }): Promise<number> {
  const id = await submit(name, at.submit, 200)
  await client.askNode(nodeAt(at.poll), `/v1/requests/${id}?wait=30`, {}, 40_000)
  const answeredAt = performance.now()
  return answeredAt - (model.runs.get(name)?.at(-1)?.endedAt ?? fail(`${name} was not run`))
}

/** Milliseconds from the request to cancel until no request waits for the model. */
async function cancel(name: string, place: number): Promise<number> {
  const id = await submit(name, place, 20_000)
  while (!model.runs.has(name)) await pause(5)
  const requestedAt = performance.now()
  await client.askNode(nodeAt(place + 1), `/v1/requests/${id}`, { method: 'DELETE' })
  for (;;) {
    const cutAt = model.runs.get(name)?.at(-1)?.cutAt
    if (typeof cutAt === 'number') return cutAt - requestedAt
    await pause(5)
  }
}

async function submit(name: string, place: number, workMs: number): Promise<string> {
  const answer = await client.askNode(nodeAt(place), '/v1/chat/completions', describeSubmission(name, workMs))
  return readResponseId(answer ?? fail('a node does not answer'))
}

async function measure(count: number, one: (index: number) => Promise<number>): Promise<string> {
  const times: number[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) times.push(await one(index))
  }
  await Promise.all(Array.from({ length: clients }, lane))
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)} ms`
  return `${at(0.5)} (p99 ${at(0.99)})`
}

function fail(message: string): never {
  throw new Error(message)
}
