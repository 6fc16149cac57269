import type { HeldSlot, ResidentModel, Waiter } from './residency-state.ts'

/** The waiter to serve next: of the account with the fewest slots, then of the one served longest ago, then the oldest. */
export function chooseWaiter({ waiting, held, turns }: Pick<ResidentModel, 'waiting' | 'held' | 'turns'>): Waiter | undefined {
  const slots = countByAccount(held)
  const lastTurn = new Map(turns.map((account, turn) => [account, turn + 1]))
  const rank = ({ account }: Waiter) => [slots.get(account) ?? 0, lastTurn.get(account) ?? 0] as const
  let best: { readonly waiter: Waiter; readonly rank: ReturnType<typeof rank> } | undefined
  for (const waiter of waiting) {
    const own = rank(waiter)
    if (best === undefined || own[0] < best.rank[0] || (own[0] === best.rank[0] && own[1] < best.rank[1])) best = { waiter, rank: own }
  }
  return best?.waiter
}

function countByAccount(held: readonly HeldSlot[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { account } of held) counts.set(account, (counts.get(account) ?? 0) + 1)
  return counts
}

/** The model after this waiter got its slot. */
export function serveWaiter(model: ResidentModel, waiter: Waiter, now: number): ResidentModel {
  const held = [...model.held, { ...waiter, since: now }]
  const waiting = model.waiting.filter(({ id }) => id !== waiter.id)
  const present = new Set([...held, ...waiting].map(({ account }) => account))
  const turns = [...model.turns.filter((account) => account !== waiter.account && present.has(account)), waiter.account]
  return { ...model, held, waiting, turns, lastUsedAt: now }
}
