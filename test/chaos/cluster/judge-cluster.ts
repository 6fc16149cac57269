import type { InferenceLine } from '../service-process.ts'
import { isWhole, type LoadReport } from './cluster-load.ts'
import type { ClusterUnderTest } from './cluster-under-test.ts'

/** The verdict, from acknowledgements and answers to clients, the database and the logs of the nodes. */
export interface ClusterVerdict {
  readonly acknowledged: number
  readonly succeeded: number
  readonly cancelled: number
  /** Acknowledged, but without a record or without an end. */
  readonly lost: readonly string[]
  /** Two inferences for one name, two completions of one inference, or the output of another attempt than the one that held it. */
  readonly duplicated: readonly string[]
  /** Outputs that are not what the model answered, or not the same at each fetch. */
  readonly damaged: readonly string[]
  /** Ended as failed. */
  readonly failed: readonly string[]
  /** Attempts that count against requests: their node was lost, or storage failed for too long. */
  readonly burned: number
  /** Most of one request. */
  readonly maxBurned: number
  /** Results of lost attempts that were refused. */
  readonly zombies: number
}

/** Judges a cluster whose load is over. */
export async function judgeCluster({ nodes, query }: ClusterUnderTest, load: LoadReport): Promise<ClusterVerdict> {
  const rows = new Map((await query('select id, outcome, attempt, output_key, error from inferences')).map((row) => [String(row.id), row]))
  const lines = nodes.flatMap(({ service }) => service.lines)
  const promised = [...load.promised].flatMap(([name, ids]) => ids.map((id) => ({ name, id, row: rows.get(id) })))
  const isOf = (outcome: string) => promised.filter(({ row }) => row?.outcome === outcome)
  const burned = await query('select id, count(*)::integer as count from burned_attempts group by id')
  return {
    acknowledged: promised.length,
    succeeded: isOf('succeeded').length,
    cancelled: isOf('cancelled').length,
    lost: promised.flatMap(({ id, row }) => (typeof row?.outcome === 'string' ? [] : [id])),
    duplicated: [
      ...[...load.promised].flatMap(([name, ids]) => (ids.length > 1 ? [`${name}: ${ids.join(', ')}`] : [])),
      ...findDoubleCompletions(lines),
      ...promised.flatMap(({ id, row }) => (isOfAnotherAttempt(row) ? [`${id}: ${row?.output_key} in attempt ${row?.attempt}`] : [])),
    ],
    damaged: isOf('succeeded').flatMap(({ name, id }) => (isWhole(name, load.fetched.get(name) ?? []) ? [] : [id])),
    failed: [
      ...isOf('failed').map(({ id, row }) => `${id}: ${row?.error}`),
      ...isOf('cancelled').flatMap(({ name, id }) => (load.cancelled.has(name) ? [] : [`${id}: cancelled by nobody`])),
    ],
    burned: burned.reduce((sum, { count }) => sum + Number(count), 0),
    maxBurned: Math.max(0, ...burned.map(({ count }) => Number(count))),
    zombies: lines.filter(({ message }) => /lost attempt/.test(message)).length,
  }
}

function findDoubleCompletions(lines: readonly InferenceLine[]): readonly string[] {
  const completions = lines.filter(({ message }) => message === 'inference completed').map(({ inferenceId }) => inferenceId)
  return [...Map.groupBy(completions, (id) => id)].flatMap(([id, { length }]) => (length > 1 ? [`${id}: completed ${length} times`] : []))
}

/** Keys end with the attempt that stored them: `v1/<hour>/<id>/<attempt>-<nonce>`. */
function isOfAnotherAttempt(row: Readonly<Record<string, unknown>> | undefined): boolean {
  if (typeof row?.output_key !== 'string') return false
  return !row.output_key.split('/').at(-1)?.startsWith(`${row.attempt}-`)
}
