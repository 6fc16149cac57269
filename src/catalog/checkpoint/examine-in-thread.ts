import { Worker } from 'node:worker_threads'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import { Turns } from '../../core/turns.ts'
import { neverAborted } from '../../core/waiting.ts'
import type { Examination } from './examination-thread.ts'

/** Heap limit of the thread in MB; a header of maximum size takes a quarter of it. */
const heapMb = 256
/** Time limit; a header of maximum size takes under a second on a busy machine. */
const timeoutMs = 30_000

/**
 * Examines uploaded weights files one at a time, each in a separate thread: headers never block the event loop, and one that takes too much
 * memory or time only ends the thread.
 */
export function createWeightsExaminer(): (path: string, name: string) => Promise<ExaminedWeights> {
  const turns = new Turns(1)
  return async (path, name) => {
    using _turn = await turns.take('', neverAborted)
    return await examineInThread(path, name)
  }
}

/** @throws {Error} if the file cannot be read. */
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
  const timer = setTimeout(() => faulty('has a header that takes too long to read'), timeoutMs)
  try {
    const examination = await ended.promise
    if ('unread' in examination) throw new Error(examination.unread)
    return examination.found
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
