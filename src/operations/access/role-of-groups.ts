import type { Role } from '../../core/account.ts'

/** Which role the members of a group get; the group `*` is everybody. */
export type GroupRoles = readonly (readonly [group: string, role: Role])[]

/** The highest role that somebody's groups give; null = none of them gives one. */
export function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | null {
  const given = roles.filter(([group]) => group === '*' || groups.includes(group)).map(([, role]) => role)
  if (given.includes('owner')) return 'owner'
  return given.includes('member') ? 'member' : null
}
