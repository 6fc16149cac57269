import { ServiceError } from '../../core/error.ts'

type Body = Readonly<Record<string, unknown>>

/** What a server rejects: fields, and lists of at least so many stop strings. */
interface Refused {
  readonly names: ReadonlySet<string>
  readonly stops: number
}

const nothing: Refused = { names: new Set(), stops: Number.POSITIVE_INFINITY }

/** Fields that are always sent, because servers have other defaults, with the value that has no effect. */
const silent: Body = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0, parallel_tool_calls: true, echo: false }
/** Cut off here as well, so that the server need not know it: OpenAI takes at most four stop strings, and its reasoning models none. */
const stopField = 'stop'
/** OpenAI's newer models require this name of the limit and reject the old one. */
const [oldLimit, newLimit] = ['max_tokens', 'max_completion_tokens']

/**
 * Fields that servers reject although nothing depends on them: TGI a `top_p` of 1, OpenAI's reasoning models a `temperature` and `stop`. A
 * request that is rejected for such a field is sent again without it. If that succeeds, all later requests to that server omit the field;
 * of stop strings, only lists that are no shorter.
 */
export class RefusedFields {
  readonly #known = new WeakMap<object, Refused>()

  /**
   * Sends a body, and again without the fields that the server rejects; returns the first response that begins.
   *
   * @throws {ServiceError} the refusal, if no such field is its cause.
   */
  send<Part>(
    server: object,
    body: Body,
    answer: (body: Body) => AsyncGenerator<Part, void, undefined>,
  ): AsyncIterableIterator<Part, void, undefined> {
    let parts: AsyncGenerator<Part, void, undefined> | null = null
    const begin = async (): Promise<IteratorResult<Part, void>> => {
      let without = this.#known.get(server) ?? nothing
      for (;;) {
        const begun = answer(leaveOut(body, without))
        try {
          const first = await begun.next()
          // Only after a success: a refusal may quote the request for another reason.
          if (without !== nothing) this.#known.set(server, without)
          parts = begun
          return first
        } catch (error) {
          const more = addBlamed(without, error, body)
          if (more === null) throw error
          without = more
        }
      }
    }
    // An object instead of a generator, which every part would pass.
    const items: AsyncIterableIterator<Part, void, undefined> = {
      next: () => (parts === null ? begin() : parts.next()),
      return: async () => (parts === null ? { done: true, value: undefined } : await parts.return()),
      [Symbol.asyncIterator]: () => items,
    }
    return items
  }
}

/** What is rejected with the fields that an error blames; null = it blames no other. */
function addBlamed({ names, stops }: Refused, error: unknown, body: Body): Refused | null {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request_error') return null
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(error.message)
  const blamed = Object.keys(silent).filter((name) => name in body && body[name] === silent[name] && isNamed(name))
  if (isNamed(oldLimit) && isNamed(newLimit)) blamed.push(oldLimit)
  const count = isNamed(stopField) ? countStops(body) : 0
  const isNew = blamed.some((name) => !names.has(name)) || (count > 0 && count < stops)
  return isNew ? { names: new Set([...names, ...blamed]), stops: count > 0 ? Math.min(count, stops) : stops } : null
}

function leaveOut(body: Body, refused: Refused): Body {
  if (refused === nothing) return body
  const { names, stops } = refused
  const isLeftOut = (name: string, value: unknown) =>
    name === stopField ? countStops(body) >= stops : names.has(name) && (name === oldLimit || value === silent[name])
  const kept = Object.entries(body).filter(([name, value]) => !isLeftOut(name, value))
  return { ...Object.fromEntries(kept), ...(names.has(oldLimit) && { [newLimit]: body[oldLimit] }) }
}

function countStops({ [stopField]: stop }: Body): number {
  return Array.isArray(stop) ? stop.length : 0
}
