import { signal } from '@preact/signals'
import type { Inference } from '../../../../../core/inference.ts'
import { makeId } from '../../../browser/make-id.ts'
import { askPatiently, type EndedInference, followToItsEnd, type Pause } from '../../../interface/follow-inference.ts'
import { cancelInference } from '../../../interface/inference-requests.ts'
import { causeOf, languageOf, requestIdOf, sentenceOf } from '../../../interface/request.ts'
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

/** The runs of this tab and those taken up, newest first. */
export const imageRuns = signal<readonly ImageRun[]>([])

let lastKey = 0

/** A key that no run and no grid has had; later ones are larger. It is about the time, so that what was drawn before the page was loaded finds its place. */
export function takeKey(): number {
  lastKey = Math.max(lastKey + 1, Date.now())
  return lastKey
}

interface DrawOptions {
  /** Of a request that may have arrived already; it is then not drawn twice. */
  readonly submissionKey?: string
  readonly pause?: Pause
  /** The grid that it is a part of. */
  readonly grid?: number | null
}

/** Hands a request in and follows it to its end. */
export async function draw(body: ImageRequestBody, { submissionKey = makeId(), pause, grid = null }: DrawOptions = {}): Promise<void> {
  const key = takeKey()
  imageRuns.value = [beginRun({ key, body, submissionKey, grid }), ...imageRuns.value]
  try {
    const id = await submitImage(imageRouteOf(body.checkpoint), body, submissionKey)
    change(key, { id, state: 'waiting' })
    if (imageRuns.value.some((run) => run.key === key && run.cancelWanted)) await cancelInference(id)
    await follow(key, id, pause)
  } catch (error) {
    fail(key, error)
  }
}

/** What was handed in before, by any page. */
export interface EarlierRun {
  readonly inference: Pick<Inference, 'id' | 'status' | 'outcome' | 'error' | 'createdAt'>
  readonly body: ImageRequestBody
  readonly grid?: number | null
}

/** Takes up a run that was handed in before, and follows it to its end where it has none yet. */
export async function takeUp({ inference, body, grid = null }: EarlierRun): Promise<void> {
  const { id, createdAt: key } = inference
  if (imageRuns.peek().some((run) => run.id === id || run.key === key)) return
  const run: ImageRun = { ...beginRun({ key, body, submissionKey: makeId(), grid }), id, state: 'waiting' }
  imageRuns.value = [...imageRuns.value, run].toSorted((one, other) => other.key - one.key)
  await (inference.status === 'completed' ? settle(key, inference, undefined) : follow(key, id, undefined)).catch((error) =>
    fail(key, error),
  )
}

function beginRun(given: Pick<ImageRun, 'key' | 'body' | 'submissionKey' | 'grid'>): ImageRun {
  const empty = { id: null, queuePosition: null, progress: null, preview: null, images: [], computeMs: null, failure: null }
  const unfailed = { failureLanguage: undefined, failedRequestId: null, failureCause: null }
  return { ...given, ...empty, ...unfailed, state: 'sending', cancelWanted: false, connectionLost: false }
}

function fail(key: number, error: unknown): void {
  const shown = { failure: sentenceOf(error), failureLanguage: languageOf(error) }
  change(key, { state: 'failed', ...shown, failedRequestId: requestIdOf(error), failureCause: causeOf(error) })
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

async function follow(key: number, id: string, pause: Pause | undefined): Promise<void> {
  const events = followToItsEnd(id, pause && { pause })
  for (;;) {
    const { value: event, done } = await events.next()
    if (done) return await finish(key, event, pause)
    if (event.type !== 'begins') change(key, { connectionLost: event.type === 'connection-lost' })
    if (event.type === 'preview') change(key, { state: 'drawing', preview: event.url })
    else if (event.type === 'progress')
      change(key, { state: 'drawing', queuePosition: null, progress: { step: event.step, total: event.total } })
    else if (event.type !== 'status') continue
    else if (event.status === 'running') change(key, { state: 'drawing', queuePosition: event.queuePosition })
    // One that waits again starts at its first step.
    else change(key, { state: 'waiting', queuePosition: event.queuePosition, progress: null })
  }
}

async function finish(key: number, inference: EndedInference, pause: Pause | undefined): Promise<void> {
  await settle(key, inference, pause)
  // The cells of a grid would talk over each other.
  if (imageRuns.peek().some((run) => run.key === key && run.grid === null && run.state === 'done')) announce(t`The drawing is done.`)
}

async function settle(key: number, inference: EndedInference, pause: Pause | undefined): Promise<void> {
  if (inference.outcome === 'cancelled') return change(key, { state: 'cancelled', connectionLost: false })
  if (inference.outcome !== 'succeeded')
    return change(key, {
      state: 'failed',
      connectionLost: false,
      failure: inference.error?.message ?? t`The request failed.`,
      failureLanguage: inference.error ? 'en' : undefined,
      failedRequestId: inference.id,
      failureCause: inference.error?.cause ?? null,
    })
  const onLost = () => change(key, { connectionLost: true })
  const { images, computeMs } = await askPatiently(() => outputFacts(inference.id), { ...(pause && { pause }), onLost })
  change(key, { state: 'done', connectionLost: false, images, computeMs, preview: null })
}

function change(key: number, update: Partial<ImageRun>): void {
  imageRuns.value = imageRuns.value.map((run) => (run.key === key ? { ...run, ...update } : run))
}
