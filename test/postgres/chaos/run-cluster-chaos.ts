import { setTimeout as wait } from 'node:timers/promises'
import { startFaultyLink } from '../../support/postgres/faulty-link.ts'
import type { PostgresServer } from '../../support/postgres/postgres-server.ts'
import { ChaosNode } from './chaos-node.ts'
import type { NodeLine } from './node-line.ts'

type EndLine = Extract<NodeLine, { readonly attempt: number }>

/** Observations from outside, compared with the database. */
export interface ClusterVerdict {
  readonly acknowledged: number
  readonly completed: number
  /** Acknowledged, but without a record or without an end. */
  readonly lost: readonly string[]
  /** Reported as completed by more than one attempt, or kept from another attempt than the one that held it. */
  readonly duplicated: readonly string[]
  /** Failed although nothing but nodes and servers died. */
  readonly failed: readonly string[]
  /** Completions that came too late and were refused. */
  readonly zombies: number
}

/** Runs two nodes on one database, breaks something after every so many completions, and judges what is left. */
export async function runClusterChaos(
  server: PostgresServer,
  {
    root,
    database,
    faults,
    every,
  }: { readonly root: string; readonly database: string; readonly faults: readonly Fault[]; readonly every: number },
): Promise<ClusterVerdict> {
  const lines: NodeLine[] = []
  let completions = 0
  let next = Promise.withResolvers<void>()
  const onLine = (line: NodeLine) => {
    lines.push(line)
    if (line.what !== 'completed' || ++completions % every !== 0) return
    next.resolve()
    next = Promise.withResolvers()
  }
  await using link = await startFaultyLink(server.port)
  const direct = server.url(database)
  const nodes = [direct, direct.replace(`:${server.port}/`, `:${link.port}/`)].map((url) => new ChaosNode({ root, url }, onLine))
  try {
    await Promise.all(nodes.map((node) => node.start()))
    for (const [index, fault] of faults.entries()) {
      await next.promise
      const node = nodes[index % 2]
      if (node !== undefined) await inflict(fault, { node, server, link })
    }
    await next.promise
    await Promise.all(nodes.map((node) => node.end()))
  } finally {
    await Promise.all(nodes.map((node) => node.kill()))
  }
  const finisher = new ChaosNode({ root, url: direct, task: 'finish' }, (line) => lines.push(line))
  await finisher.start()
  // Leases of what was killed run out, and the last node ends what waits.
  for (let left = 1; left > 0; ) {
    await wait(200)
    const [row] = await server.query(`select count(*)::integer as left from queue where id in (${list(acknowledgedOf(lines))})`, database)
    left = Number(row?.left)
  }
  await finisher.end()
  return judge(lines, await server.query('select id, outcome, attempt, output_key from inferences', database))
}

/** The possible faults. */
export type Fault = 'kill-node' | 'pause-node' | 'kill-server' | 'cut-link' | 'swallow-answers'

async function inflict(
  fault: Fault,
  {
    node,
    server,
    link,
  }: { readonly node: ChaosNode; readonly server: PostgresServer; readonly link: Awaited<ReturnType<typeof startFaultyLink>> },
): Promise<void> {
  if (fault === 'cut-link') return link.cut()
  if (fault === 'swallow-answers') return link.swallowAnswers(5)
  if (fault === 'kill-server') {
    await server.kill()
    return server.start()
  }
  if (fault === 'kill-node') {
    await node.kill()
    return node.start()
  }
  node.pause()
  // Longer than a lease.
  await wait(2500)
  node.resume()
}

function judge(lines: readonly NodeLine[], rows: readonly Readonly<Record<string, unknown>>[]): ClusterVerdict {
  const records = new Map(rows.map((row) => [String(row.id), row]))
  const acknowledged = acknowledgedOf(lines)
  const ends = lines.filter((line): line is EndLine => line.what === 'completed' || line.what === 'already-mine')
  const attempts = Map.groupBy(ends, ({ id }) => id)
  return {
    acknowledged: acknowledged.length,
    completed: attempts.size,
    lost: acknowledged.filter((id) => typeof records.get(id)?.outcome !== 'string'),
    duplicated: [...attempts].flatMap(([id, reported]) => {
      const record = records.get(id)
      const others = reported.filter(
        ({ attempt }) => attempt !== record?.attempt || !String(record?.output_key).startsWith(`${id}.${attempt}.`),
      )
      return others.length === 0 ? [] : [id]
    }),
    failed: rows.flatMap(({ id, outcome }) => (outcome === 'failed' ? [String(id)] : [])),
    zombies: lines.filter(({ what }) => what === 'lost').length,
  }
}

function acknowledgedOf(lines: readonly NodeLine[]): readonly string[] {
  return lines.flatMap((line) => (line.what === 'acknowledged' ? [line.id] : []))
}

function list(ids: readonly string[]): string {
  return ids.length === 0 ? 'null' : ids.map((id) => `'${id}'`).join(', ')
}
