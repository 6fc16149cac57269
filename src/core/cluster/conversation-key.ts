import type { TextRequest } from '../text-generation.ts'

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
