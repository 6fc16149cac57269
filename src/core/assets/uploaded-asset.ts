import { type CheckpointFamily, checkpointFamilies } from '../checkpoint/checkpoint-family.ts'
import type { StoredDocument } from '../document.ts'
import { isRecord, type JsonValue } from '../json-value.ts'
import { assetKinds, type ExaminedWeights } from './asset.ts'

/** Kinds of uploads: whole models and assets. */
const uploadKinds = ['checkpoint', ...assetKinds] as const
export type UploadKind = (typeof uploadKinds)[number]

/**
 * States of an upload.
 *
 * - `awaiting`: created by its account; bytes are arriving. Deleted a day after its creation.
 * - `ready`: its file passed the check and requests may name it. After an earlier crash it is still `awaiting`.
 * - `rejected`: its file failed the check and was deleted; the record stays until its account deletes it.
 * - `deleted`: deleted by its account; new requests cannot find it, but earlier work may still read it. Removed when no such work is left.
 */
const uploadStates = ['awaiting', 'ready', 'rejected', 'deleted'] as const
export type UploadState = (typeof uploadStates)[number]

/** A weights file uploaded by an account. Times in Unix milliseconds. */
export interface UploadedAsset {
  /** `asset_` and 32 hexadecimal digits. */
  readonly id: string
  readonly accountId: string
  /** Unique among the account's own assets and all public ones. */
  readonly name: string
  readonly kind: UploadKind
  /** Declared family of the model, or of the models it fits. */
  readonly family: CheckpointFamily
  /** Whether every account may use it. */
  readonly isPublic: boolean
  readonly description: string
  readonly triggerWords: readonly string[]
  /** Name of the checkpoint it was trained on; null = not given. */
  readonly base: string | null
  readonly state: UploadState
  /** Why it was rejected; empty otherwise. */
  readonly details: string
  /** Size received so far. */
  readonly bytes: number
  /** Result of the examination, independent of the file's path; null = not examined, or by a version with another {@link examination}. */
  readonly found: FoundUpload | null
  /** Secret for signing links to its file. */
  readonly linkKey: string
  /** Media type of its picture; null = none. */
  readonly picture: string | null
  readonly createdAt: number
  readonly deletedAt: number | null
  /** Version of the stored record, for the next change. */
  readonly version: number
}

/** Possible results for an uploaded file. */
export type FoundUpload = Extract<ExaminedWeights, { readonly kind: 'checkpoint' | 'asset' }>

/** Version of the examination; increase it when results change, so that earlier files are examined again. */
const examination = 4

/** The name in stored requests; unlike the asset's own name, it is never reused for another file. */
export function assetReference({ id, name }: Pick<UploadedAsset, 'id' | 'name'>): string {
  return `${id}/${name}`
}

/** The JSON of an upload's document. */
export function assetToJson({ id: _id, accountId: _account, version: _version, found, ...kept }: UploadedAsset): JsonValue {
  // A descriptor is plain data; absent fields stay absent.
  return { ...kept, ...(found !== null && { examination, found: JSON.parse(JSON.stringify(found)) as JsonValue }) }
}

/** The examination result as written by {@link assetToJson}. */
function readFound(value: Readonly<Record<string, unknown>>): FoundUpload | null {
  const { found } = value
  if (value.examination !== examination || !isRecord(found) || !isRecord(found.descriptor)) return null
  return found.kind === 'checkpoint' || found.kind === 'asset' ? (found as unknown as FoundUpload) : null
}

/** Reads an upload from its document; null if the record has an unknown form. */
export function assetFromDocument({ id, accountId, version, value }: StoredDocument): UploadedAsset | null {
  if (!isRecord(value)) return null
  const { name, isPublic, description, triggerWords, base, details, bytes, linkKey, picture, createdAt, deletedAt } = value
  const kind = uploadKinds.find((known) => known === value.kind)
  const family = checkpointFamilies.find((known) => known === value.family)
  const state = uploadStates.find((known) => known === value.state)
  if (kind === undefined || family === undefined || state === undefined || typeof isPublic !== 'boolean') return null
  const texts = [name, description, details, linkKey].map((each) => (typeof each === 'string' ? each : null))
  const [nameText, descriptionText, detailsText, keyText] = texts
  if (nameText == null || descriptionText == null || detailsText == null || keyText == null) return null
  if (typeof bytes !== 'number' || typeof createdAt !== 'number' || !Array.isArray(triggerWords)) return null
  return {
    id,
    accountId,
    version,
    name: nameText,
    kind,
    family,
    isPublic,
    description: descriptionText,
    triggerWords: triggerWords.filter((word) => typeof word === 'string'),
    base: typeof base === 'string' ? base : null,
    state,
    details: detailsText,
    bytes,
    found: readFound(value),
    linkKey: keyText,
    picture: typeof picture === 'string' ? picture : null,
    createdAt,
    deletedAt: typeof deletedAt === 'number' ? deletedAt : null,
  }
}
