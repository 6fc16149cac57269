import type { Turn } from '../../../../../core/chat/conversation.ts'
import type { ReadTurns } from '../../../../contract/conversations.ts'

/** The messages from the beginning of a conversation to a leaf; empty when the leaf does not exist. */
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

/** Groups the versions of each message, oldest first: messages with the same parent and role. */
export function versionsByMessage(turns: readonly Turn[]): (turn: Pick<Turn, 'parent' | 'role'>) => readonly Turn[] {
  const placeOf = ({ parent, role }: Pick<Turn, 'parent' | 'role'>) => `${role}:${parent}`
  const found = Map.groupBy(turns, placeOf)
  return (turn) => found.get(placeOf(turn)) ?? []
}

/** The newest leaf below a message. */
export function newestBelow(turns: readonly Turn[], id: string): string {
  const next = turns.findLast(({ parent }) => parent === id)
  return next === undefined ? id : newestBelow(turns, next.id)
}

/** A message and all below it. */
export function allBelow(turns: readonly Turn[], id: string): readonly Turn[] {
  const own = turns.filter((turn) => turn.id === id)
  return [...own, ...turns.filter(({ parent }) => parent === id).flatMap((turn) => allBelow(turns, turn.id))]
}

/**
 * Merges the page's messages with changes by other pages and the service.
 *
 * @param read The versions of all stored messages, and the changed messages.
 * @param isOurs Whether the page itself is changing a message, so that the stored version does not count.
 * @param wasThere Whether the service had a message before. A message that it never had is not deleted.
 */
export function mergeTurns(
  own: readonly Turn[],
  { turns, versions }: ReadTurns,
  { isOurs, wasThere }: { readonly isOurs: (id: string) => boolean; readonly wasThere: (id: string) => boolean },
): readonly Turn[] {
  const there = new Set(Object.keys(versions))
  const changed = new Map(turns.map((turn) => [turn.id, turn]))
  const left = own.filter(({ id }) => there.has(id) || isOurs(id) || !wasThere(id))
  const known = new Set(own.map(({ id }) => id))
  const merged = left.map((turn) => {
    const read = changed.get(turn.id)
    return read === undefined || isOurs(turn.id) || isSame(turn, read) ? turn : withFindings(turn, read)
  })
  // The service may not yet know that this page has removed a message.
  const added = turns.filter(({ id }) => !known.has(id) && !isOurs(id))
  const isUnchanged = added.length === 0 && merged.length === own.length && merged.every((turn, index) => turn === own[index])
  return isUnchanged ? own : [...merged, ...added].toSorted((one, other) => one.at - other.at)
}

/** A stored answer with what this page found about it, which the service gets from the page a moment later. */
function withFindings({ inference, schemaFaults, at }: Turn, read: Turn): Turn {
  // The service may have begun to store it a moment later; versions must not change places.
  const found = { ...read, at }
  return read.inference !== inference || schemaFaults === undefined ? found : { schemaFaults, ...found }
}

function isSame(one: Turn, other: Turn): boolean {
  return canonical(one) === canonical({ ...other, at: one.at })
}

function canonical(turn: Turn): string {
  return JSON.stringify(Object.entries(turn).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
