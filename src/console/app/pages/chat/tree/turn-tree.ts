import type { Turn } from '../../../../../core/chat/conversation.ts'

/** The messages from the beginning of a conversation to one of its ends; none when the end is not there. */
export function pathTo(turns: readonly Turn[], leaf: string | null): readonly Turn[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]))
  const path: Turn[] = []
  const seen = new Set<string>()
  for (let id = leaf; id !== null && !seen.has(id); ) {
    const turn = byId.get(id)
    if (turn === undefined) break
    seen.add(id)
    path.push(turn)
    id = turn.parent
  }
  return path.reverse()
}

/** All versions of each message, the first made first: what follows the same message and is by the same hand. */
export function versionsByMessage(turns: readonly Turn[]): (turn: Pick<Turn, 'parent' | 'role'>) => readonly Turn[] {
  const placeOf = ({ parent, role }: Pick<Turn, 'parent' | 'role'>) => `${role}:${parent}`
  const found = Map.groupBy(turns, placeOf)
  return (turn) => found.get(placeOf(turn)) ?? []
}

/** The newest end of a conversation below one of its messages. */
export function newestBelow(turns: readonly Turn[], id: string): string {
  const next = turns.findLast(({ parent }) => parent === id)
  return next === undefined ? id : newestBelow(turns, next.id)
}

/** A message and everything that follows it. */
export function allBelow(turns: readonly Turn[], id: string): readonly Turn[] {
  const own = turns.filter((turn) => turn.id === id)
  return [...own, ...turns.filter(({ parent }) => parent === id).flatMap((turn) => allBelow(turns, turn.id))]
}
