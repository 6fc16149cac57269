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
    const kept = await Promise.all(unknown.map(({ inferenceId }) => isKept(documents, inferenceId, options)))
    await outputs.delete(
      unknown.filter((_, at) => !kept[at]).map(({ key }) => key),
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

/** Whether bytes that belong to no inference are a file's, a picture's that somebody keeps, or a body's of the request log. */
async function isKept(documents: DocumentStore, id: string, options: { readonly signal: AbortSignal }): Promise<boolean> {
  const names = [
    { kind: 'file', id: `${filePrefix}${id}` } as const,
    { kind: 'picture', id } as const,
    { kind: 'request-body', id } as const,
  ]
  const found = await Promise.all(names.map((name) => documents.get({ ...name, accountId: null }, options)))
  return found.some((document) => document !== null)
}
