import type { ClusterChaosReport } from './run-cluster-chaos.ts'

/** The guarantees of docs/scaling.md under any fault, and the observations. */
export interface ClusterPromise {
  readonly what: string
  readonly seen: string
  readonly bound: string
  readonly isBroken: boolean
}

/** Every promise with what a run saw of it. */
export function checkPromises({ verdict, probes, streams, faults, refused }: ClusterChaosReport): readonly ClusterPromise[] {
  const none = (what: string, count: number, more = ''): ClusterPromise => ({
    what,
    seen: `${count}${more}`,
    bound: '0',
    isBroken: count > 0,
  })
  const within = (what: string, ms: number, maxMs: number, more: string): ClusterPromise => {
    const [seen, bound] = [`${(ms / 1000).toFixed(1)} s, ${more}`, `${maxMs / 1000} s`]
    return { what, seen, bound, isBroken: ms > maxMs }
  }
  const burnedBy = (fault: 'rolling-restart' | 'database-long-away') => faults.burned.get(fault) ?? 0
  const worst = (what: string, times: readonly number[], maxMs: number) =>
    within(what, Math.max(0, ...times), maxMs, `the longest of ${times.length}`)
  return [
    none('lost', verdict.lost.length),
    none('done twice', verdict.duplicated.length),
    none('damaged', verdict.damaged.length),
    none('failed', verdict.failed.length),
    none('refused to their clients', refused.length),
    ...(['submit', 'poll', 'fetch', 'cancel'] as const).map((verb) =>
      within(`slowest ${verb}`, probes.worstMs[verb], 8000, `during ${probes.worstDuring[verb] || 'nothing'}`),
    ),
    none('wrong answers', probes.wrong.length, ` of ${probes.count}`),
    worst('back after PostgreSQL accepts', faults.worksAgainMs, 3000),
    worst("a dead node's work begun again", faults.claimedAgainMs, 10_000),
    none('rolling restart: no node at once', faults.restarts.failures),
    none('rolling restart: streams broken', faults.restarts.brokenStreams),
    none('rolling restart: attempts burned', burnedBy('rolling-restart')),
    none('database away: attempts burned', burnedBy('database-long-away')),
    none('streams that end untrue', streams.lies, ` of ${streams.whole + streams.brokenOff + streams.lies}`),
    none('faults that could not be done', faults.undone.length),
  ]
}

/** The report as a table for a person, and what explains it. */
export function printClusterReport(report: ClusterChaosReport): string {
  const { verdict, probes, streams, faults, refused, refusals, seconds } = report
  const { acknowledged, succeeded, cancelled, lost, duplicated, damaged, failed, burned, maxBurned, zombies } = verdict
  const counted = (counts: Iterable<readonly [string, number]>) => [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
  const rows = checkPromises(report).map(({ what, seen, bound, isBroken }) => [what, seen, bound, isBroken ? 'BROKEN' : 'held'])
  const table = [['what', 'seen', 'at most', ''], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return [
    `${acknowledged} requests acknowledged in ${seconds.toFixed(0)} s: ${succeeded} succeeded, ${cancelled} cancelled`,
    ...table.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    `faults: ${counted(faults.counts)}; zombies refused ${zombies}`,
    `attempts burned ${burned}, of one request at most ${maxBurned}: ${counted(faults.burned)}`,
    `streams: whole ${streams.whole}, broken off ${streams.brokenOff}`,
    ...[...refusals].map(([said, count]) => `no node at once, ${count} times: ${said}`),
    ...[...faults.undone, ...refused, ...lost, ...duplicated, ...damaged, ...failed, ...probes.wrong]
      .slice(0, 20)
      .map((item) => `  ${item}`),
  ].join('\n')
}
