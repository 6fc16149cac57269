import type { HeldSlot, ResidentModel, Waiter } from './residency-state.ts'

type Line = Pick<ResidentModel, 'waiting' | 'held' | 'given' | 'givenLeast'>

/**
 * The waiter to serve next: of the account with the fewest sequences in work for its weight, then of the one that has been given the least
 * (start-time fair queueing, Goyal et al. 1996), then the one whose first came first; of its own the one that is due first.
 */
export function chooseWaiter(model: Line): Waiter | undefined {
  const sequences = countByAccount(model.held)
  const rank = ({ account, weight = 1 }: Waiter) => [(sequences.get(account) ?? 0) / weight, startOf(model, account)] as const
  let best: { readonly waiter: Waiter; readonly rank: ReturnType<typeof rank> } | undefined
  for (const waiter of model.waiting) {
    const own = rank(waiter)
    if (best === undefined || own[0] < best.rank[0] || (own[0] === best.rank[0] && own[1] < best.rank[1])) best = { waiter, rank: own }
  }
  const account = best?.waiter.account
  return model.waiting
    .filter((waiter) => waiter.account === account)
    .reduce<Waiter | undefined>((first, each) => (first === undefined || each.due < first.due ? each : first), undefined)
}

function countByAccount(held: readonly HeldSlot[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { account, sequences } of held) counts.set(account, (counts.get(account) ?? 0) + sequences)
  return counts
}

/** Where an account stands: who was away for a while comes in where those are who waited, not before them. */
function startOf({ given, givenLeast }: Pick<Line, 'given' | 'givenLeast'>, account: string): number {
  return Math.max(given.get(account) ?? 0, givenLeast)
}

/** The model after this waiter got its slot. */
export function serveWaiter(model: ResidentModel, waiter: Waiter, now: number): ResidentModel {
  const held = [...model.held, { ...waiter, since: now }]
  const waiting = model.waiting.filter(({ id }) => id !== waiter.id)
  const start = startOf(model, waiter.account)
  const givenLeast = Math.min(...model.waiting.map(({ account }) => startOf(model, account)))
  const given = new Map([...model.given].filter(([, sequences]) => sequences > givenLeast)).set(
    waiter.account,
    start + waiter.sequences / (waiter.weight ?? 1),
  )
  return { ...model, held, waiting, given, givenLeast, lastUsedAt: now }
}
