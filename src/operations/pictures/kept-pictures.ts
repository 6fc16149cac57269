import { randomInt } from 'node:crypto'
import { type Document, plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { removeWithFiles } from '../account-bytes.ts'
import { type DocumentDependencies, documentsFull } from '../account-documents.ts'
import { idFrom } from '../id-from.ts'
import { removeThumbnails } from './thumbnails.ts'

/** Dependencies of kept pictures. */
export interface KeptPictureDependencies extends DocumentDependencies {
  readonly outputs: OutputStore
}

interface PictureTarget {
  readonly accountId: string
  readonly id: string
}

const keptLabel = 'kept'
const hiddenLabel = 'hidden'

/** The id of a picture's copy, derived from the picture, so that repeated calls keep one copy. */
function keptPictureId(inferenceId: string, index: number): string {
  return idFrom(`${inferenceId}.${index}`)
}

/**
 * Keeps a copy of a picture until its account deletes it; the copy counts against the account's storage.
 *
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function keepPicture(
  { documents, outputs, clock, maxDocumentBytes: most }: KeptPictureDependencies,
  {
    accountId,
    bytes,
    contentType,
    ...facts
  }: Omit<KeptPicture, 'id' | 'file' | 'keptAt'> & {
    readonly accountId: string
    readonly bytes: Uint8Array
    readonly contentType: string
  },
  options: Abortable,
): Promise<string> {
  const id = keptPictureId(facts.inferenceId, facts.index)
  if ((await documents.get({ kind: 'picture', id, accountId }, options)) !== null) return id
  const { bytes: before } = await documents.sum({ accountId, kind: null }, options)
  if (before + bytes.length > most) throw picturesFull(most)
  // A new name each time: the picture may be removed at this moment, and its earlier file deleted.
  const file = await outputs.put({ inferenceId: id, attempt: randomInt(1e10) }, { contentType, chunks: [bytes] }, options)
  const value: JsonValue = { ...facts, file: { key: file.key, contentType, bytes: file.bytes, sha256: file.sha256 } }
  const document: Document = {
    kind: 'picture',
    id,
    accountId,
    value,
    at: clock.now(),
    label: keptLabel,
    text: facts.prompt,
    attachedBytes: bytes.length,
    expiresAt: null,
  }
  const result = await documents.put(document, { ...options, version: null, most })
  if (result === 'stored') return id
  await outputs.delete([file.key], neverAborted)
  // Of two concurrent calls, the first stores it.
  if (result === 'conflict') return id
  throw picturesFull(most)
}

/** Kept pictures whose prompt contains a text, the last kept first. */
export async function listKeptPictures(
  { documents }: Pick<KeptPictureDependencies, 'documents'>,
  query: {
    readonly accountId: string
    readonly search: string | null
    readonly after: { readonly at: number; readonly id: string } | null
    readonly limit: number
  },
  options: Abortable,
): Promise<readonly KeptPicture[]> {
  const { search, ...rest } = query
  const found = await documents.list({ ...rest, kind: 'picture', label: keptLabel, order: 'newest', search: search ?? undefined }, options)
  return found.map(readPicture)
}

/** @throws {ServiceError} `not_found`, with the same message for a foreign, an unknown and a malformed id. */
export async function findKeptPicture(
  { documents }: Pick<KeptPictureDependencies, 'documents'>,
  target: PictureTarget,
  options: Abortable,
): Promise<KeptPicture> {
  const found = /^[\w-]{1,128}$/.test(target.id) ? await documents.get({ kind: 'picture', ...target }, options) : null
  if (found === null || found.label !== keptLabel) throw pictureNotFound()
  return readPicture(found)
}

/** Deletes a kept picture and its thumbnails, records before bytes. @throws {ServiceError} `not_found`. */
export async function removeKeptPicture(
  deps: Pick<KeptPictureDependencies, 'documents' | 'outputs'>,
  target: PictureTarget,
  options: Abortable,
): Promise<void> {
  await findKeptPicture(deps, target, options)
  if (!(await removeWithFiles(deps, { kind: 'picture', ...target }, options))) throw pictureNotFound()
  await removeThumbnails(deps, { accountId: target.accountId, picture: target.id }, neverAborted)
}

/** One picture of an output. */
interface HiddenTarget {
  readonly accountId: string
  readonly inferenceId: string
  readonly index: number
}

/** Hides a picture from the gallery while it is stored. @throws {ServiceError} `quota_exceeded`. */
export async function hidePicture(
  { documents, clock, maxDocumentBytes: most }: KeptPictureDependencies,
  { accountId, inferenceId, index, expiresAt }: HiddenTarget & { readonly expiresAt: number },
  options: Abortable,
): Promise<void> {
  const id = hiddenId(inferenceId, index)
  const mark = { kind: 'picture', id, accountId, value: {}, at: clock.now(), label: hiddenLabel } as const
  const document = { ...plainDocument, ...mark, expiresAt }
  if ((await documents.put(document, { ...options, most })) === 'full') throw picturesFull(most)
}

/** Shows a hidden picture in the gallery again. */
export async function showPicture(
  { documents }: Pick<KeptPictureDependencies, 'documents'>,
  { accountId, inferenceId, index }: HiddenTarget,
  options: Abortable,
): Promise<void> {
  await documents.remove({ kind: 'picture', id: hiddenId(inferenceId, index), accountId }, options)
}

/** The state of a picture: the id of its copy, and whether it is hidden. */
export async function pictureMarks(
  { documents }: Pick<KeptPictureDependencies, 'documents'>,
  { accountId, inferenceId, index }: HiddenTarget,
  options: Abortable,
): Promise<{ readonly kept: string | null; readonly hidden: boolean }> {
  const id = keptPictureId(inferenceId, index)
  const [kept, hidden] = await Promise.all(
    [id, hiddenId(inferenceId, index)].map((each) => documents.get({ kind: 'picture', id: each, accountId }, options)),
  )
  return { kept: kept ? id : null, hidden: hidden !== null && hidden !== undefined }
}

function hiddenId(inferenceId: string, index: number): string {
  return `hidden-${keptPictureId(inferenceId, index)}`
}

/** Only this file writes such documents, so their shape is known. */
function readPicture({ id, at, value }: StoredDocument): KeptPicture {
  return { ...(value as unknown as Omit<KeptPicture, 'id' | 'keptAt'>), id, keptAt: at }
}

function picturesFull(most: number): ServiceError {
  return documentsFull(most, 'delete saved images or files that are no longer needed')
}

function pictureNotFound(): ServiceError {
  return new ServiceError('not_found', 'This image does not exist; it may have been deleted.')
}

/** A separate copy of a picture, kept beyond the retention of outputs. */
export interface KeptPicture {
  readonly id: string
  /** Id of the original request, which may have been deleted. */
  readonly inferenceId: string
  readonly index: number
  readonly seed: number
  readonly model: string
  /** The beginning of its prompt; empty = unknown. */
  readonly prompt: string
  /** Its file. */
  readonly file: OutputReference
  /** Time of keeping in Unix milliseconds. */
  readonly keptAt: number
}
