import { resolve } from 'node:path'
import { urlToHttpOptions } from 'node:url'
import type { UpstreamAddress, UpstreamTimeouts } from '../../core/model.ts'

/** Fields of a `model.json` about a server. */
export interface AddressFields {
  readonly id: string
  readonly url: string
  readonly model?: string
  readonly keyFile?: string
  readonly slots?: number
}

/** The servers of a model, with defaults. */
export function readAddress(
  { id, url, model = id, keyFile, slots }: AddressFields,
  { folder, usualSlots }: { readonly folder: string; readonly usualSlots: number },
): UpstreamAddress {
  return {
    ...splitLogin(url),
    model,
    keyFile: keyFile === undefined ? null : resolve(folder, keyFile),
    slots: slots ?? usualSlots,
  }
}

/** Splits name and password from a URL, since URLs are logged and shown; also removes a trailing slash. */
export function splitLogin(address: string): Pick<UpstreamAddress, 'url' | 'login'> {
  const { auth } = urlToHttpOptions(new URL(address))
  const url = (auth ? address.replace(/\/\/[^/]*@/, '//') : address).replace(/\/+$/, '')
  return { url, ...(auth && { login: auth }) }
}

/** Time limits in a `model.json`, in seconds. */
export interface TimeoutFields {
  readonly connect?: number
  readonly first?: number
  readonly idle?: number
}

/** Time limits of a server with defaults; `usualFirst` null = as long as the request may take. */
export function readTimeouts(
  { connect = 5, first, idle = 60 }: TimeoutFields = {},
  { usualFirst }: { readonly usualFirst: number | null },
): UpstreamTimeouts {
  const longest = first ?? usualFirst
  return { connectMs: connect * 1000, firstMs: longest === null ? null : longest * 1000, idleMs: idle * 1000 }
}

/** Fields of a `model.json` about the servers of a language model. */
export interface TextServerFields extends AddressFields {
  readonly replicas?: readonly (string | { readonly url: string; readonly weight?: number })[]
  readonly weight?: number
  readonly timeouts?: TimeoutFields
}

/** The servers of a language model with defaults. */
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

/** Whether a text is a usable base URL, to which paths are appended; may contain name and password. */
export function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#\\\s]*$/.test(value)) return false
  try {
    return urlToHttpOptions(new URL(value)).hostname !== ''
  } catch {
    return false
  }
}
