import { setTimeout as pause } from 'node:timers/promises'
import type { LoadProgress } from '../load-progress.ts'
import { type ClusterClient, describeSubmission, readResponseId } from './cluster-client.ts'
import { type ChaosNode, type ClusterUnderTest, startNode, takeDown } from './cluster-under-test.ts'
import type { StreamReport } from './watch-streams.ts'

/** What can go wrong in a cluster. */
export type ClusterFault =
  | 'kill-database'
  | 'database-long-away'
  | 'cut-connections'
  | 'hold-connections'
  | 'swallow-answers'
  | 'stop-node'
  | 'kill-node'
  | 'bucket-refuses'
  | 'bucket-hangs'
  | 'clock-jumps'
  | 'rolling-restart'

/** A fault, and how long the cluster took to continue. */
export interface FaultReport {
  readonly counts: Map<ClusterFault, number>
  /** From the moment the database accepts connections until each node has taken work that was completed. */
  readonly worksAgainMs: number[]
  /** From the death of a node until what it ran was begun again. */
  readonly claimedAgainMs: number[]
  /** Attempts that were counted against requests during each fault. */
  readonly burned: Map<ClusterFault, number>
  /** Faults that could not be injected as planned, and why. */
  readonly undone: string[]
  /** During rolling restarts; no failures are those of nodes that were only too slow. */
  readonly restarts: { failures: number; brokenStreams: number }
}

interface Surroundings {
  readonly cluster: ClusterUnderTest
  readonly client: ClusterClient
  readonly streams: StreamReport
  readonly report: FaultReport
  /** How long a node is stopped, and the database is away when it is for long: longer than a lease. */
  readonly stopMs: number
}

const hourMs = 60 * 60 * 1000
/** The run continues without an event that has not happened after this time. */
const patienceMs = 60_000

const faults: Record<ClusterFault, (around: Surroundings, node: ChaosNode, round: number) => Promise<void>> = {
  'kill-database': (around, _node, round) => killDatabase(around, round, 500 + (round % 4) * 1000),
  'database-long-away': (around, _node, round) => killDatabase(around, round, around.stopMs),
  'cut-connections': async ({ cluster }) => {
    for (const { link } of cluster.nodes) link.cut()
  },
  'hold-connections': async (_around, { link }) => {
    link.hold()
    await pause(6000)
    link.cut()
    link.letGo()
  },
  'swallow-answers': async (_around, { link }) => link.swallowAnswers(10),
  'stop-node': async ({ stopMs }, node) => {
    takeDown(node)
    node.service.pause()
    await pause(stopMs)
    node.service.resume()
    node.up = true
  },
  'kill-node': async ({ cluster, report }, node) => {
    takeDown(node)
    await node.service.kill()
    report.claimedAgainMs.push(...(await claimedAgain(cluster, performance.now())))
    await startNode(node)
  },
  'bucket-refuses': async ({ cluster: { bucket } }) => {
    bucket.fault = () => ({ status: 503 })
    await pause(4000)
    bucket.fault = () => undefined
  },
  'bucket-hangs': async ({ cluster: { bucket } }) => {
    bucket.fault = () => 'hang'
    await pause(5000)
    bucket.fault = () => undefined
  },
  'clock-jumps': async (_around, { service }, round) => {
    service.shiftTime(round % 2 === 0 ? hourMs : -hourMs)
    await pause(2000)
    service.shiftTime(0)
  },
  'rolling-restart': async ({ cluster, client, report, streams }) => {
    const failures = () => client.failures - client.late
    const before = { failures: failures(), brokenStreams: streams.brokenOff }
    for (const node of cluster.nodes) {
      takeDown(node)
      await node.service.terminate()
      await startNode(node)
    }
    report.restarts.failures += failures() - before.failures
    report.restarts.brokenStreams += streams.brokenOff - before.brokenStreams
  },
}

/** Does one fault after the other, each after so many completions. */
export async function injectClusterFaults(
  around: Surroundings,
  {
    plan,
    every,
    progress,
    onFault,
  }: {
    readonly plan: readonly ClusterFault[]
    readonly every: number
    readonly progress: LoadProgress
    readonly onFault: (fault: ClusterFault | null) => void
  },
): Promise<void> {
  const { nodes } = around.cluster
  for (const [round, fault] of plan.entries()) {
    const node = nodes[round % nodes.length]
    if (node === undefined || !(await progress.reach(progress.completed + every))) return
    onFault(fault)
    const before = await countBurned(around.cluster)
    await faults[fault](around, node, round).catch(async (error: unknown) => {
      around.report.undone.push(`${fault}: ${error}`)
      for (const each of nodes) if (!each.up) await startNode(each)
    })
    const burned = (await countBurned(around.cluster)) - before
    around.report.burned.set(fault, (around.report.burned.get(fault) ?? 0) + burned)
    around.report.counts.set(fault, (around.report.counts.get(fault) ?? 0) + 1)
    onFault(null)
  }
}

async function killDatabase({ cluster, client, report }: Surroundings, round: number, awayMs: number): Promise<void> {
  await cluster.server.kill()
  await pause(awayMs)
  await cluster.server.start()
  const acceptedAt = performance.now()
  await Promise.all(cluster.nodes.map((node, place) => workThrough(client, node, `again-${round}-${place}`)))
  report.worksAgainMs.push(performance.now() - acceptedAt)
}

async function countBurned({ query }: ClusterUnderTest): Promise<number> {
  return Number((await query('select count(*)::integer as count from burned_attempts'))[0]?.count)
}

/** Work that one node accepts and any node completes. */
async function workThrough(client: ClusterClient, node: ChaosNode, name: string): Promise<void> {
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const submitted = await client.askNode(node, '/v1/chat/completions', describeSubmission(name, 0))
    if (submitted?.status !== 202) {
      await pause(20)
      continue
    }
    const id = readResponseId(submitted)
    while (performance.now() < until) {
      const polled = await client.askNode(node, `/v1/requests/${id}?wait=5`)
      if (polled?.status === 200 && polled.text.includes('"outcome"')) return
      await pause(20)
    }
  }
}

/** Of what a node ran when it died: how long until any node began it again. */
async function claimedAgain({ model }: ClusterUnderTest, diedAt: number): Promise<readonly number[]> {
  await pause(200)
  const cut = [...model.runs].flatMap(([name, runs]) => {
    const last = runs.at(-1)
    const died = name.startsWith('load-') && last?.cutAt != null && last.cutAt > diedAt - 200
    return died ? [{ name, count: runs.length }] : []
  })
  const waits: number[] = []
  for (const { name, count } of cut) {
    for (;;) {
      const again = model.runs.get(name)?.[count]
      if (again !== undefined) {
        waits.push(again.startedAt - diedAt)
        break
      }
      if (performance.now() - diedAt > patienceMs) {
        waits.push(Number.POSITIVE_INFINITY)
        break
      }
      await pause(20)
    }
  }
  return waits
}
