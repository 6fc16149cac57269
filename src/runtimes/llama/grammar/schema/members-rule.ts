import type { Counts, Grammar } from '../gbnf.ts'

/** A member's rule, name and value. */
export interface MemberRule {
  readonly rule: string
  readonly required: boolean
}

/**
 * GBNF for the inside of an object: required members, then any optional ones in order, within the counts.
 *
 * @param members Required ones first.
 */
export function membersRule(grammar: Grammar, members: readonly MemberRule[], { least, most }: Counts): string {
  const required = members.filter((member) => member.required).map((member) => member.rule)
  const optional = members.filter((member) => !member.required).map((member) => member.rule)
  const [needed, allowed] = [
    Math.max(0, least - required.length),
    Math.min(optional.length, (most ?? Number.POSITIVE_INFINITY) - required.length),
  ]
  const before = required.join(' "," ws ')
  if (allowed === 0) return before
  const rest = optionalRules(grammar, optional, { needed, allowed })
  if (required.length > 0) return `${before} ${rest.behind}`
  return needed === 0 ? `(${rest.first})?` : `(${rest.first})`
}

interface Optional {
  readonly needed: number
  readonly allowed: number
}

/** Rules for the optional members after another member, and at the start. */
function optionalRules(
  grammar: Grammar,
  rules: readonly string[],
  { needed, allowed }: Optional,
): { readonly first: string; readonly behind: string } {
  // Counts that need not be distinguished are one.
  const [fewest, counts] = [needed, allowed >= rules.length ? needed : allowed]
  /** By the number of members so far: the rule for those that may follow; null = too few are left. */
  let behind: readonly (string | null)[] = Array.from({ length: counts + 1 }, (_, count) => (count >= fewest ? '' : null))
  const firsts: string[] = []
  const isFull = (count: number): boolean => allowed < rules.length && count === allowed
  for (const rule of rules.toReversed()) {
    const after = (count: number): string | null => (isFull(count) ? null : (behind[Math.min(counts, count + 1)] ?? null))
    const next = after(0)
    if (next !== null) firsts.push(`${rule} ${next}`)
    behind = behind.map((skipped, count) => {
      const taken = after(count)
      if (taken === null) return skipped
      const way = `"," ws ${rule} ${taken}`
      if (skipped === null) return grammar.name(way)
      return grammar.name(skipped === '' ? `(${way})?` : `${way} | ${skipped}`)
    })
  }
  return { first: firsts.reverse().join(' | '), behind: behind[0] ?? '' }
}
