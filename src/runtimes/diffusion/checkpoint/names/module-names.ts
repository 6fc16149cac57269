/** The two names of a module, which are prefixes of the names of its parts. */
export interface ModulePair {
  readonly diffusers: string
  readonly original: string
}

/** Whether a file holds anything under a prefix. */
export type Holds = (prefix: string) => boolean

/** Looks prefixes up among names quickly: every prefix that ends before a dot is remembered. */
export function prefixesOf(names: Iterable<string>): Holds {
  const prefixes = new Set<string>()
  for (const name of names) for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1)) prefixes.add(name.slice(0, at))
  return (prefix) => prefixes.has(prefix)
}

/** A function that gives names in one layout for names in the other; undefined for what no module holds. */
export function translator(pairs: readonly ModulePair[], from: keyof ModulePair): (name: string) => string | undefined {
  const to = from === 'diffusers' ? 'original' : 'diffusers'
  const byPrefix = new Map(pairs.map((pair) => [pair[from], pair[to]]))
  return (name) => {
    for (let at = name.length; at > 0; at = name.lastIndexOf('.', at - 1)) {
      const known = byPrefix.get(name.slice(0, at))
      if (known !== undefined) return known + name.slice(at)
    }
    return undefined
  }
}
