import type { Inference, InferenceWork } from '../../src/core/inference.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { InferenceEvents } from '../../src/operations/deferred/inference-events.ts'
import type { EncodedOutput } from '../../src/operations/deferred/outputs.ts'
import type { WorkResult } from '../../src/operations/run-work.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import type { WorkerDependencies, WorkerEvent } from '../../src/worker/worker-dependencies.ts'
import { makeImageRequest } from './image-request.ts'
import { createMemoryOutputs } from './memory/create-memory-outputs.ts'
import { createMemoryStore } from './memory/create-memory-store.ts'
import { unobservedWork } from './memory/unobserved.ts'
import { makeSubmission } from './submission.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

const options = { signal: new AbortController().signal }

/** Everything a worker needs, in memory, with fake models, a clock that stands still and a record of its events. */
export interface WorkerBench extends WorkerDependencies {
  readonly store: Store
  readonly clock: TestClock
  readonly outputs: OutputStore
  readonly reported: WorkerEvent[]
  /** Resolves with the first event of this type from now on. */
  nextEvent<Type extends WorkerEvent['type']>(type: Type): Promise<Extract<WorkerEvent, { type: Type }>>
}

/** @param stepDelayMs Wait before each step or token, by the bench's clock. */
export function createWorkerBench({ slots = 2, stepDelayMs = 0 } = {}): WorkerBench {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 1000 } })
  const reported: WorkerEvent[] = []
  const listeners = new Set<(event: WorkerEvent) => void>()
  const delay = stepDelayMs === 0 ? {} : { stepDelayMs }
  const models = {
    image: { 'fake-image': createFakeImageModel({ clock, ...delay }) },
    text: { 'fake-chat': createFakeTextModel({ clock, tokens: 5 }) },
  }
  return {
    ...unobservedWork,
    underWay: new WorkUnderWay(),
    store,
    queue: store.queue,
    ledger: store.ledger,
    outputs: createMemoryOutputs({ clock }),
    pool: createFixedModelPool(models, { slots }),
    events: new InferenceEvents(clock),
    clock,
    encodeOutput,
    reported,
    onEvent: (event) => {
      reported.push(event)
      for (const listener of listeners) listener(event)
    },
    nextEvent: (type) =>
      new Promise((resolve) => {
        const listener = (event: WorkerEvent) => {
          if (!isOfType(event, type)) return
          listeners.delete(listener)
          resolve(event)
        }
        listeners.add(listener)
      }),
  }
}

/** Submits a picture of account `a`. */
export async function submitImage(bench: WorkerBench, prompt: string): Promise<Inference> {
  const work = { kind: 'image', request: makeImageRequest(prompt) } as const
  return (await bench.queue.enqueue(makeSubmission({ work }), options)).inference
}

/** The present record of an inference that is there. */
export async function readRecord(bench: WorkerBench, { id, accountId }: Inference): Promise<Inference> {
  const found = await bench.store.log.find(id, accountId, options)
  if (found === null) throw new Error(`There is no inference ${id}.`)
  return found
}

function isOfType<Type extends WorkerEvent['type']>(event: WorkerEvent, type: Type): event is Extract<WorkerEvent, { type: Type }> {
  return event.type === type
}

function encodeOutput(_work: InferenceWork, { kind, result }: WorkResult): EncodedOutput {
  const text = kind === 'chat' ? (result.choices[0]?.text ?? '') : ''
  const bytes = kind === 'image' ? (result.images[0]?.bytes ?? new Uint8Array()) : Buffer.from(text)
  return { contentType: kind === 'image' ? 'image/png' : 'text/plain', chunks: [bytes] }
}
