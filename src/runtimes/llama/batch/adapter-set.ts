import type { ScaledAdapter } from '../binding/native-context.ts'

/** Adapters applied for a text. */
export interface AdapterSet {
  /** Equal for equal sets; empty for none. */
  readonly key: string
  readonly adapters: readonly ScaledAdapter[]
}

export const noAdapters: AdapterSet = { key: '', adapters: [] }
