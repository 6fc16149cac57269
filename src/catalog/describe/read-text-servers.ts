import type { UpstreamAddress } from '../../core/model.ts'
import { type AddressFields, readAddress, splitLogin } from './read-address.ts'
import { readTimeouts, type TimeoutFields } from './read-timeouts.ts'

interface TextServerFields extends AddressFields {
  readonly replicas?: readonly (string | { readonly url: string; readonly weight?: number })[]
  readonly weight?: number
  readonly timeouts?: TimeoutFields
}

/** The servers that run a language model, with the defaults filled in that its `model.json` left out. */
export function readTextServers(fields: TextServerFields, folder: string): UpstreamAddress {
  const { weight = 1, replicas = [] } = fields
  return {
    ...readAddress(fields, { folder, usualSlots: 64 }),
    weight,
    replicas: replicas.map((replica) => {
      const { url, weight: own = 1 } = typeof replica === 'string' ? { url: replica } : replica
      return { ...splitLogin(url), weight: own }
    }),
    timeouts: readTimeouts(fields.timeouts, { usualFirst: 300 }),
  }
}
