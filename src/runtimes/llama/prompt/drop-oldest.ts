import type { ChatInput } from '../../../core/text-generation.ts'

/**
 * Versions of a conversation without its oldest turns, longest first: leading instructions stay, and each continues with a user message.
 */
export function shorterConversations(input: ChatInput): readonly ChatInput[] {
  const { messages } = input
  const begins = messages.findIndex(({ role }) => role !== 'system')
  const turns = messages.flatMap(({ role }, index) => (role === 'user' && index > begins ? [index] : []))
  return turns.map((start) => ({ ...input, messages: [...messages.slice(0, begins), ...messages.slice(start)] }))
}

/**
 * Finds the first entry that fits by binary search; all entries after one that fits must fit, too.
 *
 * @returns null when none does.
 */
export async function firstFitting<Entry, Fitting>(
  entries: readonly Entry[],
  fit: (entry: Entry) => Promise<Fitting | null>,
): Promise<Fitting | null> {
  let [low, high] = [0, entries.length]
  let found: Fitting | null = null
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = entries[middle]
    const fitting = entry === undefined ? null : await fit(entry)
    if (fitting === null) low = middle + 1
    else {
      found = fitting
      high = middle
    }
  }
  return found
}
