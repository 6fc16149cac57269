import type { Clock } from '../core/ports/clock.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { OutputStore } from '../core/ports/output-store.ts'

/** Output bytes younger than this may belong to a completion that is still on its way. */
const youngMs = 60 * 60 * 1000
const batch = 500

/** Deletes output bytes that no record has a right to: left by a crash, or by a record that is gone. */
export async function removeOrphanOutputs(
  { outputs, log, clock }: { readonly outputs: OutputStore; readonly log: InferenceLog; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  let ids: string[] = []
  const removeAll = async () => {
    for (const id of await log.withoutOutput(ids, options)) await outputs.delete(id, options)
    ids = []
  }
  for await (const id of outputs.listIds({ olderThan: clock.now() - youngMs }, options)) {
    ids.push(id)
    if (ids.length >= batch) await removeAll()
  }
  await removeAll()
}
