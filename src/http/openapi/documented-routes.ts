import type { TObject } from 'typebox'
import type { RouteDescription } from '../route-description.ts'
import type { BodySettings } from '../wire/chat/sampling-fields.ts'

/** A route as the API document describes it. */
export interface DocumentedRoute extends Omit<RouteDescription, 'body'> {
  readonly body?: TObject
}

/** The routes of the API document. Some bodies depend on these settings. */
export function documentedRoutes(routes: readonly RouteDescription[], settings: BodySettings): readonly DocumentedRoute[] {
  return routes
    .filter(({ isUnlisted }) => isUnlisted !== true)
    .map(({ body, ...route }) => ({
      ...route,
      path: route.path.replace('{+', '{'),
      ...(body !== undefined && { body: typeof body === 'function' ? body(settings) : body }),
    }))
}

/** The purpose of a route, in whole sentences. */
export function describePurpose({ summary, description }: DocumentedRoute): string {
  const first = summary.endsWith('?') ? summary : `${summary}.`
  return description === undefined ? first : `${first} ${description}`
}

/** The scopes of a route, as a sentence. */
export function describeScopes({ scopes, scopeRule }: DocumentedRoute): string {
  if (scopes === null) return 'No token needed.'
  return `Scope: ${scopeRule ?? scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
}
