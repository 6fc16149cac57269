import { setImmediate } from 'node:timers/promises'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import { outputRetentionMs } from '../../core/inference.ts'
import { isJsonObject, type JsonObject } from '../../core/json-value.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type DocumentDependencies, documentsFull } from '../account-documents.ts'

/** Kinds of answers that clients can store. */
export type KeptKind = 'response' | 'chat-completion'

/** One stored answer of an account. */
export interface KeptTarget {
  readonly kind: KeptKind
  readonly accountId: string
  readonly id: string
}

const remedy = 'delete what is no longer needed, or send `store: false`'

/**
 * Checks that an account has room for an answer, before its work is paid for.
 *
 * @param answer.value The answer without a text, so that nothing is refused that would fit.
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function requireRoom(
  { documents, maxDocumentBytes: most }: Omit<DocumentDependencies, 'clock'>,
  { accountId, value }: { readonly accountId: string; readonly value: JsonObject },
  options: Abortable,
): Promise<void> {
  const { bytes: before } = await documents.sum({ accountId, kind: null }, options)
  if (before + Buffer.byteLength(JSON.stringify(value)) > most) throw documentsFull(most, remedy)
}

/**
 * Stores an answer with the retention of outputs.
 *
 * @throws {ServiceError} `quota_exceeded` if the account is at its limit.
 */
export async function keepAnswer(
  { documents, clock, maxDocumentBytes: most }: DocumentDependencies,
  { value, label = null, ...target }: KeptTarget & { readonly value: JsonObject; readonly label?: string | null },
  { signal }: Abortable,
): Promise<void> {
  const at = clock.now()
  const document = { ...plainDocument, ...target, value, at, label, expiresAt: at + outputRetentionMs }
  const result = await documents.put(document, { signal, version: null, most })
  if (result === 'conflict') throw new Error(`An answer named ${target.id} is already stored`)
  if (result === 'full') throw documentsFull(most, remedy)
}

/** The warning to return with an answer for which the account has no room, since its work is paid for; null = it was stored. */
export async function warningOfKeeping(keeping: Promise<void>): Promise<string | null> {
  try {
    await keeping
    return null
  } catch (error) {
    if (isFull(error)) return `Not stored. ${error.message}`
    throw error
  }
}

/** Whether an error says that the account has no room. */
export function isFull(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'quota_exceeded'
}

/**
 * Finds a stored answer of the account.
 *
 * @throws {ServiceError} `not_found`, with the same message for a foreign, an unknown and an expired one.
 */
export async function findAnswer(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  target: KeptTarget,
  options: Abortable,
): Promise<StoredDocument & { readonly value: JsonObject }> {
  const found = await documents.get(target, options)
  if (found === null || !isJsonObject(found.value)) throw answerNotFound(target)
  return { ...found, value: found.value }
}

/**
 * Replaces a stored answer without extending its retention.
 *
 * @throws {ServiceError} `not_found`, and `quota_exceeded` if it does not fit.
 */
export async function changeAnswer(
  { documents, maxDocumentBytes: most }: Omit<DocumentDependencies, 'clock'>,
  target: KeptTarget,
  change: (value: JsonObject) => JsonObject,
  options: Abortable,
): Promise<JsonObject> {
  for (;;) {
    const { version, bytes: _, ...found } = await findAnswer({ documents }, target, options)
    const value = change(found.value)
    const result = await documents.put({ ...found, value, text: '' }, { ...options, version, most })
    if (result === 'stored') return value
    if (result === 'full')
      throw new ServiceError(
        'quota_exceeded',
        'This account has used up its storage (account-documents); delete what you no longer need.',
        {
          retryAfterSeconds: 120,
        },
      )
  }
}

/** @throws {ServiceError} `not_found`. */
export async function removeAnswer(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  target: KeptTarget,
  options: Abortable,
): Promise<void> {
  if (!(await documents.remove(target, options))) throw answerNotFound(target)
}

/** Answers read from the store per query while searching for a page; other requests run in between. */
const readAtOnce = 10

/**
 * A page of an account's stored answers, and whether more follow.
 *
 * @param query.after Id of the last answer on the previous page; null = from the start.
 * @param query.fits Filter; absent = all.
 * @throws {ServiceError} `not_found` if `after` does not exist.
 */
export async function listAnswers(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  query: Omit<KeptTarget, 'id'> & {
    readonly after: string | null
    readonly limit: number
    readonly order: 'newest' | 'oldest'
    readonly label?: string | undefined
    readonly fits?: (value: JsonObject) => boolean
  },
  options: Abortable,
): Promise<{ readonly values: readonly JsonObject[]; readonly more: boolean }> {
  const { after: last, limit, fits = () => true, ...rest } = query
  const { kind, accountId } = query
  let after: Pick<StoredDocument, 'at' | 'id'> | null =
    last === null ? null : await findAnswer({ documents }, { kind, accountId, id: last }, options)
  const values: JsonObject[] = []
  while (values.length <= limit) {
    const read = fits === query.fits ? readAtOnce : Math.min(readAtOnce, limit + 1 - values.length)
    const found = await documents.list({ ...rest, after: after && { at: after.at, id: after.id }, limit: read }, options)
    for (const { value } of found) if (isJsonObject(value) && fits(value)) values.push(value)
    after = found.at(-1) ?? null
    if (found.length < read) break
    await setImmediate()
  }
  return { values: values.slice(0, limit), more: values.length > limit }
}

function answerNotFound({ kind, id }: KeptTarget): ServiceError {
  const what = kind === 'response' ? 'response' : 'chat completion'
  return new ServiceError(
    'not_found',
    `The ${what} ${JSON.stringify(id.slice(0, 100))} does not exist; it may have been deleted or is older than 24 hours.`,
  )
}
