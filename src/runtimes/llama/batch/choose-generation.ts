import type { Generation } from './generation.ts'

type Member = Pick<Generation, 'account'>

/** The generation to start next: of the account with the fewest that run, then the one that has waited longest. */
export function chooseGeneration<Line extends Member>(
  waiting: readonly Line[],
  running: readonly { readonly generation: Member }[],
): Line | undefined {
  const counts = new Map<string, number>()
  for (const { generation } of running) counts.set(generation.account, (counts.get(generation.account) ?? 0) + 1)
  const count = ({ account }: Member) => counts.get(account) ?? 0
  return waiting.reduce<Line | undefined>((best, each) => (best === undefined || count(each) < count(best) ? each : best), undefined)
}

/** The line after one more has joined it: at its end, or before the others of its own account. */
export function joinLine(waiting: readonly Generation[], generation: Generation, place: 'next' | 'last'): Generation[] {
  const first = place === 'next' ? waiting.findIndex(({ account }) => account === generation.account) : -1
  return waiting.toSpliced(first < 0 ? waiting.length : first, 0, generation)
}
