import type { TextPart } from '../../../src/core/text-generation.ts'

/** A generation that yields these parts, and then ends or fails. */
export async function* partsOf(parts: readonly TextPart[], failure?: Error): AsyncGenerator<TextPart, void, undefined> {
  yield* parts
  if (failure !== undefined) throw failure
}

/** One event as a client reads it. */
export interface ReadEvent {
  /** Null where the event has no name. */
  readonly name: string | null
  readonly data: ReturnType<typeof JSON.parse>
}

/** Reads events up to their end, whether that is a failure or not. */
export async function readParts(
  events: AsyncIterable<string>,
): Promise<{ readonly events: readonly ReadEvent[]; readonly failed: boolean }> {
  let text = ''
  let failed = false
  try {
    for await (const event of events) text += event
  } catch {
    failed = true
  }
  const blocks = text.split('\n\n').filter((block) => block !== '')
  return { events: blocks.map(readBlock), failed }
}

function readBlock(block: string): ReadEvent {
  const lines = block.split('\n')
  const name = lines.find((line) => line.startsWith('event: '))?.slice('event: '.length) ?? null
  const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? 'null'
  return { name, data: data === '[DONE]' ? data : JSON.parse(data) }
}
