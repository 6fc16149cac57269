import { filePrefix } from '../core/files/stored-file.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { OutputStore, StoredOutput } from '../core/ports/output-store.ts'

/** Output bytes younger than this may belong to a completion that is still on its way. */
const youngMs = 60 * 60 * 1000
const batch = 500

/** Deletes output bytes that no record has a right to: left by a crash, or by a record that is gone. */
export async function removeOrphanOutputs(
  {
    outputs,
    documents,
    log,
    clock,
  }: { readonly outputs: OutputStore; readonly documents: DocumentStore; readonly log: InferenceLog; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  let old: StoredOutput[] = []
  const removeAll = async () => {
    const orphans = new Set(await log.findOrphans(old, options))
    const unknown = old.filter(({ key }) => orphans.has(key))
    const files = await Promise.all(
      unknown.map(({ inferenceId }) => documents.get({ kind: 'file', id: `${filePrefix}${inferenceId}`, accountId: null }, options)),
    )
    await outputs.delete(
      unknown.filter((_, at) => files[at] === null).map(({ key }) => key),
      options,
    )
    old = []
  }
  for await (const output of outputs.listOld({ olderThan: clock.now() - youngMs }, options)) {
    old.push(output)
    if (old.length >= batch) await removeAll()
  }
  await removeAll()
}
