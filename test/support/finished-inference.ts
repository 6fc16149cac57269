import assert from 'node:assert/strict'
import type { GeneratedImage } from '../../src/core/image-generation.ts'
import type { InferenceWork } from '../../src/core/inference.ts'
import { encodeOutput } from '../../src/http/wire/deferred/encode-output.ts'
import type { WorkResult } from '../../src/operations/run-work.ts'
import type { ConsoleService } from './console-service.ts'
import { makeImageRequest } from './image-request.ts'
import { makeSubmission } from './submission.ts'

type Kept = Pick<ConsoleService, 'store' | 'outputs' | 'clock'>

const options = { signal: new AbortController().signal }

/** Takes one piece of work through the queue to a stored output, as a worker does, and returns its id. */
export async function finishInference(
  { store, outputs, clock }: Kept,
  accountId: string,
  { work, result }: { readonly work: InferenceWork; readonly result: WorkResult },
): Promise<string> {
  const { inference } = await store.queue.enqueue(makeSubmission({ accountId, work }), options)
  const rooms = [{ model: inference.model, room: 1 }]
  const [claim] = await store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 30_000 }, options)
  assert.equal(claim?.id, inference.id)
  const content = encodeOutput({ clock }, work, result)
  const stored = await outputs.put({ inferenceId: claim.id, attempt: claim.attempt }, content, options)
  const output = content.images === undefined ? stored : { ...stored, images: content.images() }
  await store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: null }, options)
  return claim.id
}

/** Stores a drawing whose images are these bytes, with the seeds 0, 1, 2 and so on; null = removed for safety. */
export function finishDrawing(kept: Kept, accountId: string, files: readonly (Uint8Array | null)[]): Promise<string> {
  const images = files.map((bytes, seed): GeneratedImage => {
    const facts = { encoding: 'png', width: 64, height: 64, seed, safetyScore: null } as const
    return { ...facts, bytes: bytes ?? new Uint8Array(), removedForSafety: bytes === null }
  })
  const work = { kind: 'image', request: makeImageRequest('a tiger', { seeds: images.map(({ seed }) => seed) }) } as const
  return finishInference(kept, accountId, { work, result: { kind: 'image', result: { images, computeMs: 120 } } })
}

/** A PNG file of 400 × 200 pixels in one colour. */
export const sepiaPng: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAZAAAADICAMAAADxy0fQAAAAA1BMVEVwQhQrHqxwAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAZElEQVR42u3BAQ0AAADCoPdPbQ8HFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/Bo5VwABJ1P4rwAAAABJRU5ErkJggg==',
  'base64',
)

/** The width of a lossy WebP file, which its VP8 frame states. */
export function webpWidth(file: Buffer): number {
  return file.readUInt16LE(file.indexOf('VP8 ') + 14) & 0x3fff
}
