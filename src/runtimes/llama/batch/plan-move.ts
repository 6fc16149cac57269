/**
 * The move that brings running sequences closer together: llama.cpp evaluates only runs of neighbouring ids in one go.
 *
 * @param running Ids of running sequences, ascending.
 * @returns The id to move and the free id to move it to; null when they are neighbours already.
 */
export function planMove(running: readonly number[]): { readonly from: number; readonly to: number } | null {
  const first = running[0]
  const last = running.at(-1)
  if (first === undefined || last === undefined || last - first === running.length - 1) return null
  const taken = new Set(running)
  let to = first
  while (taken.has(to)) to++
  return { from: last, to }
}
