import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Row, readInteger, readText, readTextOrNull } from '../../src/storage/rows/row.ts'
import { Connection } from '../../src/storage/sqlite/connection.ts'
import type { Acknowledgement } from './acknowledgement-log.ts'
import type { FetchedOutput } from './client.ts'
import type { InferenceLine } from './service-process.ts'

/** Everything that was seen from outside. */
export interface Evidence {
  readonly dataFolder: string
  readonly acknowledged: readonly Acknowledgement[]
  /** Two fetches of each output, by response id. */
  readonly fetched: ReadonlyMap<string, readonly FetchedOutput[]>
  readonly lines: readonly InferenceLine[]
  readonly rivalCompletions: readonly { readonly id: string; readonly sha256: string }[]
}

export interface Verdict {
  readonly acknowledged: number
  readonly succeeded: number
  /** Failed after their worker died twice, or after three attempts in all. */
  readonly failed: number
  /** Acknowledged, but without a record or without an end. */
  readonly lost: readonly string[]
  /** Two inferences for one key, or two completions of one inference. */
  readonly duplicated: readonly string[]
  /** Outputs that are not what the record says, or not the same at each fetch. */
  readonly damaged: readonly string[]
  /** Failures that the counts of lost and failed attempts do not explain. */
  readonly unexplained: readonly string[]
  /** Results of lost attempts that were refused. */
  readonly zombies: number
}

/** Recomputes what happened from the acknowledgement log, the store, the files and the fetched bytes. */
export function judge(evidence: Evidence): Verdict {
  using store = new Connection(join(evidence.dataFolder, 'sepia.db'), { readOnly: true })
  const rows = new Map(store.all('select * from inferences').map((row) => [readText(row, 'id'), row]))
  const promised = new Set(evidence.acknowledged.map(({ responseId }) => responseId))
  const ended = [...promised].flatMap((id) => {
    const row = rows.get(id)
    return row !== undefined && row.status === 'completed' ? [row] : []
  })
  const failures = ended.filter((row) => row.outcome !== 'succeeded')
  return {
    acknowledged: promised.size,
    succeeded: ended.length - failures.length,
    failed: failures.length,
    lost: [...promised].filter((id) => rows.get(id)?.status !== 'completed'),
    duplicated: [...findDoubleKeys(evidence, rows), ...findDoubleCompletions(evidence)],
    damaged: ended.filter((row) => row.outcome === 'succeeded' && isDamaged(evidence, row)).map((row) => readText(row, 'id')),
    unexplained: failures.filter((row) => !isExplained(row)).map((row) => `${readText(row, 'id')}: ${row.error}`),
    zombies: evidence.lines.filter(({ message }) => /lost attempt/.test(message)).length,
  }
}

function findDoubleKeys({ acknowledged }: Evidence, rows: ReadonlyMap<string, Row>): readonly string[] {
  const promised = Map.groupBy(acknowledged, ({ key }) => key)
  const several = [...promised].filter(([, group]) => new Set(group.map(({ responseId }) => responseId)).size > 1).map(([key]) => key)
  const stored = Map.groupBy(rows.values(), (row) => readTextOrNull(row, 'idempotency_key'))
  return [...several, ...[...stored].filter(([key, group]) => key !== null && group.length > 1).map(([key]) => String(key))]
}

function findDoubleCompletions({ lines, rivalCompletions }: Evidence): readonly string[] {
  const completions = [
    ...lines.filter(({ message }) => message === 'inference completed').map(({ inferenceId }) => inferenceId),
    ...rivalCompletions.map(({ id }) => id),
  ]
  return [...Map.groupBy(completions, (id) => id)].filter(([, group]) => group.length > 1).map(([id]) => id)
}

function isDamaged({ dataFolder, fetched, rivalCompletions }: Evidence, row: Row): boolean {
  const id = readText(row, 'id')
  const sha256 = readText(row, 'output_sha256')
  const rival = rivalCompletions.find((completion) => completion.id === id)
  const file = readFileSync(join(dataFolder, 'outputs', id.slice(0, 2), `${id}.${readInteger(row, 'attempt')}`))
  const fetches = fetched.get(id) ?? []
  return (
    createHash('sha256').update(file).digest('hex') !== sha256 ||
    (rival !== undefined && rival.sha256 !== sha256) ||
    fetches.length !== 2 ||
    fetches.some((fetch) => fetch.status !== 200 || fetch.sha256 !== sha256 || fetch.etag !== `"${sha256}"`)
  )
}

function isExplained(row: Row): boolean {
  const [lost, failed] = [readInteger(row, 'lost'), readInteger(row, 'failed')]
  return lost >= 2 || lost + failed >= 3
}
