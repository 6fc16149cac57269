import { signal } from '@preact/signals'
import type { Inference } from '../../../../../core/inference.ts'
import { makeId } from '../../../browser/make-id.ts'
import { followInference } from '../../../interface/follow-inference.ts'
import { cancelInference, findInference } from '../../../interface/inference-requests.ts'
import { causeOf, languageOf, RequestFailure, requestIdOf, sentenceOf } from '../../../interface/request.ts'
import { type ImageRequestBody, submitImage } from '../../../interface/submit-image.ts'
import { t } from '../../../language/t.ts'
import { imageRouteOf } from '../../../state/models.ts'
import { announce } from '../../../state/toasts.ts'
import { outputFacts, type ShownImage } from './output-facts.ts'

/** One press of “Draw”: what was asked, how far it is, and what came out. */
export interface ImageRun {
  readonly key: number
  readonly body: ImageRequestBody
  readonly id: string | null
  readonly state: 'sending' | 'waiting' | 'drawing' | 'done' | 'failed' | 'cancelled'
  readonly queuePosition: number | null
  readonly progress: { readonly step: number; readonly total: number } | null
  /** Address of a small picture of what it is going to be. */
  readonly preview: string | null
  readonly images: readonly ShownImage[]
  readonly computeMs: number | null
  readonly failure: string | null
  /** Of `failure`, where it is not the page's. */
  readonly failureLanguage: 'en' | undefined
  /** By which the service's log knows what failed. */
  readonly failedRequestId: string | null
  /** Why; null for everybody but owners. */
  readonly failureCause: string | null
  /** By which the service knows the request again. */
  readonly submissionKey: string
  /** Whether it was cancelled before its id was known. */
  readonly cancelWanted: boolean
  /** The grid that it is a part of, by that one's key; null = it stands alone. */
  readonly grid: number | null
  /** Whether the page has lost the service while the drawing goes on there. */
  readonly connectionLost: boolean
}

/** The runs of this tab, newest first. */
export const imageRuns = signal<readonly ImageRun[]>([])

let nextKey = 1

/** A key that no run and no grid has had; later ones are larger. */
export function takeKey(): number {
  return nextKey++
}

/** What waits before a lost connection is tried again. */
export type Pause = (milliseconds: number) => Promise<void>

const sleep: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const longestPauseMs = 10_000

interface DrawOptions {
  /** Of a request that may have arrived already; it is then not drawn twice. */
  readonly submissionKey?: string
  readonly pause?: Pause
  /** The grid that it is a part of. */
  readonly grid?: number | null
}

/** Hands a request in and follows it to its end. */
export async function draw(
  body: ImageRequestBody,
  { submissionKey = makeId(), pause = sleep, grid = null }: DrawOptions = {},
): Promise<void> {
  const key = takeKey()
  const empty = { id: null, queuePosition: null, progress: null, preview: null, images: [], computeMs: null, failure: null }
  const unfailed = { failureLanguage: undefined, failedRequestId: null, failureCause: null }
  const fresh = { ...empty, ...unfailed, submissionKey, grid, cancelWanted: false, connectionLost: false }
  imageRuns.value = [{ key, body, state: 'sending', ...fresh }, ...imageRuns.value]
  try {
    const id = await submitImage(imageRouteOf(body.checkpoint), body, submissionKey)
    change(key, { id, state: 'waiting' })
    if (imageRuns.value.some((run) => run.key === key && run.cancelWanted)) await cancelInference(id)
    await followToItsEnd(key, id, pause)
  } catch (error) {
    const failed = { failure: sentenceOf(error), failureLanguage: languageOf(error) }
    change(key, { state: 'failed', ...failed, failedRequestId: requestIdOf(error), failureCause: causeOf(error) })
  }
}

/** Asks for what a run asked for once more; one that nobody knows the end of is not drawn a second time. */
export async function drawAgain({ id, body, state, submissionKey, grid }: ImageRun): Promise<void> {
  await draw(body, { grid, ...(state === 'failed' && id === null && { submissionKey }) })
}

/** Stops a run at its next step; one that is still being handed in, as soon as the service has it. */
export async function cancelRun({ key, id }: Pick<ImageRun, 'key' | 'id'>): Promise<void> {
  if (id === null) change(key, { cancelWanted: true })
  else await cancelInference(id)
}

/** A stream may break off long before its request does, and the service may be away for a while; then it is taken up again. */
async function followToItsEnd(key: number, id: string, pause: Pause): Promise<void> {
  for (let failures = 0; ; ) {
    try {
      await follow(key, id)
      const inference = await findInference(id)
      change(key, { connectionLost: false })
      if (inference.status === 'completed') return await finish(key, inference)
      failures = 0
    } catch (error) {
      // Whatever the service itself said stands; all else is a connection, which says nothing of the drawing.
      if (error instanceof RequestFailure && !error.isConnectionLost) throw error
      change(key, { connectionLost: true })
      await pause(Math.min(longestPauseMs, 1000 * 2 ** failures++))
    }
  }
}

async function follow(key: number, id: string): Promise<void> {
  for await (const event of followInference(id)) {
    change(key, { connectionLost: false })
    if (event.type === 'preview') change(key, { state: 'drawing', preview: event.url })
    else if (event.type === 'progress')
      change(key, { state: 'drawing', queuePosition: null, progress: { step: event.step, total: event.total } })
    else if (event.status === 'completed') return
    else if (event.status === 'running') change(key, { state: 'drawing', queuePosition: event.queuePosition })
    // One that waits again starts at its first step.
    else change(key, { state: 'waiting', queuePosition: event.queuePosition, progress: null })
  }
}

async function finish(key: number, inference: Inference): Promise<void> {
  if (inference.outcome === 'cancelled') return change(key, { state: 'cancelled' })
  if (inference.outcome !== 'succeeded')
    return change(key, {
      state: 'failed',
      failure: inference.error?.message ?? t`The request failed.`,
      failureLanguage: inference.error ? 'en' : undefined,
      failedRequestId: inference.id,
      failureCause: inference.error?.cause ?? null,
    })
  const { images, computeMs } = await outputFacts(inference.id)
  change(key, { state: 'done', images, computeMs, preview: null })
  // The cells of a grid would talk over each other.
  if (imageRuns.peek().some((run) => run.key === key && run.grid === null)) announce(t`The drawing is done.`)
}

function change(key: number, update: Partial<ImageRun>): void {
  imageRuns.value = imageRuns.value.map((run) => (run.key === key ? { ...run, ...update } : run))
}
