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
}

export interface ClusterChaosReport {
  readonly verdict: ClusterVerdict
  readonly probes: ProbeReport
  readonly streams: StreamReport
  readonly faults: FaultReport
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
    restarts: { failures: 0, brokenStreams: 0 },
  }
  let during: ClusterFault | 'nothing' = 'nothing'
  let [faultsOver, loadOver] = [false, false]
  const around = { cluster, client, streams, report: faults, stopMs: settings.stopMs }
  const onFault = (fault: ClusterFault | null) => {
    during = fault ?? 'nothing'
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
  return { verdict: await judgeCluster(cluster, load), probes, streams, faults, seconds: (performance.now() - startedAt) / 1000 }
}

/** The report in a few lines for a person. */
export function printClusterReport({ verdict, probes, streams, faults, seconds }: ClusterChaosReport): string {
  const { acknowledged, succeeded, cancelled, lost, duplicated, damaged, failed, burned, mostBurned, zombies } = verdict
  const worst = (numbers: readonly number[]) => `${(Math.max(0, ...numbers) / 1000).toFixed(1)} s (${numbers.length} times)`
  const verbs = (['submit', 'poll', 'fetch', 'cancel'] as const).map(
    (verb) => `${verb} ${(probes.worstMs[verb] / 1000).toFixed(1)} s (${probes.worstDuring[verb]})`,
  )
  return [
    `acknowledged ${acknowledged}: succeeded ${succeeded}, cancelled ${cancelled}, in ${seconds.toFixed(0)} s`,
    `faults: ${[...faults.counts].map(([fault, count]) => `${fault} ${count}`).join(', ')}`,
    `lost ${lost.length}, duplicated ${duplicated.length}, damaged ${damaged.length}, failed ${failed.length}, zombies refused ${zombies}`,
    `attempts burned ${burned}, of one request at most ${mostBurned}; during ${[...faults.burned].map(([fault, count]) => `${fault} ${count}`).join(', ')}`,
    `streams: whole ${streams.whole}, broken off ${streams.brokenOff}, with [DONE] but not whole ${streams.lies}`,
    `slowest of ${probes.count} answers: ${verbs.join(', ')}; wrong ${probes.wrong.length}`,
    `works again after the database accepts connections: at most ${worst(faults.worksAgainMs)}`,
    `work of a killed node begun again: at most ${worst(faults.claimedAgainMs)}`,
    `rolling restarts: requests that no node served at once ${faults.restarts.failures}, streams broken off ${faults.restarts.brokenStreams}`,
    ...[...lost, ...duplicated, ...damaged, ...failed, ...probes.wrong].slice(0, 20).map((item) => `  ${item}`),
  ].join('\n')
}
