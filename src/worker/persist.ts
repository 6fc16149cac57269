import type { WorkerDependencies } from './worker-dependencies.ts'

/** Wait between two tries to write. */
const pauseMs = 1000

/**
 * Writes again and again until it works, because a finished result is worth waiting for a disk that is full;
 * gives up when the signal aborts.
 */
export async function persist<Result>(
  { clock, onEvent }: Pick<WorkerDependencies, 'clock' | 'onEvent'>,
  duty: string,
  write: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      onEvent({ type: 'fault', duty, error })
      await clock.wait(pauseMs, { signal })
    }
  }
}
