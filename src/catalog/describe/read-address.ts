import { resolve } from 'node:path'
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
    url: url.replace(/\/+$/, ''),
    model,
    keyFile: keyFile === undefined ? null : resolve(folder, keyFile),
    slots: slots ?? usualSlots,
  }
}
