import type { EngineFailure } from './engine-messages.ts'

/** What an uploaded picture is. */
export interface PictureDescription {
  readonly format: string
  readonly width: number
  readonly height: number
  /** A mask whose white is where the picture is transparent, as PNG; there when it was asked for. */
  readonly mask?: Uint8Array
}

export interface PictureOptions {
  readonly signal: AbortSignal
  /** Whose picture it is; accounts take turns. */
  readonly account?: string
  /** Asks for a mask that still has white when it is resized to this. */
  readonly whiteAt?: { readonly width: number; readonly height: number }
  /** Asks for the mask that the picture's transparent parts are, which then has what `whiteAt` asks for. */
  readonly transparency?: boolean
}

/** One picture for a process that inspects them, which answers each with one {@link PictureReport} before it gets the next. */
export interface PictureTask {
  readonly bytes: Uint8Array
  readonly whiteAt: { readonly width: number; readonly height: number } | null
  readonly transparency: boolean
}

export type PictureReport = { readonly description: PictureDescription } | { readonly error: EngineFailure }
