import { distance } from 'fastest-levenshtein'

/** The known name a misspelt one most likely meant, or undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const reach = Math.max(2, Math.floor(name.length / 3))
  const near = known.map((candidate) => ({ candidate, edits: distance(name, candidate) })).filter(({ edits }) => edits <= reach)
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.candidate
}

/** The sentence that points at the nearest name: ` Did you mean --port?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}
