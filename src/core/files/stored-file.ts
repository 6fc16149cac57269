import type { OutputReference } from '../inference.ts'

/** What files may be uploaded for. Only `batch` is read here; the others are kept and given back. */
export const uploadPurposes = ['assistants', 'batch', 'evals', 'fine-tune', 'user_data', 'vision'] as const

/** What a file is for: what its owner says, or what a batch wrote. */
export type FilePurpose = (typeof uploadPurposes)[number] | 'batch_output'

/** A file that an account keeps. Times in Unix milliseconds. */
export interface StoredFile {
  /** `file-` and a UUID. */
  readonly id: string
  readonly accountId: string
  /** As its owner called it; never part of a path. */
  readonly name: string
  readonly purpose: FilePurpose
  readonly bytes: number
  readonly createdAt: number
  /** null = kept until it is deleted. */
  readonly expiresAt: number | null
  /** Where its bytes lie, one after the other. */
  readonly parts: readonly OutputReference[]
}

/** Bytes of one part of a file. */
export const filePartBytes = 4 * 1024 * 1024

/** What an id of a file begins with; the rest names its parts in the output store. */
export const filePrefix = 'file-'
