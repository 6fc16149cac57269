import type { UpstreamTimeouts } from '../../core/model.ts'

/** What a `model.json` says of the patience with a server, in seconds. */
export interface TimeoutFields {
  readonly connect?: number
  readonly first?: number
  readonly idle?: number
}

/** How long a server may take, with the defaults filled in that its `model.json` left out; `usualFirst` null = as long as the request may. */
export function readTimeouts(
  { connect = 5, first, idle = 60 }: TimeoutFields = {},
  { usualFirst }: { readonly usualFirst: number | null },
): UpstreamTimeouts {
  const longest = first ?? usualFirst
  return { connectMs: connect * 1000, firstMs: longest === null ? null : longest * 1000, idleMs: idle * 1000 }
}
