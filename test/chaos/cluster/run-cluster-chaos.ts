import { LoadProgress } from '../load-progress.ts'
import { ClusterClient } from './cluster-client.ts'
import { type ClusterFault, type FaultReport, injectClusterFaults } from './cluster-faults.ts'
import { loadCluster } from './cluster-load.ts'
import { startCluster } from './cluster-under-test.ts'
import { type ClusterVerdict, judgeCluster } from './judge-cluster.ts'
import { type ProbeReport, probeAnswers } from './probe-answers.ts'
import { type StreamReport, watchStreams } from './watch-streams.ts'

export interface ClusterChaosSettings {
  /** The checkout to run. */
  readonly root: string
  readonly leaseMs: number
  /** Requests at least; more where the faults take longer. */
  readonly requests: number
  readonly clients: number
  /** Every so manieth request takes `slowMs`; the others take 10 ms. */
  readonly slowEvery: number
  readonly slowMs: number
  /** How long a node is stopped, and the database is away when it is for long. */
  readonly stopMs: number
  readonly plan: readonly ClusterFault[]
  /** Completions before each fault. */
  readonly every: number
  /** Called at each step. */
  readonly onStep?: (text: string) => void
}

export interface ClusterChaosReport {
  readonly verdict: ClusterVerdict
  readonly probes: ProbeReport
  readonly streams: StreamReport
  readonly faults: FaultReport
  /** Requests that ended for their clients with an answer that was none of theirs. */
  readonly refused: readonly string[]
  /** Answers of nodes to requests that none of them served at once. */
  readonly refusals: ReadonlyMap<string, number>
  readonly seconds: number
}

/** Puts load on three nodes, does everything to them that the plan says, and judges what is left. */
export async function runClusterChaos(settings: ClusterChaosSettings): Promise<ClusterChaosReport> {
  const startedAt = performance.now()
  await using cluster = await startCluster(settings)
  const client = new ClusterClient(cluster)
  const progress = new LoadProgress()
  const streams: StreamReport = { whole: 0, brokenOff: 0, lies: 0 }
  const faults: FaultReport = {
    counts: new Map(),
    worksAgainMs: [],
    claimedAgainMs: [],
    burned: new Map(),
    undone: [],
    restarts: { failures: 0, brokenStreams: 0 },
  }
  let during: ClusterFault | 'nothing' = 'nothing'
  let [faultsOver, loadOver] = [false, false]
  const around = { cluster, client, streams, report: faults, stopMs: settings.stopMs }
  const onFault = (fault: ClusterFault | null) => {
    during = fault ?? 'nothing'
    if (fault !== null) settings.onStep?.(`${progress.completed} completed; ${fault}`)
  }
  const isOver = () => loadOver
  const injecting = injectClusterFaults(around, { ...settings, progress, onFault }).finally(() => {
    faultsOver = true
  })
  const probing = probeAnswers(client, cluster.nodes, { fault: () => during, isOver })
  const streaming = watchStreams(cluster, { readers: 4, report: streams, isOver })
  const loading = loadCluster(client, { ...settings, progress, isOver: () => faultsOver }).finally(() => {
    loadOver = true
    progress.end()
  })
  const [load, probes] = await Promise.all([loading, probing, streaming, injecting])
  const verdict = await judgeCluster(cluster, load)
  const { refused } = load
  return { verdict, probes, streams, faults, refused, refusals: client.refusals, seconds: (performance.now() - startedAt) / 1000 }
}
