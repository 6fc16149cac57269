import type { ProviderIdentity } from '../../../operations/access/admit-identity.ts'

const longestName = 100
const longestEmail = 254

/** Reads the identity in the provider's claims. A groups claim may be a list or one name; anything else is ignored. */
export function readClaims(
  claims: Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string },
  { groupsClaim }: { readonly groupsClaim: string },
): ProviderIdentity {
  const email = readLine(claims.email, longestEmail)
  const verifiedEmail = email !== null && /^[^@\s]+@[^@\s]+$/.test(email) && claims.email_verified === true ? email : null
  const groups = claims[groupsClaim]
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name:
      readLine(claims.name, longestName) ??
      readLine(claims.preferred_username, longestName) ??
      verifiedEmail?.slice(0, longestName) ??
      'Somebody',
    verifiedEmail,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
  }
}

/** A text without line breaks and invisible characters; null when nothing is left or it is too long. */
function readLine(value: unknown, most: number): string | null {
  const text = typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cf}]/gu, '').trim() : ''
  return text === '' || text.length > most ? null : text
}
