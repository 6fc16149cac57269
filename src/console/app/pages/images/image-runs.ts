import { signal } from '@preact/signals'
import type { Inference } from '../../../../core/inference.ts'
import { followInference } from '../../interface/follow-inference.ts'
import { cancelInference, findInference } from '../../interface/inference-requests.ts'
import { sentenceOf } from '../../interface/request.ts'
import type { ImageRequestBody } from '../../interface/submit-image.ts'
import { submitImage } from '../../interface/submit-image.ts'
import { imageRouteOf } from '../../state/models.ts'
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
}

/** The runs of this tab, newest first. */
export const imageRuns = signal<readonly ImageRun[]>([])

let nextKey = 1

/** Hands a request in and follows it to its end. */
export async function draw(body: ImageRequestBody): Promise<void> {
  const key = nextKey++
  const empty = { id: null, queuePosition: null, progress: null, preview: null, images: [], computeMs: null, failure: null }
  imageRuns.value = [{ key, body, state: 'sending', ...empty }, ...imageRuns.value]
  try {
    const id = await submitImage(imageRouteOf(body.model), body)
    change(key, { id, state: 'waiting' })
    await finish(key, await followToItsEnd(key, id))
  } catch (error) {
    change(key, { state: 'failed', failure: sentenceOf(error) })
  }
}

/** Stops a run at its next step. */
export async function cancelRun(run: ImageRun): Promise<void> {
  if (run.id) await cancelInference(run.id)
}

/** A stream may break off long before its request does; then it is taken up again. */
async function followToItsEnd(key: number, id: string): Promise<Inference> {
  for (;;) {
    await follow(key, id)
    const inference = await findInference(id)
    if (inference.status === 'completed') return inference
  }
}

async function follow(key: number, id: string): Promise<void> {
  for await (const event of followInference(id)) {
    if (event.type === 'preview') change(key, { state: 'drawing', preview: event.url })
    else if (event.type === 'progress')
      change(key, { state: 'drawing', queuePosition: null, progress: { step: event.step, total: event.total } })
    else if (event.status === 'completed') return
    else change(key, { state: event.status === 'running' ? 'drawing' : 'waiting', queuePosition: event.queuePosition })
  }
}

async function finish(key: number, inference: Inference): Promise<void> {
  if (inference.outcome === 'cancelled') return change(key, { state: 'cancelled' })
  if (inference.outcome !== 'succeeded')
    return change(key, { state: 'failed', failure: inference.error?.message ?? 'The request did not end well.' })
  const { images, computeMs } = await outputFacts(inference.id)
  change(key, { state: 'done', images, computeMs, preview: null })
}

function change(key: number, update: Partial<ImageRun>): void {
  imageRuns.value = imageRuns.value.map((run) => (run.key === key ? { ...run, ...update } : run))
}
