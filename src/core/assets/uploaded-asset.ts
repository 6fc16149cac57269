import { type CheckpointFamily, checkpointFamilies } from '../checkpoint/checkpoint-family.ts'
import type { StoredDocument } from '../document.ts'
import { isRecord, type JsonValue } from '../json-value.ts'
import { assetKinds, type ExaminedWeights } from './asset.ts'

/** What accounts may upload: whole models, and what requests name besides. */
const uploadKinds = ['checkpoint', ...assetKinds] as const
export type UploadKind = (typeof uploadKinds)[number]

/**
 * How an upload stands.
 *
 * - `awaiting`: made by its account; bytes come in. Forgotten a day after it was made.
 * - `ready`: its file was checked and requests may name it. A crash before leaves it `awaiting`.
 * - `rejected`: its file was refused and is gone; stays until its account deletes it.
 * - `deleted`: its account deleted it; no request finds it, but work that was asked for before may still read it. Removed when none is left.
 */
const uploadStates = ['awaiting', 'ready', 'rejected', 'deleted'] as const
export type UploadState = (typeof uploadStates)[number]

/** A file of weights that an account uploaded. Times in Unix milliseconds. */
export interface UploadedAsset {
  /** `asset_` and 32 hexadecimal digits. */
  readonly id: string
  readonly accountId: string
  /** Unique among the account's own and all public ones. */
  readonly name: string
  readonly kind: UploadKind
  /** The models it is said to be of, or to fit. */
  readonly family: CheckpointFamily
  /** Whether every account may use it. */
  readonly isPublic: boolean
  readonly description: string
  readonly triggerWords: readonly string[]
  /** Name of the checkpoint that it was trained on; null = not said. */
  readonly base: string | null
  readonly state: UploadState
  /** Why it was rejected; empty otherwise. */
  readonly details: string
  /** Of its file, as far as it has come. */
  readonly bytes: number
  /** What its file was found to be, at whatever path it lay then; null = it was not examined, or by a version that looked for other things. */
  readonly found: FoundUpload | null
  /** Secret that signs links to its file. */
  readonly linkKey: string
  /** Media type of its picture; null = it has none. */
  readonly picture: string | null
  readonly createdAt: number
  readonly deletedAt: number | null
  /** Of the stored record, for the next change of it. */
  readonly version: number
}

/** What the file of an upload may be found to be. */
export type FoundUpload = Extract<ExaminedWeights, { readonly kind: 'checkpoint' | 'asset' }>

/** Grows whenever the examination of files finds other things, so that files which were examined before are examined once more. */
const examination = 1

/** The name that requests are stored with: unlike its own, it never comes to mean another file. */
export function assetReference({ id, name }: Pick<UploadedAsset, 'id' | 'name'>): string {
  return `${id}/${name}`
}

/** What the store keeps of an upload besides what every document has. */
export function assetToJson({ id: _id, accountId: _account, version: _version, found, ...kept }: UploadedAsset): JsonValue {
  // A descriptor is plain data; what it leaves out stays out.
  return { ...kept, ...(found !== null && { examination, found: JSON.parse(JSON.stringify(found)) as JsonValue }) }
}

/** What {@link assetToJson} wrote of a file. */
function readFound(value: Readonly<Record<string, unknown>>): FoundUpload | null {
  const { found } = value
  if (value.examination !== examination || !isRecord(found) || !isRecord(found.descriptor)) return null
  return found.kind === 'checkpoint' || found.kind === 'asset' ? (found as unknown as FoundUpload) : null
}

/** An upload as the store gives it back; null when its record is of a form that this version does not know. */
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
