/** A place on the picture, in its pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** One thing done to a mask. */
export type Mark =
  | { readonly type: 'stroke'; readonly points: readonly Point[]; readonly width: number; readonly erase: boolean }
  | { readonly type: 'clear' }
  | { readonly type: 'fill' }
  | { readonly type: 'invert' }

/** What was done to a mask, in order, and what was taken back and can be done again. */
export interface MaskHistory {
  readonly done: readonly Mark[]
  readonly undone: readonly Mark[]
}

export const noMarks: MaskHistory = { done: [], undone: [] }

/** Does something; what was taken back before is forgotten. */
export function addMark({ done }: MaskHistory, mark: Mark): MaskHistory {
  return { done: [...done, mark], undone: [] }
}

/** Takes the last thing back. */
export function undoMark({ done, undone }: MaskHistory): MaskHistory {
  const last = done.at(-1)
  return last === undefined ? { done, undone } : { done: done.slice(0, -1), undone: [...undone, last] }
}

/** Does again what was taken back last. */
export function redoMark({ done, undone }: MaskHistory): MaskHistory {
  const last = undone.at(-1)
  return last === undefined ? { done, undone } : { done: [...done, last], undone: undone.slice(0, -1) }
}
