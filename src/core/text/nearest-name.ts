/** Longer names are not compared. */
const longestName = 64
/** In a name this short, two edits are a typing error only if they swap characters: `prot` means port, `stop` does not mean store. */
const shortName = 4

/** The known name nearest to a misspelt one, else the only one it is the beginning of, or undefined. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  const reach = Math.min(name.length - 1, Math.max(2, Math.floor(name.length / 3)))
  const near = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= reach)
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ candidate, edits }) => edits <= (name.length <= shortName && candidate.length !== name.length ? 1 : reach))
  const begun = name.length < shortName ? [] : known.filter((candidate) => candidate.startsWith(name))
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.candidate ?? (begun.length === 1 ? begun[0] : undefined)
}

/** A sentence that suggests the nearest name: ` Did you mean --port?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}

/** Levenshtein distance: the number of characters to insert, remove or change. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 0; i < from.length; i++) {
    let left = i + 1
    row = row.map((above, column) => {
      if (column === 0) return left
      const diagonal = row[column - 1] ?? 0
      left = from[i] === to[column - 1] ? diagonal : 1 + Math.min(above, left, diagonal)
      return left
    })
  }
  return row[to.length] ?? 0
}
