import { createHash } from 'node:crypto'
import type { Document, StoredDocument } from '../../core/document.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { BodyKey, BodyKeys } from '../../core/ports/body-keys.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { type BodyPart, bodyParts, type LoggedBody } from '../../core/requests/logged-body.ts'
import type { JsonValue } from '../../core/text-generation.ts'
import { unstoppable } from '../../core/waiting.ts'
import { openBytes, sealBytes } from './body-cipher.ts'

/** What bodies are kept in. */
export interface KeptBodyDependencies {
  readonly documents: DocumentStore
  readonly outputs: OutputStore
}

type Options = { readonly signal: AbortSignal }

/** One request of an account. */
export interface BodyTarget {
  readonly accountId: string
  readonly requestId: string
}

/** A body on its way into the log. */
export interface NewBody extends BodyTarget, Pick<LoggedBody, 'part' | 'path' | 'contentType' | 'status' | 'length'> {
  readonly pieces: readonly Uint8Array[]
}

/** A body of the log, or why it cannot be read: with a key that is not here, or damaged. */
export type ReadBody =
  | LoggedBody
  | { readonly part: BodyPart; readonly unreadable: 'key'; readonly keyId: string }
  | { readonly part: BodyPart; readonly unreadable: 'damaged' }

/** Encrypted bytes that a document holds itself; more lie beside the outputs. */
const mostInside = 64 * 1024
const deletedAtOnce = 100

interface BodyRecord extends Omit<LoggedBody, 'bytes' | 'at'> {
  readonly keyId: string
  /** Base64; null = it lies in a file. */
  readonly sealed: string | null
  readonly file: OutputReference | null
}

/** Whose the logged bodies of an account are, so that they do not count among its own documents; no account has such an id. */
export function bodyOwner(accountId: string): string {
  return `request-log:${accountId}`
}

/**
 * Encrypts a body and keeps it. A later one of the same request takes its place.
 *
 * @param most Bytes that the account's log may take in all.
 * @returns `full` when it does not fit any more.
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
  options: Options,
): Promise<'stored' | 'full'> {
  const { documents, outputs } = deps
  const { accountId, part, path, contentType, status, length } = body
  const id = bodyId(body, part)
  const owner = bodyOwner(accountId)
  const sealed = sealBytes(key, belonging(body, part), body.pieces)
  const inside = sealed.length <= mostInside
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
    label: null,
    text: '',
    attachedBytes: file?.bytes ?? 0,
    expiresAt: at + keepMs,
  }
  for (;;) {
    const result = await documents.put(document, { signal: options.signal, version: null, most })
    if (result === 'stored') return result
    if (result === 'conflict' && (await removeBody(deps, { kind: 'request-body', id, accountId: owner }, options))) continue
    if (file !== null) await outputs.delete([file.key], unstoppable)
    if (result === 'full') return result
    throw new Error(`A body by the name of ${id} is kept already`)
  }
}

/** What the log has of a request, decrypted. */
export async function findBodies(
  { documents, outputs, keys }: KeptBodyDependencies & { readonly keys: BodyKeys },
  target: BodyTarget,
  options: Options,
): Promise<readonly ReadBody[]> {
  const accountId = bodyOwner(target.accountId)
  const found = await Promise.all(
    bodyParts.map((part) => documents.get({ kind: 'request-body', id: bodyId(target, part), accountId }, options)),
  )
  return Promise.all(
    found
      .filter((document) => document !== null)
      .map(async (document): Promise<ReadBody> => {
        const { part, path, contentType, status, length, keyId, sealed, file } = readRecord(document)
        const key = keys.find(keyId)
        if (key === null) return { part, unreadable: 'key', keyId }
        try {
          const bytes =
            file === null ? Buffer.from(sealed ?? '', 'base64') : Buffer.concat(await Array.fromAsync(await outputs.open(file, options)))
          return { part, path, at: document.at, contentType, status, length, bytes: openBytes(key, belonging(target, part), bytes) }
        } catch {
          options.signal.throwIfAborted()
          return { part, unreadable: 'damaged' }
        }
      }),
  )
}

/** Whether the log has anything of a request. */
export async function hasBodies(
  { documents }: Pick<KeptBodyDependencies, 'documents'>,
  target: BodyTarget,
  options: Options,
): Promise<boolean> {
  const accountId = bodyOwner(target.accountId)
  for (const part of bodyParts)
    if ((await documents.get({ kind: 'request-body', id: bodyId(target, part), accountId }, options)) !== null) return true
  return false
}

/** How much the log of an account holds. */
export function sumBodies(
  { documents }: Pick<KeptBodyDependencies, 'documents'>,
  accountId: string,
  options: Options,
): Promise<{ readonly count: number; readonly bytes: number }> {
  return documents.sum({ accountId: bodyOwner(accountId), kind: 'request-body' }, options)
}

/** Deletes all that the log of an account holds, and says how many bodies that were. */
export async function removeBodies(deps: KeptBodyDependencies, accountId: string, options: Options): Promise<number> {
  const owner = bodyOwner(accountId)
  for (let removed = 0; ; ) {
    const query = { kind: 'request-body', accountId: owner, order: 'oldest', after: null, limit: deletedAtOnce } as const
    const page = await deps.documents.list(query, options)
    for (const { id } of page) if (await removeBody(deps, { kind: 'request-body', id, accountId: owner }, options)) removed += 1
    if (page.length < deletedAtOnce) return removed
  }
}

/** Keys of the files of bodies whose documents are gone. */
export function bodyFiles(documents: readonly StoredDocument[]): readonly string[] {
  return documents.filter(({ kind }) => kind === 'request-body').flatMap((document) => readRecord(document).file?.key ?? [])
}

async function removeBody(
  { documents, outputs }: KeptBodyDependencies,
  key: { readonly kind: 'request-body'; readonly id: string; readonly accountId: string },
  options: Options,
): Promise<boolean> {
  const found = await documents.get(key, options)
  if (found === null || !(await documents.remove(key, options))) return false
  await outputs.delete(bodyFiles([found]), unstoppable)
  return true
}

/** In the form of an inference's id, which files are stored by. */
function bodyId(target: BodyTarget, part: BodyPart): string {
  const hex = createHash('sha256').update(belonging(target, part)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function belonging({ accountId, requestId }: BodyTarget, part: BodyPart): string {
  return JSON.stringify([accountId, requestId, part])
}

/** Documents of this kind are written here and nowhere else, so that their shape is known. */
function readRecord({ value }: StoredDocument): BodyRecord {
  return value as unknown as BodyRecord
}
