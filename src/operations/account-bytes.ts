import { attachedFiles, attachingKinds, type StoredDocument } from '../core/document.ts'
import { ServiceError } from '../core/error.ts'
import type { Inference, InferenceStatus, OutputReference } from '../core/inference.ts'
import type { DocumentKey } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { type Abortable, neverAborted } from '../core/waiting.ts'

const readAtOnce = 100

/** Owner of an account's logged bodies, so that they do not count as its own documents; never an account id. */
export function bodyOwner(accountId: string): string {
  return `request-log:${accountId}`
}

/** Owners of an account's documents: the account, and its request log. */
export function ownersOf(accountId: string): readonly string[] {
  return [accountId, bodyOwner(accountId)]
}

/** The inferences of an account. @param status null = all. */
export async function* listInferences(
  { log }: Pick<Store, 'log'>,
  { accountId, status }: { readonly accountId: string; readonly status: InferenceStatus | null },
  options: Abortable,
): AsyncGenerator<Inference> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<InferenceLog['list']>> = await log.list({ accountId, status, limit: readAtOnce, after }, options)
    yield* page.inferences
    after = page.next
  } while (after !== null)
}

/** The documents of an account that have files, with these. Files of assets are stored elsewhere. */
export async function* listAttaching(
  { documents }: Pick<Store, 'documents'>,
  account: string,
  options: Abortable,
): AsyncGenerator<{
  readonly kind: (typeof attachingKinds)[number]
  readonly key: DocumentKey
  readonly files: readonly OutputReference[]
}> {
  for (const accountId of ownersOf(account))
    for (const kind of attachingKinds) {
      let after: { readonly at: number; readonly id: string } | null = null
      do {
        const page: readonly StoredDocument[] = await documents.list(
          { kind, accountId, order: 'oldest', after, limit: readAtOnce },
          options,
        )
        for (const document of page) {
          const files = attachedFiles(document)
          if (files.length > 0) yield { kind, key: { kind, id: document.id, accountId }, files }
        }
        const last = page.length < readAtOnce ? undefined : page.at(-1)
        after = last === undefined ? null : { at: last.at, id: last.id }
      } while (after !== null)
    }
}

/** Deletes a document, then its files; returns whether it existed. */
export async function removeWithFiles(
  { documents, outputs }: Pick<Store, 'documents'> & { readonly outputs: OutputStore },
  key: DocumentKey,
  options: Abortable,
): Promise<boolean> {
  const found = await documents.get(key, options)
  if (found === null || !(await documents.remove(key, options))) return false
  await outputs.delete(
    attachedFiles(found).map((file) => file.key),
    neverAborted,
  )
  return true
}

/** Kinds of bytes whose damage is a fault: outputs of inferences, and files of documents that cannot be made again. */
export type StoredBytesKind = 'output' | Exclude<(typeof attachingKinds)[number], 'thumbnail'>

/** Result of reading stored bytes. */
export interface BytesCheck {
  /** Number of outputs read. */
  readonly outputs: number
  /** Number of documents with files that were read. */
  readonly documents: number
  /** Inferences and documents whose bytes are missing or damaged. */
  readonly damaged: readonly { readonly kind: StoredBytesKind; readonly id: string }[]
}

/**
 * Reads every stored output and every file of a document, and compares them with their records, also beside a running service.
 *
 * @param options.onProgress Called after each with the bytes read and those in total.
 * @throws {ServiceError} `server_is_overloaded` if the output store does not respond.
 */
export async function checkStoredBytes(
  deps: Pick<Store, 'accounts' | 'log' | 'documents' | 'clock'> & { readonly outputs: OutputStore },
  { onProgress = () => {}, ...options }: Abortable & { readonly onProgress?: (bytesDone: number, bytesTotal: number) => void },
): Promise<BytesCheck> {
  let bytesTotal = 0
  for await (const { files } of listStored(deps, options)) bytesTotal += bytesOf(files)
  let bytesDone = 0
  const damaged: BytesCheck['damaged'][number][] = []
  const counts = { outputs: 0, documents: 0 }
  const areWhole = async (files: readonly OutputReference[]) => {
    for (const file of files) if (!(await deps.outputs.open(file, options).then(() => true, isDamage))) return false
    return true
  }
  for await (const { kind, id, files, isKept } of listStored(deps, options)) {
    counts[kind === 'output' ? 'outputs' : 'documents'] += 1
    // It may have been deleted meanwhile.
    if (!(await areWhole(files)) && (await isKept())) damaged.push({ kind, id })
    bytesDone += bytesOf(files)
    onProgress(bytesDone, Math.max(bytesDone, bytesTotal))
  }
  return { ...counts, damaged }
}

interface Stored {
  readonly kind: StoredBytesKind
  readonly id: string
  readonly files: readonly OutputReference[]
  /** Whether its record is still there. */
  readonly isKept: () => Promise<boolean>
}

async function* listStored(deps: Pick<Store, 'accounts' | 'log' | 'documents' | 'clock'>, options: Abortable): AsyncGenerator<Stored> {
  const isCurrent = (inference: Inference | null) => (inference?.expiresAt ?? 0) > deps.clock.now()
  for (const { id: accountId } of await deps.accounts.list(options)) {
    for await (const inference of listInferences(deps, { accountId, status: 'completed' }, options)) {
      const { id, output } = inference
      if (output === null || !isCurrent(inference)) continue
      yield { kind: 'output', id, files: [output], isKept: async () => isCurrent(await deps.log.find(id, accountId, options)) }
    }
    for await (const { kind, key, files } of listAttaching(deps, accountId, options)) {
      // Thumbnails are created again when they are needed.
      if (kind === 'thumbnail') continue
      yield { kind, id: key.id, files, isKept: async () => (await deps.documents.get(key, options)) !== null }
    }
  }
}

function bytesOf(files: readonly OutputReference[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** @throws The error if it does not mean damage, such as an unavailable store. */
function isDamage(error: unknown): false {
  if (error instanceof ServiceError && error.code === 'internal_error') return false
  throw error
}
