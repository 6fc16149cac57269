import { isRecord } from '../../core/json-value.ts'

/** An interface's field names, by Sepia's own. */
export type FieldWords = Readonly<Record<string, string>>

/** Those of interfaces whose chats are read as the usual ones. */
export const chatWords = {
  ollama: { reasoning_effort: 'think' },
  responses: { messages: 'input', reasoning_effort: 'reasoning.effort' },
} as const satisfies Readonly<Record<string, FieldWords>>

/** These words without the names that the body itself has: a client that sends an unknown field must find it in the refusal. */
export function wordsBeside(words: FieldWords, body: unknown): FieldWords {
  if (!isRecord(body)) return words
  return Object.fromEntries(Object.entries(words).filter(([name]) => !Object.hasOwn(body, name)))
}

/** The name of a field in these words. */
export function fieldIn(words: FieldWords, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name
}

/** A sentence with every field it quotes in these words. */
export function sentenceIn(words: FieldWords, sentence: string): string {
  return sentence.replace(/`(\w+)`/g, (_, name: string) => `\`${fieldIn(words, name)}\``)
}
