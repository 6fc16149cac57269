import { listRequests, showRequest } from '../../../interface/inference-requests.ts'
import type { ImageRequestBody } from '../../../interface/submit-image.ts'
import { takenUpByGrids } from '../grid/kept-grids.ts'
import { type EarlierRun, imageRuns, takeUp } from './image-runs.ts'

/** Drawings that are taken up at most. */
const mostEarlier = 8

let taken: Promise<void> | null = null

/** Puts what this person has drawn lately, in any tab, on the board, once; what still runs is followed. */
export function takeUpEarlier(): Promise<void> {
  taken ??= takeUpAll().catch(() => {
    // The next visit to the page tries again.
    taken = null
  })
  return taken
}

async function takeUpAll(): Promise<void> {
  const query = { of: 'me', search: null, kind: 'image', status: null, way: 'asynchronous', after: null } as const
  const { requests } = await listRequests(query)
  const inGrids = await takenUpByGrids(requests)
  const known = new Set(imageRuns.peek().map(({ id }) => id))
  const shown = requests.filter(({ id, token, inference }) => token === null && isShown(inference) && !inGrids.has(id) && !known.has(id))
  const earlier = await Promise.all(shown.slice(0, mostEarlier).map(({ id }) => findEarlier(id)))
  for (const run of earlier) if (run !== null) void takeUp(run)
}

/** What has failed or was cancelled is not drawn any more. */
function isShown(inference: Awaited<ReturnType<typeof listRequests>>['requests'][number]['inference']): boolean {
  if (inference === null) return false
  return inference.status !== 'completed' || (inference.outcome === 'succeeded' && (inference.expiresAt ?? 0) > Date.now())
}

async function findEarlier(id: string): Promise<EarlierRun | null> {
  const { inference, call } = await showRequest(id)
  if (inference === null || call === null || !call.path.startsWith('/generate/')) return null
  // The console asked for it, so that its fields are those of its own requests.
  return { inference, body: call.body as unknown as ImageRequestBody }
}
