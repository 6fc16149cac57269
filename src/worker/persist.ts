import type { WorkerDependencies } from './worker-dependencies.ts'

/** Wait between two tries to write. */
const pauseMs = 1000
/** How long a write is tried; a fault that stays keeps no place of the worker taken for ever. */
const patienceMs = 60_000

/**
 * Writes again and again until it works, because a finished result is worth waiting for a disk that is full for a
 * moment; gives up when the signal aborts.
 *
 * @throws what the write threw the last time, after a minute.
 */
export async function persist<Result>(
  { clock, onEvent }: Pick<WorkerDependencies, 'clock' | 'onEvent'>,
  duty: string,
  write: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await write()
    } catch (error) {
      onEvent({ type: 'fault', duty, error })
      if (waitedMs >= patienceMs) throw error
      await clock.wait(pauseMs, { signal })
    }
  }
}
