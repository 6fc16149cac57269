import type { OutputReference } from '../inference.ts'

/** Purposes of uploads. Sepia only uses `batch` files; the others are stored and returned. */
export const uploadPurposes = ['assistants', 'batch', 'evals', 'fine-tune', 'user_data', 'vision'] as const

/** Purpose of a file: chosen at upload, or the output of a batch. */
export type FilePurpose = (typeof uploadPurposes)[number] | 'batch_output'

/** A file stored for an account. Times in Unix milliseconds. */
export interface StoredFile {
  /** `file-` and a UUID. */
  readonly id: string
  readonly accountId: string
  /** Name given at upload; never part of a path. */
  readonly name: string
  readonly purpose: FilePurpose
  readonly bytes: number
  readonly createdAt: number
  /** null = never. */
  readonly expiresAt: number | null
  /** Its bytes in order, split into parts. */
  readonly parts: readonly OutputReference[]
}

/** Size of one part of a file in bytes. */
export const filePartBytes = 4 * 1024 * 1024

/** Prefix of file ids; the rest names the file's parts in the output store. */
export const filePrefix = 'file-'
