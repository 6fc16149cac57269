import type { LoadProgress } from '../load-progress.ts'
import type { ClusterClient, FetchedAnswer } from './cluster-client.ts'
import { answerTo } from './watched-model.ts'

/** The work acknowledged to the load, and its results. */
export interface LoadReport {
  /** The ids that one name was given, which should be one. */
  readonly promised: Map<string, readonly string[]>
  /** The outputs fetched for each name, once on completion and once at the end. */
  readonly fetched: Map<string, FetchedAnswer[]>
  /** Names that were asked to be cancelled. */
  readonly cancelled: Set<string>
  /** Requests that were answered in a way that ends them for their client, with the answer. */
  readonly refused: string[]
}

const quickMs = 10
/** Characters of what is too large for the queue and waits in the bucket. */
const largeCharacters = 80_000

/**
 * Submits, waits for and fetches, each through whichever node; goes on until so many were completed and everything was done to the cluster that was to be.
 *
 * @param options.slowEvery Every so manieth request keeps a model busy for `slowMs`, so that faults meet work that runs.
 */
export async function loadCluster(
  client: ClusterClient,
  {
    requests,
    clients,
    slowEvery,
    slowMs,
    progress,
    isOver,
  }: {
    readonly requests: number
    readonly clients: number
    readonly slowEvery: number
    readonly slowMs: number
    readonly progress: LoadProgress
    readonly isOver: () => boolean
  },
): Promise<LoadReport> {
  const report: LoadReport = { promised: new Map(), fetched: new Map(), cancelled: new Set(), refused: [] }
  let next = 0
  const request = async (index: number) => {
    const isCancelled = index % 40 === 1
    const name = `${isCancelled ? 'cancelled' : 'load'}-${index}`
    const isSlow = isCancelled || index % slowEvery === 0
    const ids = await client.submit(name, isSlow ? slowMs : quickMs, {
      copies: index % 10 === 0 ? 3 : 1,
      more: index % 12 === 0 ? largeCharacters : 0,
    })
    const [id = ''] = ids
    report.promised.set(name, ids)
    if (isCancelled) {
      report.cancelled.add(name)
      await client.cancel(id)
    }
    if ((await client.waitFor(id)) === 'succeeded') report.fetched.set(name, [await client.fetchOutput(id)])
  }
  const lane = async () => {
    for (let index = next++; index < requests || !isOver(); index = next++) {
      await request(index).catch((error: unknown) => report.refused.push(String(error)))
      progress.advance()
    }
  }
  await Promise.all(Array.from({ length: clients }, lane))
  const names = [...report.fetched.entries()]
  const again = async () => {
    for (let entry = names.pop(); entry !== undefined; entry = names.pop()) {
      const [name, fetched] = entry
      fetched.push(await client.fetchOutput(report.promised.get(name)?.[0] ?? ''))
    }
  }
  await Promise.all(Array.from({ length: clients }, again))
  return report
}

/** Whether all fetched outputs equal the answer of the model. */
export function isWhole(name: string, fetched: readonly FetchedAnswer[]): boolean {
  return fetched.length === 2 && fetched.every(({ sha256, content }) => content === answerTo(name) && sha256 === fetched[0]?.sha256)
}
