const longest = 100

/** A name that a client made up, short enough to be sent back in a sentence. */
export function shortName(name: string): string {
  return name.length <= longest ? name : `${name.slice(0, longest)}…`
}
