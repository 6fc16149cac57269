import { ServiceError } from '../../core/error.ts'

const nothing: ReadonlySet<string> = new Set()

type Body = Readonly<Record<string, unknown>>

/** Fields that are always sent, because servers have other defaults, with the value that has no effect. */
const silent: Body = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0, parallel_tool_calls: true, echo: false }
/** Cut off here as well, so that the server need not know it: OpenAI takes at most four stop strings, and its reasoning models none. */
const stops = 'stop'
/** OpenAI's newer models require this name of the limit and reject the old one. */
const [oldLimit, newLimit] = ['max_tokens', 'max_completion_tokens']

/**
 * Fields that servers reject although nothing depends on them: TGI a `top_p` of 1, OpenAI's reasoning models a `temperature` and `stop`. A request that is rejected for such a field
 * is sent again without it. If that succeeds, all later requests to that server omit the field.
 */
export class RefusedFields {
  readonly #known = new WeakMap<object, ReadonlySet<string>>()

  /**
   * Sends a body, and again without the fields that the server rejects; returns the first response that begins.
   *
   * @throws {ServiceError} the refusal, if no such field is its cause.
   */
  async *send<Part>(
    server: object,
    body: Body,
    answer: (body: Body) => AsyncGenerator<Part, void, undefined>,
  ): AsyncGenerator<Part, void, undefined> {
    let without = this.#known.get(server) ?? nothing
    for (;;) {
      const parts = answer(leaveOut(body, without))
      let first: IteratorResult<Part, void>
      try {
        first = await parts.next()
      } catch (error) {
        const blamed = findBlamed(error, body).filter((name) => !without.has(name))
        if (blamed.length === 0) throw error
        without = new Set([...without, ...blamed])
        continue
      }
      // Only after a success: a refusal may quote the request for another reason.
      if (without !== nothing) this.#known.set(server, without)
      try {
        if (first.done) return
        yield first.value
        yield* parts
      } finally {
        await parts.return()
      }
      return
    }
  }
}

function findBlamed(error: unknown, body: Body): readonly string[] {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request_error') return []
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(error.message)
  const blamed = Object.keys(silent).filter((name) => name in body && body[name] === silent[name] && isNamed(name))
  if (stops in body && isNamed(stops)) blamed.push(stops)
  return isNamed(oldLimit) && isNamed(newLimit) ? [...blamed, oldLimit] : blamed
}

function leaveOut(body: Body, names: ReadonlySet<string>): Body {
  if (names.size === 0) return body
  const isLeftOut = (name: string, value: unknown) => names.has(name) && (name === oldLimit || name === stops || value === silent[name])
  const kept = Object.entries(body).filter(([name, value]) => !isLeftOut(name, value))
  return { ...Object.fromEntries(kept), ...(names.has(oldLimit) && { [newLimit]: body[oldLimit] }) }
}
