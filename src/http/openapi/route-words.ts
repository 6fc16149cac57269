import type { DocumentedRoute } from './documented-routes.ts'

/** What a route is for, as whole sentences. */
export function describePurpose({ summary, description }: DocumentedRoute): string {
  const first = summary.endsWith('?') ? summary : `${summary}.`
  return description === undefined ? first : `${first} ${description}`
}

/** Which tokens a route lets in, as a sentence. */
export function describeScopes({ scopes, scopeRule }: DocumentedRoute): string {
  if (scopes === null) return 'No token needed.'
  return `Scope: ${scopeRule ?? scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
}
