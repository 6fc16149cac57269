import type { OutputReference } from '../inference.ts'

/** What a file is for: what a batch reads, what it wrote, or whatever its owner likes. */
export type FilePurpose = 'batch' | 'batch_output' | 'user_data'

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
