import type { AuditEntry } from '../../../../core/audit-entry.ts'
import { type AccountLimits, limitNames, noUseLimits } from '../../../../core/limits/use-limits.ts'
import { readJson } from '../../interface/read-json.ts'
import { momentText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { durationText } from '../../parts/duration-text.ts'
import { limitLines, limitTexts } from '../../parts/limits/limit-texts.ts'

/** The fixed words of details. */
const fixedTexts: Readonly<Record<string, string>> = {
  owner: t`owner`,
  member: t`member`,
  name: t`name`,
  password: t`password`,
  'e-mail': t`e-mail`,
  'tokens revoked': t`tokens revoked`,
  'a browser not known': t`an unknown browser`,
  'with the organisation': t`with the organisation`,
}

/** A change as the service records it. */
interface RecordedChange {
  readonly role?: string
  readonly disabled?: boolean
  readonly limits?: Partial<AccountLimits>
  readonly by?: 'groups'
  readonly keepMs?: number
  /** Unix milliseconds; null = no end. */
  readonly until?: number | null
}

/**
 * The detail of an audit entry in the page's language, or null when it is recorded in English words or is a name.
 *
 * @param names Names of accounts by id.
 */
export function detailText(
  { action, detail }: { readonly action: AuditEntry['action']; readonly detail: string },
  names: ReadonlyMap<string, string>,
): string | null {
  // The name of a passkey may be any text, also one that looks like a change.
  if (action === 'passkey-added') return null
  const change = readJson(detail)
  if (typeof change === 'object' && change !== null) return changeText(change)
  const scopes = /^((?:text|image|read)(?: (?:text|image|read))*)(?: of (\S+))?$/.exec(detail)
  if (scopes) return [...(scopes[1] ?? '').split(' '), ...(scopes[2] === undefined ? [] : [names.get(scopes[2]) ?? scopes[2]])].join(', ')
  const words = detail.split(', ').map((word) => fixedTexts[word])
  return words.includes(undefined) ? null : words.join(', ')
}

function changeText(change: RecordedChange & Partial<AccountLimits>): string {
  const { role, disabled, limits, by, keepMs, until = null } = change
  const texts = [
    ...(role === undefined ? [] : [fixedTexts[role] ?? role]),
    ...(disabled === undefined ? [] : [disabled ? t`disabled` : t`enabled`]),
    ...(by === undefined ? [] : [t`from your organisation’s groups`]),
    ...(keepMs === undefined ? [] : [t`each kept for ${durationText(keepMs)}`]),
    ...(until === null ? [] : [t`until ${momentText(until)}`]),
  ]
  // The limits of a token are recorded alone.
  const recorded = { ...change, ...limits }
  const removed = limitNames.filter((name) => recorded[name] === null).map((name) => t`${limitTexts[name].label}: removed`)
  const all = [...texts, ...limitLines({ ...noUseLimits, ...recorded }), ...removed]
  return all.length === 0 ? t`no limits` : all.join(', ')
}
