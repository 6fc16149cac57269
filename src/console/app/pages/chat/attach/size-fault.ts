import type { Turn } from '../../../../../core/chat/conversation.ts'
import { listText } from '../../../language/formats.ts'
import { t } from '../../../language/t.ts'
import { byteText } from '../../../parts/byte-text.ts'
import { mostBodyBytes } from '../../../state/session.ts'
import { chatRequestBody, chatSettings } from '../chat-settings.ts'
import { messagesOf } from '../message-text.ts'
import type { Attachments } from './attachments.ts'

/** Overhead of streaming in a request, and of a message's metadata in storage. */
const besidesBytes = 1000

/** Sizes of messages and attachments, cached because they are needed at every keystroke. */
const known = new WeakMap<object, number>()

/**
 * The message for a text with attachments that is too large for the service, alone or with the previous messages. It names what to remove.
 * Null = not too large.
 */
export function sizeFault(text: string, attached: Attachments, before: readonly Turn[]): string | null {
  const most = mostBodyBytes.value
  if (most === null) return null
  const parts = [
    ...attached.files.map((file) => ({ name: file.name, bytes: bytesOnWay(file, { files: [file], pictures: [] }) })),
    ...attached.pictures.map((picture) => ({ name: picture.name, bytes: bytesOnWay(picture, { files: [], pictures: [picture] }) })),
  ].toSorted((one, other) => other.bytes - one.bytes)
  const alone = besidesBytes + bytesOf(text) + bytesOf(chatRequestBody(chatSettings.value, [])) + sum(parts.map(({ bytes }) => bytes))
  if (alone + sum(before.map(maxBytesOf)) <= most) return null
  const earlier = sum(before.map(bytesOfTurn))
  if (alone + earlier <= most) return null
  const out = leastToTakeOut(parts, (alone > most ? alone : alone + earlier) - most)
  const sizes = [byteText(alone > most ? alone : alone + earlier), byteText(most)] as const
  const names = out && listText(out.map(({ name, bytes }) => t`${name} (${byteText(bytes)})`))
  if (alone > most)
    return names === null
      ? t`This message has ${sizes[0]}; the service accepts at most ${sizes[1]}. Send it in parts.`
      : t`This message has ${sizes[0]}; the service accepts at most ${sizes[1]}. Remove ${names}.`
  return names === null
    ? t`With the earlier messages, this request has ${sizes[0]}; the service accepts at most ${sizes[1]}. Start a new conversation.`
    : t`With the earlier messages, this request has ${sizes[0]}; the service accepts at most ${sizes[1]}. Remove ${names}, or start a new conversation.`
}

interface Part {
  readonly name: string
  readonly bytes: number
}

/** The fewest parts that exceed a size together; null = all of them are not enough. */
function leastToTakeOut(largestFirst: readonly Part[], excess: number): readonly Part[] | null {
  let left = excess
  const out: Part[] = []
  for (const part of largestFirst) {
    if (left <= 0) break
    out.push(part)
    left -= part.bytes
  }
  return left > 0 || out.length === 0 ? null : out
}

/** An upper bound that does not need encoding: an escaped character takes six bytes. */
function maxBytesOf({ content, files, pictures = [], calls = [] }: Turn): number {
  const texts = [
    content,
    ...files.flatMap(({ name, text }) => [name, text]),
    ...pictures.map(({ url }) => url),
    ...calls.flatMap(({ id, name, arguments: given, result = '' }) => [id, name, given, result]),
  ]
  return besidesBytes * (texts.length + 1) + 6 * sum(texts.map((text) => text.length))
}

/** For an answer in progress only a lower bound, because its text changes with every frame. */
function bytesOfTurn(turn: Turn): number {
  return turn.state === 'writing' ? turn.content.length : (known.get(turn) ?? remember(turn, bytesOf(messagesOf(turn))))
}

/** The size in a request or in storage, whichever is larger. */
function bytesOnWay(one: object, alone: Attachments): number {
  return known.get(one) ?? remember(one, Math.max(bytesOf(one), bytesOf(messagesOf({ role: 'user', content: '', ...alone }))))
}

function remember(of: object, bytes: number): number {
  known.set(of, bytes)
  return bytes
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
