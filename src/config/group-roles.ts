import type { Role } from '../core/account.ts'
import type { Kind } from './setting.ts'

/** Which role the members of a group get; the group `*` is everybody. */
export type GroupRole = readonly [group: string, role: Role]

/** Groups with their roles, separated by commas, or a list in the file. A group's name may hold `=`, but no comma. */
export const groupRoles: Kind<readonly GroupRole[]> = {
  form: '<group>=owner | member,…',
  parse: (raw) => {
    const texts: readonly unknown[] = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [raw]
    const pairs = texts.map(readPair)
    const known = pairs.filter((pair) => pair !== null)
    return known.length === pairs.length
      ? { value: known }
      : { fault: `expected groups with their roles, such as sepia-owners=owner,*=member, got ${JSON.stringify(raw)}.` }
  },
  print: (value) => value.map(([group, role]) => `${group}=${role}`).join(','),
}

function readPair(text: unknown): GroupRole | null {
  const match = typeof text === 'string' ? /^\s*(\S(?:.*\S)?)\s*=\s*(owner|member)\s*$/.exec(text) : null
  const [, group, role] = match ?? []
  return group !== undefined && (role === 'owner' || role === 'member') ? [group, role] : null
}
