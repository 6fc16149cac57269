import type { TextRequest } from '../text-generation.ts'

/** Load of a node, relative to its fair share, above which its keys go to other nodes. */
export const boundedLoad = 1.25

/**
 * The score of a node for a key in weighted rendezvous hashing: the node with the highest score keeps the key when others join or leave.
 *
 * @param weight Over 0; twice the weight, twice the keys.
 */
export function attraction(key: string, { name, weight }: { readonly name: string; readonly weight: number }): number {
  return -weight / Math.log(hashToUnit(`${key}\n${name}`))
}

/** Hashes a text to a number strictly between 0 and 1: FNV-1a with the finalizer of MurmurHash3. */
function hashToUnit(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / (2 ** 32 + 1)
}

/** Characters of each message that are hashed. */
const longest = 512

/** A key that stays the same for all turns of an account's conversation: a hash of its beginning. */
export function conversationKey(account: string, { input }: TextRequest): string {
  const opening =
    input.type === 'prompt'
      ? [input.tokens?.slice(0, longest).join(' ') ?? input.prompt.slice(0, longest)]
      : input.messages.slice(0, 2).map(({ role, content }) => `${role} ${(content ?? '').slice(0, longest)}`)
  return [account, ...opening].join('\n')
}
