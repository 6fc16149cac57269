import { hash } from 'node:crypto'
import type { Document, StoredDocument } from '../../core/document.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { BodyKey, BodyKeys } from '../../core/ports/body-keys.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { type BodyPart, bodyParts, type LoggedBody } from '../../core/requests/logged-body.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { bodyOwner, removeWithFiles } from '../account-bytes.ts'
import { idFrom } from '../id-from.ts'
import { openBytes, sealBytes } from './body-cipher.ts'

/** Dependencies of stored bodies. */
export interface KeptBodyDependencies {
  readonly documents: DocumentStore
  readonly outputs: OutputStore
}

/** One request of an account. */
export interface BodyTarget {
  readonly accountId: string
  readonly requestId: string
}

/** A body to be stored. */
export interface NewBody extends BodyTarget, Pick<LoggedBody, 'part' | 'path' | 'contentType' | 'status' | 'length'> {
  readonly pieces: readonly Uint8Array[]
  /** Identifies one request with its answer, because clients choose request ids and may reuse them. */
  readonly exchange: string
}

/** A decrypted body, or why it cannot be read: a missing key, or damage. */
export type ReadBody = { readonly id: string } & (
  | LoggedBody
  | (Pick<LoggedBody, 'part' | 'at'> & ({ readonly unreadable: 'key'; readonly keyId: string } | { readonly unreadable: 'damaged' }))
)

/** Maximum encrypted bytes stored inside a document; larger bodies are stored as files beside the outputs. */
const maxInside = 64 * 1024
const deletedAtOnce = 100
/** Maximum number of bodies read at once, of up to 16 MB each. */
const readAtOnce = 10

interface BodyRecord extends Omit<LoggedBody, 'bytes' | 'at'> {
  /** Absent in records of versions that stored only the last exchange per request id. */
  readonly exchange?: string
  readonly keyId: string
  /** Base64; null = stored in a file. */
  readonly sealed: string | null
  readonly file: OutputReference | null
}

/**
 * Encrypts and stores a body. Other exchanges with the same request id are kept, and the first body of an exchange stays.
 *
 * @param most Maximum bytes of the account's log.
 * @returns `full` if it does not fit.
 */
export async function keepBody(
  deps: KeptBodyDependencies,
  {
    key,
    body,
    at,
    keepMs,
    most,
  }: { readonly key: BodyKey; readonly body: NewBody; readonly at: number; readonly keepMs: number; readonly most: number },
  options: Abortable,
): Promise<'stored' | 'full'> {
  const { documents, outputs } = deps
  const { accountId, part, path, contentType, status, length, exchange } = body
  const id = bodyId(body, part, exchange)
  const owner = bodyOwner(accountId)
  const sealed = sealBytes(key, belonging(body, part, exchange), body.pieces)
  const inside = sealed.length <= maxInside
  // Its file would replace that of the first.
  if (!inside && (await documents.get({ kind: 'request-body', id, accountId: owner }, options)) !== null) return 'stored'
  if (!inside && (await documents.sum({ accountId: owner, kind: null }, options)).bytes + sealed.length > most) return 'full'
  const file = inside
    ? null
    : await outputs.put({ inferenceId: id, attempt: 1 }, { contentType: 'application/octet-stream', chunks: [sealed] }, options)
  const record: BodyRecord = {
    part,
    path,
    contentType,
    status,
    length,
    exchange,
    keyId: key.id,
    sealed: inside ? sealed.toString('base64') : null,
    file,
  }
  const document: Document = {
    kind: 'request-body',
    id,
    accountId: owner,
    value: record as unknown as JsonValue,
    at,
    label: labelOf(body),
    text: '',
    attachedBytes: file?.bytes ?? 0,
    expiresAt: at + keepMs,
  }
  const result = await documents.put(document, { signal: options.signal, version: null, most })
  if (result === 'stored') return result
  if (result === 'conflict') return 'stored'
  if (file !== null && result === 'full') await outputs.delete([file.key], neverAborted)
  return result
}

/**
 * The logged bodies of a request id, decrypted: up to ten, in the order of their exchanges.
 *
 * @param target.from Start with the first stored at or after this time, in Unix milliseconds; absent = the last ones.
 */
export async function findBodies(
  { documents, outputs, keys }: KeptBodyDependencies & { readonly keys: BodyKeys },
  { from, ...target }: BodyTarget & { readonly from?: number },
  options: Abortable,
): Promise<readonly ReadBody[]> {
  const listed = await documents.list(
    { ...named(target), ...(from === undefined ? { order: 'newest', after: null } : { order: 'oldest', after: { at: from, id: '' } }) },
    options,
  )
  const found = inOrder([...(await findNameless(documents, target, options)), ...listed])
  return Promise.all(
    found.map(async (document): Promise<ReadBody> => {
      const { id, at } = document
      const { part, path, contentType, status, length, keyId, sealed, file, exchange = null } = readRecord(document)
      const key = keys.find(keyId)
      if (key === null) return { id, part, at, unreadable: 'key', keyId }
      try {
        const bytes =
          file === null ? Buffer.from(sealed ?? '', 'base64') : Buffer.concat(await Array.fromAsync(await outputs.open(file, options)))
        return { id, part, path, at, contentType, status, length, bytes: openBytes(key, belonging(target, part, exchange), bytes) }
      } catch {
        options.signal.throwIfAborted()
        return { id, part, at, unreadable: 'damaged' }
      }
    }),
  )
}

/** Whether any bodies are logged for a request id. */
export async function hasBodies(
  { documents }: Pick<KeptBodyDependencies, 'documents'>,
  target: BodyTarget,
  options: Abortable,
): Promise<boolean> {
  if ((await findNameless(documents, target, options)).length > 0) return true
  return (await documents.list({ ...named(target), order: 'newest', after: null, limit: 1 }, options)).length > 0
}

/** Bodies stored by versions without exchanges. */
async function findNameless(documents: DocumentStore, target: BodyTarget, options: Abortable): Promise<readonly StoredDocument[]> {
  const accountId = bodyOwner(target.accountId)
  const keys = bodyParts.map((part) => ({ kind: 'request-body', id: bodyId(target, part, null), accountId }) as const)
  return (await Promise.all(keys.map((key) => documents.get(key, options)))).filter((document) => document !== null)
}

/** Filters by name only: names include the account, and stores have an index on them. */
function named(target: BodyTarget) {
  return { kind: 'request-body', accountId: null, label: labelOf(target), limit: readAtOnce } as const
}

/** Sorts exchanges by their start, and each by its parts. */
function inOrder(found: readonly StoredDocument[]): readonly StoredDocument[] {
  const exchanges = Map.groupBy(found, (document) => readRecord(document).exchange ?? '')
  const began = (documents: readonly StoredDocument[]) => Math.min(...documents.map(({ at }) => at))
  const place = (document: StoredDocument) => bodyParts.indexOf(readRecord(document).part)
  return [...exchanges.values()]
    .toSorted((one, other) => began(one) - began(other))
    .flatMap((documents) => documents.toSorted((one, other) => place(one) - place(other)))
}

/** Size of an account's log. */
export function sumBodies(
  { documents }: Pick<KeptBodyDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<{ readonly count: number; readonly bytes: number }> {
  return documents.sum({ accountId: bodyOwner(accountId), kind: 'request-body' }, options)
}

/** Deletes all logged bodies of an account; returns their number. */
export async function removeBodies(deps: KeptBodyDependencies, accountId: string, options: Abortable): Promise<number> {
  const owner = bodyOwner(accountId)
  for (let removed = 0; ; ) {
    const query = { kind: 'request-body', accountId: owner, order: 'oldest', after: null, limit: deletedAtOnce } as const
    const page = await deps.documents.list(query, options)
    for (const { id } of page) if (await removeWithFiles(deps, { kind: 'request-body', id, accountId: owner }, options)) removed += 1
    if (page.length < deletedAtOnce) return removed
  }
}

function bodyId(target: BodyTarget, part: BodyPart, exchange: string | null): string {
  return idFrom(belonging(target, part, exchange))
}

function labelOf({ accountId, requestId }: BodyTarget): string {
  return hash('sha256', JSON.stringify([accountId, requestId]))
}

function belonging({ accountId, requestId }: BodyTarget, part: BodyPart, exchange: string | null): string {
  return JSON.stringify([accountId, requestId, part, ...(exchange === null ? [] : [exchange])])
}

/** Only this file writes such documents, so their shape is known. */
function readRecord({ value }: StoredDocument): BodyRecord {
  return value as unknown as BodyRecord
}
