import { retryUntilAnswered, showIfKept } from '../../../interface/follow-inference.ts'
import { listRequests } from '../../../interface/inference-requests.ts'
import { serviceNow } from '../../../interface/service-clock.ts'
import type { ImageRequestBody } from '../../../interface/submit-image.ts'
import { restoreGrids } from '../grid/kept-grids.ts'
import { type EarlierRun, type ImageRun, imageRuns, restoreRun, restoreUnsent } from './image-runs.ts'
import { forgetRun, readKeptRuns } from './kept-runs.ts'

/** The most drawings that are restored. */
const maxEarlier = 8

let taken: Promise<void> | null = null

/** Shows the user's latest drawings from any tab, once, and follows those that still run. */
export function restoreEarlierRuns(): Promise<void> {
  taken ??= takeUpAll().catch(() => {
    // The next visit to the page tries again.
    taken = null
  })
  return taken
}

async function takeUpAll(): Promise<void> {
  const kept = await readKeptRuns()
  for (const run of kept) if (run.id === null) restoreUnsent(run)
  await restoreGrids(null)
  const query = { of: 'me', search: null, kind: 'image', status: null, way: 'asynchronous', after: null } as const
  const { requests } = await retryUntilAnswered(() => listRequests(query), {})
  const inGrids = await restoreGrids(requests)
  const known = new Set(imageRuns.peek().map(({ id }) => id))
  const shown = requests
    .filter(({ id, token, inference }) => token === null && isShown(inference) && !inGrids.has(id) && !known.has(id))
    .slice(0, maxEarlier)
  for (const run of kept) if (run.id !== null && !shown.some(({ id }) => id === run.id)) forgetRun(run)
  const earlier = await Promise.all(shown.map(({ id }) => findEarlier(id, kept)))
  for (const run of earlier) if (run !== null) void restoreRun(run)
}

/** Failed and cancelled drawings are not restored. */
function isShown(inference: Awaited<ReturnType<typeof listRequests>>['requests'][number]['inference']): boolean {
  if (inference === null) return false
  return inference.status !== 'completed' || (inference.outcome === 'succeeded' && (inference.expiresAt ?? 0) > serviceNow())
}

async function findEarlier(id: string, kept: readonly ImageRun[]): Promise<EarlierRun | null> {
  const { inference = null, call = null } = (await showIfKept(id)) ?? {}
  if (inference === null) return null
  const own = kept.find((run) => run.id === id)
  if (own !== undefined) return { inference, body: own.body, submissionKey: own.submissionKey }
  if (call === null || !call.path.startsWith('/generate/')) return null
  // The console sent this request, so it has the console's fields.
  return { inference, body: call.body as unknown as ImageRequestBody }
}
