import { promptField, type TextPart } from '../../core/text-generation.ts'
import { DataLines, type StreamDecoder } from './data-lines.ts'
import { type BoundedRequest, StopCut } from './stop-cut.ts'
import type { UpstreamConnection } from './upstream-connection.ts'
import { nameTooLong } from './upstream-error.ts'

/** How long a server has for its counts after an answer is complete. */
const afterEndMs = 5000

/** A request to a server, with the decoder of its response. */
export interface StreamQuestion {
  readonly path: string
  readonly body: object
  readonly decoder: StreamDecoder
}

/**
 * Yields the parts of a server's answer as they arrive, with at most the requested number of tokens and nothing after a stop string. Each
 * piece is decoded in one pass, so that a token passes one generator however many checks apply. An answer whose choices have all ended is
 * complete, even if its server then breaks off or never ends the stream.
 *
 * @throws {ServiceError} the errors of the connection and the decoder.
 */
export async function* streamAnswer(
  connection: Pick<UpstreamConnection, 'send'>,
  { path, body, decoder }: StreamQuestion,
  request: BoundedRequest,
  { signal, onUncounted }: { readonly signal: AbortSignal; readonly onUncounted?: (() => void) | undefined },
): AsyncGenerator<TextPart, void, undefined> {
  const [lines, answer] = [new DataLines(), new StopCut(request, { onUncounted })]
  let close = (): void => {}
  let closing: NodeJS.Timeout | undefined
  const onOpen = (end: () => void): void => {
    close = end
  }
  try {
    try {
      for await (const piece of await connection.send(path, body, { signal, onOpen })) {
        for (const line of lines.take(piece))
          for (const decoded of decoder.decode(line))
            for (const part of answer.pass(decoded)) {
              yield part
              if (part.type === 'finish') return
            }
        if (decoder.isComplete) closing ??= setTimeout(close, afterEndMs)
      }
      for (const line of lines.end())
        for (const decoded of decoder.decode(line))
          for (const part of answer.pass(decoded)) {
            yield part
            if (part.type === 'finish') return
          }
    } catch (error) {
      if (!decoder.isComplete || signal.aborted) throw error
    }
    for (const part of decoder.end()) for (const passed of answer.pass(part)) yield passed
  } catch (error) {
    throw nameTooLong(error, promptField(request.input))
  } finally {
    clearTimeout(closing)
  }
}
