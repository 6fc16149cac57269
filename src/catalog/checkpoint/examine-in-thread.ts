import { Worker } from 'node:worker_threads'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import type { Examination } from './examination-thread.ts'

/** Heap of the thread: a header at its bounds takes a quarter of it. */
const heapMb = 256
/** A header at its bounds takes under a second on a busy machine. */
const patienceMs = 30_000

/**
 * Examines files of weights that accounts upload, one at a time and each in a thread of its own: what a header holds never keeps the event loop waiting,
 * and a header that takes too much memory or time ends the thread.
 */
export function createWeightsExaminer(): (path: string, name: string) => Promise<ExaminedWeights> {
  let last: Promise<unknown> = Promise.resolve()
  return (path, name) => {
    const examined = last.then(() => examineInThread(path, name))
    last = examined.catch(() => {})
    return examined
  }
}

/** @throws {Error} when the system does not read the file. */
async function examineInThread(path: string, name: string): Promise<ExaminedWeights> {
  const ended = Promise.withResolvers<Examination>()
  const thread = new Worker(new URL('./examination-thread.ts', import.meta.url), {
    workerData: { path, name },
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  const faulty = (reason: string) => ended.resolve({ found: { kind: 'faulty', reason } })
  thread.once('message', (examination: Examination) => ended.resolve(examination))
  thread.once('error', (error) =>
    'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? faulty('has a header that takes too much memory') : ended.reject(error),
  )
  thread.once('exit', () => ended.reject(new Error('The thread that reads headers of weights ended.')))
  const timer = setTimeout(() => faulty('has a header that takes too long to read'), patienceMs)
  try {
    const examination = await ended.promise
    if ('unread' in examination) throw new Error(examination.unread)
    return examination.found
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
