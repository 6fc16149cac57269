import { resolve } from 'node:path'
import { urlToHttpOptions } from 'node:url'
import type { UpstreamAddress } from '../../core/model.ts'

/** What a `model.json` says of a server. */
export interface AddressFields {
  readonly id: string
  readonly url: string
  readonly model?: string
  readonly keyFile?: string
  readonly slots?: number
}

/** Where a model runs, with the defaults filled in that its `model.json` left out. */
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

/** An address without a slash at its end, apart from the name and password that may stand in it: addresses are logged and shown. */
export function splitLogin(address: string): Pick<UpstreamAddress, 'url' | 'login'> {
  const { auth } = urlToHttpOptions(new URL(address))
  const url = (auth ? address.replace(/\/\/[^/]*@/, '//') : address).replace(/\/+$/, '')
  return { url, ...(auth && { login: auth }) }
}
