import { signal } from '@preact/signals'
import { isMistake } from '../../../../../core/error.ts'
import type { Inference } from '../../../../../core/inference.ts'
import { makeId } from '../../../browser/make-id.ts'
import { type EndedInference, followToItsEnd, type Pause, retryUntilAnswered } from '../../../interface/follow-inference.ts'
import { cancelInference } from '../../../interface/inference-requests.ts'
import { causeOf, isConnectionLost, isGone, languageOf, requestIdOf, sentenceOf } from '../../../interface/request.ts'
import { type ImageRequestBody, submitImage } from '../../../interface/submit-image.ts'
import { t } from '../../../language/t.ts'
import { imageRouteOf } from '../../../state/models.ts'
import { whileSignedIn } from '../../../state/session.ts'
import { announce } from '../../../state/toasts.ts'
import { outputFacts, type ShownImage } from './output-facts.ts'

/** One drawing: its request, progress and result. */
export interface ImageRun {
  readonly key: number
  readonly body: ImageRequestBody
  readonly id: string | null
  readonly state: 'sending' | 'waiting' | 'drawing' | 'done' | 'failed' | 'cancelled'
  readonly queuePosition: number | null
  readonly progress: { readonly step: number; readonly total: number } | null
  /** Address of a small preview. */
  readonly preview: string | null
  readonly images: readonly ShownImage[]
  readonly computeMs: number | null
  readonly failure: string | null
  /** The language of `failure` if it is not the page's. */
  readonly failureLanguage: 'en' | undefined
  /** The failed request's id in the service's log. */
  readonly failedRequestId: string | null
  /** The cause; null except for owners. */
  readonly failureCause: string | null
  /** Identifies the request when it is repeated. */
  readonly submissionKey: string
  /** Whether it was cancelled before its id was known. */
  readonly cancelWanted: boolean
  /** The key of the grid that it belongs to; null = none. */
  readonly grid: number | null
  /** Whether the page has lost the connection while the drawing continues, or before it knew whether the service received it. */
  readonly connectionLost: boolean
}

/** This tab's runs and restored ones, newest first. */
export const imageRuns = signal<readonly ImageRun[]>([])

let lastKey = 0

/** A new key, larger than all before. It is about the current time, so that drawings from before a reload are ordered correctly. */
export function takeKey(): number {
  lastKey = freeKey(Math.max(lastKey + 1, Date.now()))
  return lastKey
}

/** The first key from this time on that no run has: the service accepts several requests in one millisecond, and its clock may be ahead. */
function freeKey(time: number): number {
  const taken = new Set(imageRuns.peek().map(({ key }) => key))
  let key = time
  while (taken.has(key)) key++
  return key
}

interface DrawOptions {
  /** The key of a request that may have arrived already, so that it is not drawn twice. */
  readonly submissionKey?: string
  readonly pause?: Pause
  /** The grid that it belongs to. */
  readonly grid?: number | null
}

/** Submits a request and follows it to its end. */
export async function draw(body: ImageRequestBody, { submissionKey = makeId(), pause, grid = null }: DrawOptions = {}): Promise<void> {
  const key = takeKey()
  imageRuns.value = [beginRun({ key, body, submissionKey, grid }), ...imageRuns.value]
  try {
    const id = await whileSignedIn(() => submitImage(imageRouteOf(body.checkpoint), body, submissionKey))
    // A list of earlier runs may have shown it before this answer arrived.
    imageRuns.value = imageRuns.value.filter((run) => run.id !== id)
    change(key, { id, state: 'waiting' })
    if (imageRuns.value.some((run) => run.key === key && run.cancelWanted)) void cancelAccepted(key, id, pause)
    await untilKnown(key, () => follow(key, id, pause), pause)
  } catch (error) {
    fail(key, error)
  }
}

/**
 * Repeats something that concerns an accepted drawing until the service answers. Only a missing record is final: no other error says that the
 * drawing has failed, and a drawing that is shown as failed would be requested, and paid for, a second time.
 */
async function untilKnown(key: number, ask: () => Promise<void>, pause: Pause | undefined): Promise<void> {
  const onLost = () => change(key, { connectionLost: true })
  await retryUntilAnswered(() => whileSignedIn(ask), { ...(pause && { pause }), onLost, isFinal: isGone })
}

/** A drawing that any page submitted before. */
export interface EarlierRun {
  readonly inference: Pick<Inference, 'id' | 'status' | 'outcome' | 'error' | 'createdAt'>
  readonly body: ImageRequestBody
  readonly submissionKey?: string
  readonly grid?: number | null
}

/** Restores an earlier run, and follows it if it has not ended. */
export async function restoreRun({ inference, body, submissionKey = makeId(), grid = null }: EarlierRun): Promise<void> {
  const { id, createdAt } = inference
  if (imageRuns.peek().some((run) => run.id === id)) return
  const key = freeKey(createdAt)
  insert({ ...beginRun({ key, body, submissionKey, grid }), id, state: 'waiting' })
  const restore = inference.status === 'completed' ? () => settle(key, inference, undefined) : () => follow(key, id, undefined)
  await untilKnown(key, restore, undefined).catch((error) => fail(key, error))
}

/** Restores a run from before a reload that the service may not have received, so that it can be sent again under the same key. */
export function restoreUnsent(run: ImageRun): void {
  if (imageRuns.peek().some(({ submissionKey }) => submissionKey === run.submissionKey)) return
  const interrupted = { state: 'failed', connectionLost: true, failure: t`Interrupted: the page was closed or reloaded.` } as const
  insert({ ...run, key: freeKey(run.key), ...(run.state === 'sending' && interrupted) })
}

function insert(run: ImageRun): void {
  imageRuns.value = [...imageRuns.value, run].toSorted((one, other) => other.key - one.key)
}

function beginRun(given: Pick<ImageRun, 'key' | 'body' | 'submissionKey' | 'grid'>): ImageRun {
  const empty = { id: null, queuePosition: null, progress: null, preview: null, images: [], computeMs: null, failure: null }
  const unfailed = { failureLanguage: undefined, failedRequestId: null, failureCause: null }
  return { ...given, ...empty, ...unfailed, state: 'sending', cancelWanted: false, connectionLost: false }
}

function fail(key: number, error: unknown): void {
  const shown = { failure: sentenceOf(error), failureLanguage: languageOf(error) }
  const connectionLost = isConnectionLost(error)
  change(key, { state: 'failed', connectionLost, ...shown, failedRequestId: requestIdOf(error), failureCause: causeOf(error) })
}

/** Repeats a run's request. One whose end is unknown is not drawn a second time. */
export async function drawAgain({ id, body, state, submissionKey, grid }: ImageRun): Promise<void> {
  await draw(body, { grid, ...(state === 'failed' && id === null && { submissionKey }) })
}

/** Stops a run at its next step, or as soon as the service has received it. */
export async function cancelRun({ key, id }: Pick<ImageRun, 'key' | 'id'>, pause?: Pause): Promise<void> {
  if (id === null) change(key, { cancelWanted: true })
  else await cancelAccepted(key, id, pause)
}

/** Sends a cancellation until the service has received it or the run has ended. */
async function cancelAccepted(key: number, id: string, pause: Pause | undefined): Promise<void> {
  const hasEnded = () => !imageRuns.peek().some((run) => run.key === key && isRunOpen(run))
  const isFinal = (error: unknown) => isGone(error) || hasEnded()
  await retryUntilAnswered(() => whileSignedIn(() => cancelInference(id)), { ...(pause && { pause }), isFinal }).catch(() => {})
}

/** Whether the drawing has not ended. */
export function isRunOpen({ state }: Pick<ImageRun, 'state'>): boolean {
  return state === 'sending' || state === 'waiting' || state === 'drawing'
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
    // A run that waits again restarts at its first step.
    else change(key, { state: 'waiting', queuePosition: event.queuePosition, progress: null })
  }
}

async function finish(key: number, inference: EndedInference, pause: Pause | undefined): Promise<void> {
  await settle(key, inference, pause)
  // Announcements of a grid's cells would overlap.
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
      failedRequestId: isMistake(inference.error) ? null : inference.id,
      failureCause: inference.error?.cause ?? null,
    })
  const onLost = () => change(key, { connectionLost: true })
  const { images, computeMs } = await retryUntilAnswered(() => outputFacts(inference.id), { ...(pause && { pause }), onLost })
  change(key, { state: 'done', connectionLost: false, images, computeMs, preview: null })
}

function change(key: number, update: Partial<ImageRun>): void {
  imageRuns.value = imageRuns.value.map((run) => (run.key === key ? { ...run, ...update } : run))
}
