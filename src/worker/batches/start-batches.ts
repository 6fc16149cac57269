import { runEvery } from '../maintenance.ts'
import { advanceBatches } from './advance-batches.ts'
import type { BatchDependencies } from './batch-pages.ts'

const pollMs = 1000

/** Goes on with batches from time to time; disposing it ends that and waits for what is under way. */
export function startBatches(deps: BatchDependencies & { readonly onFault: (where: string, error: unknown) => void }): AsyncDisposable {
  const stop = new AbortController()
  const duty = {
    name: 'advance-batches',
    everyMs: pollMs,
    run: (options: { readonly signal: AbortSignal }) => advanceBatches(deps, options),
  }
  const running = runEvery(deps, duty, { signal: stop.signal })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
