import type { ResidentModel, Waiter } from './residency-state.ts'

/** The waiter to serve next: of the account with the fewest slots, then of the one served longest ago, then the oldest. */
export function chooseWaiter({ waiting, held, turns }: Pick<ResidentModel, 'waiting' | 'held' | 'turns'>): Waiter | undefined {
  const slotsOf = (account: string) => held.filter((slot) => slot.account === account).length
  const compare = (a: Waiter, b: Waiter) =>
    slotsOf(a.account) - slotsOf(b.account) || turns.indexOf(a.account) - turns.indexOf(b.account) || a.id - b.id
  return waiting.toSorted(compare)[0]
}

/** The model after this waiter got its slot. */
export function serveWaiter(model: ResidentModel, waiter: Waiter, now: number): ResidentModel {
  const held = [...model.held, { ...waiter, since: now }]
  const waiting = model.waiting.filter(({ id }) => id !== waiter.id)
  const present = new Set([...held, ...waiting].map(({ account }) => account))
  const turns = [...model.turns.filter((account) => account !== waiter.account && present.has(account)), waiter.account]
  return { ...model, held, waiting, turns, lastUsedAt: now }
}
