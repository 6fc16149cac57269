import type { TextRequest } from '../text-generation.ts'

/** How far over its fair share of the load a place may be before what belongs there goes elsewhere. */
export const boundedLoad = 1.25

/**
 * How strongly a place attracts a key: the strongest of several stays the same when others come and go (rendezvous hashing by weight).
 *
 * @param weight Over 0; twice the weight, twice the keys.
 */
export function attraction(key: string, { name, weight }: { readonly name: string; readonly weight: number }): number {
  return -weight / Math.log(hashToUnit(`${key}\n${name}`))
}

/** A text as a number between 0 and 1, neither included: FNV-1a with the finalizer of MurmurHash3. */
function hashToUnit(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / (2 ** 32 + 1)
}

/** Characters of each message that tell conversations apart. */
const longest = 512

/** What stays the same from turn to turn of one conversation of one account: how it began. */
export function conversationKey(account: string, { input }: TextRequest): string {
  const opening =
    input.type === 'prompt'
      ? [input.tokens?.slice(0, longest).join(' ') ?? input.prompt.slice(0, longest)]
      : input.messages.slice(0, 2).map(({ role, content }) => `${role} ${(content ?? '').slice(0, longest)}`)
  return [account, ...opening].join('\n')
}
