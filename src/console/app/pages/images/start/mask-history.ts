/** A point on the picture, in its pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** One change of a mask. */
export type Mark =
  | { readonly type: 'stroke'; readonly points: readonly Point[]; readonly width: number; readonly erase: boolean }
  | { readonly type: 'clear' }
  | { readonly type: 'fill' }
  | { readonly type: 'invert' }

/** The changes of a mask in order, and undone ones that can be repeated. */
export interface MaskHistory {
  readonly done: readonly Mark[]
  readonly undone: readonly Mark[]
}

export const noMarks: MaskHistory = { done: [], undone: [] }

/** Adds a change, and discards undone ones. */
export function addMark({ done }: MaskHistory, mark: Mark): MaskHistory {
  return { done: [...done, mark], undone: [] }
}

/** Undoes the last change. */
export function undoMark({ done, undone }: MaskHistory): MaskHistory {
  const last = done.at(-1)
  return last === undefined ? { done, undone } : { done: done.slice(0, -1), undone: [...undone, last] }
}

/** Repeats the last undone change. */
export function redoMark({ done, undone }: MaskHistory): MaskHistory {
  const last = undone.at(-1)
  return last === undefined ? { done, undone } : { done: [...done, last], undone: undone.slice(0, -1) }
}
