import type { TextFigures } from '../../core/ports/text-model.ts'

/** What happens to engine processes, for the log; never holds prompts or outputs. */
export type EngineEvent =
  | { readonly type: 'started'; readonly modelId: string; readonly pid: number; readonly loadMs: number }
  | { readonly type: 'exited'; readonly modelId: string; readonly pid: number | undefined; readonly reason: string }
  /** What guesses came to since this was last told of the model. */
  | ({ readonly type: 'guessed'; readonly modelId: string } & Omit<TextFigures, 'cacheUse'>)
  /** A line the engine's libraries wrote to stdout or stderr. */
  | { readonly type: 'output'; readonly modelId: string; readonly pid: number | undefined; readonly line: string }
